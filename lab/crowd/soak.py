"""An installation under steady load for an hour: what each of its processes holds, minute by minute, and how it answers meanwhile.

The crowd types at forms, asks the API for plans of every kind in the gallery, and has documents made and fetches them. Its pace is set
anew every few seconds so that the machine's cores are busy for the asked share of the time.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

from lab.crowd.person import Person
from lab.crowd.server import Server
from lab.crowd.typing import TYPED
from lab.gallery.requests import requests
from planner.frozen.snapshot import plain
from planner.market import market_from_files

WARM_SHARE: Final = 0.25
"""Of the whole time: so long a process may still grow, since it remembers searches up to a bound and compiles once."""
FLAT_WITHIN: Final = 0.05
"""Of what a process holds: more growth in an hour after that is said."""
_LOOK_S: Final = 5.0
_PATIENCE_S: Final = 120.0
_FORMATS: Final = ("docx", "xlsx", "pdf", "pptx")
_NAMES: Final = (("gunicorn", "web"), ("celery", "worker"), ("manage.py up", "sweeper"))

Look = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One answer: what was asked, its status (0: none came), the seconds it took, and what was wrong with it."""

    what: str
    status: int
    seconds: float
    fault: str = ""

    @property
    def is_broken(self) -> bool:
        """Did the server fail, rather than find fault with what was asked?"""
        return self.status == 0 or self.status >= 500


@dataclass(frozen=True, kw_only=True)
class Moment:
    """The installation at one moment."""

    minute: float
    busy: float
    """Share of all cores since the moment before."""
    held_mib: Mapping[str, float]
    """By role of the process: proportional memory of all its processes."""
    processes: Mapping[str, int]


@dataclass(kw_only=True)
class Soak:
    """What was seen in all."""

    moments: list[Moment] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)


@dataclass
class Pace:
    """The pause that everybody makes after an answer, steered by how busy the machine is."""

    asked: float
    pause_s: float = 1.0

    def heed(self, busy: float) -> None:
        """A longer pause where the machine is busier than asked, a shorter one where it is less."""
        self.pause_s = min(30.0, max(0.02, self.pause_s * (1.0 + max(-0.4, min(0.4, 2.0 * (busy - self.asked))))))


@dataclass
class Caller:
    """Somebody with a token, who asks for a plan now and then, for its documents, and for lists."""

    number: int
    port: int
    token: str
    seen: list[Seen]
    chance: Random = field(init=False)
    plans: list[str] = field(default_factory=list)
    exports: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = Random(f"caller {self.number}")  # noqa: S311 - what is asked for, not a secret

    def act(self, bodies: Sequence[Mapping[str, Any]]) -> None:
        """The next thing that this one wants."""
        step = self.chance.random()
        if step < 0.25 or not self.plans:
            self._plan(self.chance.choice(bodies))
        elif step < 0.45:
            self._ask("POST", "estimates", self.chance.choice(bodies), "estimate")
        elif step < 0.65:
            self._documents(self.chance.choice(self.plans[-20:]))
        elif step < 0.85 and self.exports:
            self._ask("GET", f"exports/{self.chance.choice(self.exports[-40:])}/file", None, "document")
        else:
            self._ask("GET", self.chance.choice(("plans", "exports", "prices?limit=50", "accelerators")), None, "list")

    def _plan(self, body: Mapping[str, Any]) -> None:
        status, answer = self._ask("POST", "plans", body, "plan")
        if status in (200, 201):
            self.plans.append(str(json.loads(answer)["id"]))

    def _documents(self, plan: str) -> None:
        status, answer = self._ask(
            "POST", f"plans/{plan}/exports", {"formats": [self.chance.choice(_FORMATS)]}, "export"
        )
        if status in (200, 201, 202):
            self.exports += [str(row["id"]) for row in json.loads(answer)["data"]]

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None, what: str) -> tuple[int, bytes]:
        line, began = HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE_S), time.perf_counter()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            line.request(method, f"/api/v1/{path}", None if body is None else json.dumps(body), headers)
            answer = line.getresponse()
            status, data = answer.status, answer.read()
        except (OSError, HTTPException):
            status, data = 0, b""
        finally:
            line.close()
        self.seen.append(Seen(what=what, status=status, seconds=time.perf_counter() - began))
        return status, data


def soaked(server: Server, *, minutes: float, load: float, typists: int, callers: int, progress: Look) -> Soak:
    """Lets the crowd work so long at that share of the cores, and looks at the processes every few seconds."""
    soak, pace, over = Soak(), Pace(asked=load), threading.Event()
    kinds = tuple(TYPED)
    people = [Person(number=number, kind=kinds[number % len(kinds)], port=server.port) for number in range(typists)]
    for person in people:
        person.arrive()
    bodies = [plain(one.spec) for one in requests(market_from_files())]
    token = demo_token(server)
    asking = [Caller(number=number, port=server.port, token=token, seen=soak.seen) for number in range(callers)]

    def type_on(person: Person) -> None:
        while not over.wait(pace.pause_s * person.chance.uniform(0.5, 1.5)):
            person.change(give_up=time.monotonic() + _PATIENCE_S)

    def ask_on(caller: Caller) -> None:
        while not over.wait(pace.pause_s * caller.chance.uniform(0.5, 1.5)):
            caller.act(bodies)

    threads = [threading.Thread(target=type_on, args=(person,)) for person in people]
    threads += [threading.Thread(target=ask_on, args=(caller,)) for caller in asking]
    for thread in threads:
        thread.start()
    try:
        soak.moments += _watched(server, pace, threads, minutes=minutes, progress=progress)
    except KeyboardInterrupt:  # what was seen until then is told
        progress(1, 1)
    finally:
        over.set()
        for thread in threads:
            thread.join()
        for person in people:
            person.leave()
            soak.seen += [
                Seen(what=f"typing: {one.what}", status=one.status, seconds=one.seconds, fault=one.fault)
                for one in person.seen
            ]
    return soak


