"""Telling other programs what has happened."""

from __future__ import annotations

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Registers the kinds of job that deliver and that mail, and what happens at each sweep."""

    name = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tells the queue who does what."""
        from jobs.lanes import Lane
        from jobs.registry import at_each_sweep, register
        from webhooks import notices, outbox, pump

        register(outbox.KIND, pump.deliver, lane=Lane.MAIL)
        register(notices.KIND, notices.send, lane=Lane.MAIL)
        at_each_sweep(outbox.look)
