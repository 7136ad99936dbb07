"""The faults that come as work: messages, clicks, jobs and documents that no installation is spared."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tests.faults import observed
from tests.faults.injections import Scene, fault, until_true
from tests.faults.shelf import Shelf


@fault("F10", "one message is delivered 50 times", "messages")
def repeat_messages(scene: Scene, rng: random.Random) -> None:
    observed.ring_many_times(50)


@fault("F11", "50 clicks at once", "clicks")
def click_often(scene: Scene, rng: random.Random) -> None:
    client = rng.choice(scene.clients)
    if not client.plans:
        return
    plan = rng.choice(client.plans)
    keys = [f"click-{rng.getrandbits(64):x}"] * 25 + [""] * 25
    body = {"formats": ["docx"], "paper": "A4"}
    with ThreadPoolExecutor(25) as pool:
        calls = [pool.submit(client.call, "POST", f"/plans/{plan}/exports", body, key=key) for key in keys]
    found = {str(call.result().body()["data"][0]["id"]) for call in calls if 200 <= call.result().status < 300}
    if len(found) > 1:
        scene.ledger.blame(f"50 clicks made {len(found)} exports")
    with scene.ledger.lock:
        scene.ledger.exports |= dict.fromkeys(found, plan)


@fault("F12", "a job takes longer than any may", "slow")
def slow_job(scene: Scene, rng: random.Random) -> None:
    scene.poisoned |= observed.ask_for("slow")
    time.sleep(20)


@fault("F13", "a job takes half a gigabyte", "slow")
def hungry_job(scene: Scene, rng: random.Random) -> None:
    observed.ask_for("hungry")


@fault("F14", "a job that kills its worker", "poison")
def poison_job(scene: Scene, rng: random.Random) -> None:
    scene.poisoned |= observed.ask_for("poison")


@fault("F16", "a message of an older version; a job of a newer one", "messages")
def mix_versions(scene: Scene, rng: random.Random) -> None:
    observed.ask_as_older_version()
    observed.ask_as_newer_version(until=lambda: time.sleep(rng.uniform(3, 8)))


@fault("F19", "a document is deleted, cut short or changed", "files")
def damage_document(scene: Scene, rng: random.Random) -> None:
    if (found := observed.any_document(rng)) is None:
        return
    export, team, digest = found
    _damage(scene.site.shelf, digest, rng)
    client = scene.client_of(team)
    until_true(lambda: client.ended.is_set() or client.download(export), 60)


def _damage(shelf: Shelf, digest: str, rng: random.Random) -> None:
    data = bytearray(shelf.read(digest) or b"")
    if not data or rng.random() < 0.4:
        shelf.remove(digest)
        return
    data[len(data) // 2] ^= 1
    shelf.write(digest, bytes(data if rng.random() < 0.5 else data[:1000]))


@fault("F20", "the receiver of webhooks hangs, fails or redirects", "receiver")
def bad_receiver(scene: Scene, rng: random.Random) -> None:
    scene.receiver.mood = rng.choice(("hang", "fail", "redirect", "break off"))
    time.sleep(rng.uniform(5, 12))
    scene.receiver.mood = "well"


@fault("slow", "40 clients that send a byte a second", "clients")
def slow_clients(scene: Scene, rng: random.Random) -> None:
    head = b"POST /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\nContent-Type: application/json\r\n\r\n"
    socks: list[socket.socket] = []
    stop = threading.Event()
    try:
        for _ in range(40):
            with contextlib.suppress(OSError):
                socks.append(socket.create_connection(("127.0.0.1", scene.site.port), timeout=2))
                socks[-1].sendall(head)
        for _ in range(8):
            stop.wait(1)
            for sock in socks:
                with contextlib.suppress(OSError):
                    sock.sendall(b"{")
    finally:
        for sock in socks:
            sock.close()
