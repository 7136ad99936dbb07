"""From a frozen plan to a file: compose once, then the writer of the format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from exports.brand import OURS, Brand, using
from exports.compose import compose, state_of
from exports.composing.changes import Earlier
from exports.document import Document
from exports.formats import FORMATS, MEDIA_TYPES
from planner.asked import Issue
from planner.frozen.snapshot import Plan
from planner.levers.weighed import Weighed
from rest.traces import traced


def render(
    plan: Plan,
    format_: str,
    *,
    state: str = "draft",
    paper: str = "",
    previous: Earlier | None = None,
    issue: Issue | None = None,
    weighed: Weighed | None = None,
    brand: Brand = OURS,
) -> bytes:
    """The file's bytes: the same plan, state, paper, brand, people, levers and version before it always give the same ones.

    `paper` is A4, Letter, or empty for that of the brand. `issue` names the people behind it; a workbook names none, for it comes back
    and is compared with one written anew, when somebody may have another name. KeyError for an unknown format.
    """
    write = _writer(format_, paper or brand.paper)
    about = {"sextant.document.format": format_, "sextant.plan": plan.short_hash}
    with using(brand), traced("render document", about) as work:
        book = format_ == "xlsx"
        people = None if book else issue
        with traced("compose"):
            document = compose(
                plan, state=state_of(state), previous=previous, issue=people, weighed=weighed, sheets=book
            )
        with traced("write"):
            data = write(document)
        work.says({"sextant.document.bytes": len(data)})
        return data


def _writer(format_: str, paper: str) -> Callable[[Document], bytes]:
    """The writer of that format, loaded when it is first needed."""
    if format_ not in MEDIA_TYPES:
        raise KeyError(f"“{format_}” is not one of {', '.join(FORMATS)}.")
    module = import_module(f"exports.writers.{format_}")
    return partial(module.write, paper=paper)
