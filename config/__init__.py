"""Deployment only: settings, addresses, the queue and the web entry. No rule of the product lives here."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
