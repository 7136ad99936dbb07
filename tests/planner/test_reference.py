"""The reference page is printed from the definitions, and current."""

from __future__ import annotations

import dataclasses

from engine.defaults import default_assumptions
from engine.inputs.spec import Spec, Training
from planner.management.commands.reference import PAGE
from planner.reference import reference_markdown
from planner.telling import told


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_markdown(), "run: python manage.py reference --write"


def test_every_field_and_coefficient_is_there() -> None:
    page = reference_markdown()
    for item in dataclasses.fields(Spec):
        assert f"| `{item.name}` |" in page
    for item in dataclasses.fields(Training):
        assert f"| `training.{item.name}` |" in page
    for assumption in default_assumptions().all():
        assert f"| `{assumption.id}` |" in page


def test_every_coefficient_says_what_it_means_and_where_it_comes_from() -> None:
    for item in default_assumptions().all():
        assert told(item.told), item.id
        assert item.source, item.id
        assert item.low <= item.value <= item.high, item.id
