"""The house keeps its shape: what there should be less of grows nowhere, and what there should be none of is not there."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.counted import COUNTED, ROOMS, ROOT, count, kept, patterns

WHERE_TO = {
    "functions of more than 60 lines": "Split it into stages.",
    "branches on the kind": "What differs between kinds of work belongs into engine/kinds, what is said of them into a finding.",
    "figures formatted outside voice": "Hand the number over as a value (Quantity, Sum, int); voice writes it where it is read.",
}
READS = {
    "accounts/": "ids, tokens and codes",
    "catalog/": "names, dates and quantities in others' lists",
    "config/": "headers, and secrets on their way into a log",
    "engine/money/converted.py": "names in an expression",
    "engine/physics/token/machine.py": "names of accelerators",
    "exports/branding/": "colours and fields of a team's own templates",
    "exports/download.py": "a header",
    "exports/ooxml.py": "characters that XML cannot hold",
    "exports/round_trip/": "formulas of a workbook that comes back",
    "exports/writers/": "characters, formulas and marks of a file format",
    "incoming/": "addresses of cells",
    "lab/": "rows that others measured, and answers that are judged",
    "operations/traffic.py": "addresses of the API",
    "outgoing/": "addresses",
    "planner/request/amounts.py": "what a person types",
    "planner/body.py": "units",
    "planner/request/drafts.py": "what a person types",
    "planner/pages/form/keeping.py": "ids",
    "planner/pages/form/model_choices.py": "names of models",
    "planner/pages/form/model_read.py": "names of models",
    "planner/pages/form/pickers.py": "what a person types",
    "planner/presenters/trail.py": "codes",
    "planner/presenters/words.py": "ids",
    "planner/request/quantities.py": "what a person types",
    "planner/review/sharing.py": "ids",
    "rest/": "headers and JSON of a request",
    "voice/catalogs.py": "the head of a catalog of translations",
    "voice/units.py": "units",
}
"""What the patterns of a file, or of all files below, read: never a sentence of ours."""
OWN_WORDS = {
    "exports/composing/evidence.py": 1,  # which words of the glossary stand in the document
    "exports/text.py": 5,  # spaces, signs and clauses of any text, so that it fits where it stands
}
"""Patterns that meet words of ours. None decides what is meant."""


@pytest.mark.parametrize("what", COUNTED)
def test_nothing_is_added_to_what_there_is_too_much_of(what: str) -> None:
    now, before = count(COUNTED[what]), kept()[what]

    grown = {
        name: f"{number}, was {before.get(name, 0)}" for name, number in now.items() if number > before.get(name, 0)
    }
    assert grown == {}, WHERE_TO[what]
    assert now == before, "There is less of it, which is good: python -m tests.counted writes that down."


def test_no_pattern_reads_our_own_sentences() -> None:
    found = count(patterns)
    unnamed = {path: number for path, number in found.items() if not path.startswith(tuple(READS))}

    assert unnamed == OWN_WORDS, "Say in READS what it reads; what we ourselves have said is a code with its values."
    assert {place for place in READS if not any(path.startswith(place) for path in found)} == set()


def _contracts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    return found


def test_no_contract_of_imports_is_ignored_anywhere() -> None:
    loose = {"ignore_imports", "unmatched_ignore_imports_alerting", "allow_indirect_imports", "as_packages"}

    assert [contract["name"] for contract in _contracts() if loose & contract.keys()] == []


def test_every_room_is_held_free_of_circles_of_folders() -> None:
    (contract,) = (contract for contract in _contracts() if contract["type"] == "acyclic_siblings")

    assert tuple(sorted(contract["ancestors"])) == ROOMS
