"""The app of documents: rendering a frozen plan is a job."""

from __future__ import annotations

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """Registers the kind of job that renders a file."""

    name = "exports"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tells the queue who renders."""
        from exports import files
        from exports.events import export_ended
        from exports.room import KIND
        from exports.work import render_export
        from jobs.registry import at_each_sweep, register

        register(KIND, render_export, ended=export_ended)
        at_each_sweep(files.tidy_now_and_then)
