"""What must be true when all faults are over, and how long recovery took."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.faults import observed
from tests.faults.injections import Scene
from tests.faults.load import SAID_WITHIN_S, Suspect
from tests.faults.site import LEASE_S

RECOVERED_WITHIN_S = LEASE_S + 15
_CALM_S = 1_200.0
_STALLED_S = 60.0
"""So long jobs may wait without one of them ending: more is a queue that nobody works off."""
_PATIENT = 3
"""So many times as patient is the oracle where times are not judged."""
_LOOK_S = 30.0
_AWAY = {"stop_postgres"}
_GOES_WITHIN_S = 1.0
"""So long PostgreSQL takes to end once it is told to."""
_EXPECTED = {"worker_lost", "too_long", "no_space"}


@dataclass(frozen=True, kw_only=True)
class Spell:
    """When an injection ran."""

    name: str
    touches: frozenset[str]
    begun: datetime
    ended: datetime


@dataclass(kw_only=True)
class Verdict:
    """What the oracle found."""

    wrong: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)


def judge(scene: Scene, spells: Sequence[Spell], *, renders: int, timed: bool = True) -> Verdict:
    """Waits for calm, then asks everything. `renders`: how many documents are made anew to compare; `timed`: is slowness wrong?"""
    verdict = Verdict(wrong=list(scene.ledger.wrong))
    verdict.wrong += _stuck(verdict.figures, patience=1 if timed else _PATIENT)
    verdict.wrong += [*_ends(scene, verdict.figures), *_promises(scene), *_files(scene, verdict.figures, renders)]
    verdict.wrong += [*_hooks(scene, verdict.figures), *_trail(scene), *_restored(scene, verdict.figures)]
    slow = [
        *_recovery(scene, spells, verdict.figures),
        *said_late(scene.ledger.suspects, spells),
        *unanswered(scene.ledger.suspects, spells),
    ]
    verdict.figures["slow"] = slow
    verdict.wrong += slow if timed else ()
    if not scene.site.is_ready():
        verdict.wrong.append("The web does not say that all is well.")
    return verdict


def _stuck(figures: dict[str, Any], *, patience: int) -> Iterator[str]:
    """What is left when for a minute nothing has ended, or after twenty (times `patience`); how the queue was worked off."""
    began = moved = time.monotonic()
    looks: list[dict[str, int]] = []
    left = observed.open_jobs()
    while left and time.monotonic() - began < patience * _CALM_S and time.monotonic() - moved < patience * _STALLED_S:
        if time.monotonic() - began >= len(looks) * _LOOK_S:
            looks.append(observed.open_kinds())
        time.sleep(1)
        if (now := observed.open_jobs()) < left:
            moved = time.monotonic()
        left = now
    figures |= {"calm_after_s": round(time.monotonic() - began, 1), "open_each_half_minute": looks}
    if left:
        yield from (f"stuck: {row}" for row in observed.stuck())


def _ends(scene: Scene, figures: dict[str, Any]) -> Iterator[str]:
    """Each job has ended, a failed one with a sentence; what had to fail has failed."""
    from jobs.models import Job, State

    jobs = observed.rows(Job)
    failed = [job for job in jobs if job.state == State.FAILED]
    codes = Counter(job.error["code"] for job in failed if job.pk not in scene.poisoned)
    figures |= {"jobs": len(jobs), "failed_by_chance": dict(codes), "attempts": dict(Counter(j.attempts for j in jobs))}
    for job in failed:
        if job.error["code"] not in _EXPECTED or not job.error["message"]:
            yield f"{job.kind} {job.public_id} failed without a reason that is known here: {job.error}"
    for job in jobs:
        if job.pk in scene.poisoned and job.state != State.FAILED:
            yield f"{job.kind} {job.public_id} had to fail and is {job.state}"


def _promises(scene: Scene) -> Iterator[str]:
    """What a client was told is there."""
    from exports.models import Export
    from planner.models import Workload

    plans = {row.public_id for row in observed.rows(Workload)}
    exports = {row.public_id: row for row in observed.rows(Export)}
    yield from (f"the plan {plan} was promised and is not there" for plan in set(scene.ledger.plans.values()) - plans)
    yield from (f"the export {name} was promised and is not there" for name in set(scene.ledger.exports) - set(exports))
    for name, digest in scene.ledger.hashes.items():
        if name in exports and exports[name].sha256 != digest:
            yield f"the file of {name} was {digest[:12]} when it was fetched and is {exports[name].sha256[:12]}"


def _files(scene: Scene, figures: dict[str, Any], renders: int) -> Iterator[str]:
    """Each finished document is there once, and the same bytes come of its plan alone."""
    from exports import files
    from exports.models import Export
    from jobs.models import State

    made = list(
        Export.objects.filter(job__state=State.SUCCEEDED).select_related("job", "version__workload__team").order_by("?")
    )
    for export in (export for export in made if not files.is_whole(export.sha256)):
        if not _healed(scene, export.public_id, export.version.workload.team.slug):
            yield f"the file of {export.public_id} is lost and is not made again"
    every = [*scene.site.shelf.names()]
    halves = {name for name in every if name.startswith(".part-")}
    known = {export.sha256 for export in observed.rows(Export)}
    figures |= {
        "documents": len(made),
        "halves_tidied": files.tidy(older_than_s=0),
        "compared": min(renders, len(made)),
    }
    yield from (f"{name} lies there and belongs to nothing" for name in every if name not in known | halves)
    for export in made[:renders]:
        if (digest := observed.clean_hash(export.pk)) != export.sha256:
            yield f"{export.public_id} ({export.format}) is {export.sha256[:12]}; its plan alone gives {digest[:12]}"


def _healed(scene: Scene, export: str, team: str) -> bool:
    """Does it come back when somebody asks for it?"""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        if scene.client_of(team).download(export):
            return True
        time.sleep(1)
    return False


def _hooks(scene: Scene, figures: dict[str, Any]) -> Iterator[str]:
    """No redirect was followed, and no delivery given up."""
    from webhooks.models import Delivery

    states = Counter(row.state for row in observed.rows(Delivery))
    figures |= {"deliveries": dict(states), "taken": scene.receiver.taken}
    if scene.receiver.followed:
        yield f"{scene.receiver.followed} webhooks followed a redirect"
    if states.get("failed"):
        yield f"{states['failed']} webhooks were given up"


def _trail(scene: Scene) -> Iterator[str]:
    """The audit trail of each team is whole."""
    time.sleep(6)  # sealed within five seconds
    for team in ("north", "south"):
        try:
            scene.site.manage("audit_trail", "--team", team)
        except subprocess.CalledProcessError as error:
            yield f"the audit trail of {team} is broken: {error.stderr[-300:]}"


def _restored(scene: Scene, figures: dict[str, Any]) -> Iterator[str]:
    """A backup, restored into another database, holds the same rows."""
    archive = scene.site.folder / "last.zip"
    scene.site.manage("backup", str(archive))
    other = observed.new_database("restored")
    began = time.monotonic()
    scene.site.manage("restore", str(archive), DATABASE_URL=other)
    figures["restored_in_s"] = round(time.monotonic() - began, 1)
    for what, here, there in observed.compared(scene.site, other):
        if here != there:
            yield f"{what}: {here} here and {there} where the backup was restored"


def _recovery(scene: Scene, spells: Sequence[Spell], figures: dict[str, Any]) -> list[str]:
    """How long lost jobs took to their end, of those that were lost once; alone: while servers were well."""
    from jobs.models import Job

    ended = {job.pk: job for job in observed.rows(Job)}
    every: list[float] = []
    alone: list[float] = []
    crowded: list[float] = []
    for kill in scene.kills:
        job = ended.get(kill.job)
        if (
            job is None
            or job.finished_at is None
            or not kill.fence < job.fence <= kill.fence + 2
            or job.pk in scene.poisoned
        ):
            continue
        took = (job.finished_at - kill.at).total_seconds()
        every.append(took)
        if not any(_hurts(spell, kill.at, job.finished_at) for spell in spells):
            alone.append(took)
            crowded += [took] if kill.waiting >= 500 else []
    figures["recovery_s"] = {
        name: _spread(values) for name, values in (("all", every), ("alone", alone), ("crowded", crowded))
    }
    figures["refusals_s"] = _spread([seconds for seconds, _ in scene.ledger.refusals])
    figures["slowest_refusals"] = sorted(scene.ledger.refusals, reverse=True)[:10]
    return [
        f"recovery took {p95} s (p95) {where}; promised are {RECOVERED_WITHIN_S} s"
        for took, where in ((alone, "with servers that were well"), (crowded, "while 500 jobs and more waited"))
        if len(took) >= 5 and (p95 := _spread(took)["p95"]) > RECOVERED_WITHIN_S
    ]


def unanswered(suspects: Sequence[Suspect], spells: Sequence[Spell]) -> Iterator[str]:
    """Requests that got no answer at all though the web process lived."""
    for one in suspects:
        if one.status == 0 and not any("web" in spell.touches and _meet(spell, one) for spell in spells):
            yield f"{one.what} got no answer for {one.seconds:.1f} s at {one.asked:%H:%M:%S} though the web was up"


def said_late(suspects: Sequence[Suspect], spells: Sequence[Spell]) -> Iterator[str]:
    """Refusals that took too long though the database was away before they were asked for: nothing else was to be done.

    One that goes away in the middle of a request is another thing: what the request had done before counts in its time.
    """
    for one in suspects:
        if one.status == 503 and any(spell.name in _AWAY and _within(one, spell) for spell in spells):
            yield f"{one.what} was refused after {one.seconds:.1f} s at {one.asked:%H:%M:%S}; {SAID_WITHIN_S:g} s are promised"


def _meet(spell: Spell, one: Suspect) -> bool:
    """Was the request under way while that lasted?"""
    return spell.begun <= one.asked + timedelta(seconds=one.seconds) and one.asked <= spell.ended


def _within(one: Suspect, spell: Spell) -> bool:
    """Was it asked after the database was gone, and refused before that came back?"""
    gone = spell.begun + timedelta(seconds=_GOES_WITHIN_S)
    return gone <= one.asked and one.asked + timedelta(seconds=one.seconds) <= spell.ended


def _hurts(spell: Spell, since: datetime, until: datetime) -> bool:
    """Did that injection keep recovery itself from working? A second kill or a slow client does not."""
    servers = {"postgres", "redis", "cable", "sweeper", "files", "workers"}
    return (
        bool(spell.touches & servers)
        and not spell.name.startswith("kill_")
        and spell.begun <= until
        and spell.ended >= since
    )


def _spread(values: Sequence[float]) -> dict[str, float]:
    found = sorted(values)
    if not found:
        return {"count": 0}
    return {
        "count": len(found),
        "median": round(found[len(found) // 2], 1),
        "p95": round(found[min(len(found) - 1, int(len(found) * 0.95))], 1),
        "most": round(found[-1], 1),
    }


def now() -> datetime:
    """This machine's time, which is the database's too."""
    return datetime.now(UTC)
