"""A3: the life of plans under several people, some of whom try what they may not; a model says what must come of it.

Hypothesis plays moves of people in all roles against the real write steps: editing, freezing, every step of the review
in a team that demands one approval or two, comments, links, files, scenarios, and roles that change in between. After
each move the model and the database agree, a refused move has changed nothing, and a move that happened stands in the
audit trail under the right name.
``STATE_MACHINE=long`` plays twenty times as many games, longer ones, and other ones each time;
``quick`` does not look for the shortest game that breaks a promise.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts import access, teams
from accounts.models import AuditEvent, Membership, Role, Team, User
from exports import files
from exports.models import Export
from exports.work import request_export
from jobs.models import Job
from jobs.running import run_job
from planner import planned, plans, scenarios
from planner.models import Approval, PlanComment, PlanVersion, Scenario, ShareLink, Workload
from planner.request.parse import spec_from
from planner.review import approvals, comments, sharing
from planner.versions import State
from tests.api.support import TRAINING

LONG = os.environ.get("STATE_MACHINE") == "long"
PHASES = [phase for phase in Phase if phase.name != "shrink" or os.environ.get("STATE_MACHINE") != "quick"]
NAMES = ("vera", "petra", "pavel", "fay", "alva", "aron", "ada", "otto")
ROLES = {
    "vera": Role.VIEWER, "petra": Role.PLANNER, "pavel": Role.PLANNER, "fay": Role.FINANCE,
    "alva": Role.APPROVER, "aron": Role.APPROVER, "ada": Role.ADMIN, "otto": Role.ADMIN,
}  # fmt: skip
"""Otto is the admin of another team."""
Refusals = (PermissionDenied, plans.Conflict, ValueError, ValidationError, Http404)
Who = some.sampled_from(NAMES)
Pick = some.integers(min_value=0, max_value=30)


@dataclass
class Known:
    """What the model holds of one version."""

    pk: int
    sha256: str
    body: str
    maker: str
    state: str = State.DRAFT
    submitter: str = ""
    decider: str = ""
    needed: int = 1
    said_yes: list[str] = field(default_factory=list)
    taken_by: int = 0
    """The key of the version that took its place."""


class Life(RuleBasedStateMachine):
    """One plan, its versions and everybody around it."""

    def __init__(self) -> None:
        super().__init__()
        self.atom = transaction.atomic()
        self.atom.__enter__()
        planned._recent.forget()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atom.__exit__(None, None, None)

    @initialize(demanded=some.sampled_from([2, 1]))
    def begin(self, demanded: int) -> None:
        """A plan of which a first version waits."""
        self.team = Team.objects.create(slug="life", name="Life", approvals_needed=demanded)
        self.other = Team.objects.create(slug="else", name="Elsewhere")
        self.roles, self.demanded = dict(ROLES), demanded
        self.users = {name: User.objects.create_user(f"{name}@life.example", name=name) for name in NAMES}
        for name, user in self.users.items():
            team = self.other if name == "otto" else self.team
            Membership.objects.create(team=team, user=user, role=ROLES[name])
        self.versions: list[Known] = []
        self.links: list[tuple[str, str]] = []
        self.workload = plans.save_workload(self.member("petra"), name="Plan", draft={**TRAINING, "name": "Plan"})
        self.edits = 0
        self.ask_for_something_new("petra", "pavel")

    # --- what the model knows ----------------------------------------------------------------------------------

    def member(self, name: str) -> Membership:
        """The membership as a request would read it now; Http404 for somebody who has left."""
        found = Membership.objects.filter(user=self.users[name]).select_related("team", "user").first()
        if found is None:
            raise Http404
        return found

    def may(self, name: str, *roles: str) -> bool:
        """Whether that person has one of the roles in the team of the plan, now."""
        return name != "otto" and self.roles.get(name) in {Role.ADMIN, *roles}

    def row(self, name: str, known: Known) -> PlanVersion:
        """The version as that person reaches it; Http404 for a stranger."""
        public_id = PlanVersion.objects.values_list("public_id", flat=True).get(pk=known.pk)
        return access.one_of(self.member(name).team, PlanVersion, public_id)

    def pick(self, at: int) -> Known:
        """One of the versions."""
        return self.versions[at % len(self.versions)]

    def snapshot(self) -> list[Any]:
        """Everything that a refused move may not touch."""
        models = (Team, Workload, PlanVersion, Approval, PlanComment, ShareLink, Scenario, Export, Membership, Job)
        return [list(model._default_manager.order_by("pk").values()) for model in models]

    @contextmanager
    def move(self, name: str, allowed: bool, verb: str = "", *, writes: bool = True) -> Iterator[None]:
        """A move that must happen, with exactly one event of that verb, or must be refused without a trace."""
        before, events = self.snapshot(), AuditEvent.objects.count()
        refused = ""
        try:
            with transaction.atomic():
                yield
        except Refusals as refusal:
            refused = repr(refusal)
        if refused:
            assert not allowed, f"{name} was refused what is allowed: {refused}"
            assert self.snapshot() == before, f"a refused {verb} of {name} left something behind"
            assert AuditEvent.objects.count() == events
            return
        assert allowed, f"{name} did {verb}, which is not allowed"
        made = list(AuditEvent.objects.order_by("-pk")[: AuditEvent.objects.count() - events])
        mine = [event for event in made if event.verb == verb]
        assert len(mine) == (1 if writes else 0), f"{verb}: {[event.verb for event in made]}"
        assert all(event.actor == self.users[name] and event.team == self.team for event in made)

    # --- moves -------------------------------------------------------------------------------------------------

    @rule(who=Who)
    def edit(self, who: str) -> None:
        self.edits += 1
        draft = {**TRAINING, "name": "Plan", "horizon_months": 1 + self.edits % 60}
        with self.move(who, self.may(who, Role.PLANNER), "workload.changed"):
            workload = access.one_of(self.member(who).team, Workload, self.workload.public_id)
            plans.save_workload(self.member(who), name="Plan", draft=draft, workload=workload)

    @rule(who=Who)
    def freeze(self, who: str) -> None:
        draft = Workload.objects.get(pk=self.workload.pk).draft
        plan = planned.estimate(spec_from(draft), None)
        same = bool(self.versions) and self.versions[-1].sha256 == plan.sha256
        with self.move(who, self.may(who, Role.PLANNER), "plan.frozen", writes=not same):
            workload = access.one_of(self.member(who).team, Workload, self.workload.public_id)
            made = plans.freeze_version(self.member(who), workload, plan)
            if not same:
                self.versions.append(Known(made.pk, plan.sha256, made.body, who))

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick)
    def submit(self, who: str, at: int) -> None:
        known = self.pick(at)
        fits = known is self.versions[-1] and known.state in (State.DRAFT, State.RETURNED)
        with self.move(who, fits and self.may(who, Role.PLANNER), "plan.submitted"):
            plans.submit(self.member(who), self.row(who, known))
            self._give_way(State.SUBMITTED, known)
            known.state, known.submitter, known.decider = State.SUBMITTED, who, ""
            known.needed, known.said_yes = self.demanded, []

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick)
    def withdraw(self, who: str, at: int) -> None:
        known = self.pick(at)
        fits = known.state == State.SUBMITTED and who in (known.maker, known.submitter)
        with self.move(who, fits and self.may(who, Role.PLANNER), "plan.withdrawn"):
            plans.withdraw(self.member(who), self.row(who, known))
            known.state, known.submitter, known.said_yes = State.DRAFT, "", []

    @precondition(lambda self: any(known.state == State.SUBMITTED for known in self.versions))
    @rule(by_maker=some.booleans())
    def withdraw_what_waits(self, by_maker: bool) -> None:
        """So that games do so often."""
        at, known = next(pair for pair in enumerate(self.versions) if pair[1].state == State.SUBMITTED)
        self.withdraw(known.maker if by_maker else known.submitter, at)

    @rule(who=some.sampled_from(["ada", "ada", "ada", "alva", "petra"]), needed=some.sampled_from([1, 2, 2]))
    def demand(self, who: str, needed: int) -> None:
        """How many approvals the team wants; what waits already keeps what was demanded of it."""
        changes = needed != self.demanded
        with self.move(who, self.may(who), "team.approvals", writes=changes):
            member = self.member(who)
            access.require_role(member)
            teams.require_approvals(member.team, needed, actor=member.user)
            self.demanded = needed

    def _give_way(self, state: str, to: Known) -> None:
        for one in self.versions:
            if one.state == state and one is not to:
                one.state, one.taken_by = State.SUPERSEDED, to.pk
                one.said_yes = one.said_yes if state == State.APPROVED else []

    def _decides(self, who: str, known: Known) -> bool:
        own = who in (known.maker, known.submitter)
        return known.state == State.SUBMITTED and self.may(who, Role.APPROVER) and not own

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick)
    def approve(self, who: str, at: int) -> None:
        known = self.pick(at)
        behind = {*self._standing(known), who}
        enough = len(behind) >= known.needed
        first_time = who not in known.said_yes
        allowed = self._decides(who, known) and (first_time or enough)
        with self.move(who, allowed, "plan.approved" if enough else "plan.endorsed"):
            plans.approve(self.member(who), self.row(who, known), reason="good")
            known.said_yes += [who] if first_time else []
            if enough:
                self._give_way(State.APPROVED, known)
                known.state, known.decider = State.APPROVED, who

    def _standing(self, known: Known) -> list[str]:
        """Who said yes and may still do so."""
        return [name for name in known.said_yes if self.may(name, Role.APPROVER)]

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick, reason=some.sampled_from(["", "  ", "too dear"]))
    def send_back(self, who: str, at: int, reason: str) -> None:
        known = self.pick(at)
        with self.move(who, self._decides(who, known) and bool(reason.strip()), "plan.returned"):
            plans.return_for_changes(self.member(who), self.row(who, known), reason=reason)
            known.state, known.decider, known.said_yes = State.RETURNED, who, []

    @rule(maker=some.sampled_from(["petra", "pavel", "ada"]), asker=some.sampled_from(["petra", "pavel", "ada"]))
    def ask_for_something_new(self, maker: str, asker: str) -> None:
        """So that games reach requests often, and one while another waits."""
        self.edit(maker)
        self.freeze(maker)
        if self.versions:
            self.submit(asker, len(self.versions) - 1)

    @precondition(lambda self: any(known.state == State.SUBMITTED for known in self.versions))
    @rule(first=some.sampled_from(["alva", "aron", "ada", "petra"]), second=some.sampled_from(["aron", "ada", "otto"]))
    def two_decide_on_what_waits(self, first: str, second: str) -> None:
        at = next(at for at, known in enumerate(self.versions) if known.state == State.SUBMITTED)
        self.approve(first, at)
        self.approve(second, at)

    @precondition(lambda self: any(known.state == State.SUBMITTED for known in self.versions))
    @rule(who=some.sampled_from(["alva", "aron", "ada", "petra", "otto"]))
    def decide_on_what_waits(self, who: str) -> None:
        """So that games reach approvals often."""
        self.approve(who, next(at for at, known in enumerate(self.versions) if known.state == State.SUBMITTED))

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick)
    def comment(self, who: str, at: int) -> None:
        with self.move(who, self.may(who, *comments.MAY_COMMENT), "comment.added"):
            comments.add(self.member(who), self.row(who, self.pick(at)), text="why?")

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick)
    def share(self, who: str, at: int) -> None:
        known = self.pick(at)
        with self.move(who, self.may(who, Role.PLANNER, Role.FINANCE, Role.APPROVER), "plan.shared"):
            _, secret = sharing.create(self.member(who), self.row(who, known), days=7)
            self.links.append((secret, known.sha256))

    @precondition(lambda self: self.links)
    @rule(who=Who, at=Pick)
    def unshare(self, who: str, at: int) -> None:
        secret, _ = self.links[at % len(self.links)]
        digest = hashlib.sha256(secret.encode()).hexdigest()
        link = ShareLink.objects.get(digest=digest)
        with self.move(who, self.may(who, Role.PLANNER, Role.FINANCE, Role.APPROVER), "plan.unshared"):
            sharing.revoke(self.member(who), access.one_of(self.member(who).team, ShareLink, link.public_id))
            self.links.remove((secret, next(sha for known, sha in self.links if known == secret)))
            assert sharing.find_link(secret) is None

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick)
    def keep_a_scenario(self, who: str, at: int) -> None:
        known = self.pick(at)
        changes = {"horizon_months": 61 + Scenario.objects.count()}
        with self.move(who, self.may(who, *scenarios.MAY_CHANGE), "scenario.created"):
            version = self.row(who, known)
            plan = planned.estimate(scenarios.spec_with(version, changes), None)
            scenarios.save(self.member(who), version, name=f"s{Scenario.objects.count()}", changes=changes, plan=plan)

    @precondition(lambda self: self.versions)
    @rule(who=Who, at=Pick, format_=some.sampled_from(["pdf", "xlsx"]))
    def export(self, who: str, at: int, format_: str) -> None:
        """The file of a version holds its hash and its state of review, whoever asks and whatever the draft says now."""
        known = self.pick(at)
        is_new = not Export.objects.filter(version=known.pk, format=format_, review=known.state).exists()
        with self.move(who, self.may(who, *Role.values), "export.requested", writes=is_new):
            made = request_export(self.member(who), self.row(who, known), format_)
            run_job(made.job_id, worker="life")
            made.refresh_from_db()
            assert files.load(made.sha256).decode() == f"{known.sha256} {made.review} {format_}"
            assert made.review == known.state

    @rule(
        who=some.sampled_from(["vera", "petra", "pavel", "fay", "alva", "aron"]),
        other=some.one_of(some.none(), some.none(), some.sampled_from(Role.values)),
    )
    def change_role(self, who: str, other: str | None) -> None:
        """To another role, or back to the first one, so that games keep people who can go on."""
        role = other or ROLES[who]
        teams.set_role(self.team, self.users[who].email, role=role, actor=self.users["ada"])
        self.roles[who] = role

    @rule(who=some.sampled_from(["vera", "pavel", "fay", "aron"]))
    def leave(self, who: str) -> None:
        if who in self.roles:
            teams.remove_member(self.member(who), actor=self.users["ada"])
            del self.roles[who]

    @precondition(lambda self: self.versions)
    @rule(at=Pick)
    def nobody_writes_a_version_again(self, at: int) -> None:
        version = PlanVersion.objects.get(pk=self.pick(at).pk)
        for attempt in (version.save, version.delete):
            with pytest.raises(TypeError):
                attempt()

    # --- what always holds -------------------------------------------------------------------------------------

    @invariant()
    def the_database_agrees(self) -> None:
        if not hasattr(self, "versions"):
            return
        rows = {row.pk: row for row in PlanVersion.objects.select_related("submitted_by", "decided_by")}
        assert len(rows) == len(self.versions)
        for known in self.versions:
            row = rows[known.pk]
            assert (row.state, row.body, row.sha256) == (known.state, known.body, known.sha256)
            assert (row.submitted_by.name if row.submitted_by else "") == known.submitter
            assert (row.decided_by.name if row.decided_by else "") == known.decider
            assert (row.superseded_by_id or 0) == known.taken_by
            assert sorted(row.approvals.values_list("user__name", flat=True)) == sorted(known.said_yes)
            if known.state == State.SUBMITTED:
                assert row.approvals_needed == known.needed
                assert [given.user.name for given in approvals.of(row)] == self._standing(known)
        for row in rows.values():
            assert hashlib.sha256(row.body.encode()).hexdigest() == row.sha256, "the hash is that of the body"

    @invariant()
    def two_people_stand_behind_an_approval(self) -> None:
        for row in PlanVersion.objects.filter(state__in=(State.APPROVED, State.SUPERSEDED)):
            assert row.state == State.SUPERSEDED or row.decided_by_id is not None
            assert row.decided_by_id is None or row.decided_by_id not in (row.created_by_id, row.submitted_by_id)
            if row.decided_by_id is None:  # gave way while it waited
                assert not row.approvals.exists()
                continue
            assert row.decided_at is not None
            yes = list(row.approvals.all())
            assert len({given.user_id for given in yes}) >= row.approvals_needed
            assert not {given.user_id for given in yes} & {row.created_by_id, row.submitted_by_id}
            assert {given.sha256 for given in yes} == {row.sha256}, "all have approved the same"

    @invariant()
    def one_version_waits_and_one_is_approved_at_most(self) -> None:
        for state in (State.SUBMITTED, State.APPROVED):
            assert PlanVersion.objects.filter(state=state).count() <= 1

    @invariant()
    def nothing_older_is_approved_past_a_newer_request(self) -> None:
        waiting = PlanVersion.objects.filter(state=State.SUBMITTED).first()
        if waiting is not None:
            assert not PlanVersion.objects.filter(state=State.APPROVED, number__gt=waiting.number).exists()

    @invariant()
    def strangers_see_nothing(self) -> None:
        if hasattr(self, "other"):
            for model in (Workload, PlanVersion, PlanComment, ShareLink, Scenario, Export):
                assert not access.rows_of(self.other, model).exists()

    @invariant()
    def links_open_what_was_shared(self) -> None:
        for secret, sha256 in getattr(self, "links", []):
            opened = sharing.find_link(secret)
            assert opened is not None
            assert opened.version.sha256 == sha256


def _stub(plan: Any, format_: str, *, state: str = "draft", **_: object) -> bytes:
    """A file that says of which plan, in which state, it was made."""
    return f"{plan.sha256} {state} {format_}".encode()


@pytest.mark.django_db
def test_no_reachable_state_breaks_a_promise(quick_engine: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exports.render.render", _stub)
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=250 if LONG else 12,
            stateful_step_count=50 if LONG else 25,
            deadline=None,
            derandomize=not LONG,
            database=None,
            phases=PHASES,
            suppress_health_check=list(HealthCheck),
        ),
    )
