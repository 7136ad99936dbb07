"""A team's own entries: accelerators, servers and hardware that it owns. Write steps, each one transaction.

A value that the team enters goes before the public one in its plans and stays visible beside it; every change keeps
the version before it, so there is always a way back. The rules of the public catalog hold for it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.models import ApiToken, Membership, Team, User
from catalog.facts import NOT_NUMBERS
from catalog.lint import faults
from catalog.may import Step, require
from catalog.models import EntryStatus, TeamEntry
from catalog.records import OWN, Record, Value
from catalog.schema import KINDS
from catalog.store import facts_of
from catalog.units import split, to_si
from catalog.whole import Catalog

OWN_KINDS = ("holding", "accelerator", "system")
SOURCE = "team-entry"
_SLUG = re.compile(r"[a-z0-9][a-z0-9.-]{0,58}[a-z0-9]")
_MOST_TEXT = 300
_WHOLE = "entry"
"""Name under which a fault is told that belongs to no field."""
_WITHIN = {
    "FLOP/s": (1e9, 1e19, "0.001 and 10,000,000 TFLOP/s"),
    "byte/s": (1e6, 1e16, "0.001 GB/s and 10,000,000 GB/s"),
    "nic_bandwidth": (1e6, 1e16, "0.008 Gb/s and 80,000,000 Gb/s"),
    "byte": (0.1 * 2**30, 1e8 * 2**30, "0.1 GiB and 100,000,000 GiB"),
    "W": (0.1, 1e8, "0.1 W and 100 MW"),
}
"""What any hardware of the next years has, in SI units, by field or else by dimension: far beyond both ends is a slip of the unit."""
_MAY_BE_NONE = frozenset({"nic_bandwidth", "host_memory_bytes", "local_nvme_bytes"})
"""Where 0 says that there is none."""


class EntryRefused(ValueError):
    """The entry breaks rules; `faults` has one sentence for each field (`entry` for the whole)."""

    def __init__(self, found: Mapping[str, str]) -> None:
        super().__init__(" ".join(found.values()))
        self.faults = dict(found)


@transaction.atomic
def save_entry(
    member: Membership,
    catalog: Catalog,
    *,
    kind: str,
    slug: str,
    texts: Mapping[str, str],
    today: date,
    token: ApiToken | None = None,
) -> TeamEntry:
    """That entry in force from now on; the one before it is kept as replaced. An equal entry stays as it is.

    `texts` are values as typed (`989.4 TFLOP/s`), blank ones left to the public entry. EntryRefused names the fields.
    """
    require(member, Step.ENTER)
    record = entry_record(catalog, kind=kind, slug=slug, texts=texts, today=today)
    before = in_force(member.team, kind, slug)
    if before is not None and _said(before.facts) == _said(facts_of(record)):
        return before
    if before is not None:
        _end(before, EntryStatus.REPLACED, member.user)
    entry = TeamEntry.objects.create(
        team=member.team,
        kind=kind,
        slug=slug,
        name=_name_of(catalog, record),
        facts=facts_of(record),
        made_by=member.user,
    )
    _note("catalog.entry_saved", entry, member.user, token, replaces=before.public_id if before else "")
    return entry


@transaction.atomic
def withdraw(member: Membership, entry: TeamEntry, *, token: ApiToken | None = None) -> None:
    """Take the entry out of every later plan, so that the public values hold again. EntryRefused unless in force."""
    require(member, Step.ENTER)
    _end(entry, EntryStatus.WITHDRAWN, member.user)
    _note("catalog.entry_withdrawn", entry, member.user, token)


@transaction.atomic
def restore(member: Membership, entry: TeamEntry, catalog: Catalog, *, today: date) -> TeamEntry:
    """An earlier version in force again, as a new version; checked against today's rules. EntryRefused likewise."""
    return save_entry(
        member,
        catalog,
        kind=entry.kind,
        slug=entry.slug,
        texts=texts_of(entry),
        today=today,
    )


