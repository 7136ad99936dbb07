"""What an uploaded workbook changes of its plan: field by field, or the address of what may not be changed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, get_args

from engine.answer import CostInput
from exports.brand import OURS, Brand, in_use, using
from exports.branding.store import brand_named
from exports.compose import compose
from exports.composing.alternatives import inputs_beside
from exports.composing.book import discount_of
from exports.composing.context import Context, Release, currency_of, shown_in, state_text
from exports.document import Document, State
from exports.formats import RENDERER_VERSION
from exports.round_trip.sheets import Place, Sheets, read, read_upload, same
from exports.round_trip.targets import Target, target_of
from exports.wording import label
from exports.writers.xlsx import write
from exports.writers.xlsx_inputs import FIRST_SCENARIO_ROW, SCENARIOS, workbook_inputs
from exports.writers.xlsx_levers import SHEET as LEVERS
from incoming.package import Refused
from planner.frozen.snapshot import Plan
from planner.levers.kept import kept_of
from planner.levers.weighed import Weighed, body_of, opened, weigh
from planner.models import PlanVersion
from planner.searches import SEARCHES
from planner.team_market import market_of

CUSTOM = SCENARIOS[3]
_STATES: tuple[State, ...] = get_args(State)
_MOST_NAMED = 5
"""Addresses that one refusal names."""


class Version(Protocol):
    """What is compared with: a frozen version, of which the plan is read, and the team where the file has its look."""

    @property
    def plan(self) -> Plan: ...


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One input that was edited: what it was, what it is, and where the new value goes."""

    name: str
    """The input's name in the cost model."""
    label: str
    unit: str
    address: str
    before: float
    after: float
    target: Target

    @property
    def taken(self) -> bool:
        """Can a plan hold the new value?"""
        return self.target.kind != "none"


@dataclass(frozen=True, kw_only=True)
class RoundTrip:
    """The edited inputs, and what else is worth knowing about the file."""

    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()


def differences(version: Version, data: bytes) -> RoundTrip:
    """The inputs that were edited in a workbook exported from that version: on Inputs, or as the custom scenario in use.

    Refused when the file is hostile, belongs to another plan, or has a changed formula, sheet, name or locked cell.
    """
    found, plan = read_upload(data), version.plan
    if found.plan != plan.sha256:
        other = f"of plan {found.plan[:12]}" if found.plan else "that names no plan"
        raise Refused(
            f"This is a workbook {other}; this version is plan {plan.short_hash}: upload it where it belongs."
        )
    if found.renderer != RENDERER_VERSION:
        raise Refused(
            "The workbook was made by another version of Sextant, which wrote other cells: "
            "export it again from this version and enter the values there."
        )
    with using(_brand(version, found.look)):
        expected = read(write(_as_exported(plan, found, _weighed(version, plan, found))))
        _check_frame(expected, found)
        _check_cells(expected, found)
        shown = shown_in(plan, in_use().rate)
        edited = {item.name: item for item in _edited(shown, expected, found)}
        edited |= dict(_custom_scenario(shown, expected, found))
    taken = tuple(item for item in edited.values() if not same(item.after, item.before))
    return RoundTrip(differences=taken, notes=tuple(_notes(expected, found)))


def _brand(version: Version, sha256: str) -> Brand:
    """The look that the file was written in. Refused when the team never had it."""
    workload = getattr(version, "workload", None)
    brand = brand_named(workload.team, sha256) if workload else None if sha256 else OURS
    if brand is None:
        raise Refused("The workbook was made in a look that this team never had: export it again from this version.")
    return brand


def difference_of(plan: Plan, name: str, value: float, address: str = "") -> Difference:
    """The difference that a new value of that input makes. Refused for an unknown input or a value it cannot have."""
    item = _inputs(plan).get(name)
    if item is None:
        raise Refused(f"This plan has no input “{name[:60]}”.")
    _check_value(item, value, address or label(item.label))
    return Difference(
        name=name,
        label=label(item.label),
        unit=item.unit,
        address=address,
        before=item.value,
        after=value,
        target=target_of(plan, item),
    )


def _inputs(plan: Plan) -> dict[str, CostInput]:
    """The inputs of the workbook by name, its own budget and discount rate included."""
    best = plan.recommendation.recommended
    if best is None:
        raise Refused("Nothing is feasible in this version, so its workbook has no inputs: change the request instead.")
    budget = plan.recommendation.currency.of(plan.spec.constraints.budget_usd)
    context = Context(plan=plan, release=Release(), money=currency_of(plan))
    items = workbook_inputs(best.cost.model, budget, discount_of(plan), inputs_beside(context))
    return {item.name: item for item in items}


def _weighed(version: Version, plan: Plan, found: Sheets) -> Weighed | None:
    """What could cost less, where the file tells it: as it is kept, or weighed again for one that was written by the command line."""
    workload = getattr(version, "workload", None)
    if workload is None or LEVERS not in found.titles:
        return None
    assert isinstance(version, PlanVersion)
    return kept_of(version) or opened(body_of(weigh(plan, market_of(workload.team), known=SEARCHES)))


def _as_exported(plan: Plan, found: Sheets, weighed: Weighed | None) -> Document:
    """The document as it was when the file was made: its review state stands on the first sheet."""
    shown = str(found.cells.get(("Summary", "A2"), ""))
    states = (state for state in _STATES if shown.endswith(f"{state_text(Release(state=state))}."))
    return compose(plan, state=next(states, "draft"), weighed=weighed)


