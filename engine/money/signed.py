"""What an option obliges to: what is signed as a whole, and what a budget must hold for it.

The total of a cost model is what one piece of work carries. Of hardware that is bought and of capacity that is committed
for years it may be a small share, but nobody sells a share: the order and the contract are for all of it.
"""

from __future__ import annotations

from engine.answer import COMMITTED, NEEDED, PREPAID, PURCHASE, CostLine, CostModel, Signed
from engine.inputs.currency import Currency
from engine.money.lines import amount_of, dollars, total_of

_SHARES = {PURCHASE: ("purchase",), COMMITTED: ("compute", "spares"), PREPAID: ("compute", "spares")}
"""Lines of the total that are this work's share of it."""
_NAMES = {"purchase": PURCHASE, "commitment": COMMITTED, "prepayment": PREPAID}
"""The line that holds all of what is signed."""


def commitment_lines(*, spares: int) -> list[CostLine]:
    """The whole commitment, spare instances among it, and what a budget must hold."""
    held = "(instances + spare_instances)" if spares else "instances"
    whole = f"{held} * paid_hours * price_per_instance_hour"
    share = "compute + spares" if spares else "compute"
    return [
        dollars(COMMITTED, "Signed: the whole commitment", whole, kind="total"),
        _needed(f"max({COMMITTED}, {share}) + total - ({share})"),
    ]


def committed_service() -> CostLine:
    """The whole commitment of a service, which pays all of it."""
    return dollars(COMMITTED, "Signed: the whole commitment", "compute", kind="total")


def prepaid(*, spares: int) -> CostLine:
    """What is paid in advance, all of it for this work."""
    return dollars(PREPAID, "Signed: paid in advance", "compute + spares" if spares else "compute", kind="total")


def purchase_needs() -> CostLine:
    """What a budget must hold where hardware is bought: the order and what running it costs, without the value left at its
    end, which comes too late, and never less than the total."""
    return _needed(f"max(total, max({PURCHASE}, purchase) + total - purchase - residual_value - cost_of_capital)")


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


def cash_needed(model: CostModel) -> float:
    """What a budget must hold: all that is signed and the rest of what this work pays, which without any is the total
    in the currency of the model."""
    return amount_of(model, NEEDED) if any(line.name == NEEDED for line in model.lines) else total_of(model)


def _needed(expression: str) -> CostLine:
    return dollars(NEEDED, "What a budget must hold", expression, kind="total")


def signed_words(signed: Signed, currency: Currency) -> str:
    """What has to be signed for it, as the end of a headline; nothing where nothing is."""
    if signed.what == "none":
        return ""
    whole = currency.about(signed.total)
    # The total is more than a share of it: it holds power, staff and storage too.
    return {
        "purchase": f", with a purchase of {whole} to sign",
        "commitment": f", with a {signed.months:.0f}-month commitment of {whole} to sign",
        "prepayment": f", with {whole} paid in advance",
    }[signed.what]


def held_words(signed: Signed, currency: Currency) -> str:
    """That a budget must hold all of it, as the end of a sentence about the budget; nothing where nothing is signed."""
    what = {"purchase": "purchase", "commitment": f"{signed.months:.0f}-month commitment", "prepayment": "prepayment"}
    name = what.get(signed.what, "")
    return f"; the budget must hold the whole {name} of {currency.whole(signed.total)}" if name else ""
