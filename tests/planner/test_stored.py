"""The body of a frozen plan is fetched only where it is used, and then as bytes."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import access
from accounts.models import Membership, Role
from planner import plans, scenarios
from planner.frozen.snapshot import freeze
from planner.frozen.stored import body_bytes
from planner.models import PlanVersion, Scenario
from tests.conftest import People, make_member
from tests.exports.samples import training_plan

NAME = "Größe 東京 → 🚀 \\ \\x41 ' \" %s"
"""Characters of one to four bytes, and what a database might take for an escape."""


@pytest.fixture
def planner(people: People) -> Membership:
    return make_member(people.team, "Petra", Role.PLANNER)


@pytest.fixture
def version(planner: Membership) -> PlanVersion:
    plan = training_plan()
    workload = plans.save_workload(planner, name="Run", draft={"name": "Run"})
    return plans.freeze_version(
        planner, workload, freeze(dataclasses.replace(plan.spec, name=NAME), plan.recommendation)
    )


def test_the_bytes_are_those_of_the_text(version: PlanVersion) -> None:
    found = PlanVersion.objects.get(pk=version.pk)
    assert "body" in found.get_deferred_fields()
    assert body_bytes(found) == version.body.encode() == body_bytes(version)
    assert "body" in found.get_deferred_fields(), "the text is not kept on the row"
    assert hashlib.sha256(body_bytes(found)).hexdigest() == found.sha256
    assert found.plan.name == NAME
    assert found.plan == version.plan
    assert found.body == version.body


def test_opened_as_the_plan(version: PlanVersion) -> None:
    plan, alternatives = PlanVersion.objects.get(pk=version.pk).opened()
    whole = version.plan
    assert tuple(alternatives) == whole.recommendation.alternatives != ()
    assert (plan.sha256, plan.spec) == (whole.sha256, whole.spec)


def test_scenarios_too(planner: Membership, version: PlanVersion) -> None:
    plan = training_plan()
    made = scenarios.save(planner, version, name="What if", changes={"name": "Other"}, plan=plan)
    found = Scenario.objects.get(pk=made.pk)
    assert "body" in found.get_deferred_fields()
    assert found.plan == made.plan
    assert body_bytes(found) == made.body.encode()


def test_a_row_is_found_without_its_body(planner: Membership, version: PlanVersion) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        found = access.one_of(planner.team, PlanVersion, version.public_id)
        str(found.headline)
    assert len(asked) == 1
    assert '"body"' not in asked[0]["sql"]
