"""Working backwards finds the size at which the limits are just kept, says what it assumed, and is a job with progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from engine.answer import Glance, Signed
from engine.inputs.spec import Spec
from jobs.models import Job
from jobs.running import run_job
from planner.backwards import answer
from planner.backwards.answer import Ask, as_json, dense, draft_of, solve, spec_of
from planner.frozen.snapshot import Plan, freeze
from planner.models import Workload
from planner.request.parse import architecture_of
from tests.conftest import People
from tests.exports import samples
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
CANARY = "\"><script>alert('x')</script>{{7*7}}"


def priced(spec: Spec, market: Any, **_known: Any) -> Plan:
    """An answer whose cost is USD 1 per million tokens and billion parameters, and whose time is a day per B tokens."""
    assert spec.training is not None
    size = architecture_of(spec).parameters / 1e9
    cost, days = spec.training.tokens / 1e6 * size, spec.training.tokens / 1e9
    limits = spec.constraints
    best = samples.training_plan().recommendation.recommended
    assert best is not None
    kind = "owned" if spec.owned else "cloud"
    moved = replace(
        best,
        kind=kind,
        cost=replace(best.cost, total=replace(best.cost.total, expected=cost)),
        days=replace(best.days, expected=days),
        meets_budget=not limits.budget_usd or cost <= limits.budget_usd,
        meets_deadline=not limits.deadline_days or days <= limits.deadline_days,
    )
    return freeze(spec, replace(samples.training_plan().recommendation, recommended=moved, alternatives=()))


@pytest.fixture
def priced_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    _answered_by(monkeypatch, priced)


def _answered_by(monkeypatch: pytest.MonkeyPatch, whole: Callable[..., Plan]) -> None:
    """Whole plans by that function, and their heads."""

    def head(spec: Spec, market: Any, **known: Any) -> Glance:
        found = whole(spec, market, **known).recommendation
        return Glance(headline=found.headline, best=found.recommended, nearest=found.nearest, searched=found.searched)

    monkeypatch.setattr(answer, "estimate", whole)
    monkeypatch.setattr(answer, "first_look", head)


def quiet(_percent: int, _note: str) -> None:
    """No progress."""


@pytest.mark.usefixtures("priced_engine")
def test_the_most_tokens_lie_just_within_the_budget() -> None:
    found = solve(Ask(question="tokens", budget_usd=1e6, model="llama-3.1-70b"), None, quiet)  # type: ignore[arg-type]
    exact = 1e6 / architecture_of(spec_of(found.draft or {})).parameters * 1e9 * 1e6
    assert found.draft is not None
    assert exact / 1.031 <= found.draft["training"]["tokens"] <= exact
    assert len(found.tries) <= 14


@pytest.mark.parametrize("question", ["tokens", "date"])
def test_what_is_signed_stands_beside_the_cost(question: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def committed(spec: Spec, market: Any, **known: Any) -> Plan:
        plan = priced(spec, market, **known)
        best = plan.recommendation.recommended
        assert best is not None
        signed = Signed(what="commitment", total=5e6, share=1e6, rest=4e6, months=36)
        cost = replace(best.cost, signed=signed, cash_needed=best.cost.total.expected + signed.rest)
        keeps = cost.cash_needed <= spec.constraints.budget_usd
        moved = replace(best, cost=cost, meets_budget=keeps)
        return freeze(spec, replace(plan.recommendation, recommended=moved))

    _answered_by(monkeypatch, committed)
    asked = Ask(question=question, budget_usd=6e6, model="llama-3.1-70b", tokens=1e10)
    found = solve(asked, None, quiet)  # type: ignore[arg-type]
    assert "(with a 36-month commitment of USD\u00a05,000,000 to sign)" in found.sentence
    assert all(one.needed and one.keeps == (one.needed <= 6e6) for one in found.tries)
    assert as_json(found)["tries"][0]["signed"]["total"] == 5e6


@pytest.mark.usefixtures("priced_engine")
@pytest.mark.parametrize("ratio", [20.0, 100.0])
def test_the_largest_model_follows_the_ratio_of_tokens(ratio: float) -> None:
    found = solve(Ask(question="model", budget_usd=1e7, ratio=ratio), None, quiet)  # type: ignore[arg-type]
    assert found.draft is not None
    spec = spec_of(found.draft)
    size = architecture_of(spec).parameters
    assert spec.training is not None
    assert spec.training.tokens == pytest.approx(ratio * size, rel=1e-6)
    best = (1e7 * 1e6 * 1e9 / ratio) ** 0.5
    assert best * 0.85 <= size <= best * 1.001


@pytest.mark.usefixtures("priced_engine")
def test_own_hardware_is_bound_by_the_deadline_alone() -> None:
    ask = Ask(question="tokens", accelerator="h100-sxm5", count=16, deadline_days=30, model="llama-3.1-8b")
    found = solve(ask, None, quiet)  # type: ignore[arg-type]
    assert found.draft is not None
    assert 30e9 / 1.031 <= found.draft["training"]["tokens"] <= 30e9
    assert found.draft["owned"] == [{"accelerator": "h100-sxm5", "count": 16}]


@pytest.mark.usefixtures("priced_engine")
def test_the_earliest_date_is_one_estimate() -> None:
    found = solve(Ask(question="date", budget_usd=1e9, model="llama-3.1-8b", tokens=2e9), None, quiet)  # type: ignore[arg-type]
    assert found.sentence.replace("\u00a0", " ").startswith("The earliest finish is after 2 days")
    assert len(found.tries) == 1
    none = solve(Ask(question="date", budget_usd=1, model="llama-3.1-8b", tokens=2e9), None, quiet)  # type: ignore[arg-type]
    assert none.draft is None
    assert "No option keeps these limits" in none.sentence


@pytest.mark.parametrize("size", [1e8, 6e8, 2e9, 8e9, 7e10, 4e11, 2e12])
def test_a_dense_model_has_about_the_size_that_was_asked_for(size: float) -> None:
    shape = dense(size)
    assert shape.parameters == pytest.approx(size, rel=0.2 if size < 3e9 else 0.08)
    assert shape.heads % shape.kv_heads == 0
    assert architecture_of(spec_of(draft_of(Ask(question="model", budget_usd=1), size))) == shape


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"question": "model"}, "Give a budget, or your own hardware"),
        ({"question": "why", "budget": "1"}, "Pick what you want to know"),
        ({"question": "tokens", "budget": "400k"}, "Pick the model"),
        ({"question": "date", "budget": "400k", "model": "llama-3.1-8b"}, "Say how many tokens"),
        ({"question": "model", "accelerator": "h100-sxm5"}, "Say how many of them"),
        ({"question": "model", "accelerator": "h100-sxm5", "count": "16"}, "say by when"),
        ({"question": "model", "budget": "lots"}, "is not a number"),
        ({"question": "model", "budget": "-5"}, "must be between"),
        ({"question": "model", "budget": "1e9", "sequence": "1e9"}, "must be between"),
        ({"question": "tokens", "budget": "1e6", "model": CANARY}, "There is no model"),
    ],
)
@pytest.mark.usefixtures("quick_engine")
def test_what_is_missing_is_said_at_its_field(
    client: Client, people: People, sent: dict[str, str], sentence: str
) -> None:
    client.force_login(people.bob)
    page = client.post("/backwards", sent)
    assert page.status_code == 422
    text = page.content.decode()
    assert sentence in text
    assert "<script>alert" not in text
    assert not Job.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine", "priced_engine")
def test_from_the_question_to_a_workload_without_javascript(client: Client, people: People) -> None:
    client.force_login(people.alice)
    assert "Work backwards" in client.get("/backwards?question=tokens&budget=400k").content.decode()
    sent = client.post("/backwards", {"question": "tokens", "budget": "400k", "model": "llama-3.1-8b"})
    waiting = client.get(sent["Location"]).content.decode()
    assert "<progress" in waiting
    assert 'http-equiv="refresh"' in waiting
    run_job(Job.objects.get().pk, worker="test")
    done = client.get(sent["Location"]).content.decode()
    assert "You get about" in done
    assert client.get(sent["Location"], headers={"HX-Request": "true"}).status_code == 286
    charlie = Client()
    charlie.force_login(people.charlie)
    assert charlie.get(sent["Location"]).status_code == 404
    bob = Client()
    bob.force_login(people.bob)
    assert bob.post(f"{sent['Location']}/take").status_code == 403
    taken = client.post(f"{sent['Location']}/take")
    assert taken["Location"] == f"/workloads/{Workload.objects.get().public_id}"
    assert client.get(taken["Location"]).status_code == 200
    assert client.get(f"{taken['Location']}/edit").status_code == 200
