"""Hours over those of steps, failures and saving: each cause a line of its own, none counted twice, many sizes as one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from catalog.presets import find_model
from engine.defaults import default_assumptions
from engine.inputs.assumptions import Assumptions
from engine.kinds.training.added import added_of, over_of_counts
from engine.money.added import CAUSES, SHARES, added_inputs, added_lines, over_of
from engine.odds.normal import P90
from engine.odds.programme import EVALUATION, evaluation_share
from engine.reliability.corruption import DELAY, LEAST, RATE, corrupted_share

ASSUME = default_assumptions()
METHODS = ("pretrain", "continue", "finetune", "lora", "qlora")


def shares(method: str, count: float, assume: Assumptions = ASSUME) -> dict[str, float]:
    """Each cause of a Llama 3.1 8B with its central share."""
    return {one.cause: one.share.expected for one in added_of(find_model("llama-3.1-8b"), method, count, assume)}


def test_silent_corruption_is_rate_times_accelerators_times_delay() -> None:
    """Six of them hit Llama 3 in 54 days on 16,384 H100: at four hours each, a day of the 54."""
    found = corrupted_share(16_384, ASSUME)
    assert found is not None
    assert found.expected * 54 * 24 == pytest.approx(6 * 4.0, rel=0.02)
    assert found.low < found.expected < found.high
    later = corrupted_share(16_384, ASSUME.override({DELAY: 12.0}))
    rarer = corrupted_share(16_384, ASSUME.override({RATE: 7e6}))
    assert later is not None
    assert rarer is not None
    assert later.expected == pytest.approx(3.0 * found.expected)
    assert rarer.expected == pytest.approx(0.5 * found.expected)


@pytest.mark.parametrize("method", METHODS)
def test_small_runs_have_no_line_for_it(method: str) -> None:
    assert "corrupted" not in shares(method, 256)
    assert LEAST < shares(method, 4096)["corrupted"] < 0.01


def test_at_its_ends_it_is_nothing_or_more_than_the_whole() -> None:
    assert corrupted_share(1e5, ASSUME.override({DELAY: 0.0})) is None
    most = corrupted_share(1e6, ASSUME.override({DELAY: 24.0, RATE: 1e6}))
    assert most is not None
    assert most.expected == pytest.approx(24.0)


@pytest.mark.parametrize("count", [1, 8, 16, 32, 64, 512, 8192])
def test_evaluation_is_counted_once(count: int) -> None:
    """Whole programmes hold theirs: what their hours leave of it at that size is added, all of it to fine-tuning."""
    whole = ASSUME[EVALUATION]
    for method in ("finetune", "lora", "qlora"):
        assert shares(method, count)["evaluation"] == pytest.approx(whole)
        assert "beyond" not in shares(method, count)
    for method in ("pretrain", "continue"):
        left = 1.0 - min(max(math.log(count / 8) / math.log(8), 0.0), 1.0)
        assert shares(method, count).get("evaluation", 0.0) == pytest.approx(whole * left)
        assert ("beyond" in shares(method, count)) == (count > 8)


def test_no_evaluation_is_no_line() -> None:
    assert evaluation_share("lora", 8, ASSUME.override({EVALUATION: 0.0})) is None


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", ["llama-3.1-8b", "resnet-50"])
def test_many_sizes_at_once_are_as_one_by_one(model: str, method: str, measured: bool) -> None:
    arch, counts = find_model(model), np.array([1000.0, 1.0, 8.0, 12.0, 40.0, 64.0, 12.0, 20_000.0])
    known = np.full_like(counts, float(measured))
    over, sigma = over_of_counts(arch, method, counts, ASSUME, measured=known)
    for at, count in enumerate(counts.tolist()):
        one = over_of(added_of(arch, method, count, ASSUME, measured=measured))
        assert over[at] == pytest.approx(one.expected, rel=1e-12)
        assert sigma[at] == pytest.approx(math.log(one.high / one.expected) / P90, rel=1e-12)


def test_each_cause_is_an_input_and_a_line_and_their_hours_add_up() -> None:
    added = added_of(find_model("llama-3.1-8b"), "pretrain", 32, ASSUME.override({DELAY: 2000.0}))
    assert [one.cause for one in added] == list(CAUSES)
    assert {item.name for item in added_inputs(added)} == SHARES
    lines, more = added_lines(added)
    assert more == " + beyond_hours + corrupted_hours + evaluation_hours"
    assert [line.name for line in lines] == ["beyond_hours", "corrupted_hours", "evaluation_hours"]
    over = over_of(added)
    assert over.expected == pytest.approx(1.0 + sum(one.share.expected for one in added))
    assert over.low < over.expected < over.high
    assert over_of(()).expected == 1.0
    assert added_lines(()) == ([], "")
