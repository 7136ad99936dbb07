"""What must hold of every service that hosts and sites fail of: it is up for as long as is asked, or the plan says that it is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from engine.inputs.spec import Spec
from engine.reliability.patterns import SECOND_SITE
from engine.supply import RESIDENCY_COUNTRIES

Json = dict[str, Any]
_LEAST = 1e-9
_WAYS = tuple(f"warning.unavailable.{way}" for way in ("way", "elsewhere", "nothing"))


class Answer(Protocol):
    """One request with the JSON that answers it."""

    @property
    def spec(self) -> Spec: ...
    @property
    def body(self) -> Json: ...
    @property
    def options(self) -> list[Json]: ...


def availability_is_kept_or_said(answer: Answer) -> Iterator[str]:
    """As available as asked, or at risk in a warning; and never more than outages of sites leave."""
    for option, standing in _standing(answer):
        up, asked, most = standing["availability"], standing["asked"], standing["ceiling"]
        warned = any(found["code"] == "warning.unavailable" for found in option.get("warnings", ()))
        if (up < asked) != warned:
            yield f"{option['id']}: up for {up:.7f}, {asked:.7f} asked, said: {warned}"
        if up > most + _LEAST:
            yield f"{option['id']}: up for {up:.7f}, more than sites leave: {most:.7f}"
        wanted = answer.spec.operations
        if asked != wanted.availability or wanted.pattern not in ("auto", standing["pattern"]):
            yield f"{option['id']}: {standing['pattern']} for {asked}, asked: {wanted.pattern} for {wanted.availability}"


def a_missed_availability_is_in_the_headline(answer: Answer) -> Iterator[str]:
    """Who reads one sentence knows, and one more names what holds it, or that nothing does."""
    best = answer.body["recommended"]
    standing = best and best.get("standing")
    if not standing:
        return
    missed, code = standing["availability"] < standing["asked"], answer.body["headline"]["code"]
    if code.endswith(".unavailable") != missed:
        yield f"{best['id']}: up for {standing['availability']:.7f}, {standing['asked']:.7f} asked, headline {code}"
    ways = [found["code"] for found in best["warnings"] if found["code"] in _WAYS]
    if len(ways) != missed:
        yield f"{best['id']}: what holds {standing['asked']:.7f} is told {len(ways)} times"


def two_sites_are_two_places(answer: Answer) -> Iterator[str]:
    """A second site is another region with as large instances, where the data may lie; it is paid for at its price."""
    for option, standing in _standing(answer):
        first, second = option["offer"], standing["second"]
        if (second is not None) != (standing["pattern"] in SECOND_SITE):
            yield f"{option['id']}: {standing['pattern']} with second site {second and second['id']}"
        if not second:
            continue
        if (second["provider"], second["region"]) == (first["provider"], first["region"]):
            yield f"{option['id']}: both sites are in {first['region']}"
        if (second["device"], second["devices"]) != (first["device"], first["devices"]):
            yield f"{option['id']}: the second site has {second['devices']} × {second['device']}"
        residency = answer.spec.constraints.residency
        if residency != "any" and second["country"] not in RESIDENCY_COUNTRIES[residency]:
            yield f"{option['id']}: the second site is in {second['country']}, outside {residency}"
        lines = {line["name"]: line["amount"] for line in option["cost"]["lines"]}
        hours, price = float(lines["second_hours"]), float(second["usd_per_hour"]["amount"])
        due = hours * price * answer.body["currency"]["rate"]
        paid = float(lines["second_compute"]["amount"])
        if abs(due - paid) > 1.0 + 1e-6 * due:
            yield f"{option['id']}: {hours:,.0f} hours at {price} cost {paid:,.2f}, not {due:,.2f}"


def patterns_hang_together(answer: Answer) -> Iterator[str]:
    """The chosen pattern stands in the table at the price of the plan; two sites serve more of the time than one of as many spares."""
    best = answer.body["recommended"]
    standing = best and best.get("standing")
    if not standing:
        return
    chosen = [one for one in standing["patterns"] if one["chosen"]]
    total = float(best["cost"]["total"]["expected"])
    if len(chosen) != 1 or abs(float(chosen[0]["pattern_cost"]["amount"]) - total) > 0.01 + 1e-6 * total:
        yield f"{best['id']} costs {total:,.2f}, its pattern {chosen}"
    if chosen and abs(chosen[0]["availability"] - standing["availability"]) > _LEAST:
        yield f"{best['id']}: {standing['availability']} and {chosen[0]['availability']} of one pattern"
    for case in standing["cases"]:
        if not 0.0 <= case["served"] <= min(case["carries"], 1.0) + _LEAST:
            yield f"{best['id']}: serves {case['served']} with {case['carries']} on the day “{case['case']}”"


def _standing(answer: Answer) -> Iterator[tuple[Json, Json]]:
    for option in answer.options:
        if standing := option.get("standing"):
            yield option, standing


STANDING_RULES = (
    availability_is_kept_or_said,
    a_missed_availability_is_in_the_headline,
    two_sites_are_two_places,
    patterns_hang_together,
)
