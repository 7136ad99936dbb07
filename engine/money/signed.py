"""What an option obliges to: what is signed as a whole, and what a budget must hold for it.

The total of a cost model is what one piece of work carries. Of hardware that is bought and of capacity that is committed
for years it may be a small share, but nobody sells a share: the order and the contract are for all of it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from engine.answer import AUTHORISED, COMMITTED, NEEDED, PREPAID, PURCHASE, CostLine, CostModel, Signed
from engine.inputs.finding import Finding, Sum, finding
from engine.inputs.spec import BudgetBasis
from engine.money.lines import amount_of, dollars, evaluate, total_of

_SHARES = {PURCHASE: ("purchase",), COMMITTED: ("compute", "spares"), PREPAID: ("compute", "spares")}
"""Lines of the total that are this work's share of it."""
_NAMES = {"purchase": PURCHASE, "commitment": COMMITTED, "prepayment": PREPAID}
"""The line that holds all of what is signed."""


def commitment_lines(*, spares: int) -> list[CostLine]:
    """The whole commitment, spare instances among it, and what a budget must hold."""
    whole = "instances * paid_hours * price_per_instance_hour"
    if not spares:
        return [
            dollars(COMMITTED, "Signed: the whole commitment", whole, kind="total"),
            _needed(f"max({COMMITTED}, compute) + total - compute"),
        ]
    # Each is rounded as it is paid, so that what is signed is paid to the smallest unit.
    return [
        dollars("committed_instances", "Signed: the instances in use", whole, kind="quantity"),
        dollars("committed_spares", "Signed: the spare instances", f"spare_{whole}", kind="quantity"),
        dollars(COMMITTED, "Signed: the whole commitment", "committed_instances + committed_spares", kind="total"),
        _needed(f"max({COMMITTED}, compute + spares) + total - (compute + spares)"),
    ]


def committed_service() -> CostLine:
    """The whole commitment of a service, which pays all of it."""
    return dollars(COMMITTED, "Signed: the whole commitment", "compute", kind="total")


def prepaid(*, spares: int) -> CostLine:
    """What is paid in advance, all of it for this work."""
    return dollars(PREPAID, "Signed: paid in advance", "compute + spares" if spares else "compute", kind="total")


def purchase_needs() -> CostLine:
    """What a budget must hold where hardware is bought: the order and what running it costs, without the value left at its
    end, which comes too late, and without the cost of capital, which nobody pays."""
    return _needed(f"max({PURCHASE}, purchase) + total - purchase - residual_value - cost_of_capital")


def signed_of(model: CostModel) -> Signed:
    """What is signed for that model; nothing where rented by the hour or already owned."""
    amounts = {line.name: line.amount for line in model.lines}
    for what, name in _NAMES.items():
        if name in amounts:
            share = round(sum(amounts.get(part, 0.0) for part in _SHARES[name]), 2)
            total = max(amounts[name], share)
            return Signed(
                what=what,  # type: ignore[arg-type]  # one of its own names
                total=total,
                share=share,
                rest=round(total - share, 2),
                months=0.0 if name == PREPAID else amounts.get("paid_months", 0.0),
            )
    return Signed()


def share_lines(signed: Signed) -> tuple[str, ...]:
    """Lines of the cost model that are this work's share of what is signed; none where nothing is."""
    return _SHARES[_NAMES[signed.what]] if signed.what in _NAMES else ()


def budgeted(model: CostModel, basis: BudgetBasis) -> CostModel:
    """The model whose budget holds what that basis says: all that is newly owed and what is paid besides until the work is
    done (`authorisation`), what leaves the account less what comes back (`cash`), or what this work carries (`allocated`)."""
    if basis == "authorisation":
        return model
    lines = tuple(_authorising(line) if line.name == NEEDED else line for line in model.lines)
    names = {line.name for line in lines}
    carried = "total - cost_of_capital" if "cost_of_capital" in names else "total"
    text = _paid(lines, carried) if basis == "cash" else carried
    if text == "total" and AUTHORISED not in names:
        return replace(model, lines=lines)
    held = replace(model, lines=(*lines, _needed(text)))
    amounts = evaluate(held, {})
    return replace(held, lines=(*lines, replace(held.lines[-1], amount=amounts[NEEDED])))


def _authorising(line: CostLine) -> CostLine:
    return replace(line, name=AUTHORISED, label="To authorise: all that is signed, and what is paid besides")


def _paid(lines: tuple[CostLine, ...], carried: str) -> str:
    """What is paid: what this work carries, with the whole of each line of which it carries a share."""
    whole = [line for line in lines if line.paid and line.name != "cost_of_capital"]
    return " + ".join([carried, *(f"({line.paid} - {line.name})" for line in whole)])


def cash_needed(model: CostModel) -> float:
    """What a budget must hold, by the basis of the request: all that is signed and the rest of what this work pays, which
    without any is the total, in the currency of the model."""
    return amount_of(model, NEEDED) if any(line.name == NEEDED for line in model.lines) else total_of(model)


def authorised_line(names: Container[str], total: str) -> str:
    """Which of those lines of a model is what has to be authorised: all that is newly signed, and what is paid besides."""
    return next((name for name in (AUTHORISED, NEEDED) if name in names), total)


def authorised_of(model: CostModel) -> float:
    """What has to be authorised for that model, all of its inputs at their central values, in its currency."""
    return amount_of(model, authorised_line({line.name for line in model.lines}, model.total))


def _needed(expression: str) -> CostLine:
    return dollars(NEEDED, "What a budget must hold", expression, kind="total")


def signed_beside(signed: Signed) -> Finding:
    """What has to be signed for it, as the end of a sentence about its cost; one without words where nothing is."""
    return finding(f"signed.{signed.what}", cost=Sum(signed.total), months=round(signed.months))


def held_beside(signed: Signed, basis: BudgetBasis) -> Finding:
    """That a budget must hold all of it, as the end of a sentence about the budget; one without words where nothing is signed
    or the budget holds only what this work carries."""
    held = "none" if basis == "allocated" else signed.what
    return finding(f"held.{held}", cost=Sum(signed.total), months=round(signed.months))
