"""What would make an infeasible service feasible: one change at a time, each found by the same search and priced."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from engine.answer import Change, Nearest, Signed
from engine.choice.opened import LAYOUT_OPEN, more_change, opened
from engine.choice.patience import RUN
from engine.choice.unpriced import HORIZON_MONTHS, price_ways, refusal
from engine.context import Context
from engine.inputs.architecture import is_language_model
from engine.inputs.finding import Finding, Quantity, Ref, Sum, Typed, finding
from engine.inputs.named import device_ref, hardware, source_of
from engine.inputs.spec import LONGEST_BATCH_HOURS, MOST_ACCELERATORS, FixedLayout, Spec
from engine.kinds.service import ServingSearch, ServingWork, quickest
from engine.kinds.service.choice import CostedService, cost_of
from engine.kinds.service.costs import ServingFinalist, months_of, second_offer
from engine.kinds.service.held import due_hours
from engine.kinds.service.levers import FEWER_BITS, format_change, held_in
from engine.kinds.service.pairs import priced, searched
from engine.kinds.service.settled import Settled, settled
from engine.kinds.service.sizing import Tries
from engine.kinds.service.standing import work_of
from engine.kinds.service.surest import surest
from engine.kinds.service.work import is_batch
from engine.money.signed import held_beside, signed_beside
from engine.reliability.patterns import SECOND_SITE

_LOOSER = (1.1, 1.6, 4.0)
"""Promises that are tried, against what an idle replica needs: the first that a plan keeps is offered."""
_AT_EASE = (4.0, 16.0)
"""Times what an idle replica needs, where a promise decides less and less what hardware is taken: offered beside the least promise that
is kept, where it costs `_MUCH_LESS`."""
_MUCH_LESS = 0.5
_OUT_OF_REACH = 10.0
"""Times what another value of the same change costs, from which one is no way out."""
_PROMISES = ("ttft_p95_ms", "tpot_p95_ms")


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The request that nothing keeps, and what the search said of it."""

    context: Context
    work: ServingWork
    found: ServingSearch

    @property
    def spec(self) -> Spec:
        return self.context.spec

    def refused(self, *codes: str) -> bool:
        """Was anything left out for one of those reasons?"""
        return any(one.code in codes for one in self.found.rejected)


@dataclass(frozen=True, kw_only=True)
class Cheapest:
    """What needs the smallest budget."""

    cash: float
    """What that budget must hold [USD]."""
    hardware: Finding
    signed: Signed


def nearest_serving(context: Context, cheapest: Cheapest | None, *, whole: bool = True) -> Iterator[Nearest]:
    """Changes that would give a plan: the budget, the promise or deadline, the number of accelerators, or a constraint.

    `cheapest` is None where nothing keeps the promise. Each change is tried as a request of its own before it is offered.
    Unless `whole`, as for a panel that must not wait, changes that only several together are enough are not looked for.
    """
    if cheapest is not None:
        yield _larger_budget(context, cheapest)
        yield from _alone(context, [_fewer_bits(context)])
        return
    ways = [way for way in price_ways(context) if way.field != "horizon_months" or _bought(context)]
    yield from (
        [*ways, *_alone(context, _groups(context))]
        or [*_beside_the_budget(context)]
        or (_together(context) if whole else ())
    )


def _alone(context: Context, groups: Iterable[Iterable[_Way]]) -> Iterator[Nearest]:
    """The changes that are enough on their own."""
    found = list(_kept(context, groups, cheapest_of, lambda one: one.usd))
    for way, best in found:
        fields = {change.field for change in way.changes}
        alike = [one.usd for other, one in found if {change.field for change in other.changes} == fields]
        if best.usd > _OUT_OF_REACH * min(alike):
            continue
        told = finding("way.priced", opening=way.opening, does=_keeps(way.spec, context, best))
        yield Nearest(changes=way.changes, told=(told,))


