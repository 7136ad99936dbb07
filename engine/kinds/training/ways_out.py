"""Ways out of a refused training request that need the plan made again: more accelerators, or less work."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.answer import Nearest
from engine.choice.patience import longest_run
from engine.context import Context
from engine.inputs.currency import Currency
from engine.inputs.names import counted, days_words, large_words, source_words
from engine.inputs.spec import Training
from engine.kinds.training.choice import Field, best_of, costed_finalists, pace_in, survey
from engine.kinds.training.costed import Costed
from engine.money.signed import signed_of, signed_words

_LEAST_SHARE = 1e-4
"""Share of the work below which another request is meant, not a smaller one."""
_SURE = 0.9
"""Part of what the limits would allow that is offered: overheads do not shrink with the work."""


def more_accelerators(context: Context, most: int) -> tuple[Costed | None, Context, Field]:
    """The best with so many accelerators allowed, None where still none keeps the limits; the request that was tried."""
    limits = replace(context.spec.constraints, max_accelerators=most)
    changed = replace(context, spec=replace(context.spec, constraints=limits))
    field = survey(changed)
    return best_of(changed, costed_finalists(changed, field, pace_in(changed, field))), changed, field


def said(best: Costed, currency: Currency) -> str:
    """“64 × H100 (Nebius on demand) then does it in 12 days for about 41,000 USD”, with what is signed for it."""
    return f"{named(best)} then does it in {days_words(best.days.expected)}, for {cost_words(best, currency)}"


def cost_words(best: Costed, currency: Currency) -> str:
    """“about 41,000 USD”, and the whole of what is signed."""
    return f"about {currency.about(best.usd)}{signed_words(signed_of(best.model), currency)}"


def named(best: Costed) -> str:
    """“64 × H100 (Nebius on demand)”."""
    return f"{best.pair.count:,} × {best.pair.supply.device.name} ({source_words(best.pair.supply)})"


def less_work(context: Context, able: Sequence[Costed]) -> Iterator[Nearest]:
    """How much of the training fits the limits, found among `able`, each tried before it is offered."""
    asked, limits = context.spec.training, context.spec.constraints
    if asked is None:
        return
    shares = [
        min(
            limits.deadline_days / one.days.high if limits.deadline_days else math.inf,
            limits.budget_usd / one.usd if limits.budget_usd else math.inf,
            longest_run(context) / one.run_days,
        )
        for one in able
        if one.pair.supply.kind != "on_prem"
    ]
    share = max(shares, default=0.0) * _SURE
    if not _LEAST_SHARE < share < 1:
        return
    for name, less in _smaller(asked, share):
        changed = replace(context, spec=replace(context.spec, training=less))
        field = survey(changed)
        best = best_of(changed, costed_finalists(changed, field, pace_in(changed, field)))
        if best is not None:
            now, needed = (_counted(one, name) for one in (asked, less))
            verb = "Make" if name == "runs" else "Train on"
            yield Nearest(
                field=f"training.{name}",
                now=now,
                needed=needed,
                sentence=f"{verb} {needed} instead of {now.rpartition(' ')[0]}: {said(best, context.currency)}.",
            )


def _smaller(asked: Training, share: float) -> Iterator[tuple[str, Training]]:
    """Which field is lowered, and the training with less of it: fewer runs, or less in each."""
    fewer = math.floor(asked.runs * share)
    if fewer >= 1:
        yield "runs", replace(asked, runs=fewer)
    if asked.tokens:
        yield "tokens", replace(asked, tokens=_round_down(asked.tokens * share))
    else:
        yield "samples", replace(asked, samples=_round_down(asked.samples * share))


def _round_down(value: float) -> float:
    """Two digits, never more than the value."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / step) * step


def _counted(training: Training, name: str) -> str:
    """“12 runs”, “3.1 billion tokens”."""
    value = getattr(training, name)
    return counted(value, "run") if name == "runs" else f"{large_words(value)} {name}"
