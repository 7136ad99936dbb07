"""The day of a request: where “today” enters, once, for every door.

A draft says no day unless somebody typed one; a plan always does. Whatever turns a request into a plan comes through
here, so that the form, the API and the command line agree on one day, and so that the day is hashed with the rest.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from catalog import clock
from engine.inputs.finding import Typed
from engine.inputs.spec import Fault, Spec, SpecError
from planner.frozen.snapshot import plain


def on_its_day(spec: Spec) -> Spec:
    """The request with its day: as stated, else today. SpecError when the work would begin before it."""
    dated = spec if spec.as_of else replace(spec, as_of=clock.today())
    if dated.start and dated.as_of and dated.start < dated.as_of:
        raise SpecError(
            Fault(
                "start",
                "past.start",
                {"day": Typed(str(dated.start)), "today": Typed(str(dated.as_of))},
            )
        )
    return dated


def asked_again(spec: Spec, day: date | None = None) -> Spec:
    """The request of a frozen plan as it would be made today, or on that day; a start that has passed moves to it."""
    now = day or clock.today()
    return replace(spec, as_of=now, start=max(spec.start, now) if spec.start else None)


def same_request(draft: Spec, frozen: Spec) -> bool:
    """Whether that plan answers that draft, whatever day it was made on."""
    undated = frozen.as_of is not None and draft.as_of is None
    return (asked_again(draft, frozen.as_of) if undated else draft) == frozen


def draft_of(spec: Spec) -> dict[str, Any]:
    """A planned request as a draft that may be planned on any later day."""
    return {key: value for key, value in plain(spec).items() if key != "as_of"}
