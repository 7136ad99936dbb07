"""A team with something on every screen: plans in several states, scenarios, owned hardware, budgets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils import timezone

from accounts.models import Membership, Role, Team, User
from catalog.own import save_entry
from catalog.store import catalog_from_rows
from planner import planned, plans, scenarios, team_market
from planner.estimate import estimate
from planner.models import PlanVersion
from planner.pages.portfolio import budgets
from planner.request.parse import spec_from
from planner.review import comments

PRETRAIN = {
    "name": "Support assistant, continued pre-training",
    "workload": "training",
    "model": "llama-3.1-70b",
    "start": "2027-01-11",
    "training": {"tokens": 15e9, "method": "continue", "sequence_length": 8192, "global_batch_tokens": 4e6},
    "constraints": {"deadline_days": 21, "budget_usd": 400_000},
}
CHAT = {
    "name": "Customer chat",
    "workload": "serving",
    "model": "qwen3-32b",
    "start": "2027-02-01",
    "serving": {"requests_per_s": 40, "input_tokens": 1500, "output_tokens": 400, "ttft_p95_ms": 800},
}
DOMAIN = {
    "name": "Domain model from scratch",
    "workload": "training",
    "model": "llama-3.1-8b",
    "start": "2027-01-18",
    "training": {"tokens": 600e9, "sequence_length": 8192},
    "constraints": {"deadline_days": 60, "accelerators": ["h100-sxm5"], "max_accelerators": 32},
    "owned": [{"accelerator": "h100-sxm5", "count": 32}],
}
TUNING = {
    "name": "Legal drafting, fine-tuning",
    "workload": "training",
    "model": "llama-3.1-8b",
    "start": "2027-01-25",
    "training": {"tokens": 300e9, "method": "finetune", "sequence_length": 4096},
    "constraints": {"deadline_days": 45, "accelerators": ["h100-sxm5"], "max_accelerators": 16},
    "owned": [{"accelerator": "h100-sxm5", "count": 16}],
}


def fill() -> dict[str, Any]:
    """Makes the team; returns who may log in and the ids that pictures need."""
    team = Team.objects.create(slug="northwind", name="Northwind Research", currency="EUR")
    alice = _member(team, "alice@northwind.example", "Alice Moreau", Role.ADMIN)
    pat = _member(team, "pat@northwind.example", "Pat Lindqvist", Role.APPROVER)
    texts = {"name": "Rack A", "accelerator": "h100-sxm5", "count": "32", "in_service": "2025-03-01"}
    save_entry(
        alice,
        catalog_from_rows(team),
        kind="holding",
        slug="rack-a",
        texts=texts,
        today=timezone.localdate(),
    )
    budgets.set_budget(alice, year=2027, amount="150k")
    first = _frozen(alice, PRETRAIN)
    plans.submit(alice, first)
    plans.approve(pat, first, reason="Within the plan for the quarter.")
    changed = {**PRETRAIN, "training": {**PRETRAIN["training"], "tokens": 18e9}}
    second = _frozen(alice, changed, first)
    plans.submit(alice, second)
    comments.add(pat, second, text="Why three billion tokens more?", pointer="figure.cost", known=["figure.cost"])
    for name, changes in (
        ("Price 20 % up", {"agreed": _dearer(second, 1.2)}),
        ("Twice the data", {"training": {"tokens": 36e9}}),
        ("Europe only", {"constraints": {"residency": "eu"}}),
    ):
        plan = planned.plan_of(scenarios.spec_with(second, changes), team)
        scenarios.save(alice, second, name=name, changes=changes, plan=plan)
    chat = _frozen(alice, CHAT)
    for draft in (DOMAIN, TUNING):
        _frozen(alice, draft)
    spring = _frozen_long_ago(alice)
    return {"alice": alice.user, "pat": pat.user, "plan": second, "chat": chat, "spring": spring}


def _member(team: Team, email: str, name: str, role: str) -> Membership:
    user = User.objects.create_user(email, None, name=name)
    return Membership.objects.create(team=team, user=user, role=role)


def _frozen(member: Membership, draft: dict[str, Any], before: PlanVersion | None = None) -> PlanVersion:
    workload = before.workload if before else None
    request = {**draft, "currency": "EUR"}
    saved = plans.save_workload(member, name=draft["name"], draft=request, workload=workload)
    return plans.freeze_version(member, saved, planned.plan_for(request, member.team))


def _frozen_long_ago(member: Membership) -> PlanVersion:
    """A plan made when everything that is rented cost an eighth less."""
    market = team_market.market_of(member.team)
    cheaper = tuple(replace(offer, usd_per_hour=offer.usd_per_hour * 0.875) for offer in market.offers)
    old = replace(market, release="0" * 64, release_date="2026-05-04", offers=cheaper)
    request = {**PRETRAIN, "name": "Spring retraining", "start": "2027-03-01", "currency": "EUR"}
    saved = plans.save_workload(member, name=request["name"], draft=request)
    return plans.freeze_version(member, saved, estimate(spec_from(request), old))


def _dearer(version: PlanVersion, factor: float) -> list[dict[str, Any]]:
    best = version.plan.recommendation.recommended
    assert best is not None
    assert best.offer is not None
    usd = round(best.offer.usd_per_hour * factor, 2)
    return [{"item": best.offer.id, "what": "instance_hour", "usd": usd}]
