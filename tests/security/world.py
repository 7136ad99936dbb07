"""One team with a real object of every kind that an address can name, its people in every role, and a stranger."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import invitations, tokens
from accounts.models import ApiToken, Membership, Passkey, Role, Session, Team, User
from catalog import price_lists
from catalog.models import BatchStatus, EntryStatus, ImportBatch, TeamEntry
from exports import files
from exports.formats import FORMATS
from exports.models import Export
from exports.work import request_export
from jobs.models import Job, State, WorkerHeartbeat
from planner import planned, plans, scenarios, team_market
from planner.backwards import work as backwards_work
from planner.backwards.answer import Ask
from planner.models import PlanVersion, Workload
from planner.quotation_steps import Wanted, request_quotes
from planner.request.parse import spec_from
from planner.review import comments, sharing
from planner.series import work as series
from planner.series.grid import changes_of
from tests.api.support import TRAINING
from tests.exports.test_workbook_page import workbook
from tests.security.matrix import ACTORS, ROLES
from tests.webhooks.support import add_to_world

MARK = "ONLYNORTH"
"""Stands in the name of everything that the team owns; no stranger may read it."""
PASSWORD = "correct horse battery"
PRICES = (
    "provider,instance,region,accelerator,count,option,amount,currency,date\n"
    "aws,p5.48xlarge,us-east-1,h100-sxm5,8,on_demand,41.5,USD,2026-08-20"
)


POWER = ["650", "W", "W", "team-entry", "2026-08-22", "own"]
OWN_ENTRIES = (
    ("own_entry", "accelerator", "h200-sxm", {"tdp_w": POWER}, EntryStatus.IN_FORCE),
    ("past_entry", "accelerator", "b200-sxm", {"tdp_w": POWER}, EntryStatus.WITHDRAWN),
)
"""Name, kind, slug, facts and state of entries of the team's own catalog."""


