"""A10 to A12: names and files that are made to escape, to swell or to run when they are read."""

from __future__ import annotations

import io
import resource
import stat
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from accounts.models import Membership, Role
from catalog.importers.outcome import ImportFault
from catalog.importers.quotes import Known, read_quotes
from catalog.importers.workbook import read_table
from catalog.models import ImportBatch, PriceObservation
from exports.download import name_of
from exports.formats import MEDIA_TYPES
from exports.models import Export
from exports.round_trip.sheets import plain
from exports.text import file_name
from incoming import apart
from incoming.package import Refused
from jobs.models import Job
from jobs.running import run_job
from planner.models import Workload
from tests.api.support import TRAINING, Api, File
from tests.catalog.test_upload import GOOD, _csv, _rezipped, _xlsx
from tests.conftest import People, make_member

KNOWN = Known(currencies={"USD", "EUR"}, today=date(2026, 8, 22))
NAMES = [
    "../../x", "..\\..\\x", "C:\\x", "/etc/passwd", "a\r\nX-Evil: y", "a\x00b", "\u202egpj.exe", "CON", "...", ".", "",
    'a"; filename="b', "%0d%0aX: y", "a" * 10_000, "名前", "🚀", "-rf", "$(id)", "`id`", "a;b", "a|b", "\u2028x", "x.php\x00.pdf",
]  # fmt: skip


# --- A10: names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_of_a_file_is_ours(name: str) -> None:
    made = file_name(name, "v1")
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert made.endswith("-v1")
    assert 1 < len(made) <= 80


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in NAMES if name.strip() and "\x00" not in name][:12])
def test_a_download_carries_one_header_and_our_name(
    petra: Api, quick_engine: None, client: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("exports.render.render", lambda *_, **__: b"a file")
    plan = petra.post("/plans", TRAINING).json()["id"]
    Workload.objects.update(name=name[:120])
    export = petra.post(f"/plans/{plan}/exports", {"formats": ["pdf"]}).json()["data"][0]["id"]
    run_job(Job.objects.get(export__public_id=export).pk, worker="test")
    client.force_login(petra.member.user)
    for answer in (petra.get(f"/exports/{export}/file"), client.get(f"/exports/{export}/download")):
        assert answer.status_code == 200
        given_name = answer.headers["Content-Disposition"]
        assert given_name == f'attachment; filename="{name_of(Export.objects.get())}"'
        assert "X-Evil" not in answer.headers
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in NAMES if name.strip(".") and len(name) < 200])
def test_an_uploaded_file_keeps_no_place(people: People, client: Client, name: str) -> None:
    """The name that a browser gives is a label in a row; nothing is stored under it."""
    member: Membership = make_member(people.team, "Fay", Role.FINANCE)
    client.force_login(member.user)
    answer = client.post("/catalog/upload/", {"file": SimpleUploadedFile(name or "x", _csv(GOOD))})
    assert answer.status_code in (302, 422)
    for batch in ImportBatch.objects.all():
        assert batch.name.startswith("upload/")
        assert not set("\r\n\x00/\\") & set(batch.name.removeprefix("upload/"))


# --- A11: workbooks that swell, reach out or run ---------------------------------------------------------------


@pytest.mark.django_db
def test_who_finds_no_place_to_read_a_file_holds_no_thread(petra: Api, quick_engine: None, client: Client) -> None:
    """Two slow files once kept everybody who uploaded waiting in the web process, eight of them all of its threads."""
    client.force_login(petra.member.user)
    client.raise_request_exception = False
    plan = petra.post("/plans", TRAINING).json()["id"]
    with ExitStack() as places:
        for _ in range(apart.AT_ONCE):
            places.enter_context(apart._room)
        began = time.monotonic()
        page = client.post("/catalog/upload/", {"file": SimpleUploadedFile("q.csv", b"provider,price")})
        problem = petra.post(f"/plans/{plan}/versions/1/workbook", File(_xlsx(["a"]), MEDIA_TYPES["xlsx"]))
        assert time.monotonic() - began < 5
    for answer in (page, problem):
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "Many files are being read just now" in answer.content.decode()


def _laughs(deep: int) -> bytes:
    lines = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, deep))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{lines}]><x>&a{deep - 1};</x>'.encode()


