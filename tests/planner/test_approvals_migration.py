"""Plans from before: of several versions that waited one goes on waiting, and who approved stands as having approved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

BEFORE = [("planner", "0004_budgets_and_kept_forms"), ("accounts", "0002_sign_in")]


@pytest.fixture
def before(transactional_db: None) -> Iterator[Any]:
    """The models as they were; afterwards the database is as it is today."""
    MigrationExecutor(connection).migrate(BEFORE)
    yield MigrationExecutor(connection).loader.project_state(BEFORE).apps
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_old_reviews_are_settled(before: Any) -> None:
    person = before.get_model("accounts", "User").objects.create(email="a@x.example", public_id="usr_a")
    team = before.get_model("accounts", "Team").objects.create(slug="x", name="X", public_id="team_x")
    versions = before.get_model("planner", "PlanVersion").objects
    states = {
        "pln_a": ("submitted", "submitted", "draft"),
        "pln_b": ("submitted", "approved", "submitted"),
        "pln_c": ("submitted", "approved", "returned"),
    }
    for name, of_plan in states.items():
        plan = before.get_model("planner", "Workload").objects.create(team=team, name=name, public_id=name)
        for number, state in enumerate(of_plan, 1):
            decided = {"decided_by": person, "decided_at": timezone.now(), "reason": "x"} if state == "approved" else {}
            versions.create(
                workload=plan,
                number=number,
                state=state,
                public_id=f"ver_{name}{number}",
                body="{}",
                sha256=f"{name}{number}",
                feasible=True,
                headline="x",
                catalog_release="x",
                engine_version="x",
                **decided,
            )

    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())

    from accounts.models import AuditEvent
    from planner.models import Approval, PlanVersion

    def state_of(name: str) -> list[tuple[str, int | None]]:
        rows = PlanVersion.objects.filter(workload__public_id=name).select_related("superseded_by").order_by("number")
        return [(row.state, row.superseded_by.number if row.superseded_by else None) for row in rows]

    assert state_of("pln_a") == [("superseded", 2), ("submitted", None), ("draft", None)]
    assert state_of("pln_b") == [("superseded", 3), ("approved", None), ("submitted", None)]
    assert state_of("pln_c") == [("superseded", 2), ("approved", None), ("returned", None)]
    given = Approval.objects.select_related("version").order_by("version__public_id")
    assert [(one.version.public_id, one.user_id, one.sha256) for one in given] == [
        ("ver_pln_b2", person.pk, "pln_b2"),
        ("ver_pln_c2", person.pk, "pln_c2"),
    ]
    told = AuditEvent.objects.filter(verb="plan.superseded").values_list("subject", flat=True)
    assert set(told) == {"ver_pln_a1", "ver_pln_b1", "ver_pln_c1"}
