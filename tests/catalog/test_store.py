"""The catalog in the database: one transaction, the same hash, nothing twice, nothing lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import AuditEvent, Team
from catalog.facts import load
from catalog.health import is_loaded
from catalog.importers.outcome import Outcome
from catalog.models import Accelerator, BatchStatus, CatalogRelease, Entry, ImportBatch, PriceObservation
from catalog.prices import publish_import, roll_back
from catalog.records import PriceRow
from planner.market import market_from_files, market_from_rows

pytestmark = pytest.mark.django_db
KEY = "aws/p5.48xlarge/us-east-1/on_demand"
HEADER = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch"
)


@pytest.fixture
def loaded() -> None:
    """The catalog of the files, in the database."""
    call_command("load_catalog", stdout=StringIO())


def _outcome(amount: str, day: date = date(2030, 1, 1)) -> Outcome:
    row = PriceRow(
        provider="aws",
        instance="p5.48xlarge",
        region="us-east-1",
        zone="",
        accelerator="h100-sxm5",
        count=Decimal(8),
        option="on_demand",
        amount=Decimal(amount),
        currency="USD",
        date=day,
        source="vendor",
    )
    return Outcome(lines=1, priced=1, rows=[row])


def _price(team: Team | None = None) -> float:
    return next(offer.usd_per_hour for offer in market_from_rows(team).offers if offer.id == KEY)


def test_before_loading_there_is_no_market_and_the_sentence_says_how_to_get_one() -> None:
    assert not is_loaded()
    with pytest.raises(LookupError, match="load_catalog"):
        market_from_rows()


@pytest.mark.usefixtures("loaded")
def test_rows_make_the_same_market_and_hash_as_the_files() -> None:
    assert is_loaded()
    assert market_from_rows() == market_from_files()
    assert CatalogRelease.objects.get().sha256 == market_from_files().release
    assert Accelerator.objects.filter(slug="h100-sxm5").exists()


@pytest.mark.usefixtures("loaded")
def test_loading_twice_changes_nothing() -> None:
    before = (Entry.objects.count(), PriceObservation.objects.count(), ImportBatch.objects.count())
    call_command("load_catalog", stdout=StringIO())
    assert (Entry.objects.count(), PriceObservation.objects.count(), ImportBatch.objects.count()) == before
    assert CatalogRelease.objects.count() == 1
    assert AuditEvent.objects.get().subject == CatalogRelease.objects.get().sha256


@pytest.mark.usefixtures("loaded")
def test_an_import_adds_prices_once_and_can_be_rolled_back() -> None:
    before = market_from_rows().release
    batch, new = publish_import("test/aws", "a" * 64, _outcome("50"))
    again, repeated = publish_import("test/aws", "a" * 64, _outcome("50"))
    assert (new, repeated, again.pk) == (True, False, batch.pk)
    assert _price() == 50.0
    roll_back(batch)
    assert _price() == 55.04
    assert market_from_rows().release == before
    with pytest.raises(ValueError, match="Only a published import"):
        roll_back(batch)


@pytest.mark.usefixtures("loaded")
def test_rows_that_are_published_already_are_not_repeated() -> None:
    publish_import("test/aws", "a" * 64, _outcome("50"))
    batch, new = publish_import("test/aws", "b" * 64, _outcome("50"))
    assert new
    assert batch.prices == 0


@pytest.mark.usefixtures("loaded")
def test_a_failing_import_leaves_the_catalog_as_it_was() -> None:
    prices = PriceObservation.objects.count()
    outcome = _outcome("50")
    outcome.rows.append(replace(outcome.rows[0], provider=None))  # type: ignore[arg-type]
    with pytest.raises(Exception, match="provider"):
        publish_import("test/aws", "a" * 64, outcome)
    assert PriceObservation.objects.count() == prices
    assert not ImportBatch.objects.filter(name="test/aws").exists()


def test_an_import_that_loses_a_line_or_has_no_price_is_not_published() -> None:
    with pytest.raises(ValueError, match="account for every line"):
        publish_import("test/aws", "a" * 64, replace(_outcome("50"), lines=2))
    with pytest.raises(ValueError, match="no price"):
        publish_import("test/aws", "a" * 64, Outcome())


@pytest.mark.usefixtures("loaded")
def test_a_teams_own_price_is_seen_by_that_team_alone() -> None:
    team, other = (Team.objects.create(name=name, slug=name) for name in ("mine", "theirs"))
    publish_import("upload", "c" * 64, _outcome("33"), team=team)
    assert (_price(team), _price(other), _price()) == (33.0, 55.04, 55.04)
    assert market_from_rows(team) is market_from_rows(team)
    assert market_from_rows(team).release != market_from_rows(other).release == market_from_files().release


@pytest.mark.usefixtures("loaded")
def test_prices_are_never_changed_or_deleted() -> None:
    row = PriceObservation.objects.first()
    assert row is not None
    with pytest.raises(TypeError):
        row.save()
    with pytest.raises(TypeError):
        PriceObservation.objects.update(amount=1)
    with pytest.raises(TypeError):
        PriceObservation.objects.all().delete()


@pytest.mark.usefixtures("loaded")
def test_the_command_reports_every_line_and_imports_once(tmp_path: Path) -> None:
    path = tmp_path / "vms.csv"
    path.write_text(
        f"{HEADER}\np5.48xlarge,H100,8.0,192.0,2048.0,,54.0,20.0,us-east-1,use1-az1,x86_64\nx1,K80,1,4,60,,1,,us-east-1,,\n",
        encoding="utf-8",
    )
    texts = []
    for _ in range(2):
        out = StringIO()
        call_command("import_prices", str(path), provider="aws", date="2030-01-01", stdout=out)
        texts.append(out.getvalue())
    assert "2 lines: 1 priced, 0 parts of others, 0 duplicates, 1 refused, 0 about something else; 2 prices" in texts[0]
    assert "Published 2 new prices." in texts[0]
    assert "nothing changed" in texts[1]
    assert ImportBatch.objects.get(name="file/skypilot:aws").status == BatchStatus.PUBLISHED
    assert _price() == 54.0


@pytest.mark.parametrize(
    ("name", "day", "words"),
    [
        ("missing.csv", "2030-01-01", "cannot be read"),
        ("empty.csv", "2030-01-01", "lacks the column"),
        ("empty.csv", None, "--date"),
    ],
)
def test_the_command_says_what_to_change(tmp_path: Path, name: str, day: str | None, words: str) -> None:
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    with pytest.raises(CommandError, match=words):
        call_command("import_prices", str(tmp_path / name), provider="aws", date=day, stdout=StringIO())


def test_the_files_are_published_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(catalog: object) -> None:
        raise RuntimeError("stopped")

    monkeypatch.setattr("catalog.store.note_release", fail)
    with pytest.raises(TypeError):
        call_command("load_catalog", stdout=StringIO())
    assert not Entry.objects.exists()
    assert load().release
