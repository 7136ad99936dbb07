"""What is signed for an option, in the words of documents: all of it, beside the share that the total holds."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context, number_cell, text_cell
from exports.composing.things import many, whole_answers
from exports.document import Cell, Column
from exports.numbers import NBSP, plural, whole
from exports.wording import tr
from planner.asked.kinds import WORK


def whole_signed(context: Context, option: Option) -> str:
    """“the whole 36-month commitment of USD 1,025,971”; nothing where nothing is signed."""
    signed = option.cost.signed
    amount = context.money.amount(signed.total)
    match signed.what:
        case "purchase":
            return tr("the whole purchase of {amount}", amount=amount)
        case "commitment":
            months = plural(round(signed.months), "month")
            return tr("the whole commitment over {months} of {amount}", months=months, amount=amount)
        case "lease":
            months = plural(round(signed.months), "month")
            return tr("the whole lease over {months} of {amount}", months=months, amount=amount)
        case "prepayment":
            return tr("{amount} paid in advance", amount=amount)
    return ""


def signs_more(context: Context, best: Option, other: Option) -> str:
    """“, with the whole purchase of USD 603,146 to sign” of an option beside one that binds nothing, or less for other work to carry."""
    here, there = best.cost.signed, other.cost.signed
    if not there.total or (here.total and there.rest <= here.rest):
        return ""
    return tr(", with {whole} to sign", whole=whole_signed(context, other))


def new_money(context: Context, option: Option) -> str:
    """What the option costs, as new money where a spend commitment pays a part of it."""
    cost, drawn = context.money.amount(option.cost.total.expected), option.cost.signed.drawn
    if not drawn:
        return cost
    return tr(
        "{cost} of new money and {drawn} of a commitment that is paid anyway",
        cost=cost,
        drawn=context.money.amount(drawn),
    )


def with_drawn(context: Context, option: Option) -> str:
    """“ New money alone; with the drawn commitment USD 1.58 for a million output tokens.”; nothing where no commitment is drawn."""
    each, new, drawn = WORK[option.work].price(option), option.cost.total.expected, option.cost.signed.drawn
    if each is None or not drawn:
        return ""
    if new <= 0:
        return " " + tr("That is new money alone: the commitment that is drawn pays the rest.")
    price = context.money.price(each.expected * (new + drawn) / new)
    things = many(context.answer.model.counts) if whole_answers(context) else tr("output tokens")
    return " " + tr(
        "That is new money alone; with the commitment that is drawn, {price} for a million {things}.",
        price=price,
        things=things,
    )


def signed_column(code: str) -> Column:
    """The head over what is signed as a whole, beside the share of it that the cost holds."""
    return Column(title=tr("Signed as a whole, {code}", code=code), align="right", share=1.0)


def signed_cell(context: Context, option: Option) -> Cell:
    """All that is signed for the option; a dash where nothing is."""
    whole_sum = option.cost.signed.total
    return number_cell(whole_sum, context.money.bare(whole_sum)) if whole_sum else text_cell("–")


def signed_note(option: Option) -> tuple[str, ...]:
    """A remark beside a row whose total holds a share of what is signed."""
    if not option.cost.signed.rest:
        return ()
    return (
        tr(
            "{amount} are signed as a whole",
            amount=f"{option.cost.total.currency}{NBSP}{whole(option.cost.signed.total)}",
        ),
    )
