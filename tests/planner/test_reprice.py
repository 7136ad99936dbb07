"""Re-pricing: the same request on today's catalog beside the frozen plan, accepted only as it was shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client

from catalog.kept import Kept
from engine.answer import CostLine
from planner import planned
from planner.charting.changes import waterfall
from planner.frozen.snapshot import Plan, freeze
from planner.models import PlanVersion, Workload
from planner.presenters.reprice import repriced
from tests.conftest import People
from tests.exports import samples
from tests.planner.page_support import TRAINING, quick_engine, sample_answer

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]


def dearer(plan: Plan) -> Plan:
    """The plan with its compute line and total a tenth dearer, on another catalog."""
    best = plan.recommendation.recommended
    assert best is not None
    model = best.cost.model

    def moved(line: CostLine) -> CostLine:
        return replace(line, amount=line.amount * 1.1) if line.name in ("compute", "total") else line

    model = replace(model, lines=tuple(moved(line) for line in model.lines))
    total = replace(best.cost.total, expected=best.cost.total.expected * 1.1, high=best.cost.total.high * 1.1)
    best = replace(best, cost=replace(best.cost, model=model, total=total))
    return freeze(plan.spec, replace(plan.recommendation, recommended=best, catalog_date="2027-01-05"))


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


@pytest.fixture
def version(alice: Client, quick_engine: None) -> PlanVersion:
    alice.post("/new/train", TRAINING)
    alice.post(f"/workloads/{Workload.objects.get().public_id}/freeze")
    return PlanVersion.objects.get()


@pytest.fixture
def prices_rose(version: PlanVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "_recent", Kept(64))
    monkeypatch.setattr(planned, "estimate", lambda spec, market, **_known: dearer(sample_answer(spec, market)))


def test_the_same_catalog_says_that_nothing_has_changed(alice: Client, version: PlanVersion) -> None:
    page = alice.get(f"/plans/{version.public_id}/prices").content.decode()
    assert "Nothing has changed" in page
    assert "Accept as the next version" not in page


@pytest.mark.usefixtures("prices_rose")
def test_the_difference_is_shown_before_it_is_accepted(alice: Client, version: PlanVersion) -> None:
    address = f"/plans/{version.public_id}/prices"
    page = alice.get(address)
    assert "Line by line" in page.content.decode()
    assert "of 5 Jan 2027" in page.content.decode()
    assert PlanVersion.objects.count() == 1
    refused = alice.post(address, {"shown": "0" * 64})
    assert "Prices have moved again" in refused.content.decode()
    assert PlanVersion.objects.count() == 1
    taken = alice.post(address, {"shown": page.context["sha256"]})
    second = PlanVersion.objects.get(number=2)
    assert taken["Location"] == f"/plans/{second.public_id}"
    assert second.sha256 == page.context["sha256"]
    old = alice.post(address, {"shown": page.context["sha256"]}).content.decode()
    assert "A newer version has been saved" in old
    assert PlanVersion.objects.count() == 2


@pytest.mark.usefixtures("prices_rose")
def test_bob_reads_it_and_charlie_does_not_see_it(people: People, version: PlanVersion) -> None:
    address = f"/plans/{version.public_id}/prices"
    bob, charlie = Client(), Client()
    bob.force_login(people.bob)
    charlie.force_login(people.charlie)
    assert "Accept" not in bob.get(address).content.decode()
    assert bob.post(address, {"shown": "x"}).status_code == 403
    assert charlie.get(address).status_code == 404


def test_lines_that_moved_are_told_with_their_change() -> None:
    plan = samples.training_plan()
    found = repriced(plan, dearer(plan), name="Version 1")
    labels = [line.label for line in found.lines]
    assert len(labels) == 1
    assert all(line.change.startswith("+USD") for line in found.lines)
    assert not found.same
    assert repriced(plan, plan, name="Version 1").lines == ()


def test_the_waterfall_leads_from_one_total_to_the_other() -> None:
    plan = samples.training_plan()
    now = dearer(plan)
    chart = waterfall(plan, now, ("Before", "Now"))
    assert chart is not None
    first, last = plan.recommendation.recommended, now.recommendation.recommended
    assert first is not None
    assert last is not None
    start, end = chart.series
    assert (end.values[0], end.values[-1]) == (first.cost.total.expected, last.cost.total.expected)
    assert start.values[1] == end.values[0]
    assert end.values[-2] == pytest.approx(last.cost.total.expected)
    assert chart.categories[0] == "Before"
    assert chart.categories[-1] == "Now"
    assert waterfall(plan, plan, ("Before", "Now")) is None
    assert waterfall(plan, samples.infeasible_plan(), ("Before", "Now")) is None


@pytest.mark.usefixtures("prices_rose")
def test_the_next_version_draws_what_moved_its_cost(alice: Client, version: PlanVersion) -> None:
    shown = alice.get(f"/plans/{version.public_id}/prices").context["sha256"]
    made = alice.post(f"/plans/{version.public_id}/prices", {"shown": shown})
    page = alice.get(made["Location"]).content.decode()
    assert 'id="c-waterfall"' in page
    rows = alice.get(f"{made['Location']}/charts/waterfall.csv").content.decode().splitlines()
    assert rows[1].startswith("Version 1,")
    assert rows[-1].startswith("Version 2,")
    assert alice.get(f"/plans/{version.public_id}/charts/waterfall.csv").status_code == 404
