"""A request with one constraint on its sources dropped, one at a time: the first ways out that any kind of work tries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.answer import Change
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Value, finding
from engine.inputs.named import certificate_ref, named
from engine.inputs.spec import Constraints, Spec

_ON_SOURCES = (
    "accelerators",
    "providers",
    "regions",
    "residency",
    "certificates",
    "spot",
    "commitments",
    "framework",
    "custom_kernels",
)
"""Constraints that leave sources out."""


_CERTIFICATES = "certificates"
LAYOUT_OPEN = Change(field="fixed", now=Ref("word", "decided"), needed=Ref("word", "open"))
"""The layout left to the search, where it was fixed."""


def more_change(now: int, needed: int) -> Change:
    """So many accelerators allowed."""
    of = "accelerator"
    return Change(field="constraints.max_accelerators", now=Quantity(now, of), needed=Quantity(needed, of))


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A request with one constraint on sources dropped, and how to say so."""

    change: Change
    told: Finding
    """To be followed by what comes of it."""
    spec: Spec


def opened(context: Context) -> Iterator[Opened]:
    """The request with each constraint on sources that it has dropped, one at a time."""
    spec = context.spec
    yield from _each_certificate(context)
    for name in _ON_SOURCES:
        now, open_ = getattr(spec.constraints, name), getattr(Constraints(), name)
        if now != open_:
            limits = replace(spec.constraints, **{name: open_})
            change = Change(field=f"constraints.{name}", now=_value(context, now), needed=_value(context, open_))
            told = finding(f"open.{name}", **({"names": _value(context, now)} if name == _CERTIFICATES else {}))
            yield Opened(change=change, told=told, spec=replace(spec, constraints=limits))


def _each_certificate(context: Context) -> Iterator[Opened]:
    """Where several are asked, the request without one of them."""
    asked = context.spec.constraints.certificates
    for one in asked if len(asked) > 1 else ():
        rest = tuple(other for other in asked if other != one)
        limits = replace(context.spec.constraints, certificates=rest)
        change = Change(field="constraints.certificates", now=_value(context, asked), needed=_value(context, rest))
        told = finding("open.certificate", certificate=certificate_ref(context.market, one))
        yield Opened(change=change, told=told, spec=replace(context.spec, constraints=limits))


def _value(context: Context, value: object) -> Value:
    if isinstance(value, tuple):
        return named(context.market, value) or Ref("word", "any")
    if isinstance(value, bool):
        return Ref("word", "yes" if value else "no")
    return Ref("word", str(value))