def in_force(team: Team, kind: str, slug: str) -> TeamEntry | None:
    """The entry of that team that holds now."""
    if kind not in OWN_KINDS or not _SLUG.fullmatch(slug):
        return None
    return TeamEntry.objects.filter(team=team, kind=kind, slug=slug, status=EntryStatus.IN_FORCE).first()


def texts_of(entry: TeamEntry) -> dict[str, str]:
    """The values of an entry as somebody would type them."""
    return {field: f"{parts[0]} {parts[1]}".strip() for field, parts in entry.facts.items()}


def entry_record(catalog: Catalog, *, kind: str, slug: str, texts: Mapping[str, str], today: date) -> Record:
    """What the team says, checked by the rules of the catalog. EntryRefused names every broken one."""
    if kind not in OWN_KINDS:
        raise EntryRefused({_WHOLE: f"“{kind}” is no kind of entry; use one of {', '.join(OWN_KINDS)}."})
    if not _SLUG.fullmatch(slug):
        raise EntryRefused({"slug": "The short name needs 2 to 60 small letters, digits, dots or dashes."})
    found, values = _values(kind, texts, today)
    record = Record(kind=kind, slug=slug, values=values)
    if not values and not found:
        found[_WHOLE] = "Enter at least one value of your own."
    if not found:
        found = {field: f"“{label(kind, field)}”: {text}" for field, text in _broken(catalog, record, today).items()}
    if found:
        raise EntryRefused(found)
    return record


def label(kind: str, field: str) -> str:
    """What people call that field; the field itself where it stands for several."""
    known = KINDS[kind].get(field)
    return known.label if known else field.replace("_", " ")


def _values(kind: str, texts: Mapping[str, str], today: date) -> tuple[dict[str, str], dict[str, Value]]:
    """Faults and values by field."""
    found: dict[str, str] = {}
    values: dict[str, Value] = {}
    for name in sorted(set(texts) - set(KINDS[kind])):
        found[name] = f"“{name[:40]}” is not a field of this kind of entry."
    for name, field in KINDS[kind].items():
        text = (texts.get(name) or "").strip()
        if not text:
            continue
        try:
            number, unit = _typed(text, field.dimension)
        except ValueError as error:
            found[name] = f"“{field.label}”: {error}"
            continue
        values[name] = Value(
            text=number,
            unit=unit,
            dimension=field.dimension,
            source=SOURCE,
            date=today.isoformat(),
            confidence=OWN,
        )
    return found, values


def _typed(text: str, dimension: str) -> tuple[str, str]:
    """The value and its unit as they are kept. ValueError is a sentence about what to change."""
    if len(text) > _MOST_TEXT or not text.isprintable():
        raise ValueError(f"must be at most {_MOST_TEXT} printable characters.")
    if dimension == "bool" and text not in ("true", "false"):
        raise ValueError("must be true or false.")
    if dimension == "day":
        try:
            return date.fromisoformat(text).isoformat(), ""
        except ValueError:
            raise ValueError(f"“{text}” is not a date; write it as 2026-08-22.") from None
    if dimension in NOT_NUMBERS:
        return text, ""
    number, unit = split(text.replace(",", "") if re.fullmatch(r"[\d,]+(\.\d+)?( .*)?", text) else text)
    to_si(number, unit, dimension)
    return number, unit


def _broken(catalog: Catalog, record: Record, today: date) -> dict[str, str]:
    """Rules of the catalog that the entry breaks, together with the public values that it leaves as they are."""
    public = next((one for one in catalog.records if (one.kind, one.slug) == (record.kind, record.slug)), None)
    whole = Record(kind=record.kind, slug=record.slug, values={**(public.values if public else {}), **record.values})
    missing = [name for name, field in KINDS[record.kind].items() if field.required and name not in whole.values]
    if missing:
        return dict.fromkeys(missing, "is missing: the catalog has no public entry of this name to take it from.")
    found = dict(reversed(list(faults(whole))))  # the first sentence about a field counts
    return found | _names_and_money(catalog, whole, today)


