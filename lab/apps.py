"""The app that only the settings list: its commands judge and measure."""

from __future__ import annotations

from django.apps import AppConfig


class LabConfig(AppConfig):
    """Holds commands, no models."""

    name = "lab"
