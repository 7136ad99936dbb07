"""Help for whoever does not know requests per second: how many people there are, how they use it, and when in the day.

These are fields of the form alone. What comes of them, a peak rate and a curve over the day, is written into the fields of the
request, which is all that is stored: a rate or a curve that was typed goes before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.inputs.finding import Finding, Quantity, Typed, finding
from engine.inputs.spec import Fault
from planner.request.fields import Field
from planner.request.quantities import QuantityError, parse_quantity, write_quantity

RATE, CURVE, BATCH = "serving.requests_per_s", "serving.load_curve", "serving.batch.requests"
SHAPE = "load.shape"
OWN = "own"
_HOUR_S = 3600.0


@dataclass(frozen=True, kw_only=True)
class LoadShape:
    """A day to start from: each hour's share of the peak. Ours, to be replaced by what was counted; none is a measurement."""

    slug: str
    title: str
    about: str
    curve: tuple[float, ...]

    @property
    def text(self) -> str:
        """The curve as the form's field writes it; nothing for the same load at all hours."""
        return ", ".join(write_quantity(share) for share in self.curve) if min(self.curve) < 1.0 else ""

    @property
    def points(self) -> str:
        """The curve as a line of a drawing that is 24 wide and 10 high."""
        return " ".join(f"{hour},{(1.0 - share) * 10:g}" for hour, share in enumerate((*self.curve, self.curve[0])))


SHAPES = {
    shape.slug: shape
    for shape in (
        LoadShape(
            slug="office",
            title="Office hours",
            about="Colleagues at work: a morning and an afternoon, little at night",
            curve=(0.05, 0.05, 0.05, 0.05, 0.05, 0.1, 0.3, 0.6, 0.9, 1.0, 1.0, 0.9,
                   0.8, 0.9, 1.0, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.1, 0.05, 0.05),
        ),
        LoadShape(
            slug="evening",
            title="Consumer evenings",
            about="People at home: rising over the day, busiest from 18 to 22 hours",
            curve=(0.4, 0.3, 0.2, 0.15, 0.15, 0.2, 0.25, 0.35, 0.45, 0.5, 0.55, 0.6,
                   0.6, 0.6, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0, 1.0, 0.95, 0.75, 0.55),
        ),
        LoadShape(
            slug="flat", title="The same at all hours", about="Machines that ask, or the whole world", curve=(1.0,) * 24
        ),
    )
}  # fmt: skip
_ASKED = (
    Field(path="load.people", label="People", widget="number", help="Who may use it, not who does at once."),
    Field(path="load.sessions", label="Conversations a day", widget="number", help="Of each of them.", value="1"),
    Field(path="load.turns", label="Requests in a conversation", widget="number", value="5",
          help="Each question is one; an agent asks once for each step."),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Load:
    """What the form shows of it."""

    fields: tuple[Field, ...]
    shapes: tuple[LoadShape, ...]
    chosen: str
    """The shape of the day, or `own` where other shares were typed."""


def load_of(typed: Mapping[str, str], errors: Mapping[str, str], *, fresh: bool) -> Load:
    """The fields as they were typed. fresh: of an empty form, which takes office hours: hardly any service is asked alike
    at all hours."""
    fields = tuple(
        replace(field, value=typed.get(field.path, field.value), error=errors.get(field.path, "")) for field in _ASKED
    )
    return Load(fields=fields, shapes=tuple(SHAPES.values()), chosen=_chosen(typed) or ("office" if fresh else "flat"))


def asked_fields() -> dict[str, Field]:
    """The fields by path, for faults."""
    return {field.path: field for field in _ASKED}


def filled(typed: Mapping[str, str]) -> tuple[dict[str, str], list[Fault]]:
    """What was typed with the rate and the curve that come of it, and what cannot be read."""
    if typed.get(BATCH, "").strip() or not typed.get(SHAPE):
        return dict(typed), []
    found, faults = dict(typed), list[Fault]()
    chosen = _chosen(typed)
    shape = SHAPES.get(chosen)
    if not typed.get(RATE, "").strip() and typed.get("load.people", "").strip():
        numbers = [_number(field, typed, faults) for field in _ASKED]
        if not faults:
            people, sessions, turns = numbers
            hours = sum(shape.curve) if shape else _hours(typed.get(CURVE, ""))
            found[RATE] = f"{people * sessions * turns / (hours * _HOUR_S):.4g}"
    if shape and found.get(RATE, "").strip():
        found[CURVE] = shape.text
    return found, faults


def rate_told(typed: Mapping[str, str]) -> Finding | None:
    """“3,000 people × 2 conversations × 5 requests a day: 0.83 requests/s in the busiest hour.”; None where the rate was typed."""
    if typed.get(RATE, "").strip() or not typed.get("load.people", "").strip():
        return None
    found, faults = filled(typed)
    if faults or not found.get(RATE):
        return None
    people, sessions, turns = (parse_quantity(typed.get(field.path) or field.value) for field in _ASKED)
    rate = Quantity(float(found[RATE]), "request/s")
    return finding("load.rate", people=people, sessions=sessions, turns=turns, rate=rate)


def _chosen(typed: Mapping[str, str]) -> str:
    """The shape that was chosen; `own` where other shares than those of a shape stand in the field of the curve."""
    text = typed.get(CURVE, "").strip()
    known = {shape.curve: slug for slug, shape in SHAPES.items() if shape.text}
    if text and _shares(text) not in known:
        return OWN
    return typed.get(SHAPE, "") or known.get(_shares(text), "")


def _shares(text: str) -> tuple[float, ...]:
    """The shares of the field of the curve; none of what cannot be read, which is refused there."""
    try:
        return tuple(parse_quantity(part) for part in text.replace(",", " ").split())
    except QuantityError:
        return ()


def _hours(curve: str) -> float:
    """So many hours at the peak carry the load of the day; a curve that cannot be read counts as flat."""
    shares = _shares(curve)
    return 24.0 * sum(shares) / len(shares) if sum(shares) > 0 else 24.0


def _number(field: Field, typed: Mapping[str, str], faults: list[Fault]) -> float:
    text = typed.get(field.path, "").strip() or field.value
    try:
        number = parse_quantity(text)
    except QuantityError as error:
        faults.append(Fault(field.path, "quantity", {"reason": Typed(str(error))}))
        return 0.0
    if number <= 0.0:
        faults.append(Fault(field.path, "greater_than", {"limit": 0}))
    return number
