"""Typed access to a pasted config.json: every fault names the key, says what is wrong and what to change."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.inputs.finding import Ref, Typed, Value
from engine.inputs.spec import Fault, SpecError

LIMITS = {
    "layers": 2_000,
    "width": 1_000_000,
    "heads": 65_536,
    "vocab": 100_000_000,
    "experts": 65_536,
    "tokens": 1_000_000_000,
}
"""Largest value of each kind of number that is still believed."""


class Config:
    """One JSON object of a config; `path` is its dotted place, for messages."""

    def __init__(self, data: Mapping[str, object], path: str = "model") -> None:
        self.data, self.path = data, path

    def has(self, *names: str) -> bool:
        """Is one of these keys there with a value?"""
        return any(self.data.get(name) is not None for name in names)

    def fault(self, name: str, code: str, **values: Value) -> SpecError:
        """The error to raise about that key."""
        return SpecError(Fault(f"{self.path}.{name}", code, values))

    def integer(self, *names: str, kind: str = "width", default: int | None = None, least: int = 1) -> int:
        """The whole number under the first of these keys that is there. SpecError when missing, wrong or absurd."""
        name = next((name for name in names if self.data.get(name) is not None), None)
        if name is None:
            if default is None:
                raise self.fault(names[0], "missing.key")
            return default
        value = self.data[name]
        if not _whole(value):
            raise self.fault(name, "type.whole", found=_shown(value))
        if not isinstance(value, int | float) or not least <= value <= LIMITS[kind]:
            raise self.fault(name, "range.key", found=_shown(value), least=least, most=LIMITS[kind])
        return int(value)

    def flag(self, name: str, default: bool) -> bool:
        """The yes/no value under that key. SpecError when it is something else."""
        value = self.data.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.fault(name, "type.flag", found=_shown(value))
        return value

    def text(self, name: str, default: str = "") -> str:
        """The text under that key. SpecError when it is something else or endless."""
        value = self.data.get(name)
        if value is None:
            return default
        if not isinstance(value, str) or len(value) > 300:
            raise self.fault(name, "type.text")
        return value

    def inner(self, name: str) -> Config:
        """The object under that key. SpecError when it is something else."""
        value = self.data.get(name)
        if not isinstance(value, Mapping):
            raise self.fault(name, "type.braces", found=_shown(value))
        return Config(value, f"{self.path}.{name}")

    def divides(self, whole: str, part: str, whole_value: int, part_value: int) -> int:
        """`whole_value / part_value`. SpecError when it is not a whole number."""
        if whole_value % part_value:
            other = Ref("field", f"{self.path}.{part}")
            raise self.fault(whole, "rule.multiple", whole=whole_value, part=part_value, other=other)
        return whole_value // part_value


def _whole(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value) and value == int(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> Value:
    """What was found instead: quoted where it is short, else what kind of value it is."""
    if isinstance(value, bool):
        return Typed("true" if value else "false")
    if isinstance(value, int) and abs(value) > 10**18:
        return Ref("word", "long_number")
    if isinstance(value, int | float | str):
        text = str(value)
        return Typed(f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”")
    return Ref(
        "word", {"list": "list", "dict": "object", "NoneType": "nothing"}.get(type(value).__name__, "other_value")
    )
