"""The price feeds that can be fetched live: where each is, how large it may be, and who reads it.

A feed is named `azure-retail`, or with what it is narrowed to behind a colon: `aws-bulk:us-east-1`, `skypilot:aws`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from catalog.facts import load
from catalog.fetch import Client, FetchFault, Limits
from catalog.importers.aws_bulk import read_aws_bulk
from catalog.importers.azure_retail import page_of, read_azure_retail
from catalog.importers.gpuhunt import read_gpuhunt
from catalog.importers.outcome import Outcome, medians
from catalog.importers.skypilot import PROVIDERS, read_skypilot
from catalog.importers.spot_advisor import read_spot_advisor
from catalog.records import Record

_MIB = 2**20
_MOST_PAGES = 500
_RAW = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8"
_AZURE_FILTER = "serviceName eq 'Virtual Machines' and contains(armSkuName, 'Standard_N')"
_AWS_REGIONS = (
    "us-east-1", "us-east-2", "us-west-2", "eu-central-1", "eu-north-1", "eu-west-1", "eu-west-2", "ap-northeast-1",
    "ap-south-1", "ap-southeast-2", "sa-east-1", "ca-central-1",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """What reading gave: prices and refusals, and facts where the feed has facts."""

    outcome: Outcome
    facts: list[Record]


@dataclass(frozen=True, kw_only=True, slots=True)
class Feed:
    """One feed. `read` takes the fetched files, what the feed is narrowed to, and the day."""

    title: str
    url: str
    read: Callable[[list[Path], str, date], Read]
    narrowed: tuple[str, ...] = ("",)
    most_mib: int = 20
    paged: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """A feed read whole, ready to be published under its name."""

    name: str
    digest: str
    read: Read


def _reference() -> dict[str, Decimal]:
    return medians(load().prices)


def _prices(outcome: Outcome) -> Read:
    return Read(outcome=outcome, facts=[])


def _azure(files: list[Path], _narrowed: str, day: date) -> Read:
    return _prices(read_azure_retail(files, day=day, reference=_reference()))


def _aws(files: list[Path], _narrowed: str, _day: date) -> Read:
    return _prices(read_aws_bulk(files[0], reference=_reference()))


def _skypilot(files: list[Path], cloud: str, day: date) -> Read:
    return _prices(read_skypilot(files[0], cloud, day=day, source="skypilot-feed", reference=_reference()))


def _gpuhunt(files: list[Path], provider: str, day: date) -> Read:
    return _prices(read_gpuhunt(files[0], provider, day=day, reference=_reference()))


def _spot(files: list[Path], _narrowed: str, day: date) -> Read:
    outcome, facts = read_spot_advisor(files[0], day=day, source="spot-advisor")
    return Read(outcome=outcome, facts=facts)


FEEDS: dict[str, Feed] = {
    "azure-retail": Feed(
        title="Azure Retail Prices API",
        url="https://prices.azure.com/api/retail/prices?api-version=2023-01-01-preview&meterRegion='primary'&$filter="
        + quote(_AZURE_FILTER),
        read=_azure,
        paged=True,
    ),
    "aws-bulk": Feed(
        title="AWS price list of EC2, one region",
        url="https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/{narrowed}/index.csv",
        read=_aws,
        narrowed=_AWS_REGIONS,
        most_mib=1024,
    ),
    "spot-advisor": Feed(
        title="AWS Spot Advisor",
        url="https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json",
        read=_spot,
    ),
    "skypilot": Feed(
        title="SkyPilot catalog of one cloud", url=_RAW + "/{narrowed}/vms.csv", read=_skypilot, narrowed=PROVIDERS
    ),
}
"""gpuhunt is read from a file only: the address of its newest version has to be asked for first."""


def feed_named(name: str) -> tuple[Feed, str]:
    """The feed of that name and what it is narrowed to. FetchFault lists what there is."""
    key, _, narrowed = name.partition(":")
    feed = FEEDS.get(key)
    if feed is None:
        raise FetchFault(f"“{name[:60]}” is no feed; there are {', '.join(FEEDS)}.")
    if narrowed not in feed.narrowed:
        wanted = (
            f"write {key}:NAME with one of {', '.join(feed.narrowed)}" if feed.narrowed[0] else f"write {key} alone"
        )
        raise FetchFault(f"“{name[:60]}” does not fit; {wanted}.")
    return feed, narrowed


def fetch(name: str, folder: Path, *, day: date, url: str = "", client: Client | None = None) -> Fetched:
    """The feed of that name, fetched into the folder and read. FetchFault and ImportFault say what was wrong."""
    feed, narrowed = feed_named(name)
    client = client or Client(limits=Limits(most_bytes=feed.most_mib * _MIB))
    address = url or feed.url.replace("{narrowed}", narrowed)
    files = _pages(client, address, folder) if feed.paged else [_one(client, address, folder / "feed")]
    read = feed.read(files, narrowed, day)
    return Fetched(name=f"feed/{name}", digest=_digest(files, f"{name}:{day}"), read=read)


def _one(client: Client, url: str, path: Path) -> Path:
    client.save(url, path)
    return path


def _pages(client: Client, url: str, folder: Path) -> list[Path]:
    """All pages in order. FetchFault when they lead elsewhere, turn in a circle, or do not end."""
    host, seen, files = urlsplit(url).netloc, {url}, [_one(client, url, folder / "page-1")]
    while after := page_of(files[-1])[1]:
        after = urljoin(url, after)
        # The API writes its port into the next address; the host must be the same.
        if urlsplit(after).netloc.removesuffix(":443") != host.removesuffix(":443"):
            raise FetchFault("A page of the feed points to another host; nothing was kept.")
        if after in seen or len(files) >= _MOST_PAGES:
            raise FetchFault(f"The pages of the feed do not end after {len(files)}; nothing was kept.")
        seen.add(after)
        files.append(_one(client, after, folder / f"page-{len(files) + 1}"))
    return files


def _digest(files: Iterable[Path], how: str) -> str:
    digest = hashlib.sha256(how.encode())
    for path in files:
        with path.open("rb") as stream:
            while block := stream.read(_MIB):
                digest.update(block)
    return digest.hexdigest()
