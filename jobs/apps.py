"""Work that outlives a request: one row per job, with a lease and its progress."""

from __future__ import annotations

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Work that outlives a request: one row per job, with a lease and its progress."""

    name = "jobs"

    def ready(self) -> None:
        """Has each sweep look for lanes that are silent."""
        from jobs.registry import at_each_sweep
        from jobs.silence import break_silence

        at_each_sweep(break_silence)
