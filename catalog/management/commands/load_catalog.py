"""`manage.py load_catalog`: the files of `catalog/data` into the database, in one transaction."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from catalog.facts import DATA, load, price_files, read_prices
from catalog.management.bar import bar
from catalog.store import publish_catalog
from catalog.yamlfile import CatalogError


class Command(BaseCommand):
    """Loads the catalog's files; doing it twice changes nothing."""

    help = "Load the catalog of the project's files into the database."
    requires_system_checks: list[str] = []  # the checks load the whole API, which no catalog needs

    def handle(self, *args: Any, **options: Any) -> None:
        """Publishes the release and prints its hash. CommandError names file, line and field of a fault."""
        try:
            catalog = load()
            known = {source.id for source in catalog.sources}
            files = price_files(DATA, settings.CATALOG_RELEASE)
            batches = [(name, list(read_prices(path, known))) for name, path in files]
        except CatalogError as error:
            raise CommandError(str(error)) from error
        with bar(self.stderr):
            release = publish_catalog(catalog, batches)
        self.stdout.write(
            f"Catalog {release.sha256[:12]} of {release.date}: {len(catalog.records)} entries, {len(catalog.prices)} prices."
        )
