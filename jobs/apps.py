"""Work that outlives a request: one row per job, with a lease and its progress."""

from __future__ import annotations

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Work that outlives a request: one row per job, with a lease and its progress."""

    name = "jobs"
