"""What a team wants, and what we recommend."""

from __future__ import annotations

from django.apps import AppConfig


class PlannerConfig(AppConfig):
    """Registers the kind of job that sends a notice."""

    name = "planner"

    def ready(self) -> None:
        """Tells the queue who sends mail."""
        from jobs.registry import register
        from planner.notices import KIND, send

        register(KIND, send)
