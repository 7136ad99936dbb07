"""A team's own price list: upload, review, publish, roll back; hostile files are refused before they are opened."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from openpyxl import Workbook

from accounts.models import AuditEvent, Membership, Role
from catalog.importers.outcome import ImportFault
from catalog.importers.quotes import Known, read_quotes
from catalog.importers.workbook import FORMULA, MOST_ROWS, read_table, read_upload
from catalog.models import BatchStatus, ImportBatch
from engine.inputs.agreed import with_agreed
from incoming.package import Refused
from incoming.workbook import MOST_BYTES
from planner.market import market_from_rows
from tests.conftest import People, make_member
from tests.engine.small_market import spec

HEADER = "provider,instance,region,accelerator,count,option,amount,currency,date"
GOOD = "aws,p5.48xlarge,us-east-1,h100-sxm5,8,on_demand,41.5,USD,2026-08-20"
KEY = "aws/p5.48xlarge/us-east-1/on_demand"
KNOWN = Known(currencies={"USD", "EUR"}, today=date(2026, 8, 22))


def _csv(*lines: str, header: str = HEADER) -> bytes:
    return "\n".join((header, *lines)).encode()


def _xlsx(*rows: list[Any]) -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in ([*HEADER.split(",")], *rows):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _rezipped(content: bytes, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in change(parts).items():
            archive.writestr(name, body)
    return out.getvalue()


@pytest.fixture
def loaded(people: People) -> People:
    """The people, with the catalog of the files."""
    call_command("load_catalog", stdout=StringIO())
    return people


def _send(client: Client, content: bytes, name: str = "quotes.csv") -> Any:
    return client.post("/catalog/upload/", {"file": SimpleUploadedFile(name, content)})


def _member(people: People, role: str, client: Client) -> Membership:
    member = make_member(people.team, role.title(), role)
    client.force_login(member.user)
    return member


def test_a_quote_is_read_reviewed_published_and_rolled_back(loaded: People, client: Client) -> None:
    _member(loaded, Role.FINANCE, client)
    answer = _send(client, _csv(GOOD, GOOD, "aws,p5.48xlarge,us-east-1,h100-sxm5,8,on_demand,free,USD,2026-08-20"))
    batch = ImportBatch.objects.get(team=loaded.team)
    assert answer.headers["Location"] == f"/catalog/imports/{batch.public_id}/"
    assert (batch.status, batch.lines, batch.found, batch.prices) == (BatchStatus.VALIDATED, 3, 1, 1)
    page = client.get(answer.headers["Location"]).content.decode()
    assert "is not a plain number" in page
    assert "−24.6%" in page  # beside the public 55.04
    assert next(offer.usd_per_hour for offer in market_from_rows(loaded.team).offers if offer.id == KEY) == 55.04
    client.post(f"/catalog/imports/{batch.public_id}/publish", {"accepted": "on"})
    assert next(offer.usd_per_hour for offer in market_from_rows(loaded.team).offers if offer.id == KEY) == 41.5
    assert next(offer.usd_per_hour for offer in market_from_rows(loaded.other_team).offers if offer.id == KEY) == 55.04
    prices = client.get("/catalog/prices/", {"accelerator": "h100-sxm5", "provider": "aws"}).content.decode()
    assert "your own price" in prices
    assert "overridden by your own price" in prices
    assert "<del>55.04 USD</del>" in prices
    client.post(f"/catalog/imports/{batch.public_id}/roll-back")
    assert next(offer.usd_per_hour for offer in market_from_rows(loaded.team).offers if offer.id == KEY) == 55.04
    verbs = list(AuditEvent.objects.filter(subject=batch.public_id).order_by("pk").values_list("verb", flat=True))
    assert verbs == ["prices.drafted", "prices.validated", "prices.published", "prices.rolled_back"]
    assert AuditEvent.objects.filter(subject=batch.public_id, actor=None).count() == 0


def test_a_quote_with_an_end_holds_until_then_and_gives_way_to_the_list(loaded: People, client: Client) -> None:
    _member(loaded, Role.FINANCE, client)
    _send(client, _csv(f"{GOOD},2026-12-31", header=f"{HEADER},valid_until"))
    batch = ImportBatch.objects.get(team=loaded.team)
    client.post(f"/catalog/imports/{batch.public_id}/publish", {"accepted": "on"})
    market = market_from_rows(loaded.team)
    offer = next(offer for offer in market.offers if offer.id == KEY)
    assert (offer.basis, offer.valid_until) == ("quoted", "2026-12-31")
    assert offer.public
    assert (offer.usd_per_hour, offer.public.usd_per_hour) == (41.5, 55.04)
    for day, price, basis in ((date(2026, 12, 31), 41.5, "quoted"), (date(2027, 1, 1), 55.04, "list")):
        found = next(offer for offer in with_agreed(market, replace(spec(), as_of=day)).offers if offer.id == KEY)
        assert (found.usd_per_hour, found.basis) == (price, basis)


@pytest.mark.parametrize(
    ("until", "said"), [("soon", "must be a day"), ("2026-08-19", "before the day of the quote"), ("", "")]
)
def test_an_end_that_cannot_be_is_refused(until: str, said: str) -> None:
    rows = read_upload(_csv(f"{GOOD},{until}", header=f"{HEADER},valid_until"), "quotes.csv")
    outcome = read_quotes(rows, KNOWN)
    assert [said in item.reason for item in outcome.refused] == ([True] if said else [])
    assert [row.valid_until for row in outcome.rows] == ([] if said else [None])


def test_the_same_file_twice_is_one_import(loaded: People, client: Client) -> None:
    _member(loaded, Role.FINANCE, client)
    first, again = (_send(client, _csv(GOOD)).headers["Location"] for _ in range(2))
    assert first == again
    assert ImportBatch.objects.filter(team=loaded.team).count() == 1


def test_flagged_prices_need_a_confirmation(loaded: People, client: Client) -> None:
    _member(loaded, Role.FINANCE, client)
    _send(client, _csv("aws,p5.48xlarge,us-east-1,h100-sxm5,8,on_demand,4.15,USD,2026-08-20"))
    batch = ImportBatch.objects.get(team=loaded.team)
    assert any("less than a fifth" in reason for reason, _ in batch.flags)
    page = client.post(f"/catalog/imports/{batch.public_id}/publish", follow=True).content.decode()
    assert "look at them and confirm" in page
    batch.refresh_from_db()
    assert batch.status == BatchStatus.VALIDATED
    client.post(f"/catalog/imports/{batch.public_id}/publish", {"accepted": "on"})
    batch.refresh_from_db()
    assert batch.status == BatchStatus.PUBLISHED
    assert (
        "Only a validated import"
        in client.post(f"/catalog/imports/{batch.public_id}/publish", {"accepted": "on"}, follow=True).content.decode()
    )


def test_roles_and_teams_are_kept_apart(loaded: People, client: Client) -> None:
    _member(loaded, Role.PLANNER, client)
    _send(client, _csv(GOOD))
    path = f"/catalog/imports/{ImportBatch.objects.get(team=loaded.team).public_id}/"
    assert client.get(path).status_code == 200
    assert client.post(f"{path}publish", {"accepted": "on"}).status_code == 403
    client.force_login(loaded.bob)
    assert client.get("/catalog/upload/").status_code == 403
    assert client.get(path).status_code == 200
    assert client.post(f"{path}discard").status_code == 403
    client.force_login(loaded.charlie)
    for answer in (client.get(path), client.post(f"{path}publish"), client.post(f"{path}roll-back")):
        assert answer.status_code == 404
    assert client.get(f"{path}publish").status_code == 405
    client.logout()
    assert client.get(path).status_code == 302
    assert ImportBatch.objects.get(team=loaded.team).status == BatchStatus.VALIDATED
    public = ImportBatch.objects.filter(team=None).first()
    client.force_login(loaded.alice)
    assert public is not None
    assert client.post(f"/catalog/imports/{public.public_id}/roll-back").status_code == 404


def test_a_file_without_a_usable_row_shows_the_reasons_and_keeps_nothing(loaded: People, client: Client) -> None:
    client.force_login(loaded.alice)
    answer = _send(client, _csv(GOOD.replace("h100-sxm5", "k80"), GOOD.replace("8,on", "-8,on")))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "“k80” is not in the catalog" in page
    assert "count: holds a formula" in page
    assert not ImportBatch.objects.filter(team=loaded.team).exists()
    for content in (b"", b"\x00\x01", b"a,b\n1,2"):
        assert _send(client, content).status_code == 422
    assert client.post("/catalog/upload/").status_code == 422
    assert "more than 5 MiB" in _send(client, b"x" * (MOST_BYTES + 1)).content.decode()
    assert client.get("/catalog/upload/prices.csv").content.decode().startswith("provider,instance,region")


def test_the_template_is_read_as_it_is(loaded: People, client: Client) -> None:
    client.force_login(loaded.alice)
    content = client.get("/catalog/upload/prices.csv").content
    outcome = read_quotes(read_table(content, "prices.csv"), KNOWN)
    assert (len(outcome.rows), outcome.refused) == (1, [])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("41.5", "", "amount: is empty; an unknown price"),
        ("41.5", "0", "amount: must be more than 0"),
        ("41.5", "41;5", "not a plain number"),
        ("41.5", "$41", "not a plain number"),
        ("41.5", "1e9", "not a plain number"),
        ("41.5", "NaN", "not a plain number"),
        ("41.5", "2000000", "at most 1,000,000"),
        ("41.5", "=1+1", "amount: holds a formula"),
        ("USD", "SEK", "SEK has no dated rate"),
        ("2026-08-20", "20.08.2026", "must be the day"),
        ("2026-08-20", "2027-01-01", "in the future"),
        ("2026-08-20", "1999-01-01", "before 2015"),
        ("on_demand", "free", "option: must be one of"),
        (",8,", ",20000,", "count: must be at most 10,000"),
        (",8,", ",12,", "count: p5.48xlarge has 8 accelerators, not 12"),
        ("h100-sxm5", "h200-sxm", "p5.48xlarge has h100-sxm5, not h200-sxm"),
        ("h100-sxm5", "k80", "“k80” is not in the catalog"),
        ("us-east-1", "", "region: is empty"),
        ("p5.48xlarge", "x" * 200, "instance: must be at most 120"),
        ("p5.48xlarge", "<b>", "instance: must be at most 120"),
        ("aws,", "@SUM(A1),", "provider: holds a formula"),
    ],
)
def test_a_wrong_cell_is_one_sentence_that_names_the_column(old: str, new: str, words: str) -> None:
    outcome = read_quotes(read_table(_csv(GOOD.replace(old, new, 1)), "q.csv"), KNOWN)
    assert outcome.rows == []
    assert outcome.reconciles
    (refusal,) = outcome.refused
    assert words in refusal.reason
    assert (refusal.line, FORMULA in refusal.text) == (2, False)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (HEADER.replace("amount", "price"), "lacks the column amount"),
        (HEADER + ",colour", "“colour” is not known"),
        (HEADER + ",amount", "stands twice"),
        ("", "lacks the column provider"),
    ],
)
def test_a_wrong_header_is_refused_whole(header: str, words: str) -> None:
    with pytest.raises(ImportFault, match=words):
        read_quotes(read_table(_csv(GOOD, header=header or "x"), "q.csv"), KNOWN)


def test_a_price_per_accelerator_and_a_semicolon_list_are_understood() -> None:
    content = _csv(f"{GOOD.replace('41.5', '5.25').replace('on_demand', '3 years')},accelerator".replace(",", ";"),
                   header=f"{HEADER},per".replace(",", ";"))  # fmt: skip
    (row,) = read_quotes(read_table(b"\xef\xbb\xbf" + content, "q.csv"), KNOWN).rows
    assert (row.amount, row.option) == (Decimal("42.00000000"), "commit_3y")


def test_a_workbook_gives_the_same_rows_and_its_formulas_are_refused() -> None:
    good = ["aws", "p5.48xlarge", "us-east-1", "h100-sxm5", 8, "on_demand", 41.5, "USD", date(2026, 8, 20)]
    bad = [*good[:6], "=40+1.5", *good[7:]]
    outcome = read_quotes(read_table(_xlsx(good, [None] * 9, bad), "q.xlsx"), KNOWN)
    assert outcome.rows == read_quotes(read_table(_csv(GOOD), "q.csv"), KNOWN).rows
    assert [refusal.reason for refusal in outcome.refused] == ["amount: holds a formula; paste its value instead."]


def _bomb(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {**parts, "xl/worksheets/sheet1.xml": b"<x>" + b" " * 20_000_000 + b"</x>"}


def _many(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {**parts, **{f"xl/media/{n}": b"" for n in range(1001)}}


def _laughs(parts: dict[str, bytes]) -> dict[str, bytes]:
    text = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'
    return {**parts, "xl/sharedStrings.xml": text}


def _outside(parts: dict[str, bytes]) -> dict[str, bytes]:
    text = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
    return {**parts, "xl/workbook.xml": text.encode("utf-16")}


def _macro(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {**parts, "xl/vbaProject.bin": b"x"}


def _linked(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {**parts, "xl/externalLinks/externalLink1.xml": b"<x/>"}


def _gutted(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {name: body for name, body in parts.items() if "sheet1" not in name}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_bomb, "packed tighter"),
        (_many, "more than 300 parts"),
        (_laughs, "declares entities"),
        (_outside, "declares entities"),
        (_macro, "macros"),
        (_linked, "links to other workbooks"),
    ],
)
def test_hostile_workbooks_are_refused(change: Callable[[dict[str, bytes]], dict[str, bytes]], words: str) -> None:
    content = _rezipped(_xlsx(["aws"] * 9), change)
    with pytest.raises(Refused, match=words):
        read_table(content, "q.xlsx")


def test_a_workbook_whose_parts_do_not_fit_together_is_refused_with_a_sentence() -> None:
    """openpyxl falls over it with whatever exception: the process that reads it makes a sentence of that."""
    with pytest.raises(ImportFault, match="cannot be read"):
        read_upload(_rezipped(_xlsx(["aws"] * 9), _gutted), "q.xlsx")


def test_files_that_are_too_large_or_something_else_are_refused() -> None:
    for content, name, words in (
        (b"x" * (MOST_BYTES + 1), "q.csv", "more than 5 MiB"),
        (_csv(*["a"] * (MOST_ROWS + 1)), "q.csv", f"more than {MOST_ROWS} rows"),
        (b"\xd0\xcf\x11\xe0" + b"\x00" * 100, "q.xls", "old or encrypted"),
        (b"provider", "q.xlsx", "not a workbook"),
        (b"PK\x03\x04" + b"\x00" * 100, "q.xlsx", "cannot be read"),
        ("größe".encode("latin-1"), "q.csv", "not UTF-8"),
        (b'a,"b\nc', "q.csv", "not CSV"),
    ):
        with pytest.raises(Refused, match=words):
            read_table(content, name)
