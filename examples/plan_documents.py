"""Make a plan of a spec file and download its four documents.

pip install ./client
SEXTANT_URL=http://localhost:8000 SEXTANT_TOKEN=sxt_… python examples/plan_documents.py SPEC.yaml FOLDER
"""

import os
import sys
from pathlib import Path

from sextant_client import Sextant


def main(spec_file: str, folder: str) -> None:
    """A plan, what it costs, and where its documents are."""
    api = Sextant(os.environ.get("SEXTANT_URL", "http://localhost:8000"), os.environ["SEXTANT_TOKEN"])
    spec = api.read_spec(Path(spec_file).read_text(encoding="utf-8"))
    plan = api.create_plan(spec)
    version = plan["latest_version"]
    if version is None or version["cost"] is None:
        sys.exit(f"Nothing is feasible: {version and version['headline']}")
    sys.stdout.write(f"{plan['id']}: {version['headline']} {version['cost']['amount']} USD\n")
    for path in api.documents(plan["id"], Path(folder)):
        sys.stdout.write(f"{path}\n")


main(*sys.argv[1:])
