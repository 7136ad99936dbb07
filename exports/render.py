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
from planner.snapshot import Plan


def render(
    plan: Plan,
    format_: str,
    *,
    state: str = "draft",
    paper: str = "",
    previous: Earlier | None = None,
    brand: Brand = OURS,
) -> bytes:
    """The file's bytes: the same plan, state, paper, brand and version before it always give the same ones.

    `paper` is A4, Letter, or empty for that of the brand. KeyError for an unknown format.
    """
    write = _writer(format_, paper or brand.paper)
    with using(brand):
        return write(compose(plan, state=state_of(state), previous=previous, sheets=format_ == "xlsx"))


def _writer(format_: str, paper: str) -> Callable[[Document], bytes]:
    """The writer of that format, loaded when it is first needed."""
    if format_ not in MEDIA_TYPES:
        raise KeyError(f"“{format_}” is not one of {', '.join(FORMATS)}.")
    module = import_module(f"exports.writers.{format_}")
    return partial(module.write, paper=paper)
