"""The hash over everything that a plan was made from, and what makes two prices equal.

Prices enter it as a sum of digests, in which order does not matter: an import adds its share, a roll-back takes it away,
and nobody reads the half million prices that were there before (an additive multiset hash; Bellare and Micciancio,
“A New Paradigm for Collision-Free Hashing”, 1997). The sum has 4,096 bits, so that by Wagner's generalised birthday
two catalogs of one sum take some 2^128 steps to find.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import astuple
from decimal import Decimal

from catalog.records import PriceRow, Record, Source

TALLY_BYTES = 512
NOTHING = bytes(TALLY_BYTES)
"""The tally of no prices."""
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def fingerprint(row: PriceRow) -> bytes:
    """32 bytes that equal prices share: SHA-256 over every field, numbers with the decimals that the database keeps."""
    fields = [
        row.provider,
        row.instance,
        row.region,
        row.zone,
        row.option,
        row.date.isoformat(),
        row.source,
        row.accelerator,
        _text(row.count, 4),
        _text(row.amount, 8),
        row.currency,
        _text(row.vcpus, 2),
        _text(row.memory_gib, 2),
        row.confidence,
        row.valid_from.isoformat() if row.valid_from else "",
        *([row.valid_until.isoformat()] if row.valid_until else ()),
    ]
    return hashlib.sha256(_encode(fields).encode()).digest()


def _text(value: Decimal, places: int) -> str:
    text = format(value, f".{places}f")
    return text.rstrip("0").rstrip(".")


def tally(fingerprints: Iterable[bytes]) -> bytes:
    """The sum that stands for those prices, in any order."""
    return _sum(hashlib.shake_256(mark).digest(TALLY_BYTES) for mark in fingerprints)


def together(tallies: Iterable[bytes | memoryview]) -> bytes:
    """The tally of the prices of several imports."""
    return _sum(tallies)


def _sum(parts: Iterable[bytes | memoryview]) -> bytes:
    total = sum(int.from_bytes(part, "big") for part in parts)
    return (total % (1 << 8 * TALLY_BYTES)).to_bytes(TALLY_BYTES, "big")


def release_of(
    records: Iterable[Record],
    prices: bytes,
    sources: Iterable[Source],
    *,
    overlay: bytes = NOTHING,
    own: Iterable[Record] = (),
) -> str:
    """The hash of a release: its facts, the tally of its public prices, its sources, and what is a team's own."""
    parts = (
        ("records", map(_plain_record, records)),
        ("prices", [prices.hex()]),
        ("overlay", [overlay.hex()]),
        ("sources", (list(astuple(source)) for source in sources)),
        ("own", map(_plain_record, own)),
    )
    digest = hashlib.sha256()
    for name, bodies in parts:
        lines = sorted(map(_encode, bodies))
        digest.update(f"{name} {len(lines)}\n".encode())
        for line in lines:
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _plain_record(record: Record) -> list[object]:
    facts = [
        [name, value.text, value.unit, value.source, value.date, value.confidence]
        for name, value in record.values.items()
    ]
    return [record.kind, record.slug, sorted(facts)]
