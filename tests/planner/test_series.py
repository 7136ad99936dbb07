"""Many plans at once: asked for in one step, worked piece by piece, watched as one, and equal to what one process answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent, Role
from engine.inputs.spec import SpecError
from jobs.lanes import Lane
from jobs.models import Job, State
from jobs.running import run_job
from lab.gallery.requests import requests
from planner import planned, plans
from planner.estimate import estimate, first_look
from planner.market import market_from_files
from planner.models import PlanVersion
from planner.money import amount_text
from planner.presenters.words import hardware, place
from planner.series import work
from planner.series.grid import MOST, changes_of
from planner.tables import Series
from rest.caps import CapReached
from tests.conftest import People, make_member
from tests.planner.page_support import quick_engine, sample_glance

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
REQUEST = {"name": "Assistant", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 15e9}}
GRID = {"training.tokens": [1e9 * n for n in range(1, 31)], "constraints.deadline_days": [10, 20]}


@pytest.fixture(autouse=True)
def _sample_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "first_look", sample_glance)


@pytest.fixture
def version(people: People) -> PlanVersion:
    member = people.memberships["alice"]
    workload = plans.save_workload(member, name="Assistant", draft=REQUEST)
    return plans.freeze_version(member, workload, planned.plan_for(REQUEST, people.team))


@pytest.fixture
def series(people: People, version: PlanVersion) -> Series:
    """Sixty scenarios: two whole pieces and one of ten."""
    return work.ask_scenarios(people.memberships["alice"], version, changes_of(GRID))


def _run(*numbers: int) -> None:
    jobs = list(Job.objects.filter(kind=work.KIND).order_by("key"))
    for number in numbers or range(len(jobs)):
        run_job(jobs[number].pk, worker="test")


def test_a_grid_is_every_combination() -> None:
    assert changes_of({"training.tokens": [1, 2], "training.runs": [3], "name": ["a", "b"]}) == [
        {"training": {"tokens": tokens, "runs": 3}, "name": name} for tokens in (1, 2) for name in "ab"
    ]


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({}, "The grid is empty"),
        ({"name": "abc"}, "“name” needs a list"),
        ({"name": []}, "“name” needs a list"),
        ({"a": list(range(200)), "b": list(range(200))}, "The grid holds 40,000 plans"),
    ],
)
def test_a_grid_that_cannot_be_is_refused_with_one_sentence(axes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        changes_of(axes)


def test_its_pieces_give_what_one_process_answers(series: Series) -> None:
    assert [len(job.payload["items"]) for job in Job.objects.filter(kind=work.KIND).order_by("key")] == [25, 25, 10]
    _run(2, 0, 1)  # in any order

    found = work.results(series)
    assert found == work.rows_of(series, series.items, progress=lambda _: None)
    assert [bool(row and row["hardware"]) for row in found] == [True] * 60
    assert work.progress_of(series) == work.Progress(items=60, done=60, percent=100, pieces={"succeeded": 3})


@pytest.mark.parametrize("name", ["train-8b-two-weeks", "refused-budget", "serve-moe-inr", "batch-owned"])
def test_a_row_is_what_the_whole_plan_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked by the real engine: the head alone is answered, and its figures are those of the plan."""
    monkeypatch.setattr(work, "first_look", first_look)
    market = market_from_files()
    (spec,) = (one.spec for one in requests(market, only=name) if one.name == name)
    row, plan = work._answered(spec, market), estimate(spec, market)
    best, code = plan.recommendation.recommended, plan.recommendation.currency.code
    assert (row["feasible"], row["currency"]) == (plan.recommendation.feasible, code)
    if best is None:
        assert (row["cost"], row["hardware"]) == (None, "")
        return
    assert row["hardware"] == f"{hardware(best)}, {place(best)}"
    assert row["cost"] == amount_text(best.cost.total.expected, code)["amount"]
    assert row["at_confidence"] == amount_text(best.cost.at_confidence, code)["amount"]


