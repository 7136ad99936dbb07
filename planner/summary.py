"""A plan in a few lines of text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from planner.engine.result import Estimate, Money, Option, Recommendation
from planner.quantities import whole_units
from planner.snapshot import Plan


def summary_lines(plan: Plan) -> list[str]:
    """The recommendation, its runners-up and what was refused."""
    answer = plan.recommendation
    return [f"{plan.name} · plan {plan.short_hash}", "", answer.headline, "", *_body(answer)]


def _body(answer: Recommendation) -> Iterator[str]:
    options = ([answer.recommended] if answer.recommended else []) + list(answer.alternatives)
    for option in options[:8]:
        mark = "→" if option is answer.recommended else " "
        yield f"{mark} {_row(option)}"
    for item in answer.nearest:
        yield f"To make it feasible: {item.sentence}"
    for rejection in answer.rejected[:6]:
        nearest = f" ({rejection.nearest})" if rejection.nearest else ""
        yield f"  left out {rejection.count:,}: {rejection.reason}{nearest}"
    yield ""
    yield f"catalog {answer.catalog_release[:12]} of {answer.catalog_date} · engine {answer.engine_version}"


def _row(option: Option) -> str:
    layout = option.parallelism
    shape = f"TP {layout.tp} × PP {layout.pp} × DP {layout.dp}"
    source = option.offer.id if option.offer else option.on_prem or option.kind
    days = (
        _range(option.days, "d")
        if option.serving is None
        else f"{option.serving.replicas} replica{'s' * (option.serving.replicas != 1)}"
    )
    return (
        f"{option.count:>5} × {option.accelerator:<14} {days:<22} {_money(option.cost.total):<40} {shape:<24} {source}"
    )


def _range(value: Estimate, unit: str) -> str:
    return f"{value.expected:.3g} {unit} ({value.low:.3g}–{value.high:.3g})"


def _money(value: Money) -> str:
    return f"{_amount(value.expected)} {value.currency} ({_amount(value.low)}–{_amount(value.high)})"


def _amount(value: float) -> str:
    """Whole units, cents below ten."""
    return f"{value:,.2f}" if 0.0 < value < 9.995 else whole_units(value)
