"""The accuracy page and its document: one source for the ledger, peers that are computed, rows that are withheld."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from django.test import Client

from engine.inputs.assumptions import Assumptions
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.management.commands.nested import WAVES
from lab.management.commands.validate import MEASURED
from lab.validation import nested_page, peer_llm_analysis, peers, summary, withheld
from lab.validation.first_contact import LEDGER, rows_of_ledger
from lab.validation.rows import Run, read_csv, runs
from planner.market import market_from_files
from planner.pages.accuracy import figures
from tests.conftest import People

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def good() -> list[Run]:
    found, _ = runs(read_csv([MEASURED / name for name in WAVES]), market_from_files().devices)
    return [run for run in found if not run.group]


def test_page_and_document_say_the_same_of_first_contact(client: Client, people: People) -> None:
    client.force_login(people.bob)
    text = client.get("/accuracy").content.decode()
    document = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    assert len(LEDGER) >= 23
    for line in LEDGER:
        assert "| " + " | ".join(line) + " |" in document
        assert line[1] in text
        assert f">{line[3]}<" in text
    assert json.loads(summary.FILE.read_text(encoding="utf-8"))["first_contact"] == rows_of_ledger()


def test_page_and_document_hold_the_figures_as_last_measured() -> None:
    """`nested --write` without `validate --docs` would leave them behind."""
    data = json.loads(summary.FILE.read_text(encoding="utf-8"))
    assert data["nested"] == nested_page.rows_of_page()
    document = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    assert all(
        f"| {name} | {value} | {goal} |" in document for name, value, goal in nested_page.lines(nested_page.measured())
    )
    assert {note.id for note in figures.notes()} >= {"first_contact", "nested", "withheld", "peers"}


def test_page_and_document_name_the_goals_that_are_missed() -> None:
    told = json.loads(summary.FILE.read_text(encoding="utf-8"))["goals"]
    document = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    assert {one["reached"] for one in told} == {"yes", "no", "not measured"}
    for one in told:
        assert f"| {one['figure']} | {one['value']} | {one['goal']} | {one['reached']} |" in document
        if one["reached"] != "not measured" and "of" not in one["value"]:
            value, goal = (float(one[key].rstrip(" %")) for key in ("value", "goal"))
            least = "fitted" in one["figure"]
            assert one["reached"] == ("yes" if (value >= goal if least else value <= goal) else "no"), one
    assert "goals" in {note.id for note in figures.notes()}


def test_one_utilisation_is_that_of_the_other_publishers(good: list[Run]) -> None:
    fitted = peers.one_utilisation(good, left_out=False)
    apart = peers.one_utilisation(good)
    assert np.median(np.abs(fitted)) < np.median(np.abs(apart))
    # A row beside its own source alone is predicted exactly, where it may see itself.
    alone = [good[0]]
    assert peers.one_utilisation(alone, left_out=False) == pytest.approx([0.0])


def test_the_table_of_peers_is_that_of_the_rows(good: list[Run]) -> None:
    data = json.loads(summary.FILE.read_text(encoding="utf-8"))["peers"]
    computed = [one for one in peers.peers(good) if one.source == "computed in this run"]
    assert len(computed) == 2
    for one, shown in zip(computed, data, strict=False):
        assert (shown["rows"], shown["median_ape"], shown["p90_ape"]) == (len(good), one.median_ape, one.p90_ape)
    assert all(one["source"] for one in data)


def test_withheld_rows_give_figures_and_nothing_else(tmp_path: Path) -> None:
    rows = (MEASURED / "training_wave2.csv").read_text(encoding="utf-8").splitlines()
    taken = [line.replace("pytorch/ao@", "lambdal/deeplearning-benchmark@") for line in rows if "pytorch/ao@" in line]
    path = tmp_path / "kept_apart.csv"
    path.write_text("\n".join([rows[0], *taken]) + "\n", encoding="utf-8")
    blocks = withheld.judged(
        [path], market_from_files().devices, Assumptions(TRAINING_ASSUMPTIONS), day=date(2026, 11, 24)
    )
    assert len(blocks) == 1
    assert blocks[0]["predicted"] <= blocks[0]["rows"] == len(taken)
    assert all(not isinstance(value, list | dict) for value in blocks[0].values())
    text = withheld.sentences(blocks)[0]
    assert f"{blocks[0]['median_ape']:.1%}" in text
    assert "2026-11-24" in text

    data = tmp_path / "accuracy.json"
    assert withheld.last(data) == []
    summary.write(data, {"withheld": blocks})
    assert withheld.last(data) == blocks, "a run without those rows keeps what the last one wrote"


def test_what_was_run_side_by_side_is_on_the_page_and_better_in_both() -> None:
    ours, *theirs = peers.last()
    assert ours.tool.startswith("this project")
    assert len(theirs) == 2
    page = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    for one in theirs:
        assert one.rows == ours.rows >= 500
        assert ours.median_ape < one.median_ape
        assert ours.p90_ape < one.p90_ape
        assert f"| {one.tool} | {one.rows} | {one.median_ape:.1%} | {one.p90_ape:.1%} |" in page


def test_the_peer_is_asked_about_rows_that_it_can_express(good: list[Run]) -> None:
    """Dense models in 16 bits on NVIDIA's accelerators."""
    some = peer_llm_analysis.expressible(good)
    assert len(some) == peers.last()[0].rows
    assert all(run.precision in ("bf16", "fp16") and run.cp == 1 and not run.arch.moe for run in some)


def test_the_page_reads_the_file_that_a_validation_writes() -> None:
    assert figures.FILE == summary.FILE
    assert figures.FILE.is_file()
