"""Pages are compressed, what shows a secret is not, and a size tells nothing."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from django.test import Client

from config.compression import LEAST
from planner.models import PlanVersion, Workload
from tests.conftest import People
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
TAKES = {"HTTP_ACCEPT_ENCODING": "gzip, deflate, br"}
FIRST_PAINT = 150_000
"""Bytes to the first paint of a plan's page: its words, the style sheet and the one script that is not deferred."""


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


@pytest.fixture
def version(alice: Client) -> PlanVersion:
    alice.post("/new/train", TRAINING)
    alice.post(f"/workloads/{Workload.objects.get().public_id}/freeze")
    return PlanVersion.objects.get()


def test_a_plan_is_sent_as_gzip_to_whom_takes_it_and_reads_the_same(alice: Client, version: PlanVersion) -> None:
    address = f"/plans/{version.public_id}"
    small, plain = alice.get(address, **TAKES), alice.get(address)
    assert small["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain
    assert "Accept-Encoding" in plain["Vary"]
    assert int(small["Content-Length"]) == len(small.content)
    assert version.sha256 in gzip.decompress(small.content).decode()
    assert len(small.content) < len(plain.content) / 4
    refused = alice.get(address, HTTP_ACCEPT_ENCODING="gzip;q=0")
    assert "Content-Encoding" not in refused


def test_the_same_page_has_many_sizes(alice: Client) -> None:
    assert len({len(alice.get("/new/train", **TAKES).content) for _ in range(20)}) > 4


@pytest.mark.parametrize("address", ["/accounts/team", "/accounts/account", "/webhooks/"])
def test_where_secrets_are_shown_nothing_is_compressed(alice: Client, address: str) -> None:
    answer = alice.get(address, follow=True, **TAKES)
    assert len(answer.content) >= LEAST
    assert "Content-Encoding" not in answer


def test_the_answer_to_a_post_is_plain_save_for_the_live_estimate(alice: Client, version: PlanVersion) -> None:
    shared: Any = alice.post(f"/plans/{version.public_id}/share", {"days": "7"}, **TAKES)
    assert shared.status_code == 200
    assert "Content-Encoding" not in shared
    assert alice.post("/estimate/train", TRAINING, **TAKES)["Content-Encoding"] == "gzip"


def test_a_plan_needs_little_until_its_first_paint(alice: Client, version: PlanVersion, settings: Any) -> None:
    page = alice.get(f"/plans/{version.public_id}", **TAKES)
    style = gzip.compress((settings.BASE_DIR / "static/sextant.css").read_bytes())
    theme = (settings.BASE_DIR / "static/theme.js").read_bytes()
    assert len(page.content) + len(style) + len(theme) < FIRST_PAINT