def _check_frame(expected: Sheets, found: Sheets) -> None:
    """The same sheets in the same order, the same names for the same cells."""
    if expected.titles != found.titles:
        odd = [
            title
            for title in (*found.titles, *expected.titles)
            if (title in found.titles) != (title in expected.titles)
        ]
        words = (
            f"the sheet “{odd[0][:40]}” was added, removed or renamed"
            if odd
            else "the sheets were put in another order"
        )
        raise Refused(f"In the workbook {words}: only values on Inputs may change.")
    moved = [name for name, target in expected.names.items() if found.names.get(name) != target]
    moved += [name for name in found.names if name not in expected.names and not name.startswith("_xlnm")]
    if moved:
        raise Refused(
            f"The defined name “{moved[0][:60]}” was added, removed or moved: only values on Inputs may change."
        )


def _check_cells(expected: Sheets, found: Sheets) -> None:
    """Raise Refused naming each changed formula and locked cell by its address."""
    wrong = [
        *_named("formula", _changed_formulas(expected, found)),
        *_named("locked cell", _changed_constants(expected, found)),
    ]
    if wrong:
        shown = ", ".join(wrong[:_MOST_NAMED]) + (
            f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        )
        raise Refused(f"Only the yellow cells on Inputs may change. Changed besides: {shown}.")


def _named(what: str, places: Iterator[Place]) -> Iterator[str]:
    return (f"{what} {sheet}!{cell}" for sheet, cell in places)


def _changed_formulas(expected: Sheets, found: Sheets) -> Iterator[Place]:
    for place, formula in expected.formulas.items():
        if place not in expected.open_cells and found.formulas.get(place) != formula:
            yield place
    yield from (
        place for place in found.formulas if place not in expected.formulas and place not in expected.open_cells
    )


def _changed_constants(expected: Sheets, found: Sheets) -> Iterator[Place]:
    for place, value in expected.cells.items():
        elsewhere = place in expected.open_cells or place in found.formulas
        if not elsewhere and not _text_same(value, found.cells.get(place)):
            yield place
    known = expected.cells.keys() | expected.formulas.keys() | expected.open_cells
    yield from (place for place, value in found.cells.items() if place not in known and value != "")


def _text_same(first: object, second: object) -> bool:
    """An empty text and no value look alike, and not every program stores the first."""
    return same(first or None, second or None)  # type: ignore[arg-type]


def _edited(plan: Plan, expected: Sheets, found: Sheets) -> Iterator[Difference]:
    """The edited cells of Inputs, matched by their defined names."""
    at = {target: name for name, target in found.names.items()}
    names = {f"in_{name}".upper(): name for name in _inputs(plan)}
    for place in sorted(expected.open_cells, key=lambda place: (place[0], int("".join(filter(str.isdigit, place[1]))))):
        if place[0] != "Inputs":
            continue
        address = f"{place[0]}!{place[1]}"
        before, after = expected.cells.get(place), found.cells.get(place)
        if place in found.formulas:
            raise Refused(f"{address} holds a formula: enter the number that it gives.")
        if same(before, after):
            continue
        column, row = place[1].rstrip("0123456789"), place[1].lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        name = names.get(at.get(f"INPUTS!${column}${row}", "").upper())
        if name is None:
            raise Refused(f"{address} has lost its name: export the workbook again.")
        if not isinstance(after, float):
            raise Refused(f"{address} must hold a number.")
        yield difference_of(plan, name, after, address)


def _custom_scenario(plan: Plan, expected: Sheets, found: Sheets) -> Iterator[tuple[str, Difference]]:
    """The values typed into the custom scenario, by input, when it is the one in use. Refused for formulas and texts."""
    if found.cells.get(("Scenarios", "B3")) != CUSTOM:
        return
    rows = list(_inputs(plan))
    for place, name in _custom_cells(expected, rows):
        address = f"{place[0]}!{place[1]}"
        if place in found.formulas:
            if found.formulas[place] != expected.formulas[place]:
                raise Refused(f"{address} holds a formula: enter the number that it gives.")
            continue
        value = found.cells.get(place)
        if not isinstance(value, float):
            raise Refused(f"{address} must hold a number.")
        yield name, difference_of(plan, name, value, address)


def _custom_cells(expected: Sheets, names: list[str]) -> Iterator[tuple[Place, str]]:
    """The open cells of the custom scenario, each with the input that its row stands for."""
    for index, name in enumerate(names):
        place = ("Scenarios", f"E{FIRST_SCENARIO_ROW + index}")
        if place in expected.open_cells:
            yield place, name


def _check_value(item: CostInput, value: float, where: str) -> None:
    """The limits that the sheet itself sets."""
    share = item.unit == "share" and 0 <= item.value <= 1 and item.high <= 1
    if not math.isfinite(value) or value < 0 or (share and value > 1) or value > 1e15:
        limit = "from 0 to 1 (100%)" if share else "of 0 or more"
        raise Refused(f"{where} must be a number {limit}.")


def _notes(expected: Sheets, found: Sheets) -> Iterator[str]:
    """What of Scenarios is not taken, and how it would be."""
    places = [place for place in expected.open_cells if place[0] == "Scenarios"]
    scenario = found.cells.get(("Scenarios", "B3"))
    typed = any(
        found.formulas.get(place) != expected.formulas.get(place) for place in places if place in expected.formulas
    )
    if scenario == CUSTOM:
        yield "The custom scenario is in use in this workbook: its values are taken instead of those on Inputs."
    elif typed:
        yield "The custom scenario is filled in but not in use: choose it in Scenarios!B3 to have its values taken."
    if scenario not in (SCENARIOS[0], CUSTOM):
        yield (
            f"The scenario “{str(scenario)[:40]}” is chosen in this workbook. It moves inputs together to "
            "an end of what the plan may cost, which no plan can hold: type the values that you expect into the custom scenario, or "
            "on Inputs."
        )
