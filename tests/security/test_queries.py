"""How many questions each page asks of the database: pinned for every page that the table of routes knows.

A page that asks more than most has its number here, with an object of every kind behind it; a new page asks no more than
`USUAL`, or says here why not. Lists that grow are held where they are made (tests/planner, tests/catalog).
"""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.security.asking import _own_files, address_of, ask, world
from tests.security.matrix import PAGES
from tests.security.world import World

__all__ = ["_own_files", "world"]
pytestmark = pytest.mark.django_db
READ = sorted(key for key, row in PAGES.items() if row.may.get("GET"))
USUAL = 6
"""Session, person, team, and what the page itself is about."""
MORE = {
    "planner:home": 7,  # the plans of a page, and how many there are
    "planner:plan": 11,  # comments, versions, files, scenarios and approvals of one version
    "accounts:account": 11,
    "accounts:confirm": 8,  # which second factors the person has
    "exports:bundle": 10,  # with the record that it went out
    "accounts:team": 9,
    "catalog:own_entry": 9,
    "exports:page": 9,
    "planner:scenario-new-chart": 9,
    "catalog:accelerator": 8,
    "catalog:review": 8,
    "exports:branding": 8,
    "exports:branding_preview": 7,  # with what would cost less, as it is kept for that version
    "exports:card": 8,
    "exports:cards": 8,
    "planner:reprice": 8,
    "planner:scenario-chart": 8,
    "planner:scenarios": 9,  # with the newest series
    "catalog:sources": 8,  # with the feeds that are fetched now
    "exports:download": 7,  # with the record that it went out
    "planner:portfolio": 8,  # with the newest series
    "planner:series": 8,  # pieces by state, which are answered, and with what
    "planner:series-new": 7,
    "planner:series-table": 7,  # with the record that it went out
    "planner:quotations": 7,  # requests of the version, and the answers to them
    "planner:portfolio-table": 7,  # with the record that it went out
    "planner:scenario-new": 7,
    "readyz": 7,  # each check its own: is it there, tables, migrations, catalog, worker, sweeper
}
_FRAME = ("SAVEPOINT", "RELEASE", "ROLLBACK")
"""Statements of the question's own transaction."""


@pytest.mark.parametrize("key", READ)
def test_a_page_asks_no_more_than_it_is_pinned_to(key: str, world: World) -> None:
    address, client = address_of(world, key, PAGES[key]), world.clients["admin"]
    ask(client, "get", address)  # what a process reads once
    with CaptureQueriesContext(connection) as seen:
        ask(client, "get", address)
    asked = [item["sql"] for item in seen.captured_queries if not item["sql"].startswith(_FRAME)]
    assert len(asked) <= MORE.get(key, USUAL), "\n".join(asked)


def test_no_pin_is_left_behind() -> None:
    assert MORE.keys() <= set(READ)
