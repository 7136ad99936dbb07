"""What exists and what it costs, each fact with a source."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks


class CatalogConfig(AppConfig):
    """Registers the jobs that fetch a price feed and that read a team's price list."""

    name = "catalog"

    def ready(self) -> None:
        """Tells the queue who fetches, and checks the names of the feeds that are turned on."""
        from catalog import price_lists
        from catalog.work import KIND, request_fetches, run_fetch
        from jobs.lanes import Lane
        from jobs.registry import at_each_sweep, register

        register(KIND, run_fetch, lane=Lane.IMPORTS)
        register(price_lists.KIND, price_lists.run_import, ended=price_lists.after_import, lane=Lane.IMPORTS)
        at_each_sweep(request_fetches)
        checks.register(_feeds_known)


def _feeds_known(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    from catalog.feeds import feed_named
    from catalog.fetch import FetchFault

    found: list[checks.CheckMessage] = []
    for name in settings.PRICE_FETCH:
        try:
            feed_named(name)
        except FetchFault as error:
            found.append(checks.Error(f"PRICE_FETCH: {error}", id="catalog.E001"))
    return found
