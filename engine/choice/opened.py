"""A request with one constraint on its sources dropped, one at a time: the first ways out that any kind of work tries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.context import Context
from engine.inputs.names import names_of
from engine.inputs.spec import Constraints, Spec

_WORDS = {
    "accelerators": "allow other accelerators",
    "providers": "allow other providers",
    "regions": "allow other regions",
    "residency": "drop the residency rule",
    "spot": "allow spot capacity",
    "commitments": "allow commitments of one or three years",
    "framework": "allow any framework",
    "custom_kernels": "do without custom CUDA kernels",
}


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A request with one constraint on sources dropped, and how to say so."""

    field: str
    now: str
    needed: str
    words: str
    spec: Spec


def opened(context: Context) -> Iterator[Opened]:
    """The request with each constraint on sources that it has dropped, one at a time."""
    spec = context.spec
    for name, words in _WORDS.items():
        now, open_ = getattr(spec.constraints, name), getattr(Constraints(), name)
        if now != open_:
            limits = replace(spec.constraints, **{name: open_})
            yield Opened(
                field=f"constraints.{name}",
                now=_shown(context, now),
                needed=_shown(context, open_) or "any",
                words=words,
                spec=replace(spec, constraints=limits),
            )


def _shown(context: Context, value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(names_of(context.market, value))
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
