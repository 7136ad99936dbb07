"""Named numbers with units in their names: inputs read in any unit, answers given in the unit that is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SECONDS: Mapping[str, float] = {
    "months_720h": 720 * 3600.0,
    "months_730_5h": 730.5 * 3600.0,
    "months_730h": 730 * 3600.0,
    "months_720": 720 * 3600.0,
    "months_730": 730 * 3600.0,
    "gpu_days": 86_400.0,
    "weeks": 7 * 86_400.0,
    "years": 8760 * 3600.0,
    "months": 730 * 3600.0,
    "days": 86_400.0,
    "hours": 3600.0,
    "minutes": 60.0,
    "seconds": 1.0,
    "min": 60.0,
    "sec": 1.0,
    "h": 3600.0,
    "d": 86_400.0,
    "y": 8760 * 3600.0,
    "s": 1.0,
}
BYTES: Mapping[str, float] = {
    "bytes": 1.0,
    "mb": 1e6,
    "gb": 1e9,
    "tb": 1e12,
    "pb": 1e15,
    "mib": 2.0**20,
    "gib": 2.0**30,
    "tib": 2.0**40,
}


_SHARES: Mapping[str, float] = {"_pct": 0.01, "_percent": 0.01}
"""Endings of a name that give a share in hundredths."""
_LARGE: Mapping[str, float] = {"_musd": 1e6, "_kusd": 1e3, "_usd_m": 1e6, "_usd_k": 1e3}
"""Endings of a name that give dollars in thousands or millions."""


_COUNTS: Mapping[str, float] = {
    "": 1.0,
    "_b": 1e9,
    "_bn": 1e9,
    "_billion": 1e9,
    "_billions": 1e9,
    "_m": 1e6,
    "_million": 1e6,
    "_millions": 1e6,
    "_k": 1e3,
    "_t": 1e12,
    "_trillion": 1e12,
}
"""Endings of a name that give a number of things in thousands, millions or more."""
GPUS = ("gpus", "devices", "accelerators", "chips", "gpu_count", "num_gpus", "n_gpus")
GPU_HOURS = ("gpu_hours", "chip_hours", "accelerator_hours", "device_hours")


class CaseError(ValueError):
    """A case cannot be computed; the message names what is missing or wrong."""


class Inputs:
    """The inputs of one case, read by any of several names and in any unit."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def number(self, *names: str, default: float | None = None) -> float:
        """The first of those inputs. CaseError when there is none and no default."""
        found = self.maybe(*names)
        if found is not None:
            return found
        if default is None:
            raise CaseError(f"the input “{names[0]}” is missing or no number")
        return default

    def maybe(self, *names: str) -> float | None:
        """The first of those inputs that is a number, else None."""
        for name in names:
            for ending, scale in ("", 1.0), *_SHARES.items():
                value = self._values.get(f"{name}{ending}")
                if isinstance(value, int | float) and not isinstance(value, bool):
                    return float(value) * scale
        return None

    def count(self, *names: str, default: float | None = None) -> float:
        """A number of things, however it is counted: `params`, `params_b`, `gpu_hours_million`."""
        for name in names:
            for ending, scale in _COUNTS.items():
                value = self.maybe(f"{name}{ending}")
                if value is not None:
                    return value * scale
        if default is None:
            raise CaseError(f"the input “{names[0]}” is missing or no number")
        return default

    def gpu_hours(self) -> float:
        """Accelerator-hours as they stand there, or accelerators times how long they run."""
        hours = self.count(*GPU_HOURS, default=0.0)
        return hours or self.number(*GPUS) * self.span() / 3600.0

    def span(self) -> float:
        """How long something was watched or runs [s]: `period_days`, `duration_h`, `days`, `weeks`, `hours`."""
        found = self.seconds("period", "duration", "run", "wall", default=0.0)
        if found:
            return found
        for unit in ("months", "weeks", "days", "hours"):
            value = self.maybe(unit)
            if value is not None:
                return value * SECONDS[unit]
        raise CaseError("neither days nor hours are given")

    def seconds(self, *stems: str, default: float | None = None) -> float:
        """A time by its stem, in any unit that its name ends in [s]."""
        return self._scaled(stems, SECONDS, default)

    def bytes(self, *stems: str, default: float | None = None) -> float:
        """An amount of data by its stem, in any unit that its name ends in [byte]."""
        return self._scaled(stems, BYTES, default)

    def _scaled(self, stems: tuple[str, ...], units: Mapping[str, float], default: float | None) -> float:
        for stem in stems:
            for unit, size in units.items():
                value = self.maybe(f"{stem}_{unit}")
                if value is not None:
                    return value * size
        if default is None:
            raise CaseError(f"the input “{stems[0]}” is missing or no number")
        return default


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a model says: plain numbers by name, times [s] and data [byte] by stem."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    data: Mapping[str, float] = field(default_factory=dict)
    guesses: Mapping[str, float] = field(default_factory=dict)
    """Best figures for outputs that the inputs do not determine, by whole name."""

    def value(self, name: str, unit: str = "") -> float | None:
        """The answer to an output of that name, in the name's unit or else in `unit`; None when not determined."""
        if name in self.numbers:
            return self.numbers[name]
        for ending, size in (*_SHARES.items(), *_LARGE.items()):
            stem = name.removesuffix(ending)
            stem = f"{stem}_usd" if ending in _LARGE else stem
            if name.endswith(ending) and stem in self.numbers:
                return self.numbers[stem] / size
        if name in self.data and unit.lower() in BYTES:
            return self.data[name] / BYTES[unit.lower()]
        for values, units in ((self.times, SECONDS), (self.data, BYTES)):
            for suffix, size in units.items():
                stem = name.removesuffix(f"_{suffix}")
                if stem != name and stem in values:
                    return values[stem] / size
        return None


def asked_name(output: str) -> str:
    """The name of the quantity behind an output's name: `tau_opt_min_published` asks for `tau_opt_min`."""
    return re.sub(r"_(published|quoted|reported)$", "", output)


def is_quotation(output: str) -> bool:
    """Is that output somebody's claim or measurement rather than a result of the inputs?"""
    return output.startswith("claimed") or output.endswith(("_measured", "_claimed"))
