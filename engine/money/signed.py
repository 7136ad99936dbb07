"""What an option obliges to: what is signed as a whole, and what a budget must hold for it.

The total of a cost model is what one piece of work carries. Of hardware that is bought and of capacity that is committed
for years it may be a small share, but nobody sells a share: the order and the contract are for all of it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from engine.answer import (
    AUTHORISED,
    COMMITTED,
    DRAWN,
    FULL_PRICE,
    LEASED,
    NEEDED,
    ORDERED,
    PREPAID,
    PURCHASE,
    SAVED,
    CostLine,
    CostModel,
    Signed,
)
from engine.inputs.finding import Finding, Sum, finding
from engine.inputs.spec import BudgetBasis
from engine.money.lines import amount_of, dollars, evaluate, total_of
from engine.money.taxes import ON_SERVICES, TAX_INSTANCES, TAX_LATER, TAX_PURCHASE

_CAPACITY = ("compute", "second_compute", "spares", TAX_INSTANCES)
_LATER = (FULL_PRICE, TAX_LATER)
"""What instances cost more once the discount of a spend commitment has ended, and the tax on it."""
_SHARES = {
    PURCHASE: ("purchase", TAX_PURCHASE),
    COMMITTED: (*_CAPACITY, *_LATER),
    LEASED: _CAPACITY,
    PREPAID: _CAPACITY,
}
"""Lines of the total that are this work's share of it."""
COMMITTED_TAX = "committed_tax"
"""Line that is the tax on all of a commitment, which does not come back."""
_NAMES = {"purchase": PURCHASE, "commitment": COMMITTED, "lease": LEASED, "prepayment": PREPAID}
"""The line that holds all of what is signed."""


def commitment_lines(lines: Sequence[CostLine], *, lease: bool = False) -> list[CostLine]:
    """The whole commitment, spare instances and tax among it, and what a budget must hold. `lines` make up its total, `lease`:
    it is one of servers. What it draws of a spend commitment is owed already."""
    names, name = {line.name for line in lines}, LEASED if lease else COMMITTED
    whole = "instances * paid_hours * price_per_instance_hour"
    share = _capacity(lines)
    owed = f" - ({DRAWN} + {SAVED})" if DRAWN in names else ""
    if share == "compute":
        return [
            dollars(name, whole, kind="total"),
            _needed(f"max({name}, compute) + total - compute{owed}"),
        ]
    # Each is rounded as it is paid, so that what is signed is paid to the smallest unit.
    parts = [dollars("committed_instances", whole, kind="quantity")]
    if "spares" in share:
        parts.append(dollars("committed_spares", f"spare_{whole}", kind="quantity"))
    if TAX_INSTANCES in share:
        base = " + ".join(part.name for part in parts)
        parts.append(dollars(COMMITTED_TAX, f"({base}) * {ON_SERVICES}", kind="quantity"))
    later = [line.paid or line.name for line in lines if line.name in _LATER]
    signed = " + ".join([*(part.name for part in parts), *(f"({text})" for text in later)])
    return [
        *parts,
        dollars(name, signed, kind="total"),
        _needed(f"max({name}, {share}) + total - ({share}){owed}"),
    ]


def committed_service(lines: Iterable[CostLine], *, lease: bool = False) -> CostLine:
    """The whole commitment of a service, which pays all of it."""
    name = LEASED if lease else COMMITTED
    return dollars(name, _capacity(lines), kind="total")


def prepaid(lines: Iterable[CostLine]) -> CostLine:
    """What is paid in advance, all of it for this work."""
    return dollars(PREPAID, _capacity(lines), kind="total")


def _capacity(lines: Iterable[CostLine]) -> str:
    """What of those lines is signed for together: instances, spare ones, the tax on both, and what is paid more later."""
    names = {line.name for line in lines}
    return " + ".join(name for name in (*_CAPACITY, *_LATER) if name in names)


def order_line() -> CostLine:
    """The whole purchase with the tax on it that does not come back."""
    return dollars(ORDERED, f"{PURCHASE} + capex_tax", kind="total")


def order_of(names: Container[str]) -> str:
    """Which of those lines of a model is the whole purchase as it is signed."""
    return ORDERED if ORDERED in names else PURCHASE


def purchase_needs(lines: Iterable[CostLine]) -> CostLine:
    """What a budget must hold where hardware is bought: the order and what running it costs, without the value left at its
    end, which comes too late, and without the cost of capital, which nobody pays."""
    names = {line.name for line in lines}
    parts = [name for name in _SHARES[PURCHASE] if name in names]
    rest = " - ".join(["total", *parts, "residual_value", "cost_of_capital"])
    return _needed(f"max({order_of(names)}, {' + '.join(parts)}) + {rest}")


def signed_of(model: CostModel) -> Signed:
    """What is signed for that model; nothing where rented by the hour or already owned."""
    amounts = {line.name: line.amount for line in model.lines}
    for what, name in _NAMES.items():
        if name in amounts:
            share = round(sum(amounts.get(part, 0.0) for part in _SHARES[name]), 2)
            total = max(amounts[order_of(amounts) if name == PURCHASE else name], share)
            return Signed(
                what=what,  # type: ignore[arg-type]  # one of its own names
                total=total,
                share=share,
                rest=round(total - share, 2),
                months=0.0 if name == PREPAID else amounts.get("paid_months", 0.0),
                drawn=amounts.get(DRAWN, 0.0),
            )
    return Signed(drawn=amounts.get(DRAWN, 0.0))


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
    if basis == "allocated" and SAVED in names:
        carried += f" - {SAVED}"
    text = _paid(lines, carried) if basis == "cash" else carried
    if text == "total" and AUTHORISED not in names:
        return replace(model, lines=lines)
    held = replace(model, lines=(*lines, _needed(text)))
    amounts = evaluate(held, {})
    return replace(held, lines=(*lines, replace(held.lines[-1], amount=amounts[NEEDED])))


def _authorising(line: CostLine) -> CostLine:
    return replace(line, name=AUTHORISED)


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
    return dollars(NEEDED, expression, kind="total")


def signed_beside(signed: Signed, currency: str = "USD") -> Finding:
    """What has to be signed for it, as the end of a sentence about its cost; one without words where nothing is. `currency`: of the
    sums, which are dollars until an answer's last step."""
    whole = finding(f"signed.{signed.what}", cost=Sum(signed.total, currency), months=round(signed.months))
    return finding("signed.drawn", signed=whole, drawn=Sum(signed.drawn, currency)) if signed.drawn else whole


def held_beside(signed: Signed, basis: BudgetBasis) -> Finding:
    """That a budget must hold all of it, as the end of a sentence about the budget; one without words where nothing is signed
    or the budget holds only what this work carries."""
    held = "none" if basis == "allocated" else signed.what
    return finding(f"held.{held}", cost=Sum(max(signed.total - signed.drawn, 0.0)), months=round(signed.months))
