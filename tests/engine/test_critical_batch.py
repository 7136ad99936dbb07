"""Steps beyond the critical batch: what is asked is run and told what it is worth; only what the plan enlarges takes more tokens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from catalog.presets import find_model
from engine.defaults import default_assumptions
from engine.inputs.spec import Spec, Training
from engine.kinds.training.critical import Critical
from engine.kinds.training.oversized import oversized, wasted_share
from engine.kinds.training.work import TrainingWork, work_from
from tests.told import told

ASSUME = default_assumptions()


def work(model: str = "llama-3.1-8b", **training: object) -> TrainingWork:
    """A pre-training on 200 billion tokens, changed."""
    values: dict[str, object] = {"method": "pretrain", "tokens": 2e11, "sequence_length": 4096, **training}
    spec = Spec(name="t", workload="training", model=model, training=Training(**values))  # type: ignore[arg-type]
    return work_from(spec, find_model(model), ASSUME)


def test_the_law_is_that_of_mccandlish_and_grows_with_the_tokens() -> None:
    law = Critical(25e6, 0.47)
    assert law.tokens(1e12) == 25e6
    assert law.tokens(1e14) == pytest.approx(25e6 * 100**0.47)
    small, critical = law.grown(np.array([0.0, 25e6]), 0.0, 1e12)
    assert (small, critical) == (1.0, 2.0), "at the critical batch a loss takes twice the tokens of a small one"
    assert law.grown(np.array([1e6]), 4e6, 1e12)[0] == 1.0, (
        "a smaller batch than asked is not counted on to save tokens"
    )


@pytest.mark.parametrize(
    ("tokens", "batch"),
    [(3e11, 3.2e6), (7.8e11, 4e6), (1.56e13, 1.6e7), (1.48e13, 6.29e7), (5e12, 4.2e6), (3e12, 2.1e6), (3e11, 2e6)],
    ids=["GPT-3", "PaLM", "Llama 3.1", "DeepSeek-V3", "OLMo 2", "TinyLlama", "OPT"],
)
def test_published_recipes_are_run_as_they_are_stated_and_not_warned_of(tokens: float, batch: float) -> None:
    stated = work("llama-3.1-405b", tokens=tokens, global_batch_tokens=batch)
    assert stated.steps_of(np.array([float(stated.global_batch)]))[0] == np.ceil(tokens / (stated.global_batch * 4096))
    assert not list(oversized(stated, ASSUME, usd=1e6))


def test_a_stated_batch_beyond_it_changes_no_step_and_says_what_it_is_worth() -> None:
    asked = work(global_batch_tokens=48e6)
    assert asked.critical is not None
    assert asked.steps_of(np.array([float(asked.global_batch)]))[0] == asked.steps == np.ceil(2e11 / (11_719 * 4096))
    wasted = wasted_share(asked, asked.global_batch * 4096.0, ASSUME)
    assert wasted is not None
    assert 0.0 < wasted.low < wasted.expected < wasted.high < 1.0
    critical, batch = 25e6 * 0.2**0.47, 11_719 * 4096
    usual = 0.292 * (6 * asked.arch.active_parameters * 2e11) ** 0.3271
    assert wasted.expected == pytest.approx(1 - (critical + usual) / (critical + batch))
    (found,) = oversized(asked, ASSUME, usd=1e6)
    assert found.values["cost"].amount == pytest.approx(1e6 * wasted.expected)  # type: ignore[union-attr]
    text = told((found,))
    assert "48 million tokens" in text
    assert "12 million" in text
    assert "fewer" in text


def test_only_a_batch_that_a_layout_rounds_up_takes_more_tokens() -> None:
    asked = work(global_batch_tokens=8.4e6)
    assert asked.critical is not None
    own, up, down = asked.global_batch, round(asked.global_batch * 1.1), round(asked.global_batch * 0.9)
    critical = asked.critical.tokens(asked.total)
    more = (critical + up * 4096) / (critical + own * 4096)
    assert asked.tokens_more(up) == pytest.approx(more - 1.0)
    assert 0.03 < asked.tokens_more(up) < 0.1
    assert asked.tokens_more(own) == asked.tokens_more(down) == 0.0
    steps = asked.steps_of(np.array([float(up), float(down)]))
    assert steps[0] == np.ceil(asked.total * more / (up * 4096))
    assert steps[1] == np.ceil(asked.total / (down * 4096))


def test_a_batch_that_we_choose_is_not_beyond_it() -> None:
    for tokens in (2e8, 2e10, 2e12):
        free = work("llama-3.1-405b", tokens=tokens)
        assert free.critical is not None
        assert free.global_batch * 4096 <= free.critical.tokens(tokens)
        assert not list(oversized(free, ASSUME, usd=1e6))


@pytest.mark.parametrize("method", ["continue", "finetune", "lora"])
def test_nothing_is_said_where_no_law_is_published(method: str) -> None:
    other = work(method=method, global_batch_tokens=4.8e7)
    assert other.critical is None
    assert other.tokens_more(2 * other.global_batch) == 0.0
    assert work("resnet-50", tokens=0.0, samples=1e6).critical is None
    assert replace(work(), critical=None).steps == work().steps
