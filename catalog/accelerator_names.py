"""How accelerators of our own catalog are called, for sentences that have only their keys."""

from __future__ import annotations

from functools import cache

from catalog.facts import released


@cache
def accelerator_names() -> dict[str, str]:
    """The names by key, as their vendors spell them."""
    return {record.slug: record.text("name") for record in released().of("accelerator")}
