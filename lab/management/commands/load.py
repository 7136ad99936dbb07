"""`manage.py load`: twenty simulated people type at a real server; how long each number takes to come."""

from __future__ import annotations

import json
import os
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lab.crowd.person import Person
from lab.crowd.report import Round, brief, figures, lines
from lab.crowd.server import NoServer, Server, running
from lab.crowd.typing import TYPED


class Command(BaseCommand):
    """Starts an installation of its own, lets a crowd type, prints the waits. Nothing is judged: machines differ."""

    help = "Measure the live estimate under a crowd of typists, on a server of its own in a temporary folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many people, how long, at which forms."""
        parser.add_argument("--people", type=int, default=20, help="people who type at the same time (default: 20)")
        parser.add_argument("--every", type=float, default=4.0, help="seconds between two changes of one (default: 4)")
        parser.add_argument("--seconds", type=float, default=60.0, help="length of each round (default: 60)")
        parser.add_argument("--port", type=int, default=8765, help="port of the server under test (default: 8765)")
        parser.add_argument(
            "--kinds",
            default="train,serve",
            help=f"forms, one round each, of {', '.join(TYPED)} (default: train,serve)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """One round for each kind, on one server."""
        kinds = options["kinds"].split(",")
        if unknown := sorted(set(kinds) - set(TYPED)):
            raise CommandError(f"There is no form “{unknown[0]}”: use {', '.join(TYPED)}.")
        try:
            with running(options["port"]) as server:
                found = {kind: figures(_round(server, kind, options)) for kind in kinds}
        except NoServer as error:
            raise CommandError(f"The server did not come up. It said: {error}") from error
        start: Any = {"started_in_s": round(server.started_in_s, 1), "first_page_ms": round(server.first_page_s * 1e3)}
        if options["json"]:
            self.stdout.write(json.dumps({kind: brief(one, **start) for kind, one in found.items()}))
            return
        self.stdout.write(
            f"server up in {start['started_in_s']} s; its very first page took {start['first_page_ms']} ms"
        )
        for kind in kinds:
            self.stdout.write("\n".join(lines(kind, found[kind])))


def _round(server: Server, kind: str, options: dict[str, Any]) -> Round:
    """Everybody arrives, then all type for so many seconds."""
    people = [Person(number=number, kind=kind, port=server.port) for number in range(options["people"])]
    for person in people:
        person.arrive()
    go = threading.Event()
    until = time.monotonic() + options["seconds"]
    threads = [
        threading.Thread(target=person.work, kwargs={"until": until, "every_s": options["every"], "start": go})
        for person in people
    ]
    for thread in threads:
        thread.start()
    load, used, own, begun = os.getloadavg()[0], server.cpu_seconds(), time.process_time(), time.monotonic()
    waited = server.core_wait_seconds()
    go.set()
    for thread in threads:
        thread.join()
    for person in people:
        person.leave()
    return Round(
        kind=kind,
        people=len(people),
        seconds=time.monotonic() - begun,
        seen=[item for person in people for item in person.seen],
        server_cpu_s=server.cpu_seconds() - used,
        core_wait_s=server.core_wait_seconds() - waited,
        own_cpu_s=time.process_time() - own,
        load_before=load,
        load_after=os.getloadavg()[0],
        memory_mib=server.memory_mib(),
    )