class World:
    """The team, its people and its objects. ``objects`` fills path parameters; ``clients`` and ``headers`` ask."""

    def __init__(self) -> None:
        call_command("load_catalog", stdout=StringIO())
        for worker in ("celery@world", "sweeper@world"):
            WorkerHeartbeat.objects.create(worker=worker, seen_at=timezone.now() + timedelta(hours=1))
        self.team = Team.objects.create(slug="polar", name=f"{MARK} team")
        self.stranger_team = Team.objects.create(slug="tropic", name="Tropic")
        self.members = {role: self._person(role, self.team, role) for role in ROLES}
        self.members["other"] = self._person("other", self.stranger_team, Role.ADMIN)
        self.maker = self._person("maker", self.team, Role.PLANNER)
        self.clients = {actor: Client(raise_request_exception=False) for actor in ACTORS}
        self.api = Client(raise_request_exception=False)
        for name, member in self.members.items():
            self.clients[name].force_login(member.user)
        self.objects: dict[str, Any] = {
            "team": self.team.slug,
            "member": self.members["viewer"].user.public_id,
            "code": "validation",
        }
        self._workbook = b""
        self._tokens()
        self._sign_in()
        self._plans()
        self._review()
        self._scenario()
        self._files()
        self._prices()
        for add in MORE:
            add(self)

    def headers(self, actor: str) -> dict[str, str]:
        """The Authorization header of that actor; none for a visitor."""
        return {"Authorization": f"Bearer {self.bearer[actor]}"} if actor in self.bearer else {}

    def _person(self, name: str, team: Team, role: str) -> Membership:
        user = User.objects.create_user(f"{name}@{team.slug}.example", name=f"{name.title()} of {team.name}")
        return Membership.objects.create(team=team, user=user, role=role)

    def _tokens(self) -> None:
        self.bearer = {
            name: tokens.issue(member.team, member.user, name=f"{name} in {member.team}", scopes=tokens.SCOPES)[1]
            for name, member in self.members.items()
        }
        admin = self.members["admin"]
        self.bearer["no scope"] = tokens.issue(self.team, admin.user, name="none", scopes=())[1]
        for name in ("expired", "revoked"):
            row, self.bearer[name] = tokens.issue(self.team, admin.user, name=name, scopes=tokens.SCOPES)
            moment = timezone.now() - timedelta(seconds=1)
            change = {"expires_at": moment} if name == "expired" else {"revoked_at": moment}
            ApiToken.objects.filter(pk=row.pk).update(**change)
        leaver = self._person("leaver", self.team, Role.ADMIN)
        self.bearer["left the team"] = tokens.issue(self.team, leaver.user, name="left", scopes=tokens.SCOPES)[1]
        leaver.delete()
        row, _ = tokens.issue(self.team, self.members["planner"].user, name=MARK, scopes=("plans:read",))
        self.objects["planners_token"] = self.objects["token_id"] = row.public_id

    def _sign_in(self) -> None:
        planner = self.members["planner"].user
        key = Passkey.objects.create(user=planner, name=f"{MARK} key", credential_id="x", public_key=b"")
        waiting, _ = invitations.invite(self.team, f"{MARK}@polar.example", role=Role.VIEWER, actor=None)
        self.objects |= {
            "planners_passkey": key.public_id,
            "planners_session": Session.objects.get(user=planner).public_id,
            "invitation": waiting.public_id,
        }

    def _workload(self, name: str) -> Workload:
        return plans.save_workload(self.maker, name=f"{MARK} {name}", draft={**TRAINING, "name": f"{MARK} {name}"})

    def _version(self, name: str) -> PlanVersion:
        workload = self._workload(name)
        plan = planned.estimate(spec_from(workload.draft), team_market.market_from_rows(self.team))
        return plans.freeze_version(self.maker, workload, plan)

    def _plans(self) -> None:
        self.version = self._version("main")
        self.submitted = plans.submit(self.maker, self._version("submitted"))
        own = plans.submit(self.members["planner"], self._version("own"))
        changed = self._workload("changed").public_id
        archived, unsaved = self._workload("archived"), self._workload("unsaved")
        plans.archive_workload(self.maker, archived)
        job = backwards_work.request_answer(self.maker, Ask(question="tokens", budget_usd=1e6, model="llama-3.1-8b"))
        draft = {**TRAINING, "name": f"{MARK} backwards"}
        result = {"sentence": f"{MARK}: at most 40 B tokens.", "draft": draft, "tries": [], "notes": []}
        Job.objects.filter(pk=job.pk).update(state=State.SUCCEEDED, result=result)
        self.objects |= {
            "workload": self.version.workload.public_id,
            "plan_id": self.version.workload.public_id,
            "version": self.version.public_id,
            "number": 1,
            "submitted_version": self.submitted.public_id,
            "own_submitted_version": own.public_id,
            "changed_workload": changed,
            "archived_workload": archived.public_id,
            "unsaved_workload": unsaved.public_id,
            "service": self._service().public_id,
            "question": job.public_id,
        }

    def _service(self) -> Workload:
        """A workload that answers requests."""
        serving = {"requests_per_s": 1, "input_tokens": 500, "output_tokens": 100}
        draft = {"name": f"{MARK} service", "workload": "serving", "model": "llama-3.1-8b", "serving": serving}
        return plans.save_workload(self.maker, name=f"{MARK} service", draft=draft)

    def _review(self) -> None:
        comment = comments.add(self.maker, self.version, text=f"{MARK} comment")
        link, secret = sharing.create(self.maker, self.version, days=7)
        asked = request_quotes(self.maker, self.version, Wanted(contact=f"{MARK} buyer"))
        self.objects |= {"quotation": asked.public_id, "quotation_id": asked.public_id}
        self.objects |= {"comment": comment.public_id, "share_link": link.public_id, "share_secret": secret}
        self.objects |= {"comment_id": comment.public_id, "link_id": link.public_id}

    def _scenario(self) -> None:
        found = planned.estimate(scenarios.spec_with(self.version, {"horizon_months": 12}), None)
        made = scenarios.save(
            self.maker, self.version, name=f"{MARK} scenario", changes={"horizon_months": 12}, plan=found
        )
        self.objects |= {"scenario": made.public_id, "scenario_id": made.public_id}
        asked = series.ask_scenarios(self.maker, self.version, changes_of({"name": [f"{MARK} series"]}))
        self.objects["series"] = asked.public_id

    def _export(self, version: PlanVersion, format_: str, state: str = State.QUEUED) -> Export:
        export = request_export(self.maker, version, format_)
        if state == State.SUCCEEDED:
            Export.objects.filter(pk=export.pk).update(sha256=files.store(f"{MARK} {format_}".encode()), bytes=9)
        Job.objects.filter(pk=export.job_id).update(state=state)
        return export

    def _files(self) -> None:
        bundled = self._version("bundled")
        made = [self._export(bundled, format_, State.SUCCEEDED) for format_ in FORMATS]
        self.objects |= {
            "bundled_version": bundled.public_id,
            "bundled_plan": bundled.workload.public_id,
            "export": made[0].public_id,
            "export_id": made[0].public_id,
            "queued_export": self._export(self.version, "docx").public_id,
            "cancelled_export": self._export(self.version, "xlsx", State.CANCELLED).public_id,
        }

    def _prices(self) -> None:
        for name, status in (("import", BatchStatus.VALIDATED), ("published_import", BatchStatus.PUBLISHED)):
            batch = ImportBatch.objects.create(team=self.team, name=f"upload/{MARK}", sha256=name, status=status)
            self.objects[name] = batch.public_id
        for name, kind, slug, facts, status in OWN_ENTRIES:
            entry = TeamEntry.objects.create(
                team=self.team, kind=kind, slug=slug, name=f"{MARK} {name}", facts=facts, status=status
            )
            self.objects[name] = entry.public_id

        filled = price_lists.create(self.maker, MARK)
        job = price_lists.request_import(self.maker, filled, PRICES.encode(), name="prices.csv", dry_run=True)
        self.objects |= {"catalog_id": filled.public_id, "import_id": job.public_id}

    def file(self, name: str) -> SimpleUploadedFile:
        """A fresh upload: a team's price list, or the workbook of the plan with one edited price."""
        if name == "price_list":
            return SimpleUploadedFile("prices.csv", PRICES.encode())
        if not self._workbook:
            self._workbook = workbook(self.version, price_per_instance_hour=3.25).read()
        return SimpleUploadedFile("plan.xlsx", self._workbook)


MORE: list[Callable[[World], None]] = [add_to_world]
"""Rooms with objects of their own add them here: a function that sets ``world.objects["name"]``."""


class Writes(list[str]):
    """Every statement that changed a row of the product, in order; sessions and the use of tokens do not count."""

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        word = sql.lstrip().split(" ", 1)[0].upper()
        if word in ("INSERT", "UPDATE", "DELETE") and not any(name in sql for name in _NOT_COUNTED):
            self.append(sql[:200])
        return execute(sql, params, many, context)


_NOT_COUNTED = ("accounts_session", "accounts_attempts", '"last_used_at"', '"last_login"', '"opened"')


@contextmanager
def watched() -> Iterator[Writes]:
    """The statements of the block that change something."""
    writes = Writes()
    with connection.execute_wrapper(writes):
        yield writes


def as_json(body: Any) -> bytes:
    """The body of a request; nothing for None."""
    return b"" if body is None else json.dumps(body).encode()
