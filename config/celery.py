"""The queue. Tasks are found in each app's tasks.py; their settings are the CELERY_ names of config/settings.py."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_process_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("sextant")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _send_traces(**_: object) -> None:
    """The processes of a worker run nothing at their exit."""
    from rest import traces

    traces.end()


worker_process_shutdown.connect(_send_traces)
