"""What whoever runs an installation needs: backup and restore, metrics, the status page."""

from __future__ import annotations

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Holds no row of its own."""

    name = "operations"
