"""``python -m tests.faults``: see ``--help``. Needs root (disks of its own), PostgreSQL, Redis and faketime."""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from pathlib import Path

import tests.faults.hard_work  # noqa: F401 - adds to the faults
from tests.faults.injections import ALL, Injection, Scene
from tests.faults.load import Client, Ledger, work
from tests.faults.oracle import Spell, Verdict, judge, now
from tests.faults.receiver import Receiver
from tests.faults.site import Site, running_site

INSIDE = "FAULTS_INSIDE"
_OWN, _SHARED = "own", "shared"
_SPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child=SIGTERM", "--mount-proc"]
"""Disks and processes of its own: whatever becomes of this command, nothing of it goes on."""


def main() -> int:
    """The exit status: 0 when nothing was wrong."""
    given = _arguments()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # jobs abort here on purpose
    if missing := [name for name in ("unshare", "redis-server", "faketime") if not shutil.which(name)]:
        print(f"{missing[0]} is missing: apt install util-linux redis-server faketime postgresql")  # noqa: T201
        return 2
    if os.environ.get(INSIDE) is None:
        if os.geteuid() != 0:
            print("The faults need disks of their own: run this as root.")  # noqa: T201
            return 2
        spaces = _SPACES if _may_mount() else []
        if not spaces:
            print("Disks may not be mounted here: what fills one is left out.")  # noqa: T201
        command = [*spaces, sys.executable, "-m", "tests.faults", *sys.argv[1:]]
        inside = subprocess.Popen(command, env=os.environ | {INSIDE: _OWN if spaces else _SHARED})
        # unshare itself heeds no SIGTERM; when it is killed, what runs inside is asked to end, and tidies up.
        signal.signal(signal.SIGTERM, lambda *_: inside.kill() if spaces else inside.terminate())
        return inside.wait()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix="faults"))
    folder.chmod(0o755)  # PostgreSQL runs as somebody else
    try:
        return _run(given, folder)
    finally:
        if given.keep:
            print(f"Logs: {folder}")  # noqa: T201
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _may_mount() -> bool:
    """Not every container lets its root do so."""
    tried = [*_SPACES, "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


def _own_disks() -> bool:
    return os.environ[INSIDE] == _OWN


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long faults are injected (default: 30)")
    parser.add_argument("--seed", type=int, default=None, help="of the choice of faults (default: by the clock)")
    parser.add_argument("--only", default="", help=f"names by commas, of: {', '.join(ALL)}")
    parser.add_argument("--people", type=int, default=4, help="clients at work (default: 4)")
    parser.add_argument("--renders", type=int, default=1000, help="documents to make anew and compare")
    parser.add_argument("--outage", type=float, default=25, help="longest outage of a server in seconds (default: 25)")
    parser.add_argument(
        "--beside", default="", metavar="COMMIT", help="a worker of that commit beside those of this one"
    )
    parser.add_argument(
        "--documents", choices=("folder", "store"), default="folder", help="where they lie (default: folder)"
    )
    parser.add_argument(
        "--untimed",
        action="store_true",
        help="tell times and judge none, and be patient: for a machine that has other work",
    )
    parser.add_argument("--report", default="", help="where to write the figures as JSON")
    parser.add_argument("--keep", action="store_true", help="keep the logs")
    given = parser.parse_args()
    if unknown := sorted({*filter(None, given.only.split(","))} - {*ALL}):
        parser.error(f"there is no fault {unknown[0]}")
    return given


def _run(given: argparse.Namespace, folder: Path) -> int:
    seed = given.seed if given.seed is not None else int(time.time())
    asked = [ALL[name] for name in given.only.split(",")] if given.only else list(ALL.values())
    chosen = [one for one in asked if one.needs <= {given.documents, *(("disk",) if _own_disks() else ())}]
    for one in asked:
        if one not in chosen:
            _say(f"left out, for it needs a {' and a '.join(sorted(one.needs))}: {one.what}")
    if not chosen:
        return 2
    receiver = Receiver()
    with running_site(
        folder, hook_port=receiver.port, beside=given.beside, megabytes=int(300 + 40 * given.minutes),
        in_store=given.documents == "store", own_disks=_own_disks(),
    ) as site:  # fmt: skip
        _know(site)
        scene, ended = _scene(site, receiver, given)
        _say(f"seed {seed}, {len(chosen)} kinds of fault, {given.minutes:g} minutes")
        if not _wait_ready(site):
            _say("The installation does not become ready.")
            return 1
        spells = _play(scene, chosen, ended, given, seed)
        _say("calm")
        verdict = judge(scene, spells, renders=given.renders, timed=not given.untimed)
        _report(verdict, scene, spells, seed, given)
        if verdict.wrong and given.keep:
            _say(f"logs: {', '.join(path.name for path in folder.glob('*.log'))}")
        return 1 if verdict.wrong else 0


def _know(site: Site) -> None:
    """Makes this process one of the installation's own."""
    os.environ.update(site.environment)
    import django

    django.setup()
    import tests.faults.kinds  # noqa: F401 - registers the kinds of job


def _scene(site: Site, receiver: Receiver, given: argparse.Namespace) -> tuple[Scene, threading.Event]:
    from tests.faults import observed

    ledger, ended = Ledger(), threading.Event()
    tokens = list(observed.people(f"http://127.0.0.1:{receiver.port}/hook").items())
    clients = [
        Client(site=site, team=tokens[n % 2][0], token=tokens[n % 2][1], ledger=ledger, ended=ended)
        for n in range(max(2, given.people))
    ]
    scene = Scene(site=site, clients=clients, ledger=ledger, receiver=receiver, longest_outage_s=given.outage)
    return scene, ended


def _wait_ready(site: Site) -> bool:
    until = time.monotonic() + 120
    while not site.is_ready():
        if time.monotonic() > until:
            return False
        time.sleep(0.5)
    return True


def _play(
    scene: Scene, chosen: list[Injection], ended: threading.Event, given: argparse.Namespace, seed: int
) -> list[Spell]:
    """People work, faults come and go, two at a time; returns when the last is mended and the people have left."""
    from tests.faults import observed

    spells: list[Spell] = []
    until = time.monotonic() + given.minutes * 60
    crowd = _Crowd()
    threads = [
        threading.Thread(target=work, args=(client,), kwargs={"seed": seed + n, "most_open": crowd.is_full})
        for n, client in enumerate(scene.clients)
    ]
    bag = _Bag(chosen, random.Random(seed))
    threads += [threading.Thread(target=_inject, args=(scene, bag, spells, until, seed + 100 + n)) for n in range(2)]
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        crowd.size = observed.open_jobs()
        if crowd.size < 4:
            observed.ask_for("steady")
        time.sleep(1)
    for thread in threads[-2:]:
        thread.join()
    ended.set()
    for thread in threads:
        thread.join()
    return spells


class _Crowd:
    """How much waits, asked once a second for all."""

    size = 0

    def is_full(self) -> bool:
        return 40 < self.size < 500  # a backlog of short jobs keeps nobody from asking


class _Bag:
    """Each fault once, in a random order, then all of them again; those that touch the same thing never at once."""

    def __init__(self, chosen: list[Injection], rng: random.Random) -> None:
        self._chosen, self._rng, self._lock = chosen, rng, threading.Lock()
        self._left: list[Injection] = []
        self._touched: set[str] = set()

    def take(self) -> Injection | None:
        """One that may begin now."""
        with self._lock:
            if not self._left:
                self._left = self._rng.sample(self._chosen, len(self._chosen))
            found = next((one for one in self._left if not one.touches & self._touched), None)
            if found is not None:
                self._left.remove(found)
                self._touched |= found.touches
            return found

    def give_back(self, one: Injection) -> None:
        """It is mended."""
        with self._lock:
            self._touched -= one.touches


def _inject(scene: Scene, bag: _Bag, spells: list[Spell], until: float, seed: int) -> None:
    rng = random.Random(seed)
    while time.monotonic() < until:
        time.sleep(rng.uniform(0.3, 2))
        if (one := bag.take()) is None:
            continue
        begun = now()
        try:
            one.run(scene, rng)
        except Exception:  # an injection that breaks is a fault of this harness, and is said
            scene.ledger.blame(f"The injection {one.run.__name__} broke: {traceback.format_exc(limit=4)}")
        finally:
            bag.give_back(one)
        spells.append(Spell(name=one.run.__name__, touches=one.touches, begun=begun, ended=now()))
        _say(f"{one.code:7} {one.what} ({(now() - begun).total_seconds():.1f} s)")


def _report(verdict: Verdict, scene: Scene, spells: list[Spell], seed: int, given: argparse.Namespace) -> None:
    counts = Counter(spell.name for spell in spells)
    figures = {
        "seed": seed, "minutes": given.minutes, "injected": dict(sorted(counts.items())), "plans": len(scene.ledger.plans),
        "answers": {str(status): count for status, count in sorted(scene.ledger.statuses.items())},
        **verdict.figures, "wrong": verdict.wrong,
    }  # fmt: skip
    text = json.dumps(figures, indent=1, ensure_ascii=False)
    _say(text)
    if given.report:
        Path(given.report).write_text(text + "\n")
    _say("nothing was wrong" if not verdict.wrong else f"{len(verdict.wrong)} things were wrong")


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)  # noqa: T201 - a command


if __name__ == "__main__":
    sys.exit(main())
