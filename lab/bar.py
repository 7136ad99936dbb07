"""How far a measurement is, for whoever waits for it."""

from __future__ import annotations

from typing import Final, Protocol

_WIDTH: Final = 30


class Terminal(Protocol):
    """What Django's commands write to."""

    def write(self, msg: str, *, ending: str) -> None:
        """Writes that text and the ending behind it."""

    def flush(self) -> None:
        """Shows what was written."""


def show(out: Terminal, what: str, done: int, of: int) -> None:
    """A line that is written over; for the way of errors, so that what is piped stays clean."""
    filled = round(_WIDTH * done / max(of, 1))
    end = "\n" if done >= of else "\r"
    out.write(f"{what:18} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{of}", ending=end)
    out.flush()
