"""What a plan asks for, and the measurement put into its draft, over the REST API by the project's own client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sextant_client import Sextant

from lab.own_runs.shape import Shape, check_plan, shape_of


def planned(api: Sextant, plan_id: str, accelerator: str) -> tuple[Shape, Mapping[str, Any]]:
    """The plan's model and draft. NotMeasurable where this run would measure something else; SextantError of the server.

    Asked before anything runs: a wrong id or accelerator is found in a second, not after minutes.
    """
    api.get_accelerator(accelerator)
    draft: Mapping[str, Any] = api.get_plan(plan_id)["draft"]
    check_plan(draft)
    model = draft["model"]
    architecture = api.get_model(model)["architecture"] if isinstance(model, str) else model
    return shape_of(architecture), draft


def _with(now: Any, measured: Mapping[str, Any]) -> Any:
    return {"measured": [*now["draft"]["measured"], dict(measured)]}


def posted(api: Sextant, plan_id: str, measured: Mapping[str, Any]) -> int:
    """Adds the measurement to the draft, which narrows the next version; says how many it then has."""
    plan: Any = api.edit_plan(plan_id, lambda now: _with(now, measured))
    return len(plan["draft"]["measured"])
