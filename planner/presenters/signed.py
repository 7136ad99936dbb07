"""What is signed for an option beside the share of it that this work carries, as the pages print it."""

from __future__ import annotations

from engine.answer import Signed
from planner.presenters.currency import Currency


def signed_as(signed: Signed, money: Currency) -> str:
    """“a 36-month commitment of USD 1,025,971”; nothing where nothing is signed."""
    amount = money.amount(signed.total)
    match signed.what:
        case "purchase":
            return f"a purchase of {amount}"
        case "commitment":
            return f"a {signed.months:.0f}-month commitment of {amount}"
        case "lease":
            return f"a {signed.months:.0f}-month lease of {amount}"
        case "prepayment":
            return f"{amount} paid in advance"
    return ""


def beside(signed: Signed, money: Currency) -> str:
    """“ (with a purchase of USD 1,025,971 to sign)” behind an amount in a sentence; nothing where nothing is signed."""
    note = signed_note(signed, money)
    return f" ({note})" if note else ""


def signed_note(signed: Signed, money: Currency, *, needed: float = 0.0) -> str:
    """Beside a cost: what is signed as a whole, and what a budget must hold where there is one."""
    whole = signed_as(signed, money)
    if not whole and signed.drawn:
        return f"beside {money.amount(signed.drawn)} that draw a spend commitment"
    if not whole:
        return ""
    text = f"with {whole} to sign" if signed.rest else f"signed: {whole}"
    if not needed:
        return text
    return f"{text}; the budget must hold {money.amount(needed)}"
