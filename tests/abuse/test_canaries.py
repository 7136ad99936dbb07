"""A4: a canary in every text of every row, and every page of the site taken apart: no text has become an element.

Which columns hold text is read from the models, so that a new one without a canary fails; which pages there are is read
from the matrix.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from django.apps import apps
from django.db import models

from catalog.models import ImportBatch, PriceObservation
from planner.models import PlanVersion, Scenario, Workload
from planner.snapshot import body_of
from tests.abuse.test_other_teams import OURS
from tests.exports import samples
from tests.security.asking import ROUTES, _own_files, address_of, ask
from tests.security.matrix import PAGES
from tests.security.world import World

__all__ = ["_own_files"]
pytestmark = pytest.mark.django_db
CANARY = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}"
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
    "payload": "of a job; never shown", "fault": "a code of a fixed list", "email": "checked as an address",
}  # fmt: skip
# Columns whose JSON has a shape of its own: what stands in them instead of the bare canary.
SHAPED: dict[str, Any] = {
    "catalog.ImportBatch.refusals": [[1, CANARY, CANARY]],
    "catalog.ImportBatch.flags": [[CANARY, CANARY]],
    "accounts.AuditEvent.data": {"name": CANARY, CANARY: CANARY},
    "jobs.Job.error": {"code": "x", "message": CANARY},
}


def _columns() -> list[tuple[type[models.Model], models.Field[Any, Any]]]:
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


# Columns that this world has no shown row for, and where else their canary is.
ELSEWHERE = {
    "rest.IdempotencyRecord": "answers of the API, sent again as JSON",
    "accounts.Identity": "tests/accounts/test_sso.py", "accounts.Passkey": "tests/accounts/test_passkeys.py",
    "accounts.Session": "tests/accounts/test_sessions.py", "jobs.WorkerHeartbeat": "never shown",
    "catalog.Source": "public catalog, printed by the same templates as Entry", "catalog.Entry": "public catalog: names below",
    "catalog.Accelerator": "a view of Entry", "catalog.System": "a view of Entry", "catalog.Region": "a view of Entry",
    "catalog.TeamEntry.facts": "typed values, checked by unit: tests/catalog/",
    "catalog.ImportBatch.entries": "facts, checked by unit", "catalog.PriceObservation": "planted below, in rows of the team",
    "planner.Workload.draft": "planted as its name and texts below", "planner.PlanVersion.body": "a hostile plan, below",
    "planner.Scenario": "its plan is the version's", "planner.KeptForm": "typed values, shown in fields: tests/planner/test_keeping.py",
    "planner.Portfolio": "none", "webhooks.Endpoint.url": "checked as an address", "webhooks.Event": "JSON to receivers",
    "webhooks.Attempt": "tests/webhooks/test_pages.py", "webhooks.Endpoint": "planted where the world has one",
    "exports.Look": "checked settings: tests/exports/test_branding_page.py", "jobs.Job": "planted below",
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(world: World) -> World:
    """The world with a canary in every text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "HOSTILE", CANARY)
        plan = samples.hostile_plan()
    for model in (PlanVersion, Scenario):
        model.objects.all().update(body=body_of(plan), sha256=plan.sha256)
    for workload in Workload.objects.all():
        workload.draft = {**workload.draft, "name": CANARY}
        workload.save()
    batch = ImportBatch.objects.filter(team=world.team).first()
    assert batch is not None
    source = PriceObservation.objects.first()
    assert source is not None
    PriceObservation._base_manager.filter(pk=source.pk).update(
        region=CANARY[:60], zone=CANARY[:60], provider=CANARY[:40]
    )
    planted = set()
    for model, field in _columns():
        label = f"{model._meta.label}.{field.name}"
        if label in ELSEWHERE or (model._meta.label in ELSEWHERE and model._meta.label != "webhooks.Endpoint"):
            continue
        value = SHAPED.get(label, {"text": CANARY} if isinstance(field, models.JSONField) else CANARY)
        value = value[: field.max_length] if isinstance(value, str) and field.max_length else value
        rows = models.QuerySet(model).exclude(pk=None)
        planted.add(label)
        models.QuerySet.update(rows.filter(**_of_the_team(model, world)), **{field.name: value})
    world.objects["planted"] = planted
    return world


def _of_the_team(model: type[models.Model], world: World) -> dict[str, Any]:
    """Only rows of the team, where a model has one: the catalog's own rows stay whole."""
    return {"team": world.team} if any(field.name == "team" for field in model._meta.concrete_fields) else {}


def test_every_column_that_can_hold_text_has_a_canary(hostile: World) -> None:
    planted = hostile.objects["planted"]
    for model, field in _columns():
        label = f"{model._meta.label}.{field.name}"
        known = label in planted or label in ELSEWHERE or model._meta.label in ELSEWHERE
        assert known, f"{label} can hold text: plant a canary, or say in NO_TEXT or ELSEWHERE why it needs none."
    assert len(planted) > 12


class Elements(HTMLParser):
    """What a browser would make of a page: elements that only a text of ours could have brought in."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes scripts without a file of ours, handlers, styles, foreign sources and the canary's picture."""
        given = dict(attrs)
        source = given.get("src") or ""
        if tag == "script" and not source.startswith("/static/"):
            self.bad.append("script")
        if source == "x" or tag in ("iframe", "object", "embed", "base"):
            self.bad.append(f"{tag} {source}")
        self.bad += [name for name in given if name.startswith("on") or name == "style"]
        if (given.get("href") or "").lower().startswith(("javascript:", "data:")):
            self.bad.append("href")


SHOWN = sorted(
    key for key, row in PAGES.items()
    if "GET" in row.may and key.split()[0] in ROUTES and not key.startswith(("api:", "healthz", "readyz"))
)  # fmt: skip


def test_no_page_takes_a_text_for_markup(hostile: World) -> None:
    """No element and no handler that a text made, no template run, a policy that forbids both; and they were shown."""
    shown = 0
    for key in SHOWN:
        answer = ask(hostile.clients["admin"], "get", address_of(hostile, key, PAGES[key]))
        assert answer.status < 500, f"{key}: {answer.status}"
        if not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        found = Elements()
        found.feed(answer.text)
        assert not found.bad, f"{key}: {found.bad}"
        assert ">49<" not in answer.text, key
        assert "unsafe" not in answer.headers["Content-Security-Policy"], key
        shown += "&lt;img src=x onerror=" in answer.text
    assert shown >= 8, f"only {shown} pages showed a canary"
