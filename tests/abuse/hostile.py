"""The world of the matrix with a canary in every text of every row; which columns hold text is read from the models.

Planted past all forms, as an old row or a fault elsewhere might: pages must stand it even where a form refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import models, transaction
from django.utils import timezone

from catalog import store
from catalog.kept import Kept
from catalog.models import ImportBatch, PriceObservation
from jobs.models import Job
from planner.frozen.snapshot import body_of
from planner.models import PlanVersion, Scenario, Workload
from planner.quotation_tables import QuotationRequest, Quote
from tests.abuse.test_other_teams import OURS
from tests.exports import samples
from tests.security.asking import ROUTES
from tests.security.matrix import PAGES
from tests.security.world import World

CANARY = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}=1+1\u202e"
"""Markup that leaves an attribute and an element, a script, a template, a formula, and a sign that turns what follows."""
# Columns that hold no text of people, feeds or other servers, and why.
_OURS = "made by the program"
NO_TEXT = {
    "public_id": _OURS, "key": _OURS, "digest": _OURS, "sha256": _OURS, "fingerprint": _OURS, "session_key": _OURS,
    "session_data": _OURS, "token_id": _OURS, "caller": _OURS, "catalog_release": _OURS, "engine_version": _OURS,
    "password": "a hash", "secret": "sealed", "earlier_secret": "sealed", "credential_id": "base64url of a device",
    "transports": "a list of words of the standard", "scopes": "of a fixed list", "events": "of a fixed list",
    "slug": "letters, digits and dashes", "currency": "three letters", "time_zone": "of a fixed list", "kind": "of a fixed list",
    "type": "of a fixed list", "verb": "of a fixed list", "option": "of a fixed list", "review": "a state of review",
    "accelerator": "a slug of the catalog", "confidence": "of a fixed list", "logo_size": "two numbers", "form": "of a fixed list",
    "pointer": "of the numbers of the plan", "refused": "counts by reason", "figures": "numbers", "tab": "of a browser's tab: letters",
    "lane": "of a fixed list", "payload": "of a job; never shown", "fault": "a code of a fixed list", "email": "checked as an address",
}  # fmt: skip
# Columns whose JSON has a shape of its own: what stands in them instead of the bare canary.
SHAPED: dict[str, Any] = {
    "catalog.ImportBatch.refusals": [[1, CANARY, CANARY]],
    "catalog.ImportBatch.flags": [[CANARY, CANARY]],
    "accounts.AuditEvent.data": {"name": CANARY, CANARY: CANARY},
    "jobs.Job.error": {"code": "x", "message": CANARY},
}


def columns() -> list[tuple[type[models.Model], models.Field[Any, Any]]]:
    """Every column of ours that can hold text, but for those that hold none."""
    return [
        (model, field)
        for model in apps.get_models()
        if model._meta.app_label in OURS
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField | models.JSONField)
        and not field.choices
        and field.name not in NO_TEXT
    ]


# Columns in which this world plants nothing, and where else their canary is.
ELSEWHERE = {
    "rest.IdempotencyRecord": "answers of the API, sent again as JSON",
    "accounts.Identity": "tests/accounts/test_sso.py",
    "planner.KeptSheet": "a hash; what its body holds are the plan's own words: tests/api/test_sheets.py",
    "planner.KeptLevers": "codes and values of the engine, as in a frozen plan: tests/exports/test_levers.py",
    "planner.Outlook": "codes of our own, compared and never shown: tests/planner/test_outlook.py",
    "planner.Series": "read by the command line alone; no page or API shows it",
    "catalog.Entry": "public catalog; its texts are those of TeamEntry, in the same templates",
    "catalog.Accelerator": "a view of Entry", "catalog.System": "a view of Entry", "catalog.Region": "a view of Entry",
    "catalog.TeamEntry.facts": "typed values, checked by unit: tests/catalog/",
    "catalog.ImportBatch.entries": "facts, checked by unit",
    "catalog.PriceObservation": "the zone, region and provider of one, below",
    "planner.Quote.item": "as the catalog names it", "planner.Quote.rate_day": "a day",
    "planner.Workload.draft": "its name, below", "planner.PlanVersion.body": "a hostile plan, below",
    "planner.Scenario.body": "a hostile plan, below", "planner.Scenario.changes": "typed values, checked by unit",
    "planner.KeptForm": "typed values, shown in fields: tests/planner/test_keeping.py",
    "webhooks.Endpoint.url": "checked as an address", "webhooks.Attempt": "tests/webhooks/test_pages.py",
    "jobs.Job.result": "the sentences of a backward question, below",
    "exports.Look": "checked settings: tests/exports/test_branding_page.py",
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(world: World) -> Iterator[World]:
    """The world with a canary in every text, as long as the tests of one module run."""
    with pytest.MonkeyPatch.context() as patch, transaction.atomic():
        patch.setattr(
            store, "_shown", Kept(1)
        )  # rows are changed without a publication: no other test may be shown these
        _plant(world)
        yield world
        transaction.set_rollback(True)
    del world.objects["planted"]


def _plant(world: World) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "HOSTILE", CANARY)
        plan = samples.hostile_plan()
    for frozen in (PlanVersion, Scenario):
        frozen.objects.all().update(body=body_of(plan), sha256=plan.sha256)
    for workload in Workload.objects.all():
        workload.draft = {**workload.draft, "name": CANARY}
        workload.save()
    batch = ImportBatch.objects.filter(team=world.team).first()
    assert batch is not None
    asked = QuotationRequest.objects.get(public_id=world.objects["quotation"])
    today = timezone.localdate()
    Quote.objects.create(
        request=asked, option=asked.options[0], item="nebius/h100", unit="instance_hour", amount=1, currency="USD", usd=1,
        quoted_on=today, valid_until=today,
    )  # fmt: skip
    source = PriceObservation.objects.first()
    assert source is not None
    PriceObservation._base_manager.filter(pk=source.pk).update(
        region=CANARY[:60], zone=CANARY[:60], provider=CANARY[:40]
    )
    world.version.approvals.create(user=world.members["approver"].user, sha256="x", reason=CANARY)
    found = Job.objects.get(public_id=world.objects["question"])
    result = found.result or {}
    said = {"draft": {**result["draft"], "name": CANARY}, "sentence": CANARY, "notes": [CANARY]}
    Job.objects.filter(pk=found.pk).update(result={**result, **said})
    planted = set()
    for model, field in columns():
        label = f"{model._meta.label}.{field.name}"
        if label in ELSEWHERE or model._meta.label in ELSEWHERE:
            continue
        value = SHAPED.get(label, {"text": CANARY} if isinstance(field, models.JSONField) else CANARY)
        value = value[: field.max_length] if isinstance(value, str) and field.max_length else value
        rows: models.QuerySet[models.Model] = models.QuerySet(model).filter(**of_the_team(model, world))
        if field.unique:  # one row holds it
            rows = rows.filter(pk=rows.values_list("pk", flat=True).first())
        if models.QuerySet.update(rows, **{field.name: value}):
            planted.add(label)
    world.objects["planted"] = planted


def of_the_team(model: type[models.Model], world: World) -> dict[str, Any]:
    """Only rows of the team, where a model has one: the catalog's own rows stay whole."""
    return {"team": world.team.pk} if any(field.name == "team" for field in model._meta.concrete_fields) else {}


SHOWN = sorted(
    key for key, row in PAGES.items()
    if "GET" in row.may and key.split()[0] in ROUTES and not key.startswith(("api:", "healthz", "readyz"))
)  # fmt: skip
"""The rows of the matrix that are pages to look at."""
