"""Documents in an object store: a server that speaks S3 is started here, filled, damaged, and stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import BotoCoreError, ClientError

from exports import files, object_store
from exports.healing import queue_all_lost
from jobs.models import Job, State
from jobs.running import run_job
from rest.faults import Away
from tests import services
from tests.api.support import TRAINING, Api, petra, quick_engine
from tests.exports.test_healing import bytes_of, pdf, work

__all__ = ["petra", "quick_engine"]
BUCKET, FOLDER = "documents", "of/ours"
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "eu-central-1"}


class Server:
    """The store's process: it remembers everything until it ends."""

    def __init__(self, **variables: str) -> None:
        self.port = services.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env={**os.environ, **KEYS, **variables}, **quiet)
        until = time.monotonic() + 60
        while True:
            try:
                self.client().create_bucket(
                    Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": KEYS["AWS_DEFAULT_REGION"]}
                )
                return
            except (BotoCoreError, ClientError):
                assert self.process.poll() is None, "The store ended at once."
                assert time.monotonic() < until, "The store did not start."
                time.sleep(0.2)

    def client(self, service: str = "s3") -> Any:
        names = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "eu-central-1"}
        return boto3.session.Session(**names).client(service, endpoint_url=self.url)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(10)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    try:
        yield found
    finally:
        found.stop()


