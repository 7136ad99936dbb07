"""The ledger's lines of our own card are what its files say; its files hold each run once."""

from __future__ import annotations

import pytest

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