def _kept(
    context: Context,
    groups: Iterable[Iterable[_Way]],
    least: Callable[[Context], CostedService | None],
    cost: Callable[[CostedService], float],
) -> Iterator[tuple[_Way, CostedService]]:
    """Of each group of changes the first that is enough, with what is `least` then; a second change of the same fields only where
    it costs much less."""
    known: dict[tuple[str, ...], float] = {}
    for tried in groups:
        for way in tried:
            best = least(replace(context, spec=way.spec))
            if best is None:
                continue
            fields = tuple(change.field for change in way.changes)
            if cost(best) <= _MUCH_LESS * known.get(fields, math.inf):
                known[fields] = cost(best)
                yield way, best
                break


def _beside_the_budget(context: Context) -> Iterator[Nearest]:
    """Where no change is enough on its own: those that are with a larger budget, and how large it must be."""
    budget = context.spec.constraints.budget_usd
    if not budget:
        return
    # With room in it for what a budget may go wrong, as it will be beside the one that is needed.
    free = replace(context, spec=_limited(context.spec, budget_usd=math.inf))
    for way, best in _kept(free, _groups(free), smallest_of, lambda one: one.cash):
        needed = context.currency.enough(best.cash)
        told = finding(
            "way.service.both",
            opening=way.opening,
            now=Sum(budget),
            needed=Sum(needed),
            hardware=named_service(best),
            does=_does(context.spec),
            held=held_beside(best.signed, context.spec.constraints.budget_basis),
        )
        yield Nearest(changes=(*way.changes, _paid(budget, needed)), told=(told,))


def _together(context: Context) -> Iterator[Nearest]:
    """Where no change is enough, not even with a larger budget: changes of which each is needed beside the others."""
    budget = context.spec.constraints.budget_usd
    free = replace(context, spec=_limited(context.spec, budget_usd=math.inf if budget else 0.0))
    found = _all_of(free)
    if found is None:
        return
    ways, spec, best = found
    for way in tuple(ways):
        fewer = _taken_back(spec, free.spec, way)
        if kept := smallest_of(replace(free, spec=fewer)):
            ways, spec, best = [one for one in ways if one is not way], fewer, kept
    changes, openings = [change for way in ways for change in way.changes], [way.opening for way in ways]
    needed = context.currency.enough(best.cash)
    if budget and needed > budget:
        changes.append(_paid(budget, needed))
        openings.append(finding("change.budget", now=Sum(budget), needed=Sum(needed)))
    told = finding("way.all", changes=tuple(openings), hardware=named_service(best))
    yield Nearest(changes=tuple(changes), told=(told,))


def _all_of(context: Context) -> tuple[list[_Way], Spec, CostedService] | None:
    """Change after change, each to what the ones before leave of the request, until something keeps it."""
    ways: list[_Way] = []
    while tried := _next(context, frozenset(change.field for way in ways for change in way.changes)):
        for way in tried:
            if best := smallest_of(replace(context, spec=way.spec)):
                return [*ways, way], way.spec, best
        ways.append(tried[-1])
        context = replace(context, spec=tried[-1].spec)
    return None


def _taken_back(spec: Any, asked: Any, way: _Way) -> Any:
    """The changed request with what this way changes as it was asked."""
    for change in way.changes:
        spec = _as_it_was(spec, asked, change.field.split("."))
    return spec


def _as_it_was(value: Any, asked: Any, path: Sequence[str]) -> Any:
    name, *rest = path
    before = getattr(asked, name)
    return replace(value, **{name: _as_it_was(getattr(value, name), before, rest) if rest else before})


def _next(context: Context, done: frozenset[str]) -> list[_Way]:
    """A group of changes to other fields; promises last, because what they must be follows from what may be used."""
    groups: Iterator[Iterable[_Way]] = ([way] for way in _opened(context))
    if asked := _asked(context):
        room = (change(asked) for change in (_shorter, _more_accelerators, _open_layout, _later))
        groups = chain(groups, room, _looser_promises(asked))
    found = (group for group in map(list, groups) if group)
    return next((group for group in found if done.isdisjoint(change.field for change in group[0].changes)), [])


