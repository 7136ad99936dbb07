"""A11: every hostile file at every door. What it costs is counted in elements and bytes, the same on every machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Membership, Role, Team
from catalog.models import ImportBatch
from exports.branding.package import LIMITS as TEMPLATE
from exports.branding.store import current_look
from incoming import apart
from incoming.package import MIB, Refused, Work, check_package
from incoming.workbook import LIMITS as WORKBOOK
from jobs.models import Job, State
from jobs.running import run_job
from planner.models import PlanVersion
from tests.abuse import bombs
from tests.api.support import TRAINING, Api, File
from tests.conftest import People, make_member

pytestmark = pytest.mark.slow  # unpacks what swells to hundreds of MB, in processes of its own

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MOST_MEMORY = 100 * MIB
READERS: dict[str, tuple[str, dict[str, Any], dict[str, bombs.Make]]] = {
    "list, xlsx": ("catalog.importers.workbook:read_table", {"name": "q.xlsx"}, bombs.office("xlsx")),
    "list, csv": ("catalog.importers.workbook:read_table", {"name": "q.csv"}, bombs.TEXTS),
    "workbook": ("exports.round_trip.sheets:plain", {}, bombs.office("xlsx")),
    "word": ("exports.branding.taken:word", {}, bombs.office("docx")),
    "slides": ("exports.branding.taken:slides", {}, bombs.office("pptx")),
    "logo": ("exports.branding.taken:logo", {}, bombs.PICTURES),
}
HARMLESS = {("list, csv", "a million columns"), ("workbook", "no sheet")}
"""Tables without a price, and a workbook of no plan: who asked for them refuses them."""


@pytest.mark.parametrize(
    ("reader", "bomb"), [(reader, bomb) for reader, (_, _, found) in READERS.items() for bomb in found]
)
def test_every_reader_refuses_every_bomb_in_little_memory(reader: str, bomb: str) -> None:
    function, said, found = READERS[reader]
    answer = apart.ask(function, found[bomb](), **said)
    assert bool(answer.refused) != ((reader, bomb) in HARMLESS)
    assert not answer.refused or is_one_sentence(answer.refused)
    assert answer.peak_bytes < MOST_MEMORY, f"{answer.peak_bytes / MIB:.0f} MiB"
    assert answer.fault in ("", "KeyError", "IndexError", "ValueError", "OSError"), (
        "a limit must stop it, not the process"
    )


def is_one_sentence(text: str) -> bool:
    """Short, without lines, codes and names of exceptions."""
    return 20 < len(text) < 300 and "\n" not in text and not re.search(r"Error|Traceback|0x[0-9a-f]{6}", text)


@pytest.mark.parametrize(("kind", "limits"), [("xlsx", WORKBOOK), ("docx", TEMPLATE), ("pptx", TEMPLATE)])
@pytest.mark.parametrize("bomb", bombs.PARTS)
def test_what_a_bomb_makes_us_do_is_bounded(kind: str, limits: Any, bomb: str) -> None:
    work = Work()
    with pytest.raises(Refused):
        check_package(bombs.office(kind)[bomb](), limits, work=work)
    assert work.unpacked <= limits.unpacked + (1 << 16)
    assert work.elements <= limits.elements + 1
    assert work.tags <= 2 * limits.elements + (1 << 16)


def test_a_reader_that_takes_too_much_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the limits of the file stand those of the process."""
    for function, fault in (("memory", "MemoryError"), ("write", "FileNotFound"), ("die", "exit"), ("files", "exit")):
        answer = apart.ask(f"tests.abuse.greedy:{function}", b"x")
        assert answer.fault.startswith(fault)
        assert answer.refused
    monkeypatch.setattr(apart, "LONGEST_S", 1)
    assert apart.ask("tests.abuse.greedy:wait", b"x").refused == apart.TOO_MUCH


# --- the doors -------------------------------------------------------------------------------------------------

Door = Callable[[bytes], Any]


