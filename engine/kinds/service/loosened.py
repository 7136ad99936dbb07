"""What of a service or a batch a team may give up for less money: each way is the same request with one thing of it changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Change, Option
from engine.choice.loosening import MODEL, Way, interruptible, later, signature, unsigned
from engine.context import Context
from engine.inputs.architecture import is_language_model
from engine.inputs.finding import Quantity, Ref, finding
from engine.inputs.rules import OWN_SPARES
from engine.inputs.spec import LONGEST_BATCH_HOURS, Serving, Spec
from engine.kinds.service.levers import FEWER_BITS, format_change, held_in

_LOOSER = 2.0
"""Times a promise of speed, or the time of a batch."""
_PROMISES = ("ttft_p95_ms", "tpot_p95_ms")
_CLEARLY_SMALLER = 0.75
"""Share of the parameters from which on another model counts as a smaller one."""
_NO_FAMILY = ("", "other", "generic")
"""Families that only say that there is none."""
_LEAST_AVAILABLE = 0.9
"""Share of time below which nobody promises availability."""


def ways_of(context: Context, _base: Option) -> Iterator[Way]:
    """All of them that this request has."""
    spec, asked = context.spec, context.spec.serving
    if asked is None:
        return
    yield from filter(None, (signature(spec), unsigned(spec)))
    if asked.batch is None:
        yield from _promises(spec, asked)
        yield from _available(spec)
    else:
        yield from _batch(spec, asked)
    yield from _formats(context, asked)
    yield from _smaller(context)


def _promises(spec: Spec, asked: Serving) -> Iterator[Way]:
    """Each promise of speed twice as long, the others kept."""
    for name in _PROMISES:
        now = getattr(asked, name)
        if now:
            needed = now * _LOOSER
            yield Way(
                key=name,
                change=Change(field=f"serving.{name}", now=Quantity(now, "ms"), needed=Quantity(needed, "ms")),
                spec=replace(spec, serving=replace(asked, **{name: needed})),
                needs=finding("needs.agreement"),
            )


def _available(spec: Spec) -> Iterator[Way]:
    """An availability of one nine less, where it is what decides how many replicas stand by."""
    operations = spec.operations
    needed = round(1.0 - 10.0 * (1.0 - operations.availability), 9)
    if needed < _LEAST_AVAILABLE or operations.pattern in OWN_SPARES:
        return
    now, less = Quantity(operations.availability, "share"), Quantity(needed, "share")
    yield Way(
        key="availability",
        change=Change(field="operations.availability", now=now, needed=less),
        spec=replace(spec, operations=replace(operations, availability=needed)),
        needs=finding("needs.agreement"),
    )


def _batch(spec: Spec, asked: Serving) -> Iterator[Way]:
    """More time for a batch, and capacity that may be taken away."""
    assert asked.batch is not None
    now = asked.batch.deadline_hours
    needed = min(now * _LOOSER, LONGEST_BATCH_HOURS)
    longer = replace(spec, serving=replace(asked, batch=replace(asked.batch, deadline_hours=needed)))
    yield later("serving.batch.deadline_hours", now, needed, "hour", longer)
    if way := interruptible(spec, finding("needs.interruptible.batch")):
        yield way


def _formats(context: Context, asked: Serving) -> Iterator[Way]:
    """Weights in fewer bits than the publisher's, where the format is left open."""
    if asked.precision != "auto" or not is_language_model(context.arch):
        return
    needs = finding("needs.evaluation", model=Ref("model", context.arch.slug, context.arch.name))
    for precision in FEWER_BITS[context.arch.published_format]:
        change, spec = format_change(precision), held_in(context.spec, precision)
        yield Way(key="precision", change=change, spec=spec, needs=needs)


def _smaller(context: Context) -> Iterator[Way]:
    """The next smaller model of the family, where it reads the same tokens: then the load is the same, and only its answers are not. What
    was measured of one model is not known of another."""
    spec, arch = context.spec, context.arch
    if not isinstance(spec.model, str) or not is_language_model(arch) or arch.family in _NO_FAMILY or spec.measured:
        return
    able = [
        one
        for one in context.market.models.values()
        if is_language_model(one)
        and (one.family, one.vocab, one.published_format) == (arch.family, arch.vocab, arch.published_format)
        and one.parameters <= arch.parameters * _CLEARLY_SMALLER
        and one.max_sequence >= arch.max_sequence
    ]
    if not able:
        return
    found = max(able, key=lambda one: (one.parameters, one.slug))
    now, needed = (Ref("model", one.slug, one.name) for one in (arch, found))
    yield Way(
        key=MODEL,
        change=Change(field="model", now=now, needed=needed),
        spec=replace(spec, model=found.slug),
        needs=finding("needs.smaller", model=now, smaller=needed),
    )
