"""What the soak says of a process that grows and of one that does not, and how it keeps its pace."""

from __future__ import annotations

import pytest

from lab.crowd.soak import Moment, Pace, Seen, Soak, growth_per_hour, told


def _moments(web: float, worker: float) -> list[Moment]:
    """An hour in which each role grows by so many MiB an hour, on top of 400 MiB, and one process is soon gone."""
    return [
        Moment(
            minute=float(minute), busy=0.7,
            held_mib={
                "web": 400 + web * minute / 60 + (90 if minute == 40 else 0), "worker": 400 + worker * minute / 60,
                **({"other": 30.0} if minute < 5 else {}),
            },
            processes={"web": 2, "worker": 1},
        )
        for minute in range(1, 61)
    ]  # fmt: skip


def test_growth_is_that_of_most_moments() -> None:
    assert growth_per_hour([(minute, 100 + 2.0 * minute) for minute in range(30)]) == pytest.approx(120.0)
    assert growth_per_hour([(0, 5.0), (1, 5.0), (2, 500.0), (3, 5.0), (4, 5.0)]) == 0.0
    assert growth_per_hour([(1, 5.0)]) == 0.0


def test_a_role_that_grows_is_named_and_one_peak_is_no_growth() -> None:
    soak = Soak(moments=_moments(web=4, worker=80), seen=[Seen(what="plan", status=201, seconds=0.4)])
    said = list(told(soak))
    web, worker, other = (next(line for line in said if line.startswith(role)) for role in ("web", "worker", "other"))
    assert web.endswith("+4.0 MiB an hour: flat")
    assert "494 at most" in web or "493 at most" in web
    assert worker.endswith("+80.0 MiB an hour: GROWS")
    assert other == "other: gone before the warm-up had ended, 30 MiB at most"


def test_faults_are_counted_by_what_was_wrong() -> None:
    seen = [Seen(what="plan", status=201, seconds=0.4), Seen(what="plan", status=0, seconds=9.0, fault="TimeoutError")]
    seen.append(Seen(what="typing: first", status=200, seconds=0.1, fault="refused"))
    assert [one.is_broken for one in seen] == [False, True, False]
    said = list(told(Soak(moments=_moments(web=0, worker=0), seen=seen)))
    assert "answers: none 1, 200 1, 201 1" in said
    assert "what was wrong: TimeoutError 1, refused 1" in said


def test_the_pace_follows_how_busy_the_cores_are() -> None:
    pace = Pace(asked=0.7)
    for busy, slower in ((1.0, True), (0.2, False)):
        before = pace.pause_s
        pace.heed(busy)
        assert (pace.pause_s > before) == slower
    for _ in range(200):
        pace.heed(0.0)
    assert pace.pause_s == 0.02
