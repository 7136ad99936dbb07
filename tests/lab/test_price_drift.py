"""The measured drift: the table that plans use is the fit of the history that ships, and the back-test looks only forward."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from django.core.management import CommandError, call_command

from engine.money.drift import DRIFT_ASSUMPTIONS, MOTIONS
from engine.odds.normal import P90
from lab.drift.backtest import Judged, judged, verdict
from lab.drift.model import fitted
from lab.drift.moves import Move, moves_of
from lab.drift.readings import Good, Series, shipped


@pytest.fixture(scope="module")
def series() -> Mapping[Good, Series]:
    return shipped()


def test_the_table_that_plans_use_is_the_fit_of_the_shipped_history(series: Mapping[Good, Series]) -> None:
    moves = moves_of(series, 90)
    for motion in MOTIONS:
        fit = fitted([move for move in moves if move.motion == motion])
        for name, ends in (("market", fit.market), ("own", fit.own)):
            item = DRIFT_ASSUMPTIONS[f"price.{name}_{motion}"]
            assert (item.value, item.low, item.high) == pytest.approx(ends, abs=0.006), (motion, name)
        drift = DRIFT_ASSUMPTIONS[f"price.drift_{motion}"]
        assert drift.high / P90 == pytest.approx(fit.drift_sigma, abs=0.006), motion


def test_the_band_that_ages_holds_what_one_of_constant_width_does_not(series: Mapping[Good, Series]) -> None:
    moves = moves_of(series, 90)
    lists, spot, large = (verdict(motion, judged(moves, motion)) for motion in ("list", "spot", "large"))
    assert lists is not None
    assert spot is not None
    assert large is not None
    assert lists.holds
    assert spot.holds
    assert lists.coverage > lists.constant + 0.25
    assert large.coverage >= large.unmoved > 0.9  # the published gap: what does not move is in any band
    for found in (lists, spot, large):
        assert found.central_holds  # of prices that may also stay: what no closed band can hold as little as 80 % of
        assert found.error < found.error_with_drift  # why no trend is carried on


def test_what_stayed_counts_by_its_share_of_the_central_forecast() -> None:
    """Nine in ten stay, the others move by σ: the central 80 % hold eight ninths of a stay and no move beyond it."""
    move = _steps("large", [0.0, 0.2, -0.001])

    def central(at: int, stays: float) -> float:
        return Judged(move=move[at], half=0.1, drift=0.0, constant=0.1, stays=stays, moved=0.1).central

    assert central(0, 0.9) == pytest.approx(0.8 / 0.9)
    assert central(1, 0.9) == 0.0
    assert central(2, 0.9) == central(0, 0.9)
    assert central(0, 0.5) == 1.0
    assert central(1, 0.2) == 0.0
    assert central(1, 0.0) == 0.0


def test_moves_of_one_good_never_overlap(series: Mapping[Good, Series]) -> None:
    ends: dict[Good, date] = {}
    for good, prices in series.items():
        for move in moves_of({good: prices}, 90):
            assert move.begin >= ends.get(good, move.begin)
            assert (move.end - move.begin).days >= 90
            ends[good] = move.end


def _steps(motion: str, logs: list[float]) -> list[Move]:
    """A year apart, one quarter each."""
    days = [date(2010 + at, 1, 1) for at in range(len(logs) + 1)]
    return [
        Move(motion=motion, provider=f"p{at}", accelerator="a", begin=days[at], end=days[at + 1], log=log)
        for at, log in enumerate(logs)
    ]


def test_a_wandering_price_gives_back_its_sigma() -> None:
    draw = Random(4)
    moves = [
        Move(motion="list", provider=f"p{at % 20}", accelerator=f"a{at}", begin=date(2020 + at % 6, 1, 1),
             end=date(2020 + at % 6, 7, 1), log=draw.gauss(0.0, 0.3 * math.sqrt(0.5)))
        for at in range(600)
    ]  # fmt: skip
    fit = fitted(moves)
    assert fit.sigma == pytest.approx(0.3, rel=0.1)
    assert fit.market[0] < 0.1  # nothing in common was drawn
    together = [
        Move(motion="list", provider=f"p{n}", accelerator="a", begin=date(2000 + year, 1, 1), end=date(2001 + year, 1, 1),
             log=log)
        for year in range(40) for log in [draw.gauss(0.0, 0.3)] for n in range(10)
    ]  # fmt: skip
    fit = fitted(together)
    assert fit.market[0] > 5 * fit.own[0]


def test_nothing_is_judged_before_enough_had_ended() -> None:
    moves = _steps("list", [0.1] * 25)
    found = judged(moves, "list")
    assert len(found) == 25 - 10
    assert verdict("list", []) is None


def test_the_command_prints_what_it_found_and_names_a_file_that_is_none(tmp_path: Path) -> None:
    out = StringIO()
    call_command("price_drift", "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert set(found["motions"]) == set(MOTIONS)
    assert found["motions"]["block"]["back_test"] is None  # one quarter of history judges nothing
    bad = tmp_path / "trend.csv"
    bad.write_text("month,value\n2026-01,2\n")
    with pytest.raises(CommandError, match="no table of monthly medians"):
        call_command("price_drift", "--trend", str(bad), stdout=out)
    with pytest.raises(CommandError, match="between 30 and 365"):
        call_command("price_drift", "--days", "5", stdout=out)
