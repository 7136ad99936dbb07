"""The day of a request: every door fills it in alike, nothing happens before it, and it is an input like any other."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from engine.inputs.spec import Constraints, Spec
from planner import planned
from planner.budgets.focus import Origin, focus_rows
from planner.budgets.lines import budget_lines
from planner.estimate import estimate, first_look
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.models import PlanVersion, Workload
from planner.names import provider_name
from planner.presenters.glance import present_glance
from planner.price_age import price_age, price_day
from planner.request.day import asked_again, draft_of, on_its_day, same_request
from planner.request.parse import spec_from
from planner.request.yaml_file import load_yaml
from tests.api.support import Api, alice, petra, problem
from tests.conftest import REAL_TODAY
from tests.refused import refused
from tests.told import told

__all__ = ["alice", "petra"]
SetToday = Callable[[date], None]
NOVEMBER = date(2026, 11, 22)
TRAINING: dict[str, Any] = {
    "name": "Run", "workload": "training", "model": "llama-3.1-8b",
    "training": {"tokens": 2e9, "sequence_length": 4096},
    "constraints": {"deadline_days": 30, "accelerators": ["h100-sxm5"], "max_accelerators": 64},
}  # fmt: skip
GALLERY = Path(__file__).parents[2] / "examples/gallery"
KINDS = (
    "train-tight-deadline", "lora-8b", "owned-too-small-hybrid", "train-tpu-commitment", "vision-resnet",
    "recommender-dlrm", "batch-million-documents", "serve-committed-year", "serve-embeddings",
)  # fmt: skip
"""One request of each kind: rented, owned, bought, committed, beside one another; runs, services, batches."""


def terminal(spec: dict[str, Any], *arguments: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command line prints of that request."""
    out = io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(yaml.safe_dump(spec)))
        call_command("plan", "-", "--json", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_today_is_the_calendar_day_in_utc() -> None:
    assert REAL_TODAY() == timezone.now().date()


@pytest.mark.django_db
def test_every_door_agrees_on_the_day_and_the_hash(
    petra: Api, set_today: SetToday, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_today(NOVEMBER)
    stated = {**TRAINING, "as_of": NOVEMBER.isoformat()}
    shown = [
        json.loads(terminal(TRAINING, monkeypatch=monkeypatch)),
        json.loads(terminal(TRAINING, "--as-of", "2026-11-22", monkeypatch=monkeypatch)),
        petra.post("/estimates", TRAINING).json(),
        petra.post("/estimates", stated).json(),
        petra.post("/estimates:batch", {"items": [TRAINING]}).json()["data"][0]["estimate"],
    ]
    hashes = {body["plan_sha256"] for body in shown}
    hashes.add(planned.plan_for(TRAINING, petra.row.team).sha256)
    hashes.add(petra.post("/plans", TRAINING).json()["latest_version"]["plan_sha256"])
    assert len(hashes) == 1
    assert {(body["as_of"], body["start"]) for body in shown} == {("2026-11-22", "2026-11-22")}
    set_today(NOVEMBER + timedelta(days=1))
    assert petra.post("/estimates", TRAINING).json()["plan_sha256"] not in hashes
    assert petra.post("/estimates", stated).json()["plan_sha256"] in hashes


def test_a_stated_day_gives_equal_bytes_on_any_day(set_today: SetToday, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = set()
    for day in (NOVEMBER, NOVEMBER + timedelta(days=40)):
        set_today(day)
        printed.add(terminal(TRAINING, "--as-of", "2026-11-22", monkeypatch=monkeypatch))
    assert len(printed) == 1


def test_the_command_line_says_what_is_no_day(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match="2"):
        terminal(TRAINING, "--as-of", "tomorrow", monkeypatch=monkeypatch)


def test_a_start_in_the_past_is_refused_at_its_field(set_today: SetToday) -> None:
    set_today(NOVEMBER)
    with refused("“start” is 2026-11-21, before the day of the request, 2026-11-22") as caught:
        estimate(spec_from({**TRAINING, "start": "2026-11-21"}), market_from_files())
    assert [fault.path for fault in caught.value.faults] == ["start"]
    assert on_its_day(spec_from({**TRAINING, "start": "2026-11-22"})).as_of == NOVEMBER


@pytest.mark.parametrize("day", ["0001-01-01", "1999-12-31", "2200-01-01", "9999-12-31"])
@pytest.mark.parametrize("field", ["start", "as_of", "owned"])
def test_a_day_beyond_any_plan_is_refused_at_its_field(field: str, day: str) -> None:
    owned = [{"accelerator": "h100-sxm5", "count": 8, "available_from": day}]
    changed = {**TRAINING, "as_of": "2026-11-22", field: owned if field == "owned" else day}
    with refused("give a day of the years 2000 to 2199") as caught:
        spec_from(changed)
    assert [fault.path.split(".")[0] for fault in caught.value.faults] == [field]


@pytest.mark.parametrize("day", ["2000-01-01", "2199-12-31"])
def test_the_first_and_the_last_day_can_be_planned(day: str) -> None:
    plan = estimate(spec_from({**TRAINING, "as_of": day, "horizon_months": 240.0}), market_from_files())
    assert plan.recommendation.feasible
    assert plan.start.isoformat() == day


@pytest.mark.django_db
def test_a_draft_keeps_no_day_and_a_version_freezes_it(petra: Api, set_today: SetToday) -> None:
    set_today(NOVEMBER)
    plan = petra.post("/plans", TRAINING).json()
    assert plan["draft"].get("as_of") is None
    path = f"/plans/{plan['id']}"
    assert petra.get(f"{path}/versions/1").json()["spec"]["as_of"] == "2026-11-22"
    set_today(date(2026, 12, 24))
    again = petra.post(f"{path}/versions").json()
    assert again["number"] == 2
    assert petra.get(f"{path}/versions/2").json()["spec"]["as_of"] == "2026-12-24"
    assert petra.get(f"{path}/versions/1").json()["spec"]["as_of"] == "2026-11-22"
    assert petra.post(f"{path}/versions").json()["number"] == 2


@pytest.mark.django_db
def test_asking_again_moves_a_start_that_has_passed(petra: Api, set_today: SetToday) -> None:
    set_today(NOVEMBER)
    path = f"/plans/{petra.post('/plans', {**TRAINING, 'start': '2026-12-01'}).json()['id']}"
    before = petra.post(f"{path}:reprice").json()["estimate"]
    assert (before["as_of"], before["start"]) == ("2026-11-22", "2026-12-01")
    set_today(date(2026, 12, 24))
    problem(petra.post("/estimates", {**TRAINING, "start": "2026-12-01"}), 422)
    after = petra.post(f"{path}:reprice").json()["estimate"]
    assert (after["as_of"], after["start"]) == ("2026-12-24", "2026-12-24")
    version = PlanVersion.objects.get()
    browser = Client()
    browser.force_login(petra.member.user)
    page = browser.get(f"/plans/{version.public_id}/prices").content.decode()
    assert "The start that was asked for, 1 Dec 2026, has passed: the work would begin on 24 Dec 2026." in page
    assert "what differs comes from the later day" in page
    assert "First day: 1 Dec 2026, which has passed" in browser.get(f"/plans/{version.public_id}").content.decode()
    other = petra.post(f"{path}/scenarios", {"name": "Later", "changes": {"constraints": {"deadline_days": 42}}}).json()
    kept = petra.get(f"{path}/scenarios/{other['id']}").json()["estimate"]
    assert (kept["as_of"], kept["start"]) == ("2026-12-24", "2026-12-24")
    assert petra.post(f"{path}/scenarios/{other['id']}:promote").status_code == 201
    assert "as_of" not in Workload.objects.get().draft
    assert PlanVersion.objects.order_by("-number")[0].plan.as_of == date(2026, 12, 24)


def test_a_request_asked_again_is_still_the_same_request() -> None:
    draft = spec_from({**TRAINING, "start": "2026-12-01"})
    frozen = asked_again(draft, NOVEMBER)
    assert same_request(draft, frozen)
    assert same_request(draft, asked_again(frozen, date(2027, 1, 1)))
    assert not same_request(replace(draft, objective="time"), frozen)
    assert same_request(spec_from(draft_of(frozen)), frozen)


def test_the_age_of_a_price_counts_to_the_day(set_today: SetToday) -> None:
    market = market_from_files()
    plan = estimate(spec_from({**TRAINING, "as_of": market.release_date}), market)
    best = plan.recommendation.recommended
    assert best is not None
    read = date.fromisoformat(price_day(best))
    assert best.offer is not None
    limit = 7 if best.offer.option == "spot" else 60
    for days, old in ((limit, False), (limit + 1, True)):
        spec = spec_from({**TRAINING, "as_of": (read + timedelta(days=days)).isoformat()})
        later = estimate(spec, market)
        found = later.recommendation.recommended
        assert found is not None
        assert price_age(found, later.as_of)[1] is old
        assert price_day(found) == price_day(best)
        said = [text for text in map(told, found.warnings) if "was read on" in text]
        assert bool(said) is old
        asked = [text for text in map(told, found.warnings) if "in four of five cases" in text]
        assert bool(asked) is old
        assert all(provider_name(best.offer.provider) in text for text in asked)
        set_today(read)
        assert present_glance(spec, first_look(spec, market), market).stale is old


def test_the_price_of_a_server_ages_too() -> None:
    plan = estimate(_bought(), market_from_files())
    best = plan.recommendation.recommended
    assert best is not None
    assert best.kind == "on_prem"
    words, old = price_age(best, plan.as_of)
    assert old == ((plan.as_of - date.fromisoformat(price_day(best))).days > 60)
    said = [text for text in map(told, best.warnings) if "price of a server" in text]
    assert bool(said) is old
    assert any("for a quotation of" in text for text in map(told, best.warnings)) is old
    assert words


@pytest.mark.parametrize("name", [*KINDS, "bought"])
def test_nothing_happens_before_the_day_of_the_request(name: str) -> None:
    plan = estimate(_request(name) if name in KINDS else _bought(), market_from_files())
    assert plan.recommendation.feasible
    early = {what: day for what, day in _days(plan) if day < NOVEMBER.isoformat()[: len(day)]}
    assert early == {}


def _bought() -> Spec:
    """A run that may not leave the house, and has the time for servers to be delivered."""
    return replace(_request("buy-air-gapped"), constraints=Constraints())


def _request(name: str) -> Spec:
    text = (GALLERY / f"{name}.yaml").read_text(encoding="utf-8")
    market = market_from_files()
    return replace(spec_from(load_yaml(text), text=True, rates=market.fx_usd), as_of=NOVEMBER)


def _days(plan: Plan) -> Iterator[tuple[str, str]]:
    """Every day and month that the plan and its budget name for something that will happen."""
    yield "start", plan.start.isoformat()
    answer = plan.recommendation
    for option in filter(None, (answer.recommended, *answer.alternatives)):
        yield from ((f"cash of {option.id}", month.month) for month in option.cost.model.cash)
        if option.finish:
            yield f"finish of {option.id}", option.finish.isoformat()
    yield from ((f"budget, {line.label}", line.month) for line in budget_lines(plan))
    for row in focus_rows(plan, Origin()):
        yield from ((f"FOCUS {key}", row[key][:7]) for key in ("BillingPeriodStart", "ChargePeriodStart"))
