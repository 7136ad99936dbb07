"""Documents on the plan's page: asked for once, watched while they are made, downloaded by those who may."""

from __future__ import annotations

import pytest
from django.test import Client

from exports import render
from exports.models import Export
from jobs import queue
from jobs.models import Job
from jobs.running import run_job
from planner.models import PlanVersion, Workload
from tests.conftest import People
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
HTMX = {"HX-Request": "true"}


@pytest.fixture
def version(client: Client, people: People, monkeypatch: pytest.MonkeyPatch) -> PlanVersion:
    monkeypatch.setattr(render, "render", lambda *_args, **_named: b"PK a file")
    client.force_login(people.alice)
    client.post("/new/train", TRAINING)
    client.post(f"/workloads/{Workload.objects.get().public_id}/freeze")
    return PlanVersion.objects.get()


def test_a_file_is_made_and_downloaded_without_javascript(client: Client, version: PlanVersion) -> None:
    address = f"/exports/plans/{version.public_id}"
    assert client.post(f"{address}/docx/make").status_code == 302
    waiting = client.get(address).content.decode()
    assert "<progress" in waiting
    assert 'http-equiv="refresh"' in waiting
    run_job(Job.objects.get().pk, worker="test")
    done = client.get(address).content.decode()
    export = Export.objects.get()
    assert f"/exports/{export.public_id}/download" in done
    assert 'http-equiv="refresh"' not in done
    file = client.get(f"/exports/{export.public_id}/download")
    assert file.content == b"PK a file"
    assert 'attachment; filename="support-assistant-v1.docx"' in file["Content-Disposition"]


def test_the_card_is_asked_for_each_second_and_then_no_more(client: Client, version: PlanVersion) -> None:
    address = f"/exports/plans/{version.public_id}/pdf"
    first = client.post(f"{address}/make", headers=HTMX).content.decode()
    assert 'hx-trigger="every 1s"' in first
    assert client.get(address, headers=HTMX).status_code == 200
    run_job(Job.objects.get().pk, worker="test")
    last = client.get(address, headers=HTMX)
    assert last.status_code == 286
    assert "every 1s" not in last.content.decode()


def test_two_clicks_make_one_file(client: Client, version: PlanVersion) -> None:
    for _ in range(2):
        client.post(f"/exports/plans/{version.public_id}/xlsx/make")
    client.post(f"/exports/plans/{version.public_id}/all/make", headers=HTMX)
    assert sorted(Export.objects.values_list("format", flat=True)) == ["docx", "pdf", "pptx", "xlsx"]


def test_a_failed_file_says_why_and_is_tried_again(client: Client, version: PlanVersion) -> None:
    address = f"/exports/plans/{version.public_id}/pptx"
    client.post(f"{address}/make")
    job = queue.claim(Job.objects.get().pk, worker="test")
    assert job is not None
    queue.fail(job.pk, job.fence, code="broken", message="The slides ran out of room.")
    page = client.get(address, headers=HTMX)
    assert page.status_code == 286
    assert "The slides ran out of room." in page.content.decode()
    assert "Try again" in page.content.decode()
    client.post(f"{address}/make")
    assert Job.objects.get().state == "queued"


def test_charlie_gets_no_file(client: Client, people: People, version: PlanVersion) -> None:
    client.post(f"/exports/plans/{version.public_id}/docx/make")
    run_job(Job.objects.get().pk, worker="test")
    charlie = Client()
    charlie.force_login(people.charlie)
    export = Export.objects.get()
    assert charlie.get(f"/exports/{export.public_id}/download").status_code == 404
    assert charlie.post(f"/exports/plans/{version.public_id}/docx/make").status_code == 404


def test_an_unknown_format_is_no_page(client: Client, version: PlanVersion) -> None:
    assert client.post(f"/exports/plans/{version.public_id}/exe/make").status_code == 404
    assert client.get(f"/exports/plans/{version.public_id}/exe").status_code == 404
