"""People at work: they ask for plans and documents, insist until they have an answer, and note what they were promised."""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.faults.site import Site

_SPECS: tuple[dict[str, Any], ...] = (
    {
        "workload": "training",
        "model": "llama-3.1-8b",
        "training": {"tokens": 3e10},
        "constraints": {"deadline_days": 14},
    },
    {"workload": "training", "model": "bert-large-335m", "training": {"tokens": 3e10, "sequence_length": 512}},
    {"workload": "training", "model": "llama-3.1-70b", "training": {"tokens": 1e9}, "constraints": {"budget_usd": 10}},
)
"""The last is refused by its budget: a refusal has documents too."""
FORMATS = ("docx", "xlsx", "pdf", "pptx")
SAID_WITHIN_S = 2.0
"""A refusal comes as soon as this."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back; status 0 when nothing did."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    data: bytes = b""
    seconds: float = 0.0

    def body(self) -> dict[str, Any]:
        """The JSON in it."""
        read: dict[str, Any] = json.loads(self.data)
        return read


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A request that got no answer, or was refused late: what else was broken then decides whether that was wrong."""

    what: str
    status: int
    asked: datetime
    seconds: float


@dataclass(kw_only=True)
class Ledger:
    """What the clients were told: nothing of it may turn out untrue."""

    statuses: Counter[int] = field(default_factory=Counter)
    plans: dict[str, str] = field(default_factory=dict)
    """Idempotency-Key → plan that was promised for it."""
    exports: dict[str, str] = field(default_factory=dict)
    """Export that was accepted → its plan."""
    hashes: dict[str, str] = field(default_factory=dict)
    """Export → hash of the first file that somebody got."""
    refusals: list[tuple[float, str]] = field(default_factory=list)
    """Seconds that a 503 took, and of which request it was."""
    suspects: list[Suspect] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def blame(self, what: str) -> None:
        """Notes something that must not be."""
        with self.lock:
            self.wrong.append(f"{time.strftime('%H:%M:%S')} {what}")


@dataclass(kw_only=True)
class Client:
    """One person with a token."""

    site: Site
    team: str
    token: str
    ledger: Ledger
    ended: threading.Event
    plans: list[str] = field(default_factory=list)
    """Those that this person was promised."""

    def call(self, method: str, path: str, body: Any = None, *, key: str = "", timeout: float = 40) -> Answer:
        """One request, and what must hold for any answer: no 500, and 503 soon and with Retry-After."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.site.address}/api/v1{path}", data, headers, method=method)  # noqa: S310 - our own server
        asked, began = datetime.now(UTC), time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310
                answer = Answer(status=response.status, headers=dict(response.headers), data=response.read())
        except urllib.error.HTTPError as error:
            with error:
                answer = Answer(status=error.code, headers=dict(error.headers), data=error.read())
        except (OSError, ValueError) as error:  # nobody listens, or the server was killed while it answered
            answer = Answer(status=0, data=type(error).__name__.encode())
        self._check(f"{method} {path}", answer, asked, time.monotonic() - began)
        return answer

    def _check(self, what: str, answer: Answer, asked: datetime, seconds: float) -> None:
        with self.ledger.lock:
            self.ledger.statuses[answer.status] += 1
            if answer.status == 503:
                self.ledger.refusals.append((seconds, what))
            if answer.status == 0 or (answer.status == 503 and seconds > SAID_WITHIN_S):
                self.ledger.suspects.append(Suspect(what=what, status=answer.status, asked=asked, seconds=seconds))
        if answer.status >= 500 and answer.status != 503:
            self.ledger.blame(f"{what} answered {answer.status}: {answer.data[:300]!r}")
        if answer.status == 503 and "Retry-After" not in answer.headers:
            self.ledger.blame(f"{what} answered 503 without Retry-After")
        if answer.status in (400, 401, 403, 404, 410, 422):
            self.ledger.blame(f"{what} answered {answer.status}: {answer.data[:300]!r}")

    def insist(self, method: str, path: str, body: Any = None, *, key: str = "") -> Answer | None:
        """The answer after as many tries as it takes; None when the day ends before."""
        while not self.ended.is_set():
            answer = self.call(method, path, body, key=key)
            if 200 <= answer.status < 300:
                return answer
            self.ended.wait(min(5.0, float(answer.headers.get("Retry-After", "1"))))
        return None

    def plan(self, rng: random.Random) -> None:
        """A new plan, noted once it is promised."""
        key = f"plan-{rng.getrandbits(64):x}"
        spec = {**rng.choice(_SPECS), "name": f"Plan {key[-8:]}"}
        answer = self.insist("POST", "/plans", spec, key=key)
        if answer is None:
            return
        ident = str(answer.body()["id"])
        with self.ledger.lock:
            if self.ledger.plans.setdefault(key, ident) != ident:
                self.ledger.wrong.append(f"One Idempotency-Key gave two plans: {key}")
        self.plans.append(ident)

    def documents(self, plan: str, rng: random.Random) -> list[str]:
        """Some documents of that plan: those that were accepted."""
        formats = rng.sample(FORMATS, rng.randint(1, 4))
        body = {"formats": formats, "paper": rng.choice(("A4", "Letter"))}
        key = f"docs-{rng.getrandbits(64):x}" if rng.random() < 0.5 else ""
        answer = self.insist("POST", f"/plans/{plan}/exports", body, key=key)
        found = [] if answer is None else [str(row["id"]) for row in answer.body()["data"]]
        with self.ledger.lock:
            self.ledger.exports |= dict.fromkeys(found, plan)
        return found

    def download(self, export: str) -> bool:
        """Fetches the file when it is there; it must be what it was before, and what its ETag says."""
        answer = self.call("GET", f"/exports/{export}/file")
        if answer.status != 200:
            return False
        digest = hashlib.sha256(answer.data).hexdigest()
        with self.ledger.lock:
            before = self.ledger.hashes.setdefault(export, digest)
        if before != digest or answer.headers.get("ETag", "").strip('"') != digest:
            self.ledger.blame(
                f"{export} has the hash {digest[:12]}, was {before[:12]}, ETag {answer.headers.get('ETag')}"
            )
        return True


def work(client: Client, *, seed: int, most_open: Callable[[], bool]) -> None:
    """One person's day: mostly documents, sometimes a plan, a look at the list, a download. `most_open`: enough waits."""
    rng = random.Random(seed)
    exports: list[str] = []
    while not client.ended.is_set():
        step = rng.random()
        if not client.plans or step < 0.12:
            client.plan(rng)
        elif step < 0.55 and not most_open():
            exports += client.documents(rng.choice(client.plans), rng)
        elif step < 0.9 and exports:
            client.download(rng.choice(exports))
        else:
            client.call("GET", rng.choice(("/plans", "/exports", "/accelerators?limit=20")))
        client.ended.wait(rng.uniform(0.05, 0.8))
