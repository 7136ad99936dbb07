"""What a plan says, in which order, and how each format prints it."""

from __future__ import annotations

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """What a plan says, in which order, and how each format prints it."""

    name = "exports"
