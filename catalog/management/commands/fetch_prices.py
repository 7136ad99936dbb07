"""`manage.py fetch_prices azure-retail`: one price feed, fetched now and published."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.changed import changed_since
from catalog.feeds import FEEDS
from catalog.fetch import FetchFault
from catalog.importers.outcome import ImportFault
from catalog.management.bar import bar
from catalog.management.reporting import report
from catalog.prices import StepRefused
from catalog.work import fetch_and_publish, read_feed


class Command(BaseCommand):
    """Fetches one feed; a feed that fails leaves the last good prices."""

    help = "Fetch a price feed and publish it. Feeds: " + "; ".join(
        f"{name}{':NAME' if feed.narrowed[0] else ''} ({feed.title})" for name, feed in FEEDS.items()
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which feed, and from where."""
        parser.add_argument("feed", help="Such as azure-retail, aws-bulk:us-east-1, spot-advisor, skypilot:aws.")
        parser.add_argument("--url", default="", help="Another https address of the same feed, such as a mirror.")
        parser.add_argument("--dry-run", action="store_true", help="Fetch, read and report; write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints rows in, rows out and refusals by reason. CommandError says why nothing changed."""
        try:
            if options["dry_run"]:
                with bar(self.stderr):
                    fetched = read_feed(options["feed"], url=options["url"])
                report(self.stdout, fetched.read.outcome, changed_since(fetched.name, fetched.read.outcome))
                return
            with bar(self.stderr):
                batch, new, outcome, changed = fetch_and_publish(options["feed"], url=options["url"])
        except (FetchFault, ImportFault, StepRefused) as error:
            raise CommandError(str(error)) from error
        report(self.stdout, outcome, changed)
        facts = sum(map(len, batch.entries.values()))
        self.stdout.write(
            f"Published {batch.prices} new prices and {facts} facts." if new else "Fetched already; nothing changed."
        )
