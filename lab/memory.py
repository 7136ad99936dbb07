"""Memory of this process alone, as Linux counts it [MB = 10⁶ byte]; getrusage would count the parent's before the start."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path


def peak_mb() -> float:
    """The peak of resident memory since the start, or since it was forgotten."""
    return _status("VmHWM")


def resident_mb() -> float:
    """What is resident now; elsewhere than on Linux the peak."""
    return _status("VmRSS")


def forget_peak() -> None:
    """From now on the peak is that of what follows, with what is held already; Linux only."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _status(name: str) -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    line = next(line for line in status.read_text().splitlines() if line.startswith(name))
    return float(line.split()[1]) * 1024 / 1e6
