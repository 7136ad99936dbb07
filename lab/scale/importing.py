"""Import of very many prices: a price file as a cloud publishes it, imported by the product's own command, twice."""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Final

from django.conf import settings

PROVIDER: Final = "aws"
_COLUMNS: Final = ("InstanceType", "vCPUs", "MemoryGiB", "AcceleratorName", "AcceleratorCount", "GpuInfo",
                   "Price", "SpotPrice", "Region", "AvailabilityZone")  # fmt: skip
_MACHINES: Final = {"p5": ("H100", 8, 55.0), "p4d": ("A100", 8, 22.0), "g6": ("L4", 1, 0.8), "g6e": ("L40S", 4, 7.6),
                    "g5": ("A10G", 1, 1.0), "p3": ("V100", 4, 12.2), "g4dn": ("T4", 1, 0.53)}  # fmt: skip
"""Accelerator, how many, and about what the machine costs [USD/h]: near what lists ask, as others are refused."""
_REGIONS: Final = tuple(f"{part}-{side}-{number}" for part, side, number in product(
    ("us", "eu", "ap", "sa", "ca", "me", "af"), ("north", "south", "east", "west", "central"), (1, 2)))  # fmt: skip
_ZONES: Final = "abcdef"
_TO_A_LINE: Final = 2
"""On demand and spot."""
_SEED: Final = 20261129


@dataclass(frozen=True, kw_only=True)
class Run:
    """One import of the file."""

    said: str
    """Its last line."""
    seconds: float
    cpu_s: float
    peak_mb: float


def write(path: Path, prices: int) -> None:
    """A `vms.csv` of so many prices (even): machines of several sizes in every zone, each price a little its own."""
    draw = Random(_SEED)  # noqa: S311 — a sample file, no secret
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(_COLUMNS)
        writer.writerows(islice(_lines(draw), prices // _TO_A_LINE))


def _lines(draw: Random) -> Iterator[tuple[object, ...]]:
    size = 0
    while True:
        size += 1
        for (family, (name, count, price)), region, zone in product(_MACHINES.items(), _REGIONS, _ZONES):
            asked = price * draw.uniform(0.9, 1.2)
            yield (f"{family}.{size}xlarge", 96, 768, name, count, "", f"{asked:.4f}", f"{asked * draw.uniform(0.3, 0.6):.4f}",
                   region, f"{region}{zone}")  # fmt: skip


def measured(path: Path, day: date, *, times: int, progress: Callable[[int, int], None]) -> list[Run]:
    """The file imported so often, each in a process of its own. RuntimeError where one fails."""
    found = []
    for done in range(times):
        found.append(_imported(path, day))
        progress(done + 1, times)
    return found


def _imported(path: Path, day: date) -> Run:
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "import_prices", str(path), "--provider", PROVIDER,
               "--date", day.isoformat()]  # fmt: skip
    output = path.with_suffix(".log")
    began = time.monotonic()
    with output.open("wb") as stream:
        process = os.posix_spawn(
            command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, stream.fileno(), 1)]
        )
        _, status, used = os.wait4(process, 0)
    if status:
        raise RuntimeError("The import failed: see above.")
    return Run(
        said=output.read_text().strip().splitlines()[-1],
        seconds=time.monotonic() - began,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_mb=used.ru_maxrss / 1024,
    )


def told(found: list[Run]) -> Iterator[str]:
    """A line for each import."""
    for run in found:
        yield f"{run.seconds:6.1f} s, {run.cpu_s:6.1f} s of processor, {run.peak_mb:4.0f} MB at most: {run.said}"
