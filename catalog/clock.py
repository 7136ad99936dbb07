"""The one place that asks what day it is. From here on the day is an input like any other."""

from __future__ import annotations

from datetime import date

from django.utils import timezone


def today() -> date:
    """The calendar day in UTC, the same for every team and door."""
    return timezone.now().date()
