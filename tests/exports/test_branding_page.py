"""The page Branding: an admin sets the look, files follow it, others only see it, nothing hostile is kept."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from accounts.models import AuditEvent, Membership, Role
from exports.brand import OURS
from exports.branding.logo import clean_logo
from exports.branding.store import brand_named, brand_of, current_look, set_look
from exports.models import Look, LookFile
from exports.render import render
from exports.round_trip.compare import differences
from exports.work import key_of, request_export
from incoming.package import Refused
from planner import plans
from planner.models import PlanVersion
from tests.conftest import People, make_member
from tests.exports.brands import brand, deck_template, logo_png, word_template
from tests.exports.samples import training_plan
from tests.exports.test_templates import changed

pytestmark = pytest.mark.django_db
ADDRESS = "/exports/branding"


@pytest.fixture
def admin(client: Client, people: People) -> Membership:
    """An admin of the team, signed in."""
    member = make_member(people.team, "Ada", Role.ADMIN)
    client.force_login(member.user)
    return member


@pytest.fixture
def version(people: People) -> PlanVersion:
    """A frozen version of the sample plan."""
    planner = make_member(people.team, "Petra", Role.PLANNER)
    workload = plans.save_workload(planner, name="Support assistant", draft={"name": "Support assistant"})
    return plans.freeze_version(planner, workload, training_plan())


def sent(name: str, data: bytes) -> dict[str, SimpleUploadedFile]:
    return {name: SimpleUploadedFile(f"{name}.bin", data)}


def test_an_admin_sets_a_look_and_every_file_has_it(client: Client, admin: Membership, version: PlanVersion) -> None:
    plain = render(version.plan, "pdf")
    typed = {"accent": "#96143C", "locale": "de-DE", "paper": "Letter", "footer": "Example AG", "font": "ubuntu"}
    assert client.post(ADDRESS, typed | sent("logo", logo_png())).status_code == 302
    look = current_look(admin.team)
    assert look
    assert (look.brand.accent, look.brand.locale, look.brand.paper) == ("96143C", "de-DE", "Letter")
    assert look.brand.sha256 == look.sha256
    export = request_export(admin, version, "pdf")
    assert (export.look, export.paper) == (look, "Letter")
    assert look.sha256[:16] in export.key
    made = render(version.plan, "pdf", brand=look.brand)
    assert made == render(version.plan, "pdf", brand=Look.objects.get(pk=look.pk).brand), "the row gives the same bytes"
    assert made != plain
    assert render(version.plan, "pdf") == plain, "and our own look is untouched"
    event = AuditEvent.objects.get(verb="look.changed")
    assert event.data["sha256"] == look.sha256


def test_looks_never_change_and_files_of_old_ones_can_be_made_again(admin: Membership, version: PlanVersion) -> None:
    first = set_look(admin, brand())
    key = key_of(version, "docx", "A4", first)
    assert set_look(admin, brand()) == first, "the same look again is no new one"
    assert set_look(admin, OURS)
    assert current_look(admin.team) is None
    assert brand_of(admin.team) == OURS
    again = set_look(admin, brand())
    assert again
    assert first
    assert again.number == 3
    assert key_of(version, "docx", "A4", again) == key, "the same brand gives the same file"
    assert brand_named(admin.team, first.sha256) == first.brand
    assert brand_named(admin.team, "f" * 64) is None
    assert LookFile.objects.count() == 1, "one logo is kept once"


def test_a_pale_colour_is_refused_in_one_sentence_and_nothing_typed_is_lost(client: Client, admin: Membership) -> None:
    answer = client.post(ADDRESS, {"accent": "#FFD000", "footer": "Example AG", "currency": "EUR", "per_usd": "many"})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "is too pale: its contrast with white is 1.4 : 1" in text
    assert 'value="Example AG"' in text
    assert 'value="many"' in text
    assert "how many EUR one US dollar buys" in text
    assert not Look.objects.exists()


def test_templates_are_kept_and_colours_of_the_theme_taken(client: Client, admin: Membership) -> None:
    client.post(ADDRESS, sent("word", word_template()))
    client.post(ADDRESS, sent("slides", deck_template()))
    found = brand_of(admin.team)
    assert found.word
    assert found.slides
    assert found.accent != OURS.accent, "accent 1 of the theme"
    client.post(ADDRESS, {"word_remove": "true"})
    assert not brand_of(admin.team).word
    client.post(ADDRESS, {"reset": "1"})
    assert brand_of(admin.team) == OURS


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("ppt/presentation.xml", b'cx="12192000"', b'cx="wide"'),
        ("ppt/presentation.xml", b'r:id="rId1"', b'r:id="rId999"'),
    ],
)
def test_a_damaged_template_is_a_fault_of_its_field(
    client: Client, admin: Membership, part: str, old: bytes, new: bytes
) -> None:
    page = client.post(ADDRESS, sent("slides", changed(deck_template(), part, old, new)))
    assert page.status_code == 422
    assert "This file is damaged" in page.content.decode()
    assert brand_of(admin.team) == OURS


def test_others_see_the_page_but_may_not_change_it(client: Client, people: People, admin: Membership) -> None:
    client.force_login(people.bob)
    assert "An admin of the team can change this" in client.get(ADDRESS).content.decode()
    assert client.post(ADDRESS, {"accent": "#111111"}).status_code == 403
    set_look(admin, brand())
    client.force_login(people.charlie)
    answer = client.get(ADDRESS)
    assert answer.status_code == 404 or "Example AG" not in answer.content.decode()


def test_the_preview_is_page_1_in_the_look(client: Client, admin: Membership, version: PlanVersion) -> None:
    set_look(admin, brand())
    answer = client.get(f"{ADDRESS}/page-1.svg")
    text = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert "#96143C" in text
    assert "data:image/png;base64," in text
    assert "Support" in text
    assert "EUR" in text
    assert "<script" not in text


def test_without_a_plan_the_preview_says_so(client: Client, admin: Membership) -> None:
    assert "There is no plan yet" in client.get(f"{ADDRESS}/page-1.svg").content.decode()
    assert client.get(ADDRESS).status_code == 200


def bomb() -> bytes:
    """A PNG whose header promises 60,000 × 60,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 9)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', "SVG"),
        (b"GIF89a" + b"\0" * 40, "cannot be read"),
        (logo_png()[:200], "cannot be read"),
        (b"\0" * (2**20 + 1), "at most 1 MiB"),
        (bomb(), "far too many pixels"),
        (logo_png(400, 20), "shape"),
    ],
    ids=("svg", "gif", "cut", "large", "bomb", "thin"),
)
def test_a_logo_that_is_no_plain_picture_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        clean_logo(data)


def test_a_logo_is_encoded_anew_on_white_without_what_it_carried() -> None:
    picture, out = Image.new("RGBA", (2000, 500), (255, 0, 0, 128)), BytesIO()
    exif = Image.Exif()
    exif[270] = "secret"
    picture.save(out, "PNG", exif=exif)
    found = clean_logo(out.getvalue())
    kept = Image.open(BytesIO(found.png))
    assert b"secret" not in found.png
    assert kept.mode == "RGB"
    assert (found.width, found.height) == kept.size == (1000, 250)
    assert kept.getpixel((5, 5)) == (255, 127, 127)
    assert clean_logo(out.getvalue()) == found


def test_a_workbook_in_the_teams_look_comes_back(admin: Membership, version: PlanVersion) -> None:
    look = set_look(admin, brand())
    assert look
    assert differences(version, render(version.plan, "xlsx", state=version.state, brand=look.brand)).differences == ()
    set_look(admin, OURS)
    assert differences(version, render(version.plan, "xlsx", state=version.state, brand=look.brand)).notes == ()
