"""Stated chances against draws apart from the engine's, against left-out errors, and of what was chosen: small seeded samples."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.inputs.spec import Confidence
from engine.odds.normal import upto
from lab.kept import arithmetic, chosen, frequencies, left_out
from lab.kept.outcomes import keeps, normal, outcome
from lab.management.commands.nested import WAVES
from lab.management.commands.validate import MEASURED
from planner.market import market_from_files
from tests.exports import samples

PLAN = samples.training_plan()
BEST = PLAN.recommendation.recommended
assert BEST is not None
MARKET = market_from_files()
ROWS = left_out.read(left_out.measured([Path(MEASURED) / name for name in WAVES], MARKET))
DRAWS = 20_000
ERROR = 4.0 * math.sqrt(0.25 / DRAWS)
"""Four standard errors of a share, at most."""


@pytest.mark.parametrize("number", [7, 14, 20, 27])
def test_drawn_requests_are_kept_as_often_as_was_asked_also_where_limits_are_tight(number: int) -> None:
    found = [
        arithmetic.kept_of(name, plan, draws=DRAWS)
        for name, plan in arithmetic.plans(MARKET, range(number, number + 1))
    ]
    assert found
    for one in found:
        assert one.kept >= one.asked - arithmetic.SLACK - ERROR or one.at_risk, one
        assert one.kept == pytest.approx(one.stated, abs=0.02 + ERROR)


def test_a_plan_that_states_too_much_is_found_out() -> None:
    """The judge sees what it is to see: twice the width of a step, and a deadline at the median."""
    random = np.random.default_rng(1)
    plain = outcome(BEST, random, draws=DRAWS)
    wide = outcome(BEST, np.random.default_rng(1), draws=DRAWS, step=lambda own, many: 2.0 * normal(own, many))
    assert plain.days is not None
    assert wide.days is not None
    due = float(np.quantile(plain.days, 0.9))
    kept = keeps(wide, deadline_days=due, budget=0.0) / keeps(wide, deadline_days=0.0, budget=0.0)
    assert kept < 0.9 - ERROR
    bold = arithmetic.Kept(name="x", asked=0.8, stated=0.8, kept=0.78, at_risk=False)
    assert bold.short
    assert not replace(bold, at_risk=True).short
    assert arithmetic.figures([bold])["short"] == ["x"]


def test_limits_that_are_only_just_kept_are_those_of_the_row() -> None:
    found = arithmetic.tightened(PLAN, np.random.default_rng(3))
    assert found.confidence != Confidence() or found.constraints != PLAN.spec.constraints
    assert found.confidence.all in {row.confidence for row in PLAN.recommendation.certainty}


def test_normal_errors_come_true_as_stated_and_stretched_ones_do_not() -> None:
    scores = np.random.default_rng(2).standard_normal(DRAWS)
    names = np.array([f"s{number % 7}" for number in range(DRAWS)])
    bins = frequencies.of_rows(scores, names)
    assert frequencies.furthest(bins) <= ERROR
    assert all(low - ERROR <= one.stated <= high + ERROR for one in bins for low, high in [one.interval])
    heavier = frequencies.of_rows(scores, names, stretch=frequencies.HEAVIER)
    assert heavier[-1].rows == pytest.approx(0.5 * math.erfc(-upto(0.95) / 1.5 / math.sqrt(2.0)), abs=ERROR)
    assert heavier[-1].rows < 0.95 - ERROR


def test_a_source_weighs_alike_however_many_rows_it_has() -> None:
    scores = np.concatenate([np.full(900, -5.0), np.full(100, 5.0)])
    names = np.array(["many"] * 900 + ["few"] * 100)
    step = frequencies.left_out(scores, names)
    drawn = step(np.random.default_rng(4), DRAWS)
    assert np.mean(drawn > 0) == pytest.approx(0.5, abs=ERROR)
    (one, *_) = frequencies.of_rows(scores, names)
    assert (one.rows, one.sources) == (0.9, 0.5)


def test_left_out_errors_are_kept_for_every_row_of_the_headline() -> None:
    good = left_out.measured([Path(MEASURED) / name for name in WAVES], MARKET)
    assert len(ROWS.runs) == len(good), "manage.py kept --left-out works them out anew"
    assert np.all(ROWS.sigmas > 0)
    assert np.median(np.abs(np.expm1(ROWS.errors))) < 0.12
    assert ROWS.predicted[0] == pytest.approx(ROWS.runs[0].measured * math.exp(ROWS.errors[0]))


def test_chances_of_chosen_options_lie_in_their_intervals() -> None:
    """What the issue asks of calibration; the figures stand in docs/certainty.md."""
    found = chosen.judged(chosen.layouts(ROWS))
    assert found.choices > 300
    assert found.agrees, found
    for asked in chosen.ASKED:
        one = chosen.judged(chosen.sizes(ROWS, asked))
        assert one.agrees, one
        assert one.stated >= asked


def test_a_chosen_option_that_was_only_lucky_is_found_out() -> None:
    """Errors that favour what looks fastest: the same rows, each a third quicker in prediction than it is."""
    hopeful = replace(ROWS, errors=ROWS.errors - 0.4)
    assert not chosen.judged(chosen.layouts(hopeful)).agrees
    assert abs(chosen.luck(ROWS)) < 0.3
