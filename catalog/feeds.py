"""The price feeds that can be fetched live: where each is, how large it may be, and who reads it.

A feed is named `azure-retail`, or with what it is narrowed to behind a colon: `aws-bulk:us-east-1`, `skypilot:aws`.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from catalog.facts import load
from catalog.fetch import Client, FetchFault, Limits
from catalog.importers.aws_blocks import read_aws_blocks
from catalog.importers.aws_bulk import read_aws_bulk
from catalog.importers.aws_savings import address_of, read_aws_savings
from catalog.importers.aws_spot import read_aws_spot
from catalog.importers.azure_retail import page_of, read_azure_retail
from catalog.importers.gpuhunt import read_gpuhunt
from catalog.importers.outcome import ImportFault, Outcome, medians
from catalog.importers.skypilot import PROVIDERS, read_skypilot
from catalog.importers.spot_advisor import read_spot_advisor
from catalog.progress import Stage, tell
from catalog.records import Record

_MIB = 2**20
_MOST_PAGES = 500
_BLOCK = 1 << 16
_MOST_UNPACKED = 200 * _MIB
_VERSION = re.compile(r"[\w.-]{1,60}")
_GPUHUNT = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/{narrowed}/version"
_GPUHUNT_CLOUDS = ("aws", "azure", "lambdalabs", "nebius", "oci", "runpod", "verda")
"""Without Google's, whose machines cost about half there of what Google's own list says (`docs/catalog.md`)."""
_SAVINGS = (
    "https://pricing.us-east-1.amazonaws.com/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/current/region_index.json"
)
_BLOCKS = "https://raw.githubusercontent.com/koyakimu/ec2-capacity-blocks-for-ml-pricing-json/main/data/pricing.json"
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
    """One feed. `read` takes the fetched files, what the feed is narrowed to, and the day.

    `then` says of what was fetched first where the prices are, on the same server.
    """

    title: str
    url: str
    read: Callable[[list[Path], str, date], Read]
    narrowed: tuple[str, ...] = ("",)
    most_mib: int = 20
    paged: bool = False
    then: Callable[[Path, str], str] | None = None


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


def _savings(files: list[Path], _narrowed: str, _day: date) -> Read:
    return _prices(read_aws_savings(files[0], reference=_reference()))


def _blocks(files: list[Path], _narrowed: str, _day: date) -> Read:
    return _prices(read_aws_blocks(files[0], reference=_reference()))


def _aws_spot(files: list[Path], _narrowed: str, day: date) -> Read:
    return _prices(read_aws_spot(files[0], day=day, reference=_reference()))


def _gpuhunt(files: list[Path], provider: str, day: date) -> Read:
    path = _unpacked(files[0], f"{provider}.csv")
    return _prices(read_gpuhunt(path, provider, day=day, source="gpuhunt-feed", reference=_reference()))


def _newest(path: Path, _narrowed: str) -> str:
    """Where gpuhunt's newest catalog is; the first file says its version and nothing else."""
    version = path.read_text(encoding="utf-8", errors="replace").strip()
    if not _VERSION.fullmatch(version):
        raise ImportFault("gpuhunt does not say which version of its catalog is the newest.")
    return f"{version}/catalog.zip"


def _unpacked(path: Path, name: str) -> Path:
    """That file out of the archive, beside it. ImportFault when it is not in there or larger than such a file can be."""
    found, size = path.with_name(name), 0
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as stream, found.open("wb") as out:
            while block := stream.read(_BLOCK):
                if (size := size + len(block)) > _MOST_UNPACKED:
                    raise ImportFault(f"{name} is larger than such a catalog can be.")
                out.write(block)
    except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise ImportFault(f"The archive does not hold {name}: {error!r}.") from error
    return found


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
    "aws-savings": Feed(
        title="AWS price list of savings plans, one region",
        url=_SAVINGS,
        read=_savings,
        narrowed=_AWS_REGIONS,
        most_mib=1024,
        then=address_of,
    ),
    "aws-spot": Feed(
        title="AWS feed of spot prices", url="https://spot-price.s3.amazonaws.com/spot.js", read=_aws_spot
    ),
    "aws-blocks": Feed(title="AWS capacity blocks, as a repository keeps their page", url=_BLOCKS, read=_blocks),
    "gpuhunt": Feed(
        title="gpuhunt catalog of one cloud", url=_GPUHUNT, read=_gpuhunt, narrowed=_GPUHUNT_CLOUDS, then=_newest
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
    files = _files(feed, narrowed, client, address, folder)
    read = feed.read(files, narrowed, day)
    return Fetched(name=f"feed/{name}", digest=_digest(files, f"{name}:{day}"), read=read)


def _files(feed: Feed, narrowed: str, client: Client, address: str, folder: Path) -> list[Path]:
    if feed.paged:
        return _pages(client, address, folder)
    if feed.then is not None:
        first = _one(client, address, folder / "index")
        after = urljoin(address, feed.then(first, narrowed))
        if not _same_server(address, after):
            raise FetchFault("The feed points to another host; nothing was kept.")
        address = after
    return [_one(client, address, folder / "feed")]


def _same_server(one: str, other: str) -> bool:
    """Services write their port into the next address; the host must be the same."""
    return urlsplit(one).netloc.removesuffix(":443") == urlsplit(other).netloc.removesuffix(":443")


def _one(client: Client, url: str, path: Path) -> Path:
    tell(Stage.FETCHING, 0, 0)
    client.save(url, path)
    return path


def _pages(client: Client, url: str, folder: Path) -> list[Path]:
    """All pages in order. FetchFault when they lead elsewhere, turn in a circle, or do not end."""
    seen, files = {url}, [_one(client, url, folder / "page-1")]
    while after := page_of(files[-1])[1]:
        after = urljoin(url, after)
        if not _same_server(url, after):
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
