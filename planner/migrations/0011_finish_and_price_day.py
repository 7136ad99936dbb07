"""Lists of plans show when the work is done and of which day its deciding price is."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from django.db import migrations, models


def _fill(apps: Any, _schema: Any) -> None:
    """What was frozen before says both in its body; bodies are large, so they are read one by one."""
    versions = apps.get_model("planner", "PlanVersion")
    for key in list(versions.objects.values_list("pk", flat=True)):
        body = json.loads(versions.objects.values_list("body", flat=True).get(pk=key))
        best = (body.get("recommendation") or {}).get("recommended") or {}
        if not best:
            continue
        finish, offer = best.get("finish"), best.get("offer") or {}
        versions.objects.filter(pk=key).update(
            finish=date.fromisoformat(finish) if finish else None, price_day=str(offer.get("price_date") or "")[:10]
        )


class Migration(migrations.Migration):
    dependencies = [("planner", "0010_series")]

    operations = [
        migrations.AddField(
            "planversion",
            "finish",
            models.DateField(null=True, editable=False, help_text="The day on which the work is done; none = no end."),
        ),
        migrations.AddField(
            "planversion",
            "price_day",
            models.CharField(
                max_length=10,
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="Of the price that decides: the instance rented or the server bought.",
            ),
        ),
        migrations.RunPython(_fill, migrations.RunPython.noop),
    ]
