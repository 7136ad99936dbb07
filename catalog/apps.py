"""What exists and what it costs, each fact with a source."""

from __future__ import annotations

from django.apps import AppConfig


class CatalogConfig(AppConfig):
    """What exists and what it costs, each fact with a source."""

    name = "catalog"
