"""Numbers with a unit, as the catalog files hold them: `80 GiB`, `3350 GB/s`, `989.4 TFLOP/s`, `700 W`.

GB is 10⁹ bytes and GiB is 2³⁰ bytes, never mixed; Gb is bits. A number without a unit is refused wherever a unit
belongs, so that a bit can never pass as a byte.
"""

from __future__ import annotations

import math
import re

_BYTES = {
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
    "PB": 1e15,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
    "TiB": 2.0**40,
}
_BITS = {"Mb": 1e6 / 8, "Gb": 1e9 / 8, "Tb": 1e12 / 8}
_RATES = {f"{unit}/s": factor for unit, factor in (_BYTES | _BITS).items()}
_FLOPS = {"GFLOP/s": 1e9, "TFLOP/s": 1e12, "PFLOP/s": 1e15, "TOP/s": 1e12}

DIMENSIONS: dict[str, dict[str, float]] = {
    "byte": _BYTES,
    "byte/s": _RATES,
    "FLOP/s": _FLOPS,
    "W": {"W": 1.0, "kW": 1e3},
    "USD": {"USD": 1.0},
    "USD/GB": {"USD/GB": 1.0},
    "USD/GB/month": {"USD/GB/month": 1.0},
    "g/kWh": {"g/kWh": 1.0},
    "U": {"U": 1.0},
    "month": {"month": 1.0},
    "s": {"us": 1e-6, "ms": 1e-3, "s": 1.0},
    "share": {"": 1.0, "%": 0.01},
    "ratio": {"": 1.0},
    "USD/kWh": {"USD/kWh": 1.0},
    "USD/kW/month": {"USD/kW/month": 1.0},
    "count": {"": 1.0},
    "year": {"": 1.0},
}
"""Units allowed for each dimension, and their size in the SI unit that names it."""

_NUMBER = re.compile(r"([+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(\S.*)?")


def split(text: str) -> tuple[str, str]:
    """The number and the unit of `80 GiB`, as written. ValueError when it does not begin with a number."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"“{text}” is not a number with a unit.")
    return match[1].replace("_", ""), (match[2] or "").strip()


def to_si(number: str, unit: str, dimension: str) -> float:
    """The value in the SI unit of that dimension. ValueError names the units that are allowed."""
    allowed = DIMENSIONS[dimension]
    if unit not in allowed:
        shown = ", ".join(name or "(none)" for name in allowed)
        raise ValueError(f"“{f'{number} {unit}'.strip()}” has the wrong unit; allowed: {shown}.")
    value = float(number) * allowed[unit]
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"“{number}” must be a finite number that is not negative.")
    return value
