"""How pages tell the kinds of work apart: one row for each kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from engine.answer import Option
from engine.inputs.kind import PerKind
from planner.asked.kinds import WORK, served
from planner.presenters.words import days, days_span, layout, pace_words, percent, span
from planner.request.quantities import show_quantity


@dataclass(frozen=True, kw_only=True)
class Paged:
    """One kind of work on a page."""

    simulated: bool
    """Does a first number wait for a simulation, not for other accelerators?"""
    answers: bool
    """Is it told by how soon it answers, not by when it is done?"""
    replicas: Callable[[Option], str]
    """How many replicas there are; empty of what has none."""
    cost_label: Callable[[Option], str]
    """Over its cost."""
    time_of: Callable[[Option], str]
    """What its time is made of."""
    shape: Callable[[Option], str]
    """How its hardware is put together."""
    speed_label: Callable[[Option], str]
    """Over the column of the speed."""
    speed: Callable[[Option], tuple[str, str]]
    """The speed of an option, and its band."""
    sort_speed: Callable[[Option], float]
    """What a column of it is sorted by [day or ms]."""
    later: Callable[[Option, Option], str]
    """By how much an option is done later than the recommended one; empty where that is alike."""


def first_token(option: Option) -> tuple[str, str]:
    """How soon a replica answers, at p95, and its band; nothing of what has none."""
    found = WORK[option.work].latencies(option).get("ttft")
    if found is None:
        return "none", ""
    return show_quantity(found.p95.expected, "ms"), f"{span(found.p95.low, found.p95.high)} ms"


def _later(option: Option, best: Option) -> str:
    later = option.days.expected - best.days.expected
    if abs(later) < 0.02 * best.days.expected:
        return ""
    return f"{days(abs(later))} {'later' if later > 0 else 'sooner'}"


def _over_months(option: Option) -> str:
    """For how long a service or batch is costed."""
    count = option.days.expected / 30.4375
    months = "1 month" if round(count) == 1 else f"{count:.3g} months"
    return f"Total cost over {days(option.days.expected) if count < 1.0 else months}"


def _steps(option: Option) -> str:
    step = f", each {show_quantity(option.step_time_s.expected, 's')}" if option.step_time_s else ""
    kept = f", with {percent(option.checkpoint.goodput.expected)} of the time kept" if option.checkpoint else ""
    return f"{option.steps:,} optimizer steps{step}{kept}."


def _pace(option: Option) -> str:
    return f"{pace_words(option.tokens_per_s)} on all replicas, after the time until they answer."


def _servers(option: Option) -> str:
    servers = "1 server" if option.nodes == 1 else f"{option.nodes} servers"
    return f"{servers}, {layout(option.parallelism)}"


def _replicas(option: Option) -> str:
    found = served(option)
    each = found.accelerators_per_replica
    spare = min(found.spare_replicas, option.count // max(each, 1))
    busy = option.count // max(each, 1) - spare
    return f"{busy} replicas{f' and {spare} spare' if spare else ''}, {each} accelerator{'s' if each > 1 else ''} each"


_RUN: Final = Paged(
    simulated=False,
    answers=False,
    replicas=lambda _option: "",
    cost_label=lambda _option: "Total cost",
    time_of=_steps,
    shape=_servers,
    speed_label=lambda _option: "Time",
    speed=lambda option: (days(option.days.expected), days_span(option.days)),
    sort_speed=lambda option: option.days.expected,
    later=_later,
)
_SERVICE: Final = Paged(
    simulated=True,
    answers=True,
    replicas=lambda option: str(served(option).replicas),
    cost_label=_over_months,
    time_of=_pace,
    shape=_replicas,
    speed_label=lambda option: "First token, p95" if option.counts == "token" else "Answer, p95",
    speed=first_token,
    sort_speed=lambda option: served(option).ttft_ms.p95.expected,
    later=lambda _option, _best: "",
)
_BATCH: Final = replace(
    _RUN, simulated=True, replicas=_SERVICE.replicas, cost_label=_over_months, time_of=_pace, shape=_replicas
)
PAGED: Final[PerKind[Paged]] = {"run": _RUN, "service": _SERVICE, "batch": _BATCH}