def test_one_bar_counts_whole_pieces_and_those_under_way(series: Series) -> None:
    _run(2)
    Job.objects.filter(key__endswith=":000000").update(progress=40, state=State.RUNNING)

    now = work.progress_of(series)
    assert (now.done, now.percent, now.ended) == (10, (100 + 40) // 3, False)
    assert [row is not None for row in work.results(series)] == [False] * 50 + [True] * 10


def test_it_is_cancelled_and_resumed_without_asking_twice(people: People, series: Series) -> None:
    member = people.memberships["alice"]
    _run(0)
    before = Job.objects.get(key__endswith=":000000").finished_at

    assert work.cancel(member, series) == 2
    assert work.progress_of(series).ended
    _run()
    assert work.progress_of(series).done == 25
    assert work.resume(member, series) == 2
    _run()
    assert work.progress_of(series).done == 60
    assert Job.objects.get(key__endswith=":000000").finished_at == before
    verbs = set(AuditEvent.objects.values_list("verb", flat=True))
    assert {"series.asked", "series.cancelled", "series.resumed"} <= verbs


def test_on_other_prices_no_piece_is_worked(series: Series) -> None:
    Series.objects.update(release="another")
    _run()

    job = Job.objects.filter(kind=work.KIND).first()
    assert job is not None
    assert (job.state, job.error["code"]) == (State.FAILED, "prices_changed")


def test_a_scenario_that_cannot_be_is_a_row_with_its_sentence(people: People, version: PlanVersion) -> None:
    changes = [{"training": {"tokens": 2e9}}, {"training": {"tokens": -1}}]
    series = work.ask_scenarios(people.memberships["alice"], version, changes)
    _run()

    good, bad = work.results(series)
    assert good is not None
    assert good["hardware"]
    assert bad is not None
    assert list(bad) == ["error"]
    assert "tokens" in bad["error"]


def test_a_series_whose_first_scenario_cannot_be_is_refused(people: People, version: PlanVersion) -> None:
    with pytest.raises(SpecError):
        work.ask_scenarios(people.memberships["alice"], version, [{"modell": "x"}])
    assert not Series.objects.exists()


def test_a_portfolio_is_priced_again_as_a_whole(people: People, version: PlanVersion) -> None:
    member = people.memberships["alice"]
    gone = plans.save_workload(member, name="Gone", draft=REQUEST)
    plans.freeze_version(member, gone, planned.plan_for({**REQUEST, "name": "Gone"}, people.team))
    plans.archive_workload(member, gone)
    series = work.ask_repricing(member)
    _run()

    (row,) = work.results(series)
    assert row is not None
    assert (row["version"], row["cost_before"]) == (version.public_id, str(version.cost))
    assert row["cost"] == row["cost_before"]


def test_viewers_ask_for_none_and_other_teams_see_none(people: People, version: PlanVersion, series: Series) -> None:
    with pytest.raises(PermissionDenied):
        work.ask_scenarios(people.memberships["bob"], version, [{"training": {"tokens": 2e9}}])
    for step in ("show", "results", "cancel"):
        with pytest.raises(CommandError, match="nothing with this id"):
            call_command("series", step, series.public_id, team="south", by=people.charlie.email)


def test_a_team_has_only_so_many_pieces_open(
    people: People, series: Series, version: PlanVersion, settings: Any
) -> None:
    settings.CAPS = {**settings.CAPS, "pieces_of_team": 3}
    with pytest.raises(CapReached, match="3 pieces of series"):
        work.ask_repricing(people.memberships["alice"])


def test_nothing_and_too_much_are_no_series(people: People, version: PlanVersion) -> None:
    for changes in ([], [{"training": {"tokens": 2e9}}] * (MOST + 1)):
        with pytest.raises(ValueError, match="A series holds 1 to 20,000 plans"):
            work.ask_scenarios(people.memberships["alice"], version, changes)


def test_long_work_has_a_lane_of_its_own(series: Series) -> None:
    from jobs.registry import lane_of

    assert lane_of(work.KIND) == Lane.SWEEPS


def test_the_command_asks_shows_and_prints(
    people: People, version: PlanVersion, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    paula = make_member(people.team, "Paula", Role.FINANCE)
    grid = tmp_path / "grid.yaml"
    grid.write_text("training.tokens: [1.0e+9, 2.0e+9]\n")
    who = {"team": "north", "by": paula.user.email}
    call_command("series", "scenarios", str(grid), version_id=version.public_id, **who)
    assert "0 %, 0 of 2 plans; pieces: 1 queued" in capsys.readouterr().out
    _run()
    ident = Series.objects.get().public_id
    call_command("series", "watch", ident, **who)
    assert "100 %, 2 of 2 plans; pieces: 1 succeeded" in capsys.readouterr().out
    call_command("series", "results", ident, **who)
    assert len(capsys.readouterr().out.splitlines()) == 2
    grid.write_text("- 1\n")
    with pytest.raises(CommandError, match="must name fields"):
        call_command("series", "scenarios", str(grid), version_id=version.public_id, **who)
