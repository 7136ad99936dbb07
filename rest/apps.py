"""The manners of the REST API."""

from __future__ import annotations

from django.apps import AppConfig


class RestConfig(AppConfig):
    """The manners of the REST API."""

    name = "rest"
