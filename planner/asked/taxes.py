"""What is said of taxes: what of the sums is tax or duty that does not come back, or that they are before tax."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import ORDERED, PURCHASE, TAXES, Option
from engine.inputs.spec import Spec, Taxes
from engine.money.signed import share_lines
from planner.asked.voice import Voice


def tax_text(spec: Spec, best: Option, voice: Voice) -> str:
    """One line: how much of what this work costs, and of what is signed, is tax and duty; or that all is before tax."""
    if spec.taxes is None:
        return voice.tr("All sums are before tax; none was stated.")
    rates = rates_text(spec.taxes, voice)
    if not rates:
        return voice.tr("None is owed, as stated.")
    duty, signed_duty = duty_of(best)
    mine, signed = tax_of(best) + duty, signed_tax(best) + signed_duty
    if not mine:
        return voice.tr("All sums are before tax, which is no cost: {rates}.", rates=rates)
    words = {"amount": voice.amount(mine), "rates": rates}
    if duty:
        return voice.tr(
            "{amount} of this cost is tax and duty that does not come back, and {signed} of what is signed: {rates}.",
            signed=voice.amount(signed),
            **words,
        )
    if not signed:
        return voice.tr("{amount} of this cost is tax that is not recovered: {rates}.", **words)
    return voice.tr(
        "{amount} of this cost is tax that is not recovered, and {signed} of what is signed: {rates}.",
        signed=voice.amount(signed),
        **words,
    )


def tax_of(best: Option) -> float:
    """Tax in the cost of this work, the duty on hardware not among it [the plan's currency]."""
    return sum(line.amount for line in best.cost.model.lines if line.name in TAXES)


def duty_of(best: Option) -> tuple[float, float]:
    """Import duty on hardware: what this work carries of it, as of the purchase that it is a part of, and all of it [the plan's
    currency]."""
    amounts = {line.name: line.amount for line in best.cost.model.lines}
    whole = amounts.get("import_duty", 0.0)
    return (whole * amounts["purchase"] / amounts[PURCHASE], whole) if whole else (0.0, 0.0)


def signed_tax(best: Option) -> float:
    """Tax in what is signed [the plan's currency]."""
    amounts = {line.name: line.amount for line in best.cost.model.lines}
    if ORDERED in amounts:
        return amounts["capex_tax"]
    shares = [name for name in share_lines(best.cost.signed) if name in TAXES]
    return amounts.get("committed_tax", sum(amounts.get(name, 0.0) for name in shares))


def rates_text(taxes: Taxes, voice: Voice) -> str:
    """The rates as they were stated."""
    return ", ".join(_rates(taxes, voice))


def _rates(taxes: Taxes, voice: Voice) -> Iterator[str]:
    if taxes.purchases and taxes.purchases == taxes.services:
        yield voice.tr("tax of {share} on purchases and services", share=_share(taxes.purchases, voice))
    elif taxes.purchases:
        yield voice.tr("tax of {share} on purchases", share=_share(taxes.purchases, voice))
    if taxes.services and taxes.purchases != taxes.services:
        yield voice.tr("tax of {share} on services", share=_share(taxes.services, voice))
    if taxes.recovered and not (taxes.purchases or taxes.services):
        yield voice.tr("all tax recovered")
    elif taxes.recovered:
        yield voice.tr("{share} of it recovered", share=_share(taxes.recovered, voice))
    if taxes.import_duty:
        yield voice.tr("import duty of {share} on hardware", share=_share(taxes.import_duty, voice))


def _share(value: float, voice: Voice) -> str:
    """A rate to the last digit that somebody stated: 8.875%."""
    return f"{voice.number(round(value * 100, 6))}%"
