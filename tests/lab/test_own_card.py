"""The ledger's lines of our own card are what its files say; its files hold each run once."""

from __future__ import annotations

import pytest

from lab.own_runs.asked import DECODERS
from lab.validation import own_mixed
from lab.validation.first_contact import LEDGER
from lab.validation.own_card import foretold, line

LINES = {
    "training step on one H100 of our own: Transformers and PEFT as documented": ("step", {"library"}),
    "the same card: a plain script": ("step", {"script"}),
    "the same card: peak memory of these runs": ("memory", {"library", "script"}),
    "the same card: image networks and encoders, step": ("step", {"other"}),
    "the same card: image networks and encoders, peak memory": ("memory", {"other"}),
}


@pytest.mark.parametrize("rows", LINES)
def test_the_ledger_prints_what_was_foretold_and_measured(rows: str) -> None:
    what, groups = LINES[rows]
    held = [one for one in foretold() if one.what == what and one.group in groups]
    printed = next(entry for entry in LEDGER if entry[1] == rows)
    assert printed[2:] == line(held)


def test_every_run_was_foretold_and_measured_once() -> None:
    names = [(one.run, one.what) for one in foretold()]
    assert len(names) == len(set(names)) == 80
    assert all(one.measured > 0 and one.low < one.predicted < one.high for one in foretold())


MIXED = {
    "unusual steps on one H200 of our own: Transformers and PEFT as documented": ("step", ["library"]),
    "the H200: a plain script": ("step", ["script"]),
    "the H200: no decoders (images, texts, speech, diffusion, recommender)": ("step", own_mixed.networks()),
    "the H200: peak memory of decoders": ("memory", DECODERS),
    "the H200: peak memory of no decoders": ("memory", own_mixed.networks()),
}


@pytest.mark.parametrize("rows", MIXED)
def test_the_ledger_prints_what_was_foretold_and_measured_on_the_second_card(rows: str) -> None:
    held = own_mixed.of_kinds(*MIXED[rows])
    printed = next(entry for entry in LEDGER if entry[1] == rows)
    assert printed[2:] == line(held)


def test_every_run_of_the_second_card_was_foretold_and_measured_once() -> None:
    every = own_mixed.foretold()
    names = [(one.run, one.what) for one in every]
    assert len(names) == len(set(names)) == 60 + 55
    assert all(one.measured > 0 and one.low < one.predicted < one.high for one in every)
    assert {one.group for one in every} == {*own_mixed.GROUPS, "products", "storage"}


def test_runs_that_are_made_again_are_compared_with_the_first_card() -> None:
    found = {run.repeats: (said, seen) for run, said, seen in own_mixed.ratios()}
    assert len(found) == 10
    said, seen = found["O0006"]
    assert said == pytest.approx(0.219053 / 0.233305, rel=1e-4)
    assert seen == pytest.approx(0.172547 / 0.185791, rel=1e-4)