@pytest.fixture
def stored(server: Server, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Documents go to that server, into a folder of an empty bucket."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    settings.DOCUMENTS_S3, settings.DOCUMENTS_S3_ENDPOINT = (BUCKET, FOLDER), server.url
    for row in server.client().list_objects_v2(Bucket=BUCKET).get("Contents", ()):
        server.client().delete_object(Bucket=BUCKET, Key=row["Key"])
    object_store._store.cache_clear()
    return server


def _key(digest: str) -> str:
    return f"{FOLDER}/{digest[:2]}/{digest}"


DAMAGE: dict[str, Callable[[Any, str], object]] = {
    "missing": lambda s3, key: s3.delete_object(Bucket=BUCKET, Key=key),
    "cut": lambda s3, key: s3.put_object(Bucket=BUCKET, Key=key, Body=b"wha"),
    "altered": lambda s3, key: s3.put_object(Bucket=BUCKET, Key=key, Body=b"X" * 15),
}


def test_what_is_stored_is_what_is_read(stored: Server) -> None:
    digest = files.store(b"what was stored")

    assert files.load(digest) == b"what was stored"
    assert files.size_of(digest) == 15
    assert files.is_whole(digest)
    rows = stored.client().list_objects_v2(Bucket=BUCKET)["Contents"]
    assert [row["Key"] for row in rows] == [_key(digest)]
    assert not files.path_of(digest).exists()


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_noticed_and_mended_by_the_same_bytes(stored: Server, damage: str) -> None:
    digest = files.store(b"what was stored")
    DAMAGE[damage](stored.client(), _key(digest))

    with pytest.raises(files.FileGone):
        files.load(digest)
    assert files.store(b"what was stored") == digest
    assert files.load(digest) == b"what was stored"


def test_what_was_never_stored_is_gone(stored: Server) -> None:
    with pytest.raises(files.FileGone, match="no longer stored"):
        files.load("00" * 32)
    assert files.size_of("00" * 32) is None


@pytest.fixture
def plan(petra: Api, quick_engine: None, monkeypatch: pytest.MonkeyPatch, stored: Server) -> str:
    """A plan with its four files in the store."""
    monkeypatch.setattr("exports.render.render", lambda _plan, format_, **_: bytes_of(format_))
    made: str = petra.post("/plans", TRAINING).json()["id"]
    petra.post(f"/plans/{made}/exports", {})
    work()
    return made


@pytest.mark.django_db
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_lost_document_is_made_again(petra: Api, plan: str, stored: Server, damage: str) -> None:
    digest, address = pdf().sha256, f"/exports/{pdf().public_id}/file"
    assert petra.get(address).content == bytes_of("pdf")
    DAMAGE[damage](stored.client(), _key(digest))

    assert petra.get(address).status_code == 409
    assert work() == 1
    assert petra.get(address).content == bytes_of("pdf")


@pytest.mark.django_db
def test_after_a_restore_every_missing_document_is_queued(plan: str, stored: Server) -> None:
    stored.client().delete_object(Bucket=BUCKET, Key=_key(pdf().sha256))

    assert queue_all_lost() == 1
    assert work() == 1


@pytest.mark.django_db
def test_a_store_that_is_away_is_waited_for(petra: Api, plan: str, stored: Server, settings: Any) -> None:
    """The web answers 503 with Retry-After, jobs come again, and neither takes the document for lost."""
    settings.DOCUMENTS_S3_ENDPOINT = f"http://127.0.0.1:{services.free_port()}"
    began = time.monotonic()
    answer = petra.get(f"/exports/{pdf().public_id}/file")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert time.monotonic() - began < 5
    with pytest.raises(Away):
        files.store(b"something new")
    Job.objects.filter(pk=pdf().job.pk).update(state=State.QUEUED, attempts=0)
    run_job(pdf().job.pk, worker="test")

    waiting = Job.objects.get(pk=pdf().job.pk)
    assert (waiting.state, waiting.attempts) == (State.QUEUED, 0)
    assert waiting.note == "Waiting for the store of documents"
    assert waiting.held_until is not None


@pytest.mark.django_db
def test_who_waits_for_a_store_that_hangs_is_told_to_come_again(petra: Api, plan: str, stored: Server) -> None:
    """It takes the connection and says nothing; once it goes on, the document is there."""
    stored.process.send_signal(signal.SIGSTOP)
    try:
        answer = petra.get(f"/exports/{pdf().public_id}/file")
    finally:
        stored.process.send_signal(signal.SIGCONT)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert petra.get(f"/exports/{pdf().public_id}/file").content == bytes_of("pdf")


@pytest.mark.django_db
def test_lists_ask_the_store_nothing(petra: Api, plan: str, stored: Server, settings: Any) -> None:
    settings.DOCUMENTS_S3_ENDPOINT = f"http://127.0.0.1:{services.free_port()}"

    answer = petra.get(f"/exports?plan={plan}")
    assert answer.status_code == 200
    assert {row["state"] for row in answer.json()["data"]} == {"succeeded"}


# --- a store that checks who asks --------------------------------------------------------------------------------------

_MAY_ALL = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'


@pytest.fixture(scope="module")
def strict() -> Iterator[tuple[Server, dict[str, str]]]:
    """A store that takes four requests from anybody (a bucket, a user, what it may, its key) and then reckons every signature
    (AWS Signature Version 4) after; with the key's variables."""
    found = Server(INITIAL_NO_AUTH_ACTION_COUNT="4")
    try:
        iam = found.client("iam")
        iam.create_user(UserName="sextant")
        iam.put_user_policy(UserName="sextant", PolicyName="all", PolicyDocument=_MAY_ALL)
        key = iam.create_access_key(UserName="sextant")["AccessKey"]
        yield found, {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
    finally:
        found.stop()


@pytest.fixture
def ask_strictly(
    strict: tuple[Server, dict[str, str]], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """Documents go there, with that key or with variables that are given instead."""
    server, key = strict
    settings.DOCUMENTS_S3, settings.DOCUMENTS_S3_ENDPOINT = (BUCKET, FOLDER), server.url

    def by(**instead: str) -> None:
        for name, value in {**KEYS, **key, **instead}.items():
            monkeypatch.setenv(name, value)
        object_store._store.cache_clear()

    yield by
    object_store._store.cache_clear()


@pytest.mark.parametrize("data", [b"what was stored", b"", b"x" * 3_000_000], ids=["short", "empty", "long"])
def test_every_request_is_signed_as_a_strict_store_reckons(ask_strictly: Callable[..., None], data: bytes) -> None:
    ask_strictly()
    digest = files.store(data)
    assert files.load(digest) == data
    assert files.size_of(digest) == len(data)
    assert files.size_of("00" * 32) is None


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "another"}, "SignatureDoesNotMatch"),
        ({"AWS_ACCESS_KEY_ID": "AKIANOBODY0000000000"}, "InvalidAccessKeyId"),
    ],
)
def test_a_wrong_key_is_no_store_that_is_away_and_no_lost_document(
    ask_strictly: Callable[..., None], instead: dict[str, str], said: str
) -> None:
    """Waiting would not help, and making the document anew neither: the fault is told by its name."""
    ask_strictly()
    digest = files.store(b"kept before the key was changed")
    ask_strictly(**instead)
    with pytest.raises(ClientError, match=said):
        files.load(digest)
