"""Tests of everything. They plan on one release of the catalog, so that a new price list moves no expectation."""

import os

RELEASE = "2026-08"
"""The release that `tests/plans/stored` was made on; `make plans` after a change here."""
os.environ.setdefault("CATALOG_RELEASE", RELEASE)
