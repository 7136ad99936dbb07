"""What a fresh process does once, so that the first visitor does not wait for it."""

from __future__ import annotations

import threading

from catalog.presets import architectures
from planner.engine import simulate
from planner.market import market_from_files


def warm() -> None:
    """Reads the presets and the catalog, and compiles the simulation (seconds the first time on a machine)."""
    architectures()
    market_from_files()
    simulate.warm()


def warm_in_background() -> threading.Thread:
    """The started thread that warms; a request that comes earlier simply waits for its own part."""
    thread = threading.Thread(target=warm, name="warm", daemon=True)
    thread.start()
    return thread