@dataclass(frozen=True, kw_only=True)
class _Way:
    """A request that might be kept, what it changes, and how that is said."""

    changes: tuple[Change, ...]
    opening: Finding
    spec: Spec


def _groups(context: Context) -> Iterator[Iterable[_Way]]:
    """What is tried: of each group the first that is kept is offered."""
    yield from ([way] for way in _opened(context))
    asked = _asked(context)
    if asked is None:
        return
    yield _shorter(asked)
    yield _later(asked)
    yield from _looser_promises(asked)
    yield _more_accelerators(asked)
    yield _open_layout(asked)
    yield _fewer_bits(context)


def _asked(context: Context) -> _Asked | None:
    """The request with what a search says of it; None where nothing could be searched."""
    if not context.supplies.supplies or refusal(context):
        return None
    work = work_of(context)
    return _Asked(context=context, work=work, found=searched(context, work))


def _larger_budget(context: Context, cheapest: Cheapest) -> Nearest:
    now, needed = context.spec.constraints.budget_usd, context.currency.enough(cheapest.cash)
    told = finding(
        "way.service.budget",
        now=Sum(now),
        needed=Sum(needed),
        hardware=cheapest.hardware,
        does=_does(context.spec),
        held=held_beside(cheapest.signed, context.spec.constraints.budget_basis),
    )
    return Nearest(changes=(_paid(now, needed),), told=(told,))


def _paid(now: float, needed: float) -> Change:
    """Of the budget [USD]."""
    return Change(field="constraints.budget_usd", now=Sum(now), needed=Sum(needed))


def _does(spec: Spec) -> Finding:
    return finding("does.batch" if _is_batch(spec) else "does.promise")


def _is_batch(spec: Spec) -> bool:
    return spec.serving is not None and spec.serving.batch is not None


def _serving(spec: Spec, **changes: Any) -> Spec:
    """The same request with those fields of its service."""
    assert spec.serving is not None
    return replace(spec, serving=replace(spec.serving, **changes))


def _limited(spec: Spec, **changes: Any) -> Spec:
    """The same request with those constraints."""
    return replace(spec, constraints=replace(spec.constraints, **changes))


def cheapest_of(context: Context) -> CostedService | None:
    """What costs least with the confidence that is asked, of all that keep the request, a promise as surely as anything does; None when
    nothing does."""
    sure = context.assume["select.confidence"]
    return _least(context, lambda found: found.best, lambda pair: pair.kept(sure))


def smallest_of(context: Context) -> CostedService | None:
    """The same of what needs the smallest budget."""
    return _least(context, _within_budget, lambda pair: pair.cash)


def _within_budget(found: Settled) -> CostedService | None:
    """What needs the smallest budget, unless that is more than there is."""
    return found.cheapest if found.cheapest and found.cheapest.meets_budget else found.best


def _least(
    context: Context,
    of: Callable[[Settled], CostedService | None],
    by: Callable[[ServingFinalist], float],
) -> CostedService | None:
    """That one `of` a search that simulates what decides; where there is none of its kind, the least `by` that of all pairs."""
    work = work_of(context)
    if not work.language or is_batch(work):
        return least_of(context, by)
    tries = Tries()
    return surest(work, lambda each: of(settled(context, each, tries)), lambda one: one is not None)[1]


def least_of(context: Context, by: Callable[[ServingFinalist], float]) -> CostedService | None:
    """What has least of that, of all pairs that keep the request, a promise as surely as anything does; None when nothing does."""
    work = work_of(context)
    return surest(work, lambda each: _first(context, each, by), lambda one: one is not None)[1]


