"""A plan is a snapshot: spec, market facts used, assumptions, versions and result, frozen and hashed.

The hash covers the canonical JSON of those values with floats rounded to 12 significant digits, and never ids, users,
clocks or paths, so that two runs anywhere give equal bytes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final
from weakref import ref

from pydantic import TypeAdapter

from engine.answer import CostInput, CostLine, Option, Recommendation
from engine.inputs.finding import Finding
from engine.inputs.spec import Spec
from planner.frozen import older
from planner.frozen.pieces import apart, lean

FORMAT = "sextant-plan/2"
Said = Callable[[Finding], Any]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One frozen plan: what was asked, what was answered, and the SHA-256 of both."""

    spec: Spec
    recommendation: Recommendation
    sha256: str

    @property
    def name(self) -> str:
        """The plan's name as its author typed it."""
        return self.spec.name

    @property
    def as_of(self) -> date:
        """The day of the request; of a plan from before that was kept, the date of its catalog."""
        return self.spec.as_of or date.fromisoformat(self.recommendation.catalog_date)

    @property
    def start(self) -> date:
        """The first day of the work: as asked, else the day of the request."""
        return self.spec.start or self.as_of

    @property
    def short_hash(self) -> str:
        """The first twelve digits of the hash, for footers and badges."""
        return self.sha256[:12]


def freeze(spec: Spec, recommendation: Recommendation) -> Plan:
    """The plan of that answer; equal inputs give equal bytes and hash.

    Its numbers are as they were computed. Documents are written from `settled(plan)`, so that a plan gives the same
    bytes whether it was just made or comes out of the database.
    """
    body = _body(spec, recommendation)
    return Plan(spec=spec, recommendation=recommendation, sha256=hashlib.sha256(body.encode()).hexdigest())


def settled(plan: Plan) -> Plan:
    """The same plan with its numbers as they are stored."""
    return thaw(body_of(plan))


def thaw(body: str | bytes) -> Plan:
    """The plan stored as that canonical JSON, or as its UTF-8 bytes. ValueError when the text is not a plan."""
    plan, alternatives = opened(body)
    answer = plan.recommendation
    known: dict[CostInput | CostLine, CostInput | CostLine] = {}
    every = (*answer.alternatives, *(_sharing(option, known) for option in alternatives))
    return dataclasses.replace(plan, recommendation=dataclasses.replace(answer, alternatives=every))


def _sharing(option: Option, known: dict[Any, Any]) -> Option:
    """The option without a copy of its own of inputs and lines that others have as well: most inputs are assumptions, whose
    sources are long."""
    model = option.cost.model
    inputs = tuple(item if item.told else known.setdefault(item, item) for item in model.inputs)
    lines = tuple(item if item.told else known.setdefault(item, item) for item in model.lines)
    shared = dataclasses.replace(model, inputs=inputs, lines=lines)
    return dataclasses.replace(option, cost=dataclasses.replace(option.cost, model=shared))


def opened(body: str | bytes) -> tuple[Plan, Iterator[Option]]:
    """The same plan without its alternatives, and these one after another, for a reader who keeps few of them.

    ValueError as above, for an alternative when its turn comes.
    """
    data = body.encode() if isinstance(body, str) else body
    rest, texts = apart(data)
    spec, recommendation = _parts(rest)
    plan = Plan(spec=spec, recommendation=recommendation, sha256=hashlib.sha256(data).hexdigest())
    return plan, map(_option, texts)


def _option(text: bytes) -> Option:
    found: Option = (
        _adapter(Option).validate_python(older.option_from(text))
        if older.is_older(text)
        else _adapter(Option).validate_json(text)
    )
    return found


def costed(body: str | bytes) -> Plan:
    """The same plan without alternatives, assumptions and chart, for who reads what the recommended option costs."""
    data = body.encode() if isinstance(body, str) else body
    spec, recommendation = _parts(lean(data))
    return Plan(spec=spec, recommendation=recommendation, sha256=hashlib.sha256(data).hexdigest())


def body_of(plan: Plan) -> str:
    """The canonical JSON of a plan: what is stored and hashed."""
    return _body(plan.spec, plan.recommendation)


def _body(spec: Spec, recommendation: Recommendation) -> str:
    # The keys in their canonical order: a recommendation is two hundred times as long as what was asked.
    format_, asked = canonical(FORMAT), canonical(plain(spec))
    return f'{{"format":{format_},"recommendation":{_written(recommendation)},"spec":{asked}}}'


_WRITTEN: Final[deque[tuple[ref[Recommendation], str]]] = deque(maxlen=4)
"""The last answers, as long as somebody holds them, and their JSON: a plan is written to be hashed, and again to be stored."""
_MOST_WRITTEN: Final = 4_000_000
"""Letters; longer ones are not held."""


def _written(recommendation: Recommendation) -> str:
    """The canonical JSON of that very object, which never changes."""
    for held, text in tuple(_WRITTEN):
        if held() is recommendation:
            return text
    text = canonical(plain(recommendation))
    if len(text) <= _MOST_WRITTEN:
        _WRITTEN.append((ref(recommendation), text))
    return text


def _parts(body: bytes) -> tuple[Spec, Recommendation]:
    data = json.loads(body)
    if data.get("format") != FORMAT:
        raise ValueError(f"This is not a plan of format {FORMAT}.")
    older.renew(data["recommendation"].get("recommended"))
    older.renew_rest(data["recommendation"])
    return _adapter(Spec).validate_python(data["spec"]), _adapter(Recommendation).validate_python(
        data["recommendation"]
    )


def canonical(data: Any) -> str:
    """JSON with sorted keys, no spaces, and nothing that is not a finite number."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value: Any, said: Said | None = None) -> Any:
    """Dataclasses, tuples and dates as dicts, lists and text; floats rounded to 12 significant digits.

    `said` makes of each finding what a reader gets of it; without it a finding is its code and values, as it is hashed.
    """
    kind = value.__class__
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, float):
        return _rounded(value)
    if isinstance(value, list | tuple):
        return [item if item.__class__ in _AS_THEY_ARE else plain(item, said) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item, said) for key, item in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str | int):  # of a class of its own
        return value
    if said is not None and isinstance(value, Finding):
        return said(value)
    return {name: plain(getattr(value, name), said) for name in _field_names(kind)}


_AS_THEY_ARE: Final = frozenset({str, int, bool, type(None)})
"""Told by their class alone: a plan has some hundred thousand of them."""


def _rounded(value: float) -> float | int:
    """12 significant digits: enough for money, and the same on every machine. Whole numbers lose their point, so that
    1 and 1.0 are one plan."""
    if not math.isfinite(value):
        raise ValueError("A plan holds finite numbers only.")
    short = float(f"{value:.12g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass. TypeError for anything else."""
    return tuple(item.name for item in dataclasses.fields(kind))


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