def _names_and_money(catalog: Catalog, record: Record, today: date) -> dict[str, str]:
    """What a file of the catalog cannot get wrong, but a form can."""
    named = {"holding": "accelerator", "system": "device"}.get(record.kind)
    known = {one.slug for one in catalog.effective if one.kind == "accelerator"}
    found: dict[str, str] = {}
    if record.kind == "accelerator":
        for field in ("generation", "runtime"):
            usual = sorted({one.text(field) for one in catalog.records if one.kind == "accelerator"})
            if record.text(field) not in usual:
                found[field] = f"must be one that plans know: {', '.join(usual)}."
    if named and record.text(named) not in known:
        found[named] = f"“{record.text(named)}” is not in the catalog; add it there first."
    for field in ("count", "devices", "scaleup_domain"):
        if field in record.values and (record.number(field) < 1 or record.number(field) % 1):
            found[field] = "must be a whole number from 1 up."
    found |= dict(_beyond_physics(record))
    if record.kind == "holding":
        found |= _holding(catalog, record, today)
    return found


def _beyond_physics(record: Record) -> Iterator[tuple[str, str]]:
    """Values that no hardware has: what follows from them is no number that a plan could print."""
    for name, field in KINDS[record.kind].items():
        within = _WITHIN.get(name) or _WITHIN.get(field.dimension)
        if within is None or name not in record.values:
            continue
        value, (least, most, words) = record.number(name), within
        if value == 0.0 and name in _MAY_BE_NONE:
            continue
        if value <= 0.0:
            yield name, "must be more than 0."
        elif not least <= value <= most:
            yield name, f"must be between {words}."


def _holding(catalog: Catalog, record: Record, today: date) -> dict[str, str]:
    found: dict[str, str] = {}
    country = record.text("country")
    if country and country not in {one.slug for one in catalog.records if one.kind == "country"}:
        found["country"] = f"“{country}” is no country code of three letters, such as CHE or USA."
    if record.text("in_service") > today.isoformat():
        found["in_service"] = "lies in the future: what is not there yet belongs into a plan's “available from”."
    if record.values.get("pue") and not 1.0 <= record.number("pue") <= 3.0:
        found["pue"] = "must be between 1 and 3: all energy of the site over that of the servers."
    if record.number("usd_per_kwh") > 2.0:
        found["usd_per_kwh"] = "is more than 2 USD for one kWh; are cents written as dollars?"
    if record.values.get("price_paid_usd") and record.number("book_value_usd") > record.number("price_paid_usd"):
        found["book_value_usd"] = "is more than the price paid."
    power = record.number("server_power_w") / max(record.number("devices", 8.0), 1.0)
    if power > 10_000.0:
        found["server_power_w"] = "is more than 10 kW for one accelerator; is it the power of the whole cluster?"
    return found


def _name_of(catalog: Catalog, record: Record) -> str:
    public = next((one for one in catalog.records if (one.kind, one.slug) == (record.kind, record.slug)), record)
    return record.text("name", public.text("name", record.slug))[:200]


def _said(facts: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The values without the day on which they were entered."""
    return {field: parts[:3] for field, parts in facts.items()}


def _end(entry: TeamEntry, to: EntryStatus, actor: User | None) -> None:
    """One conditional UPDATE, so that of two people who click at once only one takes the step."""
    open_rows = TeamEntry.objects.filter(pk=entry.pk, status=EntryStatus.IN_FORCE)
    if not open_rows.update(status=to, ended_by=actor, ended_at=timezone.now()):
        raise EntryRefused({_WHOLE: "This entry is not in force any more; look at the newest version."})
    entry.refresh_from_db()


def _note(verb: str, entry: TeamEntry, actor: User | None, token: ApiToken | None, **data: str) -> None:
    about = {"kind": entry.kind, "slug": entry.slug, **{name: value for name, value in data.items() if value}}
    audit.record(verb, entry.public_id, team=entry.team, actor=actor, token=token, data=about)