def _first(context: Context, work: ServingWork, by: Callable[[ServingFinalist], float]) -> CostedService | None:
    budget = context.spec.constraints.budget_usd
    for pair in sorted(priced(context, work, context.supplies, searched(context, work).choices), key=by):
        costed = cost_of(context, work, pair) if not budget or pair.cash <= budget else None
        if costed and costed.meets_budget:
            return costed
    return None


def _keeps(spec: Spec, context: Context, best: CostedService) -> Finding:
    """What keeps that request, from where and for how much."""
    signed = signed_beside(best.signed)
    if _is_batch(spec):
        return finding("way.service.finishes", hardware=named_service(best), cost=Sum(best.usd), signed=signed)
    monthly = best.usd / months_of(context, best.pair.choice)
    return finding("way.service.keeps", hardware=named_service(best), cost=Sum(monthly), signed=signed)


def named_service(best: CostedService) -> Finding:
    """“256 × NVIDIA B200 SXM (Nebius on demand)”."""
    choice, supply = best.pair.choice, best.pair.supply
    return hardware(choice.accelerators, device_ref(supply.device), source_of(supply, second_offer(supply, choice)))


def _bought(context: Context) -> bool:
    """Would hardware be bought for the horizon that is offered?"""
    longer = replace(context.spec, horizon_months=float(HORIZON_MONTHS))
    return cheapest_of(replace(context, spec=longer)) is not None


def _shorter(asked: _Asked) -> Iterator[_Way]:
    """Prompts that the model can take together with the answer; answers too, where they alone are more than it takes."""
    work, window = asked.work, math.floor(asked.work.window)
    if not work.too_long or window < 2:
        return
    answers = math.ceil(work.output_tokens)
    alone = answers < window
    if not alone:  # each of the two by as much
        answers = max(1, math.floor(window * work.output_tokens / (work.input_tokens + work.output_tokens)))
    prompts = window - answers
    tokens = {"input_tokens": (work.input_tokens, prompts)}
    if not alone:
        tokens["output_tokens"] = (work.output_tokens, answers)
    values = {"now": round(work.input_tokens), "needed": prompts, "window": work.window}
    opening = (
        finding("change.shorter", **values)
        if alone
        else finding("change.shorter.both", **values, was=round(work.output_tokens), answers=answers)
    )
    yield _Way(
        changes=tuple(
            Change(field=f"serving.{name}", now=Quantity(now, "token"), needed=Quantity(needed, "token"))
            for name, (now, needed) in tokens.items()
        ),
        opening=opening,
        spec=_serving(asked.spec, **{name: float(needed) for name, (_, needed) in tokens.items()}),
    )


def _later(asked: _Asked) -> Iterator[_Way]:
    """The shortest deadline by which some plan ends the batch, no longer than a run may last."""
    batch = asked.work.batch
    if batch is None:
        return

    def due(hours: float) -> Spec:
        return _serving(asked.spec, batch=replace(batch, deadline_hours=hours))

    open_ended = replace(asked.context, spec=due(float(LONGEST_BATCH_HOURS)))
    soonest = least_of(open_ended, lambda pair: _due(asked, pair))
    needed = _round(_due(asked, soonest.pair)) if soonest else 0.0
    if batch.deadline_hours < needed <= min(LONGEST_BATCH_HOURS, asked.context.assume[RUN] * 24.0):
        given, hours = Quantity(batch.deadline_hours, "hour"), Quantity(needed, "hour")
        yield _Way(
            changes=(Change(field="serving.batch.deadline_hours", now=given, needed=hours),),
            opening=finding("change.batch_deadline", now=given, needed=hours),
            spec=due(needed),
        )


def _due(asked: _Asked, pair: ServingFinalist) -> float:
    return due_hours(asked.context, pair.supply, pair.choice)


