"""A stand-in for the engine in page tests: hand-made answers, so that a page test is about the page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from catalog.kept import Kept
from engine.answer import Glance
from engine.inputs.spec import Spec
from planner import live
from planner.snapshot import Plan, freeze
from tests.exports import samples

TRAINING = {
    "name": "Support assistant",
    "model": "llama-3.1-70b",
    "training.tokens": "15B",
    "training.sequence_length": "8192",
    "constraints.deadline_days": "3 weeks",
    "constraints.budget_usd": "$400k",
}
SERVING = {
    "model": "qwen3-32b",
    "serving.requests_per_s": "40 rps",
    "serving.input_tokens": "1,500",
    "serving.output_tokens": "400",
    "serving.ttft_p95_ms": "0.8 s",
}


def sample_answer(spec: Spec, market: Any, **_known: Any) -> Plan:
    """A plan of that spec with the answer of a sample; the name chooses an infeasible one."""
    if "infeasible" in spec.name:
        return freeze(spec, samples.infeasible_plan().recommendation)
    found = samples.serving_plan() if spec.workload == "serving" else samples.training_plan()
    return freeze(spec, found.recommendation)


def sample_glance(spec: Spec, market: Any, *, settle: bool = True, **_known: Any) -> Glance:
    """The head of the same samples; a service that is not settled says so."""
    found = sample_answer(spec, market).recommendation
    return Glance(
        headline=found.headline,
        best=found.recommended,
        nearest=found.nearest,
        searched=found.searched,
        settled=settle or spec.workload == "training",
    )


@pytest.fixture
def quick_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates come from samples, without catalog and engine."""
    stub_engine(monkeypatch)


def stub_engine(patch: pytest.MonkeyPatch) -> None:
    """The same for a fixture that lives longer than one test."""
    patch.setattr(live, "estimate", sample_answer)
    patch.setattr(live, "first_look", sample_glance)
    patch.setattr(
        live,
        "market_from_rows",
        lambda _team: SimpleNamespace(
            release="sample",
            release_date="2026-12-20",
            devices={},
            offers=(),
            facts=(),
            holdings=(),
            fx_usd={},
        ),
    )
    patch.setattr(live, "_recent", Kept(64))