def demo_token(server: Server) -> str:
    """The token that the installation greets with. RuntimeError where it has none."""
    for _ in range(50):
        if found := re.findall(r"API token: (\S+)", server.said.read_text(errors="replace")):
            return str(found[0])
        time.sleep(0.1)
    raise RuntimeError("The installation printed no token of its demo team.")


def _watched(
    server: Server, pace: Pace, crowd: Sequence[threading.Thread], *, minutes: float, progress: Look
) -> Iterator[Moment]:
    """RuntimeError when somebody of the crowd has gone: the load would be another one."""
    began, before = time.monotonic(), _busy_and_all()
    while (passed := time.monotonic() - began) < minutes * 60:
        time.sleep(_LOOK_S)
        now = _busy_and_all()
        busy = (now[0] - before[0]) / max(now[1] - before[1], 1)
        before = now
        pace.heed(busy)
        if not all(one.is_alive() for one in crowd):
            raise RuntimeError("Somebody of the crowd has stopped: see above.")
        held, count = held_by_role(server)
        yield Moment(minute=(time.monotonic() - began) / 60, busy=busy, held_mib=held, processes=count)
        progress(round(passed), round(minutes * 60))
    progress(1, 1)


def held_by_role(server: Server) -> tuple[dict[str, float], dict[str, int]]:
    """Proportional memory [MiB] and number of the processes of each role; one that ends meanwhile is left out."""
    held: defaultdict[str, float] = defaultdict(float)
    count: Counter[str] = Counter()
    for pid, mib in server.memory_of_each():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        role = next((name for part, name in _NAMES if part in words), "other")
        held[role] += mib
        count[role] += 1
    return dict(held), dict(count)


def _busy_and_all() -> tuple[int, int]:
    """Ticks that the cores have worked, and all: what runs at low priority counts as idle."""
    user, nice, system, idle, waiting, *others = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:])
    worked = user + system + sum(others[:3])
    return worked, worked + nice + idle + waiting


def told(soak: Soak) -> Iterator[str]:
    """Memory of each role, then what was asked and how long that took, in the first and the last third."""
    whole = soak.moments[-1].minute
    busy = sum(one.busy for one in soak.moments) / len(soak.moments)
    yield f"{whole:.0f} minutes, the cores busy for {busy:.0%} of the time"
    for role in sorted({role for one in soak.moments for role in one.held_mib}):
        yield _held(role, soak.moments, whole)
    statuses = Counter(one.status for one in soak.seen)
    yield "answers: " + ", ".join(f"{status or 'none'} {count}" for status, count in sorted(statuses.items()))
    if faults := Counter(one.fault for one in soak.seen if one.fault):
        yield "what was wrong: " + ", ".join(f"{fault} {count}" for fault, count in faults.most_common())
    for what in sorted({one.what for one in soak.seen}):
        took = [one.seconds for one in soak.seen if one.what == what]
        third = max(1, len(took) // 3)
        early, late = median(took[:third]), median(took[-third:])
        yield f"  {what:16} {len(took):6} times, median {early:.2f} s in the first third, {late:.2f} s in the last"


def _held(role: str, moments: Sequence[Moment], whole: float) -> str:
    rows = [(one.minute, one.held_mib[role]) for one in moments if role in one.held_mib]
    warm = [row for row in rows if row[0] >= WARM_SHARE * whole]
    if not warm:
        return f"{role}: gone before the warm-up had ended, {max(mib for _, mib in rows):.0f} MiB at most"
    slope, middle = growth_per_hour(warm), median(mib for _, mib in warm)
    flat = "flat" if slope <= FLAT_WITHIN * middle else "GROWS"
    return (
        f"{role}: {rows[0][1]:.0f} MiB at first, {median(mib for _, mib in warm[: len(warm) // 3 or 1]):.0f} after the warm-up, "
        f"{median(mib for _, mib in warm[-(len(warm) // 3 or 1) :]):.0f} at the end, {max(mib for _, mib in rows):.0f} at most; "
        f"{slope:+.1f} MiB an hour: {flat}"
    )


def growth_per_hour(rows: Sequence[tuple[float, float]]) -> float:
    """The median slope between two moments (Theil and Sen) [MiB/h] of minutes and MiB: one peak moves it little."""
    thin = rows[:: max(1, len(rows) // 200)]
    slopes = [
        (late[1] - early[1]) / (late[0] - early[0])
        for number, early in enumerate(thin)
        for late in thin[number + 1 :]
        if late[0] > early[0]
    ]
    return 60.0 * median(slopes) if slopes else 0.0