def _lying(parts: dict[str, bytes]) -> bytes:
    """An archive whose directory understates the size of a part."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
        archive.writestr("xl/worksheets/sheet9.xml", b"<x>" + b" " * 60_000_000 + b"</x>")
    data = bytearray(content.getvalue())
    size = (60_000_000 + 7).to_bytes(4, "little")
    while (found := data.find(size)) >= 0:
        data[found : found + 4] = (1000).to_bytes(4, "little")
    return bytes(data)


def _link(parts: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
        entry = zipfile.ZipInfo("xl/evil.xml")
        entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return content.getvalue()


def _parts() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(_xlsx(["aws"] * 9))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


Change = Callable[[], bytes]
HOSTILE: dict[str, Change] = {
    "bomb": lambda: _rezipped(_xlsx(["a"]), lambda parts: parts | {"xl/worksheets/sheet1.xml": b" " * 80_000_000}),
    "a lying directory": lambda: _lying(_parts()),
    "billion laughs": lambda: _rezipped(_xlsx(["a"]), lambda parts: parts | {"xl/sharedStrings.xml": _laughs(10)}),
    "outside entity": lambda: _rezipped(
        _xlsx(["a"]),
        lambda parts: parts | {"xl/styles.xml": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'},
    ),
    "parameter entity": lambda: _rezipped(
        _xlsx(["a"]),
        lambda parts: parts | {"xl/styles.xml": b'<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1:1/x"> %b;]><a/>'},
    ),
    "many parts": lambda: _rezipped(_xlsx(["a"]), lambda parts: parts | {f"xl/m/{n}": b"" for n in range(1_100)}),
    "macros": lambda: _rezipped(_xlsx(["a"]), lambda parts: parts | {"xl/vbaProject.bin": b"\xd0\xcf"}),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_workbook_is_refused_by_both_doors_in_little_memory(kind: str) -> None:
    content = HOSTILE[kind]()
    for read, refused in (
        (lambda: read_table(content, "q.xlsx"), Refused),
        (lambda: plain(content), Refused),
    ):
        tracemalloc.start()
        with pytest.raises(refused):
            read()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 200 * 2**20, f"{kind}: {peak / 2**20:.0f} MiB"


def test_a_link_inside_an_archive_is_only_text() -> None:
    """Nothing is unpacked to disk, so that a symbolic link leads nowhere."""
    content = _link(_parts())
    try:
        table = read_table(content, "q.xlsx")
    except Refused:
        return
    assert "root:" not in repr(table)


@pytest.mark.parametrize("name", ["../evil.xml", "/etc/evil.xml", "xl\\..\\..\\evil.xml"])
def test_parts_with_names_that_lead_out_are_refused(name: str) -> None:
    with pytest.raises(Refused):
        plain(_rezipped(_xlsx(["a"]), lambda parts: parts | {name: b"<a/>"}))


# --- A12: lists of prices --------------------------------------------------------------------------------------

ODD = {
    "a million columns": _csv("," * 1_000_000),
    "one endless cell": _csv("a" * 4_000_000),
    "an open quote": _csv('"' + "a\n" * 100_000),
    "only quotes": _csv('"' * 300_001),
    "no line": b"",
    "not text": bytes(range(256)) * 100,
    "half a character": GOOD.encode() + b"\xe2\x82",
    "UTF-16": _csv(GOOD).decode().encode("utf-16"),
    "a NUL": _csv("aws\x00"),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_list_costs_little_and_says_why(kind: str) -> None:
    tracemalloc.start()
    spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    try:
        outcome = read_quotes(read_table(ODD[kind], "q.csv"), KNOWN)
    except ImportFault as fault:
        said = str(fault)
    else:
        assert not outcome.rows
        assert outcome.reconciles
        said = " ".join(refusal.reason for refusal in outcome.refused) or "nothing but empty cells"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said
    assert len(said) < 100_000
    assert peak < 200 * 2**20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - spent < 20


@given(cells=some.lists(some.lists(some.text(max_size=20), min_size=1, max_size=12), max_size=8))
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
def test_any_list_is_read_or_refused_with_a_sentence(cells: list[list[str]]) -> None:
    import csv

    text = io.StringIO()
    csv.writer(text).writerows(cells)
    body = b"provider,instance,region,accelerator,count,option,amount,currency,date\n" + text.getvalue().encode(
        "utf-8", "surrogatepass"
    )
    try:
        outcome = read_quotes(read_table(body, "q.csv"), KNOWN)
    except ImportFault:
        return
    assert outcome.reconciles
    assert all(refusal.reason for refusal in outcome.refused)


@pytest.mark.django_db
@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", '=HYPERLINK("x")'])
def test_a_formula_in_a_list_is_refused_and_kept_nowhere(people: People, client: Client, cell: str) -> None:
    client.force_login(make_member(people.team, "Fay", Role.FINANCE).user)
    line = GOOD.replace("p5.48xlarge", f'"{cell.replace(chr(34), chr(34) * 2)}"')
    answer = client.post("/catalog/upload/", {"file": SimpleUploadedFile("q.csv", _csv(line))})
    assert answer.status_code == 422
    assert not PriceObservation.objects.filter(team=people.team).exists()
    assert not ImportBatch.objects.filter(team=people.team).exists()


@pytest.mark.django_db
def test_a_list_with_one_fault_in_the_file_itself_keeps_nothing(people: People, client: Client) -> None:
    """What cannot be read to its end is not imported in part."""
    client.force_login(make_member(people.team, "Fay", Role.FINANCE).user)
    answer: Any = client.post("/catalog/upload/", {"file": SimpleUploadedFile("q.csv", _csv(GOOD, '"open'))})
    assert answer.status_code == 422
    assert not ImportBatch.objects.exists()
