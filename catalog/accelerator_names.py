"""How accelerators of our own catalog are called, for sentences that have only their keys."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from catalog.yamlfile import read

_FILES = Path(__file__).resolve().parent / "data"


@cache
def accelerator_names() -> dict[str, str]:
    """The names by key, as their vendors spell them."""
    files = sorted(_FILES.glob("accelerators_*.yaml"))
    entries = (read(path).mapping("file")["entries"].mapping("entries").items() for path in files)
    return {slug: entry.mapping(slug)["name"].text("name") for rows in entries for slug, entry in rows}
