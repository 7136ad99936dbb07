"""Under which contract each line of a cost model is paid, and which of them cannot be cancelled once they are signed."""

from __future__ import annotations

from engine.answer import EXCESS, FULL_PRICE, SAVED, CostModel
from engine.inputs.hardware import Offer
from engine.money.entries import Contract
from engine.money.rented import COVER
from engine.money.taxes import DISPOSAL, TAX_EXCESS, TAX_INSTANCES, TAX_LATER, TAX_OPERATION, TAX_PURCHASE, TAX_RENTAL

BOOKED = "book_depreciation"
"""Line that is written off in the hours of this work of hardware that the team has paid for: expense, but no cash."""
CAPITAL = "cost_of_capital"
"""Line that nobody pays: what the money could have earned."""
_BOUGHT = ("purchase", TAX_PURCHASE, "residual_value", DISPOSAL, CAPITAL)
_INSTANCES = ("compute", "second_compute", "spares", TAX_INSTANCES)
_RENTAL = ("bridge", "fallback", TAX_RENTAL)
RUNNING = ("energy", "hosting", "maintenance", "staff", "software", "transit", TAX_OPERATION)
"""Lines that are paid for running hardware in one's own rooms."""
_BINDING: tuple[Contract, ...] = ("purchase", "commitment", "lease", "block")


def contract_of(line: str, offer: Offer | None) -> Contract:
    """The contract of that line of a cost; `offer` is what is rented, None for hardware that is bought or owned."""
    if line == BOOKED:
        return "owned"
    if line in _BOUGHT:
        return "purchase"
    if line == SAVED:
        return "spend"
    if line in (FULL_PRICE, TAX_LATER, EXCESS, TAX_EXCESS):
        return _instances_of(offer)
    if line in _RENTAL:
        return "rental"
    own = offer is None or offer.option == "lease"
    if line in (*RUNNING, COVER) or (own and line == "storage"):
        return "operation"
    return _instances_of(offer) if line in _INSTANCES else "services"


def _instances_of(offer: Offer | None) -> Contract:
    """How the instances of a rental are had."""
    if offer is None:
        return "purchase"
    if offer.term_months > 0:
        return "lease" if offer.option == "lease" else "commitment"
    if offer.option == "capacity_block":
        return "block"
    return "spot" if offer.option == "spot" else "rental"


def binds(contract: Contract) -> bool:
    """Is it owed as a whole from the day on which it is signed? What is rented by the hour ends with the hour."""
    return contract in _BINDING


def used_share(model: CostModel, contract: Contract) -> float:
    """Share of the hours of what is signed that this work and the stated other work use together."""
    values = {item.name: item.value for item in model.inputs} | {line.name: line.amount for line in model.lines}
    if contract == "purchase":
        return min(values.get("utilisation", 1.0), 1.0)
    if "other_hours" not in values:
        return 1.0
    return min((values["programme_hours"] + values["other_hours"]) / values["paid_hours"], 1.0)
