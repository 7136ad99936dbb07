"""The simulated people of `manage.py load` use the page's own requests, and what they saw is added up rightly."""

from __future__ import annotations

import threading
import time
from random import Random
from typing import Any

import pytest

from lab.crowd.person import Person, Seen
from lab.crowd.report import Round, brief, figures, lines
from lab.crowd.typing import TYPED, next_change
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("quick_engine")
@pytest.mark.parametrize("kind", ["train", "serve"])
def test_a_person_logs_in_types_and_sees_numbers(live_server: Any, kind: str, settings: Any) -> None:
    settings.DEMO_MODE = True
    person = Person(number=1, kind=kind, port=int(live_server.url.rpartition(":")[2]))
    person.arrive()
    go = threading.Event()
    go.set()
    person.work(until=time.monotonic() + 1.5, every_s=0.7, start=go)
    person.leave()

    assert [item for item in person.seen if item.fault] == []
    seen = [item.what for item in person.seen]
    assert seen[0] == "page"
    assert seen.count("first") >= seen.count("settled") >= 1
    assert seen.count("kept") == 1


@pytest.mark.parametrize("kind", list(TYPED))
def test_every_change_changes_something(kind: str) -> None:
    chance, now = Random(1), dict.fromkeys(TYPED[kind], "")
    touched = set()
    for _ in range(200):
        name, text = next_change(kind, chance, now)
        assert text
        assert text != now[name]
        now[name] = text
        touched.add(name)
    assert touched == set(TYPED[kind])


def test_waits_are_counted_by_what_was_waited_for() -> None:
    seen = [Seen(what="first", seconds=n / 1000.0) for n in range(1, 101)]
    seen += [Seen(what="settled", seconds=0.5, feasible=False), Seen(what="first", seconds=9.0, fault="status 500")]
    found = figures(
        Round(
            kind="train", people=20, seconds=60.0, seen=seen, server_cpu_s=10.1, core_wait_s=1.01, own_cpu_s=0.2,
            load_before=0.5, load_after=0.7, memory_mib=600.0,
        )
    )  # fmt: skip
    assert found["changes"] == 101
    assert found["first"] == {"count": 101, "p50": 51, "p95": 96, "max": 9000}
    assert found["page"] == {"count": 0}
    assert found["server_cpu_ms_per_change"] == 100.0
    assert found["core_wait_ms_per_change"] == 10.0
    assert found["faults"] == {"status 500": 1}
    told = brief(found, started_in_s=3.1, first_page_ms=120)
    assert list(told)[:4] == ["first_number_p95_ms", "last_number_p95_ms", "cpu_ms_per_change", "faults"]
    assert [told[key] for key in list(told)[:4]] == [96, 500, 100.0, 1]
    text = "\n".join(lines("train", found))
    assert "101 changes" in text
    assert "p95     96 ms" in text
