"""The queue. Tasks are found in each app's tasks.py; their settings are the CELERY_ names of config/settings.py."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("sextant")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
