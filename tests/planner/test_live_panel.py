"""The live endpoint: few queries, small scripts, first numbers marked, and no work for somebody who has typed on."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client, RequestFactory

from lab.crowd.page import Form
from lab.crowd.typing import EXAMPLES, TYPED
from planner.pages.form import live, turns
from planner.presenters import GlanceView
from tests.conftest import People
from tests.planner.page_support import SERVING, TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
BASE = Path(settings.BASE_DIR)
MOST_SCRIPT = 150_000
"""Bytes, before any compression."""


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


def test_an_estimate_asks_the_database_three_questions(alice: Client, django_assert_num_queries: Any) -> None:
    """Session, person, team; the catalog of the team adds three small ones where it is not a sample."""
    with django_assert_num_queries(3):
        assert alice.post("/estimate/train", TRAINING).status_code == 200


def test_a_settled_panel_asks_for_nothing_more(alice: Client) -> None:
    page = alice.post("/estimate/train", TRAINING).content.decode()
    assert "kept: " in page
    assert "hx-post" not in page


def test_a_first_number_is_marked_and_asks_for_the_simulated_one(alice: Client) -> None:
    first = alice.post("/estimate/serve", SERVING).content.decode()
    assert "data-unsettled" in first
    assert "in steady state" in first
    assert 'hx-post="/estimate/serve?settle=1"' in first
    assert 'hx-sync="#workload:drop"' in first
    settled = alice.post("/estimate/serve?settle=1", SERVING).content.decode()
    assert "data-unsettled" not in settled
    assert "hx-post" not in settled


def test_a_fault_is_shown_without_an_estimate(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(live, "first_look", lambda *args, **_named: asked.append(args))
    page = alice.post("/estimate/train", TRAINING | {"training.tokens": "many"}).content.decode()
    assert 'data-for="f-training-tokens"' in page
    assert asked == []


@pytest.fixture
def line() -> Any:
    """Both ends of a connection."""
    here, there = socket.socketpair()
    yield here, there
    here.close()
    there.close()


def test_turns_come_in_the_order_of_asking_and_who_leaves_holds_nobody_up() -> None:
    line, order = turns.Line(), list[int]()
    line.enter(lambda: False)

    def wait(number: int) -> None:
        with suppress(turns.Superseded):
            line.enter(lambda: number == 2)
            order.append(number)
            line.leave()

    threads = [Thread(target=wait, args=(number,)) for number in range(5)]
    for at, thread in enumerate(threads):
        thread.start()
        while len(line._waiting) <= at and thread.is_alive() and at < 2:
            sleep(0.001)
        if at == 2:
            thread.join()
        while len(line._waiting) < at and at > 2:
            sleep(0.001)
    line.leave()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 3, 4]
    line.enter(lambda: True)  # free again: nobody waits


def test_who_has_left_gets_no_turn(rf: RequestFactory, line: tuple[socket.socket, socket.socket]) -> None:
    open_line: dict[str, Any] = {"gunicorn.socket": line[0]}
    request = rf.post("/estimate/train", **open_line)
    with turns.turn(request, "first"):
        assert not turns.client_left(request)
    line[1].close()
    assert turns.client_left(request)
    with pytest.raises(turns.Superseded), turns.turn(request, "first"):
        pass
    with turns.turn(rf.post("/estimate/train"), "first"):
        pass


def test_who_leaves_while_waiting_frees_the_thread(
    rf: RequestFactory, line: tuple[socket.socket, socket.socket]
) -> None:
    waiting: dict[str, Any] = {"gunicorn.socket": line[0]}
    with turns.turn(rf.post("/estimate/train"), "first"):
        line[1].close()
        with pytest.raises(turns.Superseded), turns.turn(rf.post("/estimate/train", **waiting), "first"):
            pass
    with turns.turn(rf.post("/estimate/train"), "first"):
        pass


def test_a_dropped_answer_is_empty(
    alice: Client, line: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_args: object, **_named: object) -> GlanceView:
        raise AssertionError("Nobody waits for this.")

    monkeypatch.setattr(live, "glance_for", never)
    line[1].close()
    broken: dict[str, Any] = {"gunicorn.socket": line[0]}
    response = alice.post("/estimate/train", TRAINING, **broken)
    assert (response.status_code, response.content) == (204, b"")


def test_all_scripts_together_are_small(alice: Client) -> None:
    page = alice.get("/new/train").content.decode()
    sources = re.findall(r'<script[^>]* src="/static/([^"?]+)', page)
    assert len(sources) >= 3
    assert "<script>" not in page
    found = {finders.find(source) for source in sources} | {str(path) for path in (BASE / "static").glob("**/*.js")}
    sizes = [Path(path).stat().st_size for path in found if path]
    assert len(sizes) == len(found)
    assert sum(sizes) < MOST_SCRIPT


@pytest.mark.parametrize("kind", list(TYPED))
def test_the_crowd_types_into_fields_that_exist(alice: Client, kind: str) -> None:
    page = alice.get(f"/new/{kind}")
    assert set(EXAMPLES[kind]) <= {item.slug for item in page.context["screen"].examples}
    form = Form(alice.get(f"/new/{kind}?example={EXAMPLES[kind][0]}").content.decode())
    names = dict(form.fields)
    assert set(TYPED[kind]) <= set(names)
    assert form.estimates_at == f"/estimate/{kind}"
    assert form.token
    answer = alice.post(form.estimates_at, dict(form.fields))
    assert b"live__headline" in answer.content
    assert b"data-faults" not in answer.content