def _looser_promises(asked: _Asked) -> Iterator[Iterable[_Way]]:
    """What each promise must become for a plan, the other kept; where that is not enough, both together."""
    if not asked.refused("latency", "load", "count"):
        return
    names = _PROMISES if asked.work.language else ("ttft_p95_ms",)
    promised = [name for name in names if getattr(asked.work, name)]
    alone = [list(_loosened(asked, (name,))) for name in promised]
    yield from alone
    kept = any(smallest_of(replace(asked.context, spec=way.spec)) for ways in alone for way in ways)
    if len(promised) > 1 and not kept:
        yield _loosened(asked, tuple(promised))
    together = [tuple(promised)] if len(promised) > 1 and not kept else [(name,) for name in promised]
    yield from (_loosened(asked, names, (factor,)) for names in together for factor in _AT_EASE)


def _loosened(asked: _Asked, names: tuple[str, ...], factors: tuple[float, ...] = _LOOSER) -> Iterator[_Way]:
    """Looser promises of that kind, the least loose first."""
    work = asked.work
    others_kept = replace(work, **dict.fromkeys(names, 0.0))  # type: ignore[arg-type]  # promises, by their names
    least = quickest(others_kept, asked.context.supplies.clusters, assume=asked.context.assume)
    for factor in factors if least else ():
        assert least is not None
        needed = {name: max(_round(least[name] * factor), getattr(work, name)) for name in names}
        if all(value <= getattr(work, name) for name, value in needed.items()):
            continue
        promises = tuple(
            Change(
                field=f"serving.{name}", now=Quantity(getattr(work, name), "ms"), needed=Quantity(needed[name], "ms")
            )
            for name in names
        )
        looser = tuple(
            finding(f"promise.{name}", now=Quantity(getattr(work, name), "ms"), needed=Quantity(needed[name], "ms"))
            for name in names
        )
        yield _Way(
            changes=promises,
            opening=finding("change.promise", promises=looser),
            spec=_serving(asked.spec, **needed),
        )


def _round(value: float) -> float:
    """Up to two digits, which is how people promise."""
    step = 10.0 ** (math.floor(math.log10(max(value, 1e-3))) - 1)
    return round(math.ceil(value / step - 1e-9) * step, 6)


def _more_accelerators(asked: _Asked) -> Iterator[_Way]:
    """Larger numbers of accelerators, the smallest first."""
    most = asked.spec.constraints.max_accelerators
    if not asked.refused("count", "engine", "memory"):
        return
    for needed in sorted({min(most * 4, MOST_ACCELERATORS), 1024, 16_384}):
        if needed > most:
            yield _Way(
                changes=(more_change(most, needed),),
                opening=finding("change.more", needed=needed, now=most),
                spec=_limited(asked.spec, max_accelerators=needed),
            )


def _opened(context: Context) -> Iterator[_Way]:
    """One site instead of two, and the constraints on sources, each dropped alone."""
    operations = context.spec.operations
    if operations.pattern in SECOND_SITE:
        yield _Way(
            changes=(Change(field="operations.pattern", now=Typed(operations.pattern), needed=Typed("spares")),),
            opening=finding("change.one_site"),
            spec=replace(context.spec, operations=replace(operations, pattern="spares")),
        )
    for change in opened(context):
        yield _Way(changes=(change.change,), opening=change.told, spec=change.spec)


def _fewer_bits(context: Context) -> Iterator[_Way]:
    """Weights in fewer bits than the publisher's, the gentlest format first, where it is left open."""
    if not is_language_model(context.arch) or context.spec.serving is None or context.spec.serving.precision != "auto":
        return
    for precision in FEWER_BITS[context.arch.published_format]:
        yield _Way(
            changes=(format_change(precision),),
            opening=finding("change.fewer_bits", precision=Ref("precision", precision)),
            spec=held_in(context.spec, precision),
        )


def _open_layout(asked: _Asked) -> Iterator[_Way]:
    """The layout left to the search, where it was fixed."""
    if asked.work.fixed != FixedLayout():
        opening = finding("change.open_layout")
        yield _Way(changes=(LAYOUT_OPEN,), opening=opening, spec=replace(asked.spec, fixed=FixedLayout()))
