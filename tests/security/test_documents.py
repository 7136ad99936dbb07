"""The papers about security are true: every test they name exists, and no requirement of ASVS level 2 is left out."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPERS = ("SECURITY.md", "docs/asvs.md", "docs/threat-model.md")
# Requirements of ASVS 5.0.0 at level 1 or 2, by section: how many; those of level 3 come behind them in every section.
ASVS = {
    "1.1": 2, "1.2": 9, "1.3": 11, "1.4": 3, "1.5": 2, "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1,
    "3.2": 2, "3.3": 4, "3.4": 6, "3.5": 5, "3.7": 2, "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4,
    "5.1": 1, "5.2": 3, "5.3": 2, "5.4": 3, "6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4, "6.5": 5,
    "6.6": 3, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2, "8.1": 2,
    "8.2": 3, "8.3": 1, "8.4": 1, "9.1": 3, "9.2": 4, "10.1": 2, "10.2": 2, "10.3": 4, "10.4": 11,
    "10.5": 5, "10.6": 2, "10.7": 3, "11.1": 2, "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 1,
    "11.6": 1, "12.1": 3, "12.2": 2, "12.3": 4, "13.1": 1, "13.2": 5, "13.3": 2, "13.4": 5,
    "14.1": 2, "14.2": 4, "14.3": 3, "15.1": 3, "15.2": 3, "15.3": 7, "16.1": 1, "16.2": 5,
    "16.3": 4, "16.4": 3, "16.5": 3, "17.1": 1, "17.2": 4, "17.3": 2,
}  # fmt: skip


@cache
def _defined(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _rows() -> list[tuple[str, str, str]]:
    """Numbers, standing and reason of each row of the checklist."""
    text = (ROOT / "docs/asvs.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (\d[\d., –]*) \| .+? \| (.+?) \| (.+?) \|$", text, re.MULTILINE)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_test_that_a_paper_names_exists(paper: str) -> None:
    text = (ROOT / paper).read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+(?:\.py)?/?)(?:::(\w+))?`", text)
    assert named
    for place, function in named:
        path = ROOT / place
        assert path.exists(), f"{paper} names {place}, which does not exist."
        assert not function or function in _defined(path), f"{paper} names {place}::{function}, which does not exist."


@pytest.mark.parametrize("paper", PAPERS)
def test_every_document_that_a_paper_names_exists(paper: str) -> None:
    for name in re.findall(r"`((?:docs|accounts|requirements)/[\w./-]+)`", (ROOT / paper).read_text(encoding="utf-8")):
        assert (ROOT / name).exists(), f"{paper} names {name}, which does not exist."


def _numbers(cell: str) -> list[str]:
    """“1.2.6–1.2.8, 1.3.1” as single numbers."""
    found = []
    for part in cell.split(","):
        first, _, last = part.strip().partition("–")
        section, start = first.rsplit(".", 1)
        found += [
            f"{section}.{at}" for at in range(int(start), int(last.rsplit(".", 1)[1]) + 1 if last else int(start) + 1)
        ]
    return found


def test_no_requirement_of_level_2_is_left_out() -> None:
    rows = _rows()
    wanted = {f"{section}.{at}" for section, last in ASVS.items() for at in range(1, last + 1)}
    listed = [number for cell, _, _ in rows for number in _numbers(cell)]
    assert wanted == set(listed), f"missing {sorted(wanted - set(listed))}, too many {sorted(set(listed) - wanted)}"
    assert len(listed) == len(set(listed))
    for cell, stands, why in rows:
        assert stands in ("yes", "partly", "no", "operator", "—"), cell
        assert len(why) > 3, f"{cell}: say why, or which test holds it."


def test_every_yes_names_the_test_that_holds_it_or_says_that_none_can() -> None:
    """A function, not a whole file; what only a reader can tell says so first."""
    said = [(cell, why) for cell, stands, why in _rows() if stands == "yes"]
    assert len(said) > 80
    for cell, why in said:
        held = re.findall(r"`tests/[\w/]+\.py::test_\w+`", why)
        assert held or "by reading: " in why, f"{cell}: name the test function, or begin with “by reading: ”."
