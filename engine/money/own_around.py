"""What stands around work on hardware of one's own: data, the internet connection, and the stack of a service.

Rented hardware has these as lines of its own bill; on own hardware they are paid as well, so they stand here by the
same names and, where they are the same things, with the same coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import finding
from engine.inputs.origin import ENGINE, PLAN
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.money.lines import Schedule, assumed, dollars, given, quantity
from engine.money.rented import COVER, COVER_MANAGED, Work, cover_lines, length_lines, stack_lines, work_of

STACK = ("balancer", "gateway", "registry", "monitoring", COVER, COVER_MANAGED)
"""Lines that a service pays wherever its accelerators stand."""


@dataclass(frozen=True, kw_only=True)
class Around:
    """What a piece of work keeps and needs beside accelerators."""

    stored_gb: float = 0.0
    """Data, weights and checkpoints kept [GB]."""
    months: float = 0.0
    """Months of a service; 0 for work that ends when it is done."""
    interactive: bool = True
    """Do people or programs wait for its answers?"""
    joined: bool = True
    """Do its servers work together over a network of their own? Not where each replica fits into one server."""


NOTHING = Around()


def stored_inputs(around: Around) -> list[CostInput]:
    """How much is kept; nothing where nothing is."""
    if not around.stored_gb:
        return []
    return [given("stored_gb", around.stored_gb, "GB", PLAN)]


def storage_lines(inputs: list[CostInput], around: Around, assume: Assumptions, schedule: Schedule) -> list[CostLine]:
    """Upkeep of storage that is there already, for as long as the work lasts."""
    if not around.stored_gb:
        return []
    inputs += [*stored_inputs(around), assumed("onprem.storage_usd_per_tb_month", assume)]
    months = "months" if around.months else f"programme_hours / {HOURS_PER_MONTH:g}"
    return [
        dollars(
            "storage",
            f"stored_gb / 1000 * storage_usd_per_tb_month * {months}",
            schedule=schedule,
            told=finding("cost.storage.own"),
        )
    ]


def hours_of(hours: float, work: Work | None, around: Around) -> tuple[list[CostInput], list[CostLine]]:
    """The accelerator-hours of the work; a service has as many in each of its months."""
    if not around.months or not around.interactive:
        return work_of(hours, work)
    each = given("month_hours", hours / around.months, "h", ENGINE)
    return [each], [quantity("accelerator_hours", "month_hours * months", "h")]


def length_of(inputs: list[CostInput], around: Around) -> list[CostLine]:
    """How long a service or a batch is paid for; nothing for other work."""
    return length_lines(inputs, around.months, interactive=around.interactive) if around.months else []


def service_lines(inputs: list[CostInput], around: Around, assume: Assumptions, *, servers: str) -> list[CostLine]:
    """The stack around a service, priced as beside rented instances; nothing for work that is no service."""
    if not around.months:
        return []
    return [
        *stack_lines(inputs, assume, interactive=around.interactive, instances=servers),
        *cover_lines(inputs, assume, interactive=around.interactive),
    ]
