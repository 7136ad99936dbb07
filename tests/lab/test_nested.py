"""Everything left out: folds choose without their source, bands cover what they promise, a canary shifts the others."""

from __future__ import annotations

import numpy as np
import pytest

from engine.inputs.assumptions import Assumptions
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.management.commands.nested import WAVES, nested_body
from lab.management.commands.validate import MEASURED
from lab.validation import canary, nested, nested_page, spreads
from lab.validation.choices import choices, figures_of
from lab.validation.fit import with_priors
from lab.validation.rows import Run, read_csv, runs
from lab.validation.table import Table, predict, table
from planner.market import market_from_files
from planner.telling import sourced

ASSUME = Assumptions(TRAINING_ASSUMPTIONS)


@pytest.fixture(scope="module")
def good() -> list[Run]:
    found, _ = runs(read_csv([MEASURED / name for name in WAVES]), market_from_files().devices)
    return [run for run in found if not run.group]


@pytest.fixture(scope="module")
def rows(good: list[Run]) -> Table:
    return table(good)


def test_releases_of_one_publisher_are_one_source() -> None:
    assert nested.publisher("mlcommons/training_results_v5.1") == nested.publisher("mlcommons/training_results_v3.1")
    assert nested.publisher("NVIDIA/NeMo") == nested.publisher("NVIDIA-NeMo/Megatron-Bridge")
    assert nested.publisher("pytorch/ao") == "pytorch/ao"


def test_nothing_of_a_source_decides_on_its_own_prediction(good: list[Run], rows: Table) -> None:
    """A fold's errors of the others are the same whatever the source left out measured."""
    variants = {"stacks": nested.STACKS}
    before = nested.nested(rows, with_priors(ASSUME), variants=variants)
    source = "pytorch/ao"
    fold = next(one for one in before.folds if one.source == source)
    own = np.array(before.sources) == source
    assert np.isnan(fold.others[own]).all()
    assert not np.isnan(fold.others[~own]).any()
    assert {one.source for one in before.folds} == set(before.sources)


def test_a_source_takes_with_it_what_it_alone_called_for(rows: Table) -> None:
    """Waits that the playbook alone showed stayed where it was left out: 8.6 % in the median, 10.0 % without them."""
    prior = with_priors(ASSUME)
    assert nested.WITHOUT.keys() <= {nested.publisher(run.source) for run in rows.runs}
    for source, own in nested.WITHOUT.items():
        assert all(source in sourced(prior.get(f"training.{name}").source) for name in own), (
            "the coefficient names it, too"
        )
    before = predict(rows, prior).total
    after = predict(rows, nested.without(prior, nested.WITHOUT["InternLM/InternEvo"])).total
    moved = {nested.publisher(run.source) for run, changed in zip(rows.runs, after != before, strict=True) if changed}
    assert "InternLM/InternEvo" in moved
    worst = {
        one: max(abs(np.log(after / before))[[nested.publisher(r.source) == one for r in rows.runs]]) for one in moved
    }
    assert max(worst, key=lambda one: worst[one]) == "InternLM/InternEvo"


def test_what_is_shown_gets_no_worse(good: list[Run], rows: Table) -> None:
    """Goals that are missed are named on the page with how far they are; what is reached is held."""
    shown = nested_page.measured()
    assert shown["rows"] == len(good)
    assert shown["median_of_source_medians"] <= 0.102
    assert shown["p90_ape"] <= 0.38
    assert abs(shown["bias"]) <= 0.03
    low, high = shown["band80_coverage_interval"]
    assert low <= 0.8 <= high
    assert shown["interval_score"] <= 0.82 * shown["interval_score_constant"]
    assert shown["choosing"]["median"] <= 1.05
    now = figures_of(choices(good, predict(rows, ASSUME).total))
    assert now["median"] <= 1.05
    assert now["p90"] <= 1.2


def test_the_figures_are_those_of_today(good: list[Run], rows: Table) -> None:
    """With the refinement that nearly all folds chose the page's figures come out again."""
    body = nested_body(good, rows, ASSUME, variants={"nothing": ()})
    assert body["median_of_source_medians"] == pytest.approx(
        nested_page.measured()["median_of_source_medians"], abs=0.01
    )
    assert body["p90_ape"] == pytest.approx(nested_page.measured()["p90_ape"], abs=0.02)


def test_spreads_find_what_the_errors_hold() -> None:
    random = np.random.default_rng(1)
    sources = np.repeat([f"s{number}" for number in range(40)], 20)
    wide = np.arange(800) % 2 == 0
    errors = random.normal(0.0, np.where(wide, 0.3, 0.1))
    applies = np.stack([np.ones(800, dtype=bool), wide], axis=1)
    found = spreads.spreads(errors, applies, sources, np.array([0.1, 0.1]))
    assert found[0] == pytest.approx(0.1, rel=0.3)
    assert np.hypot(*found) == pytest.approx(0.3, rel=0.3)
    ratio = spreads.level(np.abs(errors) / np.sqrt(applies @ found**2), sources)
    assert np.mean(np.abs(errors) <= ratio * np.sqrt(applies @ found**2)) == pytest.approx(0.8, abs=0.02)


def test_a_narrow_true_interval_scores_better() -> None:
    errors = np.linspace(-0.1, 0.1, 101)
    assert (
        spreads.interval_score(errors, np.full(101, 0.08)).mean()
        < spreads.interval_score(errors, np.full(101, 0.5)).mean()
    )


def test_one_own_measurement_takes_the_error_that_all_rows_share(good: list[Run]) -> None:
    same = [run for run in good if run.source == "InternLM/InternEvo"]
    left = canary.after_one(np.full(len(same), 0.2), np.full(len(same), 0.2), same, ASSUME)
    known = left[~np.isnan(left)]
    assert len(known) > 20
    assert np.all(known < 0.1)


def test_a_step_predicted_too_fast_counts_as_much_as_it_is_off(good: list[Run]) -> None:
    """Half of the measured time is an error of 50 %, not of 100 %: |predicted / measured − 1|, as everywhere."""
    same = [run for run in good if run.source == "InternLM/InternEvo"]
    nothing = ASSUME.override({"training.shared_error": 1e-9})  # the measurement moves nothing
    for ratio in (0.5, 2.0):
        left = canary.after_one(np.full(len(same), np.log(ratio)), np.full(len(same), 0.2), same, nothing)
        assert left[~np.isnan(left)] == pytest.approx(abs(ratio - 1.0), abs=1e-6)


def test_choosing_costs_nothing_where_the_prediction_is_the_measurement(good: list[Run]) -> None:
    found = choices(good, np.array([run.measured for run in good]))
    assert set(found.values()) == {1.0}
    assert len(found) > 40
