from __future__ import annotations

from typing import Any

from django.db import migrations


def settle(apps: Any, schema_editor: Any) -> None:
    """Of the versions of a plan that wait only the newest goes on waiting, and it only above what is approved."""
    versions = apps.get_model("planner", "PlanVersion").objects.defer("body")
    record = apps.get_model("accounts", "AuditEvent").objects.create
    latest: dict[int, Any] = {}
    for version in versions.filter(state__in=("submitted", "approved")).select_related("workload").order_by("-number"):
        newer = latest.setdefault(version.workload_id, version)
        if version.state != "submitted" or newer.pk == version.pk:
            continue
        versions.filter(pk=version.pk).update(state="superseded", superseded_by=newer)
        data = {"sha256": version.sha256, "reason": "", "superseded_by": newer.number}
        record(team=version.workload.team, verb="plan.superseded", subject=version.public_id, data=data)


def remember(apps: Any, schema_editor: Any) -> None:
    """Who decided on an approved version has approved it."""
    versions = apps.get_model("planner", "PlanVersion").objects.defer("body")
    give = apps.get_model("planner", "Approval").objects.get_or_create
    for version in versions.filter(state__in=("approved", "superseded"), decided_by__isnull=False):
        said = {"sha256": version.sha256, "reason": version.reason, "at": version.decided_at or version.created_at}
        give(version=version, user_id=version.decided_by_id, defaults=said)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_approvals_needed"), ("planner", "0005_approvals")]

    operations = [
        migrations.RunPython(remember, migrations.RunPython.noop),
        migrations.RunPython(settle, migrations.RunPython.noop),
    ]
