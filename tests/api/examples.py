"""The examples of the description, taken from answers that tests have got.

``python -m tests.api.examples`` runs the tests that meet every status of every operation, takes the first good answer of each
with what was sent for it, gives everything that differs from run to run a fixed value, shortens lists, and writes
config/examples.json. test_examples.py holds each against its schema.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILE = ROOT / "config/examples.json"
SWITCH = "SEXTANT_EXAMPLES"
MOST_ROWS = 2
OTHERS = (
    *(
        f"tests/api/test_{name}.py"
        for name in ("feed", "budget", "price_lists", "own_entries", "review", "scenarios", "quotations")
    ),
    "tests/webhooks/test_api.py",
)
_ID = re.compile(
    r"\b(pln|ver|scn|cmt|shr|exp|rfq|quo|whk|dlv|msg|tok|evt|team|usr|job|batch|imp|ent)_[A-Za-z0-9]{16,32}\b"
)
_MOMENT = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z")
_TOKEN = re.compile(r"sxt_[a-z0-9]{12}_[A-Za-z0-9]{34}")
_PREFIX = re.compile(r"sxt_[a-z0-9]{12}\b")
_SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")
_LINK = re.compile(r"(/shared/)[A-Za-z0-9_\-]+")
_REFERENCE = re.compile(r"RFQ-[0-9A-Z]{8}-(\d)")
_LETTERS = "7Qm2vX9aKd41LbT8rWc5YhZeN3Fp8nS6uJy20GkR7tXa4MqBd9Wd5hC1oNv63ZjE2sPg"


def seen(name: str | None, method: str, body: Any, response: Any) -> None:
    """Writes a good answer down, where somebody asked for that."""
    folder = os.environ.get(SWITCH)
    if not folder or name is None or not 200 <= response.status_code < 300:
        return
    if response.headers.get("Content-Type", "").startswith("text/csv"):
        _file_seen(Path(folder) / f"{name}.{response.status_code}.csv", response)
        return
    path = Path(folder) / f"{name}.{response.status_code}.json"
    answer = None
    if response.headers.get("Content-Type", "").startswith("application/json"):
        answer = json.loads(response.content)
    if path.exists() and not (
        _rowless(json.loads(path.read_text(encoding="utf-8"))["answer"]) and not _rowless(answer)
    ):
        return
    sent = body if isinstance(body, dict) and method != "GET" else None
    path.write_text(json.dumps({"request": sent, "answer": answer}), encoding="utf-8")


def _rowless(answer: Any) -> bool:
    """A page without rows, which teaches less than one that has some."""
    return isinstance(answer, dict) and answer.get("data") == []


def _file_seen(path: Path, response: Any) -> None:
    """Writes the first lines down, the header and two rows; a file without rows teaches nothing."""
    whole = response.getvalue()
    if response.streaming:  # who asked reads it again
        response.streaming_content = [whole]
    lines = whole.decode().splitlines()[: 1 + MOST_ROWS]
    if len(lines) > 1 and not path.exists():
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def gathered(folder: Path) -> dict[str, Any]:
    """operation → what is sent and, by status, what is answered."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        name, status, _ = path.name.split(".")
        one = json.loads(path.read_text(encoding="utf-8"))
        entry = found.setdefault(name, {"responses": {}})
        if one["request"] is not None:
            entry.setdefault("request", one["request"])
        if one["answer"] is not None:
            entry["responses"][status] = shortened(one["answer"])
    for path in sorted(folder.glob("*.csv")):
        name, status, _ = path.name.split(".")
        entry = found.setdefault(name, {"responses": {}})
        entry.setdefault("files", {})[status] = path.read_text(encoding="utf-8")
    return {name: fixed(entry) for name, entry in found.items() if entry["responses"] or "request" in entry}


def shortened(value: Any) -> Any:
    """The same with few entries in each list."""
    if isinstance(value, dict):
        return {name: shortened(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value[:MOST_ROWS]]
    return value


def fixed(value: Any) -> Any:
    """The same with one value for everything that differs from run to run."""
    text = json.dumps(value, ensure_ascii=False)
    text = _MOMENT.sub("2026-11-22T09:30:00.000Z", text)
    text = _TOKEN.sub("sxt_example00000_ThisIsNoSecretOnlyAnExample0000000", text)
    text = _PREFIX.sub("sxt_example00000", text)
    text = _SECRET.sub("whsec_VGhpcyBpcyBubyBzZWNyZXQ=", text)
    text = _LINK.sub(r"\1this-is-only-an-example", text)
    text = _REFERENCE.sub(r"RFQ-7QM2VX9A-\1", text)
    ids: dict[str, str] = {}
    text = _ID.sub(lambda match: ids.setdefault(match[0], _instead(match[1], len(ids))), text)
    return json.loads(text)


def _instead(prefix: str, number: int) -> str:
    start = (number * 7) % 40
    return f"{prefix}_{_LETTERS[start : start + 24]}"


def renewed(value: Any) -> Any:
    """The same with each estimate as it is answered now, for the request of tests/plans: no test is run for it."""
    if isinstance(value, list):
        return [renewed(item) for item in value]
    if not isinstance(value, dict):
        return value
    if {"recommended", "alternatives", "plan_sha256"} <= value.keys():
        from planner.body import estimate_body
        from tests.plans import stored

        name = (
            "infeasible"
            if value["recommended"] is None
            else "serving"
            if "ttft_ms" in value["recommended"]
            else "training"
        )
        made = json.loads(json.dumps(estimate_body(stored(name), expand=())))
        return shortened(made | {key: value[key] for key in ("name", "plan_sha256") if key in value})
    return {key: renewed(item) for key, item in value.items()}


def _write(found: Any) -> None:
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status: 0 and the file is written, or that of the tests that failed, and it stays as it was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--estimates", action="store_true", help="run no tests, renew estimates alone")
    if parser.parse_args(argv).estimates:
        import django

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        _write(renewed(json.loads(FILE.read_text(encoding="utf-8"))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        # Statuses first, whose answers are the examples; the others have lists with rows, and the same lines as files.
        for tests in (("tests/api/test_statuses.py",), OTHERS):
            status = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", *tests],
                cwd=ROOT,
                env={**os.environ, SWITCH: folder},
                check=False,
            ).returncode
            if status:
                return status
        _write(gathered(Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
