"""Saved versions that tests start from."""

from __future__ import annotations

from dataclasses import replace

from accounts.models import Membership
from planner import plans
from planner.frozen.snapshot import Plan, freeze
from planner.models import PlanVersion
from tests.exports.samples import training_plan


def first_version(member: Membership, plan: Plan | None = None, *, name: str = "Run") -> PlanVersion:
    """Version 1 of a workload of that name: that plan, or one for training."""
    workload = plans.save_workload(member, name=name, draft={"name": name})
    return plans.freeze_version(member, workload, plan or training_plan())


def next_version(member: Membership, version: PlanVersion, name: str = "Another") -> PlanVersion:
    """The next version of the same workload: the plan for training under another name, so with another hash."""
    return plans.freeze_version(member, version.workload, renamed(training_plan(), name))


def renamed(plan: Plan, name: str) -> Plan:
    """The same plan under another name: another hash."""
    return freeze(replace(plan.spec, name=name), plan.recommendation)
