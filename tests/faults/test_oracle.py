"""The oracle of the faults blames what was wrong, and nothing else: it is asked with times that are made up here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.faults.load import Suspect
from tests.faults.oracle import Spell, said_late, unanswered

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def _spell(name: str, touches: str, *, begun: float, ended: float) -> Spell:
    return Spell(
        name=name,
        touches=frozenset({touches}),
        begun=NOON + timedelta(seconds=begun),
        ended=NOON + timedelta(seconds=ended),
    )


def _asked(at: float, *, status: int, seconds: float) -> Suspect:
    return Suspect(what="GET /plans", status=status, asked=NOON + timedelta(seconds=at), seconds=seconds)


AWAY = _spell("stop_postgres", "postgres", begun=0, ended=20)
KILLED = _spell("stop_web", "web", begun=0, ended=20)


@pytest.mark.parametrize(
    ("at", "seconds", "blamed"),
    [(5, 3, True), (-2, 4, False), (0.5, 3, False), (15, 8, False)],
    ids=["meanwhile", "begun before", "while it goes", "while it comes back"],
)
def test_a_late_refusal_is_wrong_while_the_database_is_away(at: float, seconds: float, blamed: bool) -> None:
    late = [_asked(at, status=503, seconds=seconds)]
    assert len([*said_late(late, [AWAY])]) == blamed
    assert not [*said_late(late, [])], "its own work counts where the database was there"
    assert not [*unanswered(late, [AWAY])]


@pytest.mark.parametrize(("at", "blamed"), [(-45, True), (-35, False), (10, False), (21, True)])
def test_no_answer_is_wrong_unless_the_web_was_killed(at: float, blamed: bool) -> None:
    silent = [_asked(at, status=0, seconds=40)]
    assert len([*unanswered(silent, [KILLED])]) == blamed
    assert len([*unanswered(silent, [AWAY])]) == 1, "another fault is no reason"
