"""The message that beat sends when feeds are to be fetched; it only puts jobs into the queue."""

from __future__ import annotations

from celery import shared_task

from catalog.work import request_fetches


@shared_task(name="catalog.fetch_prices")
def fetch_prices() -> None:
    """Asks for today's fetch of every feed that is turned on."""
    request_fetches()
