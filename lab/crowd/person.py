"""One simulated person: logs in, opens a form, and changes a field every few seconds through the page's own requests."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException, HTTPResponse
from random import Random
from urllib.parse import urlencode

from lab.crowd.page import Form
from lab.crowd.typing import EXAMPLES, next_change

TIMEOUT_S = 60.0
KEEP_EVERY_S = 6.0
"""The page saves what is typed at most so often (`static/keep.js`)."""
_FOLLOWS = re.compile(r'hx-post="([^"]+)"')


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One answer that a person waited for."""

    what: str
    """`page`, `first` (the first number after a change), `settled` (the last one of that change) or `kept`."""
    seconds: float
    """From the change until that answer was read in full."""
    fault: str = ""
    status: int = 200
    """That of the answer; 0 when none came."""
    feasible: bool = True
    at_once: bool = False
    """A first number that was already the last one: its search was remembered, or needed nothing more."""


@dataclass
class Person:
    """A browser tab with one form in it."""

    number: int
    kind: str
    port: int
    chance: Random = field(init=False)
    cookies: dict[str, str] = field(default_factory=dict)
    fields: list[tuple[str, str]] = field(default_factory=list)
    estimates_at: str = ""
    keeps_at: str = ""
    kept_at: float = 0.0
    token: str = ""
    seen: list[Seen] = field(default_factory=list)
    _line: HTTPConnection | None = None

    def __post_init__(self) -> None:
        self.chance = Random(f"{self.kind} {self.number}")  # noqa: S311 - what people type, not a secret

    def arrive(self) -> None:
        """Enters the demo team and opens an example; then makes the draft one's own by changing every field once."""
        login = self._get("/accounts/login")
        self.token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', login)[0]
        self._send("POST", "/accounts/demo", [("csrfmiddlewaretoken", self.token)])
        started = time.perf_counter()
        page = self._get(f"/new/{self.kind}?example={EXAMPLES[self.kind][self.number % 2]}")
        self.seen.append(Seen(what="page", seconds=time.perf_counter() - started))
        form = Form(page)
        self.fields, self.estimates_at, self.token = form.fields, form.estimates_at, form.token
        tab = f"{self.number:020x}"
        self.keeps_at, self.fields = form.keeps_at, [(k, tab if k == "tab" else v) for k, v in form.fields]
        for _ in range(12):
            self._type()

    def work(self, *, until: float, every_s: float, start: threading.Event) -> None:
        """Changes one field every so many seconds until that moment (monotonic), out of step with the others."""
        start.wait()
        due = time.monotonic() + every_s * self.chance.random()
        while due < until:
            time.sleep(max(due - time.monotonic(), 0.0))
            self.change(give_up=due + every_s)
            # Who is still waiting when the next change is due types all the same, as soon as the hands are free.
            due += every_s

    def change(self, *, give_up: float) -> None:
        """Changes one field and waits for what the page shows then; asks for no second answer after that moment (monotonic)."""
        self._type()
        self.seen.extend(self._estimate(give_up=give_up))
        self._keep()

    def leave(self) -> None:
        """Closes the tab."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _keep(self) -> None:
        """Autosave, as often as the page does it."""
        if self.keeps_at and time.monotonic() - self.kept_at > KEEP_EVERY_S:
            self.kept_at, started = time.monotonic(), time.perf_counter()
            try:
                status, _ = self._send("POST", self.keeps_at, self.fields)
                wrong = "" if status < 300 else f"autosave {status}"
            except (OSError, HTTPException) as error:
                self.leave()
                status, wrong = 0, type(error).__name__
            self.seen.append(Seen(what="kept", seconds=time.perf_counter() - started, fault=wrong, status=status))

    def _type(self) -> None:
        name, text = next_change(self.kind, self.chance, dict(self.fields))
        self.fields = [(key, text if key == name else value) for key, value in self.fields]

    def _estimate(self, *, give_up: float) -> Iterator[Seen]:
        """Asks as the page does; where the panel asks for a second, better answer, asks for that one too."""
        started, address, what = time.perf_counter(), self.estimates_at, "first"
        while address:
            try:
                status, body = self._send("POST", address, self.fields)
            except (OSError, HTTPException) as error:
                self.leave()
                yield Seen(what=what, seconds=time.perf_counter() - started, fault=type(error).__name__, status=0)
                return
            seconds = time.perf_counter() - started
            wrong = "" if status == 200 and "live__headline" in body else f"status {status}"
            wrong = wrong or ("refused" if "data-faults" in body else "")
            follows = _FOLLOWS.search(body)
            at_once = what == "first" and not follows
            seen = Seen(
                what=what,
                seconds=seconds,
                fault=wrong,
                status=status,
                feasible="chip--bad" not in body,
                at_once=at_once,
            )
            yield seen
            address = follows[1] if follows and time.monotonic() < give_up else ""
            if not address and what == "first" and not follows:
                yield replace(seen, what="settled", at_once=False)
            what = "settled"

    def _get(self, path: str) -> str:
        return self._send("GET", path, [])[1]

    def _send(self, method: str, path: str, fields: list[tuple[str, str]]) -> tuple[int, str]:
        """Status and body; a connection that the server has closed meanwhile is opened again, as browsers do."""
        for fresh in (False, True):
            try:
                answer = self._asked(method, path, fields)
                body = answer.read().decode()
            except (ConnectionError, HTTPException):
                self.leave()
                if fresh:
                    raise
                continue
            for line in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = line.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, body
        raise ConnectionError(path)

    def _asked(self, method: str, path: str, fields: list[tuple[str, str]]) -> HTTPResponse:
        self._line = self._line or HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), "Accept": "*/*"}
        body = urlencode(fields) if method == "POST" else None
        if body is not None:
            address = f"http://127.0.0.1:{self.port}"
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "Origin": address,
                "Referer": address + path,
                "HX-Request": "true",
                "HX-Target": "live",
                "X-CSRFToken": self.token,
            }
        self._line.request(method, path, body, headers)
        return self._line.getresponse()
