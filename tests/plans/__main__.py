"""``python -m tests.plans``: answers every request in ``asked`` and stores the answers."""

from __future__ import annotations

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from planner.market import market_from_files  # noqa: E402 - Django is set up first
from tests.plans import NAMES, STORED, answered, store  # noqa: E402


def main() -> None:
    """All of them; answers whose request is gone are removed."""
    market = market_from_files()
    STORED.mkdir(exist_ok=True)
    for path in STORED.glob("*.json"):
        if path.stem not in NAMES:
            path.unlink()
    for name in NAMES:
        plan = answered(name, market)
        store(name, plan)
        sys.stdout.write(f"{name}: {plan.short_hash}\n")


main()
