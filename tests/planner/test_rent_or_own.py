"""Ways of having accelerators side by side: page, documents and API say the same of each."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from django.template.loader import render_to_string

from exports.compose import compose
from exports.document import Section, Table
from planner import telling
from planner.body import estimate_body
from planner.frozen.snapshot import Plan
from planner.presenters import rent_or_own
from planner.presenters.answer import present
from planner.presenters.currency import Currency
from planner.rent_or_own import comparison
from tests.exports.real_plans import gallery_plan
from tests.exports.test_wording import english_in, strange, strange_language
from voice.speech import Voice

NBSP = "\u00a0"


@cache
def plan() -> Plan:
    return gallery_plan("serve-hosted-api")


def tables(sections: tuple[Section, ...]) -> list[Table]:
    found = []
    for section in sections:
        found += [block for block in section.blocks if isinstance(block, Table)]
        found += tables(section.sections)
    return found


def test_page_documents_and_api_have_the_same_rows() -> None:
    found = comparison(plan())
    assert found
    assert [one.way for one in found.ways][-1] == "api"
    (table,) = (one for one in tables(compose(plan()).sections) if one.id == "rent-or-own")
    page = present(plan()).had
    assert page
    body: dict[str, Any] = estimate_body(plan(), expand=("ways",))["ways"]
    assert len(found.ways) == len(table.rows) == len(page.rows) == len(body["ways"]) >= 3
    for one, cells, row, told in zip(found.ways, table.rows, page.rows, body["ways"], strict=True):
        assert (told["way"], told["npv"]["amount"]) == (one.way, f"{one.npv:.2f}")
        shown = [cell.text for cell in cells[1:]]
        assert [text.replace(f"USD{NBSP}", "") for text in row.cells[:4]] == shown[:4]
        assert row.cells[4:] == tuple(shown[4:])
        assert row.chosen == told["chosen"] == one.chosen
    html = render_to_string("planner/_had.html", {"answer": present(plan())})
    assert all(cell in html for row in page.rows for cell in row.cells)
    assert page.told[0] in html
    assert (table.note or "").replace(NBSP, " ").startswith(page.told[0].replace(NBSP, " "))


def test_the_page_s_rows_are_said_in_the_language_of_its_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    found = comparison(plan())
    assert found
    slow, late, never = (replace(found.ways[-1], payback=months, even_use=2.0) for months in (7, 0, None))
    monkeypatch.setattr(rent_or_own, "comparison", lambda _: replace(found, ways=(*found.ways, slow, late, never)))
    monkeypatch.setattr(telling, "PAGES", Voice(catalog=strange_language()))
    page = rent_or_own.had(plan(), Currency())
    assert page
    said = [text for row in page.rows for text in (row.way, *row.cells)] + [*page.told, page.against]
    assert english_in(said, []) == []
    assert {strange("never"), strange("at once")} <= {*said}


def test_without_being_asked_for_the_rows_stay_out() -> None:
    body = estimate_body(plan(), expand=())["ways"]
    assert (body["against"], body["ways"], body["told"]) == ("rent", [], [])


def test_a_hosted_api_that_costs_less_is_told_apart_from_the_verdict() -> None:
    found = comparison(plan())
    assert found
    assert [one.code for one in found.told] == ["ways.least", "ways.api"]
    api = next(one for one in found.ways if one.way == "api")
    assert found.told[1].values["cost"].amount == api.saved > 0  # type: ignore[union-attr]  # a sum
