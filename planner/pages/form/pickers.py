"""The catalog's own names offered where a form asks for accelerators, providers and regions."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping

from django.http import QueryDict

from catalog.kept import Kept
from engine.inputs.finding import Ref
from engine.inputs.hardware import Market
from planner.names import provider_name
from planner.request.drafts import CONFIG, LONGEST_CONFIG, LONGEST_TEXT
from planner.request.fields import Choices, Field
from planner.telling import named

ACCELERATORS, PROVIDERS, REGIONS = "constraints.accelerators", "constraints.providers", "constraints.regions"
CERTIFICATES, COUNTRY = "constraints.certificates", "site.country"
PICKED = (ACCELERATORS, PROVIDERS, REGIONS, CERTIFICATES)
MOST_PICKED = 200
"""That a picker shows; a request may hold no more."""
_HARDWARE = re.compile(r"(owned|measured)\.\d+\.accelerator")
_kept: Kept[Mapping[str, Choices]] = Kept(8)


def posted(form: QueryDict) -> dict[str, str]:
    """What was posted, as text that every database stores (none stores a NUL); of a repeated name the last one (a
    checked box follows its hidden “false”), of a picker all that is picked. What is too long for its field is cut one
    character behind what the field may hold: enough to be refused, and no more to read and to show again."""
    typed = {key: value for key, value in form.items() if isinstance(value, str)}
    typed |= {path: ", ".join(form.getlist(path)) for path in PICKED if path in typed}
    return {key.replace("\x00", ""): _cut(key, value.replace("\x00", "")) for key, value in typed.items()}


def _cut(key: str, text: str) -> str:
    return text[: (LONGEST_CONFIG if key == CONFIG else LONGEST_TEXT) + 1]


def choices_of(market: Market) -> Mapping[str, Choices]:
    """What that market has, by path of the field: groups of (slug, name)."""
    return _kept.of(market.release, lambda: _names_in(market))


def _names_in(market: Market) -> Mapping[str, Choices]:
    regions = {offer.region: offer.provider for offer in market.offers if offer.region}
    return {
        ACCELERATORS: _grouped((d.vendor, d.slug, d.name) for d in market.devices.values() if d.plannable),
        PROVIDERS: _grouped(("", name, provider_name(name)) for name in {offer.provider for offer in market.offers}),
        CERTIFICATES: _grouped(("", slug, one.name) for slug, one in market.certificates.items()),
        COUNTRY: _grouped(("", code, named(Ref("country", code))) for code in _countries(market)),
        REGIONS: _grouped((provider_name(provider), region, region) for region, provider in regions.items()),
    }


def _grouped(rows: Iterable[tuple[str, str, str]]) -> Choices:
    """Rows of (group, value, name) as groups in order."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for group, value, name in sorted(rows, key=lambda row: (row[0].lower(), row[2].lower())):
        groups.setdefault(group, []).append((value, name))
    return list(groups.items())


def dressed(fields: Mapping[str, Field], choices: Mapping[str, Choices]) -> dict[str, Field]:
    """The fields with pickers where the catalog has names; what was typed and is not in it stays, as its own choice."""
    found = dict(fields)
    for path, field in fields.items():
        if path in PICKED and choices.get(path):
            picked = tuple(part for part in re.split(r"[,;\s]+", field.value) if part)[:MOST_PICKED]
            found[path] = dataclasses.replace(
                field, widget="pick", choices=_with(choices[path], picked), picked=picked, wide=True
            )
        elif _HARDWARE.fullmatch(path) and choices.get(ACCELERATORS):
            found[path] = _one_of(field, choices[ACCELERATORS], none="None")
        elif path == COUNTRY and choices.get(COUNTRY):
            found[path] = _one_of(field, choices[COUNTRY], none="Not said")
    return found


def _one_of(field: Field, choices: Choices, *, none: str) -> Field:
    """The field as a list to choose one from, or none."""
    typed = (field.value,) if field.value else ()
    return dataclasses.replace(field, widget="select", choices=[("", [("", none)]), *_with(choices, typed)])


def _countries(market: Market) -> list[str]:
    """Countries of which a grid or a tariff is known."""
    return [code for code in {*market.carbon_g_per_kwh, *market.sites} if len(code) == 3 and code.isupper()]


def _with(choices: Choices, picked: tuple[str, ...]) -> Choices:
    """The choices and what is picked without being one of them."""
    known = {value for _, group in choices for value, _ in group}
    strange = [(value, value) for value in dict.fromkeys(picked) if value not in known]
    return [*choices, *([("Not in the catalog", strange)] if strange else [])]
