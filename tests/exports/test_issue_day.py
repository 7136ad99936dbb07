"""A document is issued on the day of its request; the catalog's date stands beside it, and prices age between the two."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from exports.compose import compose
from planner.frozen.snapshot import Plan, freeze
from tests.exports.samples import training_plan

CATALOG = date.fromisoformat(training_plan().recommendation.catalog_date)


def _issued(days: int, *, start: date | None = None) -> Plan:
    """The sample, asked for so many days after its catalog."""
    plan = training_plan()
    return freeze(replace(plan.spec, as_of=CATALOG + timedelta(days=days), start=start), plan.recommendation)


def test_the_day_of_issue_and_the_catalogs_date_stand_apart() -> None:
    document = compose(_issued(92))
    facts = {fact.key: fact.text for fact in document.decision.facts}
    issued = CATALOG + timedelta(days=92)
    assert document.created == issued
    assert document.subtitle.endswith(f"{issued.day} {issued:%B %Y}")
    assert f"from {issued.day} {issued:%B %Y}" in facts["ask"]
    assert f"Catalog of {CATALOG.day} {CATALOG:%B %Y}" in facts["evidence"]


def test_the_age_of_prices_counts_to_the_day_of_issue() -> None:
    ages = []
    for days in (30, 92):
        facts = {fact.key: fact.text for fact in compose(_issued(days)).decision.facts}
        ages.append(int(facts["evidence"].replace("\u00a0", " ").split("up to ")[1].split(" days old")[0]))
    assert ages[1] - ages[0] == 62


def test_a_start_that_was_typed_stays() -> None:
    facts = {fact.key: fact.text for fact in compose(_issued(0, start=date(2027, 2, 1))).decision.facts}
    assert "from 1 February 2027" in facts["ask"]
    assert "No start was set" not in facts["ask"]
