"""The optional font for Japanese: found among the files of an installed package, which itself is never imported."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

PACKAGE, FILE = "matplotlib-fontja", "ipaexg.ttf"


@cache
def cjk_font() -> Path | None:
    """Where IPAexGothic lies; None when the package is not installed."""
    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError:
        return None
    paths = (Path(str(entry.locate())) for entry in listed if entry.name == FILE)
    return next((path for path in paths if path.is_file()), None)
