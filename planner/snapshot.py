"""A plan is a snapshot: spec, market facts used, assumptions, versions and result, frozen and hashed.

The hash covers the canonical JSON of those values with floats rounded to 12 significant digits, and never ids, users,
clocks or paths, so that two runs anywhere give equal bytes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from planner.engine.result import Recommendation
from planner.engine.spec import Spec

FORMAT = "sextant-plan/1"


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
    def short_hash(self) -> str:
        """The first twelve digits of the hash, for footers and badges."""
        return self.sha256[:12]


def freeze(spec: Spec, recommendation: Recommendation) -> Plan:
    """The plan of that answer; equal inputs give equal bytes and hash."""
    first = _parts(_body(spec, recommendation))
    return thaw(_body(*first))  # a second time: by then a whole number in a float field is a float


def thaw(body: str) -> Plan:
    """The plan stored as that canonical JSON. ValueError when the text is not a plan."""
    spec, recommendation = _parts(body)
    return Plan(spec=spec, recommendation=recommendation, sha256=hashlib.sha256(body.encode()).hexdigest())


def body_of(plan: Plan) -> str:
    """The canonical JSON of a plan: what is stored and hashed."""
    return _body(plan.spec, plan.recommendation)


def _body(spec: Spec, recommendation: Recommendation) -> str:
    return canonical({"format": FORMAT, "spec": plain(spec), "recommendation": plain(recommendation)})


def _parts(body: str) -> tuple[Spec, Recommendation]:
    data = json.loads(body)
    if data.get("format") != FORMAT:
        raise ValueError(f"This is not a plan of format {FORMAT}.")
    spec = _adapter(Spec).validate_python(data["spec"])
    return spec, _adapter(Recommendation).validate_python(data["recommendation"])


def canonical(data: Any) -> str:
    """JSON with sorted keys, no spaces, and nothing that is not a finite number."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Dataclasses, tuples and dates as dicts, lists and text; floats rounded to 12 significant digits."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return _rounded(value)
    return value.isoformat() if isinstance(value, date) else value


def _rounded(value: float) -> float:
    """12 significant digits: enough for money, and the same on every machine."""
    if not math.isfinite(value):
        raise ValueError("A plan holds finite numbers only.")
    return float(f"{value:.12g}")


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
