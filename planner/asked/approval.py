"""What is asked of whoever approves: how much, what to sign, which share of it this work carries, from when, at prices of which day.

What is approved is what suffices as surely as the request asks, not the central estimate: that is exceeded more often than not,
since most inputs may rise by more than they may fall. So the sentence says how often it suffices.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Certainty, Option, Signed
from engine.inputs.quantity import day_after
from engine.inputs.spec import Spec
from engine.money.signed import authorised_of
from planner.asked.blocks import booked
from planner.asked.kinds import WORK
from planner.asked.spans import tested_days, wait_days
from planner.asked.taxes import signed_tax
from planner.asked.voice import Voice
from planner.frozen.snapshot import Plan
from planner.names import provider_name
from planner.price_age import price_day


def approval_text(plan: Plan, voice: Voice) -> str:
    """The sentences that ask for it; what to do first where nothing is feasible."""
    best = plan.recommendation.recommended
    if best is None:
        return _change(len(plan.recommendation.nearest), voice)
    if best.cost.signed.what == "none":
        text = _plain(plan, best, voice)
    else:
        text = f"{_order(plan, best, voice)}{_besides(plan, best, voice)} {_share(plan, best, voice)}"
    return f"{text} {_valid(plan, best, voice)}{_staged(plan, voice)}"


def _staged(plan: Plan, voice: Voice) -> str:
    """That a measurement may come before the money, where it pays: then two sums can be approved, one after the other."""
    gate = plan.recommendation.gate
    if gate is None or not gate.pays:
        return ""
    said = voice.tr(
        "Or in two stages: approve {fee} now to measure first, and decide about the rest by what is measured.",
        fee=voice.amount(gate.fee),
    )
    return f" {said}"


def _change(ways: int, voice: Voice) -> str:
    """What to do before there is anything to approve."""
    if not ways:
        return voice.tr(
            "Nothing to approve yet: the request has to change first, and no single change is known that helps."
        )
    return voice.trn(
        "Nothing to approve yet: make the change that is named below, and plan again.",
        "Nothing to approve yet: choose one of the {count} changes that are named below, and plan again.",
        ways,
        count=voice.number(ways),
    )


def _plain(plan: Plan, best: Option, voice: Voice) -> str:
    """How much money for what, where nothing is signed beyond the hours that are used."""
    expected, sure = voice.amount(best.cost.total.expected), _suffices(plan, best)
    if sure is None:
        return _to_use(plan, best, expected, voice)
    most = voice.amount(sure.most)
    text = _to_use(plan, best, voice.tr("up to {most}", most=most), voice)
    words = {"cost": expected, "most": most, "chance": voice.percent(sure.chance)}
    if best.cost.expected_holds is None:
        said = voice.tr("The central estimate is {cost}; {most} suffices with a probability of {chance}.", **words)
    else:
        likely = voice.percent(best.cost.expected_holds)
        said = voice.tr(
            "The central estimate of {cost} suffices with a probability of {likely}, {most} with {chance}.",
            likely=likely,
            **words,
        )
    return f"{text} {said}"


def _to_use(plan: Plan, best: Option, cost: str, voice: Voice) -> str:
    """That sum for what, from when; what a spend commitment pays of it is signed already."""
    drawn = best.cost.signed.drawn
    if drawn and best.offer:
        seller = voice.name(provider_name(best.offer.provider))
        cost = voice.tr(
            "{cost} of new money, beside {drawn} of the commitment with {seller},",
            cost=cost, drawn=voice.amount(drawn), seller=seller,
        )  # fmt: skip
    words = {"cost": cost, "option": _option(best, voice), "terms": _terms(best, voice), **_when(plan, voice)}
    return WORK[plan.spec.kind].approve(plan.spec, best, voice, words)


@dataclass(frozen=True, kw_only=True)
class _Sure:
    """What the work costs at most, and how likely it stays below."""

    most: float
    chance: float


def kept_free(plan: Plan, best: Option) -> float:
    """What must be free for work that signs nothing [the plan's currency]: the sum that is asked for, not the central estimate."""
    sure = _suffices(plan, best)
    return sure.most if sure else best.cost.total.expected


def authorised(plan: Plan, best: Option) -> float:
    """The sum that approval is asked for [the plan's currency]: all that is signed, and what suffices as surely as is asked for
    all that is paid besides; without more certainty in plans from before that was kept."""
    if best.cost.signed.what == "none":
        return kept_free(plan, best)
    asked = _asked(plan, best)
    newly = best.cost.signed.total - best.cost.signed.drawn
    return max(authorised_of(best.cost.model), newly, asked.authorised or 0.0 if asked else 0.0)


def _suffices(plan: Plan, best: Option) -> _Sure | None:
    """What suffices as surely as is asked; None where that is what is expected, and where a plan does not say."""
    asked = _asked(plan, best)
    if asked is None or asked.cost is None or asked.cost <= best.cost.total.expected:
        return None
    return _Sure(most=asked.cost, chance=asked.confidence)


def _asked(plan: Plan, best: Option) -> Certainty | None:
    """What it takes to be as sure as the request asks, where that is this option."""
    return next((one for one in plan.recommendation.certainty if one.asked and one.option_id == best.id), None)


def _order(plan: Plan, best: Option, voice: Voice) -> str:
    """What is signed, as a whole: nobody sells a share."""
    signed = best.cost.signed
    whole = voice.amount(signed.total)
    if signed_tax(best):
        whole = voice.tr("{whole}, tax included,", whole=whole)
    words = {"whole": whole, "option": _option(best, voice), **_when(plan, voice)}
    if signed.what == "purchase":
        return _purchase(plan, best, words, voice) + _begins(plan, best, voice)
    words["seller"] = voice.name(provider_name(best.offer.provider)) if best.offer else ""
    if signed.what == "prepayment":
        words["days"] = booked(best, voice)
        return voice.tr("Approve paying {whole} in advance for {days}{option} at {seller}, from {start}.", **words)
    months = voice.trn(
        "{number} month", "{number} months", round(signed.months), number=voice.number(round(signed.months))
    )
    if signed.what == "lease":
        return voice.tr(
            "Approve signing a lease of {whole} over {months} for {option} from {seller}, from {start}.",
            months=months, **words,
        )  # fmt: skip
    return voice.tr(
        "Approve signing a commitment of {whole} over {months} for {option} at {seller}, from {start}.",
        months=months,
        **words,
    )


def _purchase(plan: Plan, best: Option, words: dict[str, str], voice: Voice) -> str:
    """The order; without a day where no start was set: it then counts from the day of the request, on which nobody orders."""
    words |= {
        "machines": ordered(best, voice),
        "from": "" if plan.spec.start is None else voice.tr(", from {start}", **words),
    }
    if not words["machines"]:
        return voice.tr("Approve an order of {whole} to buy {option} as own servers{from}.", **words)
    return voice.tr("Approve an order of {whole} to buy {machines}{from}.", **words)


def ordered(best: Option, voice: Voice) -> str:
    """The machines that are ordered, whole ones, whatever number of their accelerators the work uses; empty in plans that do not
    say which."""
    held = {item.name: item.value for item in best.cost.model.inputs}
    if "servers" not in held or not best.system_name:
        return ""
    return voice.tr(
        "{machines} ({accelerators} in all)",
        machines=f"{voice.number(held['servers'])}\u00a0×\u00a0{voice.name(best.system_name)}",
        accelerators=f"{voice.number(held['devices'])}\u00a0×\u00a0{voice.name(best.accelerator_name)}",
    )


def _begins(plan: Plan, best: Option, voice: Voice) -> str:
    """When work begins that waits for the servers; nothing where the same is rented until they come."""
    wait = wait_days(best)
    if not wait:
        return ""
    work, tests = WORK[best.work], tested_days(best)
    words = {"day": voice.day(day_after(plan.start, 24.0 * wait))}
    if not tests:
        return " " + work.awaited(voice, words)
    come = voice.day(day_after(plan.start, 24.0 * (wait - tests)))
    return " " + work.accepted(voice, {"come": come, **words})


def _besides(plan: Plan, best: Option, voice: Voice) -> str:
    """What must be authorised with what is signed; nothing where nothing is paid besides and nothing may cost more."""
    signed, most = best.cost.signed, authorised(plan, best)
    if signed.drawn and best.offer:
        return " " + voice.tr(
            "{drawn} draw the commitment with {seller}, which is signed already: authorise {most} of new money.",
            drawn=voice.amount(signed.drawn),
            seller=voice.name(provider_name(best.offer.provider)),
            most=voice.amount(most),
        )
    if voice.amount(most) == voice.amount(signed.total):
        return ""
    asked, words = _asked(plan, best), {"most": voice.amount(most)}
    if asked is None or asked.authorised is None or asked.authorised <= authorised_of(best.cost.model):
        return " " + voice.tr("Authorise {most} in all, with what is paid besides.", **words)
    chance = voice.percent(asked.confidence)
    said = voice.tr(
        "Authorise {most} in all: with what is paid besides, and what may cost more, that suffices with a probability of {chance}.",
        chance=chance,
        **words,
    )
    return f" {said}"


def _share(plan: Plan, best: Option, voice: Voice) -> str:
    """What this work costs, and who carries the rest of what is signed."""
    text = WORK[plan.spec.kind].share(plan.spec, best, voice.amount(best.cost.total.expected), voice)
    text, sure = f"{text}{_rest(best.cost.signed, voice)}.", _suffices(plan, best)
    if sure is None:
        return text
    words = {"most": voice.amount(sure.most), "chance": voice.percent(sure.chance)}
    if best.cost.expected_holds is None:
        return f"{text} " + voice.tr("{most} suffice with a probability of {chance}.", **words)
    likely = voice.percent(best.cost.expected_holds)
    said = voice.tr("That is enough with a probability of {likely}; {most} with {chance}.", likely=likely, **words)
    return f"{text} {said}{_counted(plan, best, voice)}"


def _counted(plan: Plan, best: Option, voice: Voice) -> str:
    """Why two sums hold with one chance where hardware is bought: what it costs, and what is authorised, which has no sale in it."""
    if best.kind != "on_prem" or voice.amount(authorised(plan, best)) == voice.amount(best.cost.at_confidence):
        return ""
    return " " + voice.tr(
        "The cost counts what the hardware sells for and the capital in it; the sum to authorise counts neither."
    )


def _rest(signed: Signed, voice: Voice) -> str:
    if not signed.rest:
        return ""
    return voice.tr(
        ", of which its share of what is signed is {share}; other work must carry the remaining {rest}",
        share=voice.amount(signed.share),
        rest=voice.amount(signed.rest),
    )


def _valid(plan: Plan, best: Option, voice: Voice) -> str:
    """The day of the price that decides, else of the catalog; and what the dates rest on when nobody has set a start."""
    day = voice.release_day(price_day(best) or plan.recommendation.catalog_date)
    if plan.spec.start:
        return voice.tr("Valid for prices of {day}.", day=day)
    return voice.tr("Valid for prices of {day}. No start was set: dates count from the day of the request.", day=day)


def _when(plan: Plan, voice: Voice) -> dict[str, str]:
    return {"start": voice.day(plan.start)}


def _option(best: Option, voice: Voice) -> str:
    return f"{voice.number(best.count)}\u00a0×\u00a0{voice.name(best.accelerator_name)}"


def _terms(best: Option, voice: Voice) -> str:
    if best.offer is None:
        return voice.tr("that the team owns")
    return voice.tr("as spot capacity") if best.offer.option == "spot" else voice.tr("on demand")


def covers(spec: Spec, best: Option, voice: Voice) -> str:
    """“ over 12 months”, “ for 1 million requests”: what a service's cost covers."""
    return WORK[spec.kind].covers(spec, best, voice)
