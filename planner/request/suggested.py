"""What a draft is called where nobody has named it: its model and the amount of work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.request.drafts import Draft
from planner.request.quantities import QuantityError, parse_quantity, show_quantity


def named(draft: Mapping[str, Any]) -> Draft:
    """The draft with a name that says what it is, where none was typed."""
    return {**draft, "name": str(draft.get("name") or "").strip() or suggested_name(draft)}


def suggested_name(draft: Mapping[str, Any]) -> str:
    """“llama-3.1-70b, 15 B tokens”: the model and the amount of work."""
    model = draft.get("model", "")
    if isinstance(model, Mapping):
        model = model.get("name") or model.get("_name_or_path") or model.get("model_type") or "own model"
    work = _work(draft)
    return f"{str(model)[:80] or 'Workload'}{f', {work}' if work else ''}"


def _work(draft: Mapping[str, Any]) -> str:
    for part, key, unit in (
        ("training", "tokens", "token"),
        ("training", "samples", "sample"),
        ("serving", "requests_per_s", "request/s"),
    ):
        typed = draft.get(part, {})
        value = typed.get(key) if isinstance(typed, Mapping) else None
        try:
            return show_quantity(parse_quantity(str(value), unit), unit) if value else ""
        except QuantityError:
            continue
    return ""