@pytest.fixture
def doors(people: People, petra: Api, quick_engine: None, client: Client) -> dict[str, Door]:
    """Every way in for a file, by name: each answers to bytes."""
    fay, ada = make_member(people.team, "Fay", Role.FINANCE), make_member(people.team, "Ada", Role.ADMIN)
    plan = petra.post("/plans", TRAINING).json()["id"]
    version = PlanVersion.objects.get().public_id
    finance = Api(fay)
    batch = finance.post("/catalogs", {"name": "Quotes"}).json()["id"]

    def typed(data: bytes) -> Any:
        client.force_login(petra.member.user)
        return client.post("/new/train", {"model": "config", "config": data.decode()})

    def posted(member: Membership, address: str, field: str, name: str) -> Door:
        def post(data: bytes) -> Any:
            client.force_login(member.user)
            return client.post(address, {field: SimpleUploadedFile(name, data)})

        return post

    def imported(media: str) -> Door:
        def post(data: bytes) -> Any:
            answer = finance.post(f"/catalogs/{batch}/prices:import?dry_run=false", File(data, media))
            if answer.status_code != 202:
                return answer
            run_job(Job.objects.order_by("-pk")[0].pk, worker="test")
            return Job.objects.order_by("-pk")[0]

        return post

    return {
        "page of price lists, xlsx": posted(fay, "/catalog/upload/", "file", "q.xlsx"),
        "page of price lists, csv": posted(fay, "/catalog/upload/", "file", "q.csv"),
        "API of price lists, xlsx": imported(XLSX),
        "API of price lists, csv": imported("text/csv"),
        "API of price lists, json": imported("application/json"),
        "page of a workbook": posted(petra.member, f"/exports/plans/{version}/workbook", "file", "plan.xlsx"),
        "API of a workbook": lambda data: petra.post(f"/plans/{plan}/versions/1/workbook", File(data, XLSX)),
        "Word template": posted(ada, "/exports/branding", "word", "a.docx"),
        "PowerPoint template": posted(ada, "/exports/branding", "slides", "a.pptx"),
        "logo": posted(ada, "/exports/branding", "logo", "a.png"),
        "API of models": lambda data: petra.post("/models:parse", data),
        "API of plans": lambda data: petra.post("/plans", data),
        "API of specs": lambda data: petra.post("/specs:parse", data),
        "form of a plan": typed,
    }


THROUGH = {
    "page of price lists, xlsx": bombs.office("xlsx"), "page of price lists, csv": bombs.TEXTS,
    "API of price lists, xlsx": bombs.office("xlsx"), "API of price lists, csv": bombs.TEXTS,
    "API of price lists, json": bombs.JSONS, "page of a workbook": bombs.office("xlsx"),
    "API of a workbook": bombs.office("xlsx"), "Word template": bombs.office("docx"),
    "PowerPoint template": bombs.office("pptx"), "logo": bombs.PICTURES, "API of models": bombs.JSONS,
    "API of plans": bombs.JSONS, "API of specs": bombs.JSONS, "form of a plan": bombs.JSONS,
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("door", THROUGH)
def test_every_door_refuses_every_bomb_with_a_sentence(door: str, doors: dict[str, Door], settings: Any) -> None:
    settings.UPLOADS_PER_MINUTE = 1_000
    for bomb, make in THROUGH[door].items():
        answer = doors[door](make())
        if isinstance(answer, Job):
            assert answer.state == State.FAILED, bomb
            assert is_one_sentence(answer.error["message"]), (bomb, answer.error)
        else:
            assert 400 <= answer.status_code < 500, (bomb, answer.status_code, answer.content[-500:])
            # The form shows what was pasted once more, its quotes escaped.
            assert len(answer.content) < (1_000_000 if door == "form of a plan" else 300_000), bomb
    assert not PlanVersion.objects.filter(number__gt=1).exists()
    assert not ImportBatch.objects.exclude(sha256="").exists()
    assert current_look(Team.objects.get(slug="north")) is None


def test_an_upload_process_knows_no_secret() -> None:
    known = apart.ask("tests.abuse.greedy:environment", b"x").value
    assert not {"SECRET_KEY", "DATABASE_URL", "TOKEN_PEPPER"} & set(known)
    assert "DJANGO_SETTINGS_MODULE" not in known
