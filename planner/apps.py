"""What a team wants, and what we recommend."""

from __future__ import annotations

from django.apps import AppConfig


class PlannerConfig(AppConfig):
    """What a team wants, and what we recommend."""

    name = "planner"
