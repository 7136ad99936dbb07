"""A client of an earlier release, as it was recorded: what it sent, which fields it read, and what it was promised.

``SEXTANT_RECORD=NAME pytest tests/api/test_recorded.py`` records it, on the commit of that release, into ``NAME.json.gz``. It is never
recorded again: what test_recorded.py holds against it is what people have built on.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SPEC: dict[str, Any] = {
    "name": "Support assistant",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {"tokens": 15e9, "sequence_length": 8192},
    "constraints": {"deadline_days": 21},
}
SERVICE: dict[str, Any] = {
    "name": "Chat",
    "workload": "serving",
    "model": "qwen3-32b",
    "serving": {"requests_per_s": 40, "input_tokens": 1500, "output_tokens": 400, "ttft_p95_ms": 800},
}
HOOK = {"name": "Budget", "url": "https://hooks.example/budget", "events": ["plan.approved"]}
PLAN, VERSION = "/plans/{plan}", "/plans/{plan}/versions/1"
# who, method, path, body, and under which name the id of the answer is kept
JOURNEY: tuple[tuple[str, str, str, Any, str], ...] = (
    ("petra", "GET", "/me", None, ""),
    ("petra", "GET", "/models?limit=2", None, ""),
    ("petra", "GET", "/models/llama-3.1-70b", None, ""),
    ("petra", "GET", "/accelerators?limit=2", None, ""),
    ("petra", "GET", "/accelerators/h100-sxm5", None, ""),
    ("petra", "POST", "/estimates", SPEC, ""),
    ("petra", "POST", "/estimates?expand=all", SERVICE, ""),
    ("petra", "POST", "/estimates:batch", {"items": [SPEC, {"name": "no request"}]}, ""),
    ("petra", "POST", "/estimates/sensitivity", {"spec": SPEC}, ""),
    (
        "petra",
        "POST",
        "/specs:parse",
        {"text": "name: x\nworkload: training\nmodel: llama-3.1-8b\ntraining: {tokens: 1B}"},
        "",
    ),
    ("petra", "POST", "/estimates", {**SPEC, "model": "nobody-knows-it"}, ""),
    ("petra", "POST", "/plans", SPEC, "plan"),
    ("petra", "GET", "/plans?limit=1&sort=name", None, ""),
    ("petra", "GET", PLAN, None, ""),
    ("petra", "PATCH", PLAN, {"cost_centre": "R-7"}, ""),
    ("petra", "GET", "/workloads/{plan}", None, ""),
    ("petra", "GET", f"{PLAN}/versions", None, ""),
    ("petra", "GET", VERSION, None, ""),
    ("petra", "GET", f"{PLAN}/diff?from=1&to=1", None, ""),
    ("petra", "POST", f"{PLAN}:reprice", None, ""),
    ("petra", "POST", f"{PLAN}/scenarios", {"name": "Longer", "changes": {"horizon_months": 12}}, "scenario"),
    ("petra", "GET", f"{PLAN}/scenarios/{{scenario}}", None, ""),
    ("petra", "POST", f"{PLAN}/comments", {"text": "Why so much?", "pointer": "figure.cost"}, "comment"),
    ("petra", "POST", f"{PLAN}/comments/{{comment}}:resolve", None, ""),
    ("petra", "POST", "/share-links", {"plan_id": "{plan}"}, "link"),
    ("petra", "GET", "/share-links", None, ""),
    ("alice", "POST", "/webhooks", HOOK, "hook"),
    ("alice", "GET", "/webhooks/{hook}", None, ""),
    ("petra", "POST", f"{VERSION}/approvals", {"action": "submit"}, ""),
    ("paula", "POST", f"{VERSION}/approvals", {"action": "approve"}, ""),
    ("petra", "GET", f"{PLAN}/budget-lines", None, ""),
    ("petra", "GET", f"{PLAN}/budget-lines?format=focus_json", None, ""),
    ("petra", "GET", "/budget-lines", None, ""),
    ("petra", "GET", "/budget-lines?format=focus-json&updated_since=2026-01-01T00:00:00Z", None, ""),
    ("petra", "POST", f"{VERSION}/exports", {"formats": ["pdf"]}, ""),
    ("petra", "GET", "/exports", None, ""),
    ("petra", "GET", "/events", None, ""),
    ("alice", "GET", "/deliveries", None, ""),
    ("alice", "GET", "/audit-events?limit=5", None, ""),
    ("alice", "GET", "/tokens", None, ""),
    ("petra", "POST", "/catalogs", {"name": "Our agreement"}, "catalog"),
    ("petra", "GET", "/catalogs/{catalog}", None, ""),
    ("petra", "PUT", "/entries/accelerator/h100-sxm5", {"values": {"tdp_w": "650 W"}}, ""),
    ("petra", "GET", "/entries/accelerator/h100-sxm5", None, ""),
    ("petra", "GET", "/prices?limit=2", None, ""),
    ("petra", "DELETE", PLAN, None, ""),
    ("petra", "GET", "/plans/pln_nobodyhasthis", None, ""),
)
KINDS = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


def travelled(people: dict[str, Any], steps: Any = JOURNEY) -> list[dict[str, Any]]:
    """What came, step by step: operation, status and body (None where it is no JSON)."""
    from tests.api.described import operation_of

    names: dict[str, str] = {}
    found = []
    for who, method, path, body, kept in steps:
        headers = {"If_Match": "*"} if method in ("PATCH", "DELETE") else {}
        answer = people[who].send(method, filled(path, names), filled(body, names), **headers)
        read = answer.json() if "json" in answer.headers.get("Content-Type", "") else None
        if kept:
            names[kept] = read["id"]
        found.append({"operation": operation_of(answer), "status": answer.status_code, "body": read})
    return found


def filled(value: Any, names: dict[str, str]) -> Any:
    """The same with the ids that were met."""
    if isinstance(value, dict):
        return {key: filled(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if isinstance(value, str):
        for name, known in names.items():
            value = value.replace(f"{{{name}}}", known)
    return value


def shape(value: Any, path: str = "") -> dict[str, list[str]]:
    """Each field that there is, however deep, with its kinds; entries of a list are taken together."""
    found = {path: {KINDS[type(value)]}}
    inside = (
        value.items() if isinstance(value, dict) else (("-", item) for item in value) if isinstance(value, list) else ()
    )
    for key, item in inside:
        for place, kinds in shape(item, f"{path}/{key}").items():
            found.setdefault(place, set()).update(kinds)
    return {place: sorted(kinds) for place, kinds in found.items()}


def recorded(name: str) -> dict[str, Any]:
    """`journey`, `answers` (operation, status and shape) and `description` of that release."""
    with gzip.open(HERE / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def keep(name: str, came: list[dict[str, Any]]) -> None:
    """Writes the record."""
    answers = [{"operation": one["operation"], "status": one["status"], "shape": shape(one["body"])} for one in came]
    description = json.loads((ROOT / "docs/openapi.json").read_text(encoding="utf-8"))
    text = json.dumps({"journey": JOURNEY, "answers": answers, "description": description}, sort_keys=True)
    (HERE / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
