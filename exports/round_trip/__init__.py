"""The way back: a workbook that finance has edited is read, compared with its plan, and accepted as a new version."""

from __future__ import annotations

from exports.round_trip.compare import Difference, RoundTrip, differences
from exports.round_trip.package import Refused

__all__ = ["Difference", "Refused", "RoundTrip", "differences"]
