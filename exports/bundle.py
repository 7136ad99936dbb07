"""Everything of one version in one zip: documents, budget lines, the plan itself, and a manifest of hashes.

Equal contents give equal bytes: entries are in a fixed order and carry a fixed date.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from io import BytesIO

from exports.formats import FORMATS, renderer
from exports.text import file_name
from planner.budgets.files import budget_body, budget_csv, focus_csv
from planner.frozen.snapshot import plain, thaw
from planner.frozen.stored import body_bytes
from planner.models import PlanVersion

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
_DATE = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip can hold."""


def bundle_of(version: PlanVersion, documents: Mapping[str, bytes]) -> bytes:
    """The zip of that version with those documents, by format.

    `plan.json` is the snapshot whose SHA-256 is the plan's hash; `SHA256SUMS` is read by `sha256sum -c`.
    """
    stored, stem = body_bytes(version), file_name(version.workload.name, f"v{version.number}")
    plan = thaw(stored)
    contents = {f"{stem}.{format_}": documents[format_] for format_ in FORMATS if format_ in documents}
    contents["plan.json"] = stored
    body = budget_body(version, plan)
    if body is not None:
        contents["budget.json"] = _json(plain(body))
        contents["budget.csv"] = budget_csv(plan).encode()
        contents["budget-focus.csv"] = focus_csv(version, plan).encode()
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    contents[MANIFEST] = _manifest(version, contents, sums)
    contents[SUMS] = "".join(f"{digest}  {name}\n" for name, digest in sums.items()).encode()
    return _zip(contents)


def _manifest(version: PlanVersion, contents: Mapping[str, bytes], sums: Mapping[str, str]) -> bytes:
    return _json(
        {
            "plan_id": version.workload.public_id,
            "version": version.number,
            "state": version.state,
            "plan_sha256": version.sha256,
            "catalog_release": version.catalog_release,
            "engine_version": version.engine_version,
            "renderer_version": renderer(),
            "files": [{"name": name, "sha256": sums[name], "bytes": len(contents[name])} for name in sums],
        }
    )


def _json(data: object) -> bytes:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _zip(contents: Mapping[str, bytes]) -> bytes:
    result = BytesIO()
    with zipfile.ZipFile(result, "w") as package:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            packed = name.endswith(tuple(FORMATS))
            package.writestr(entry, data, zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED)
    return result.getvalue()
