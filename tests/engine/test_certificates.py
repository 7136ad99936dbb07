"""Certificates that a request asks for decide who may supply, and the plan says on whose statement each of them rests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.facts import released
from engine.answer import Option, Recommendation
from engine.entry import recommend
from engine.inputs.certificates import proof_of
from engine.inputs.hardware import Attestation, Certificate, Market
from engine.inputs.spec import Objective, Operations, Owned, Spec
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.engine.small_market import long_spec, market, offer
from tests.engine.small_market import spec as run
from tests.told import told


def _stated(certificate: str, *, held: bool = True, countries: tuple[str, ...] = ()) -> Attestation:
    return Attestation(
        certificate=certificate, held=held, scope="All of it", source="Its page", date="2026-11-01", countries=countries
    )


CLOUDS = replace(
    market(
        offer("big", "h100-sxm5", 30.0),
        offer("middle", "h100-sxm5", 25.0),
        offer("small", "h100-sxm5", 20.0),
    ),
    certificates={
        "low": Certificate(name="Low"),
        "high": Certificate(name="High", includes=("low",)),
        "rare": Certificate(name="Rare"),
    },
    attestations={
        "big/high": _stated("high"),
        "middle/low": _stated("low"),
        "small/low": _stated("low", countries=("XXX",)),
        "big/rare": _stated("rare", held=False),
    },
)


def asked(*certificates: str, shown: tuple[str, ...] = (), base: Spec | None = None) -> Spec:
    spec = base or run()
    return replace(spec, constraints=replace(spec.constraints, certificates=certificates, attested=shown))


def best(spec: Spec, on_market: Market = CLOUDS) -> tuple[Recommendation, Option]:
    found = recommend(spec, on_market)
    assert found.recommended is not None
    return found, found.recommended


def seller(option: Option) -> str:
    assert option.offer is not None
    return option.offer.provider


def test_whoever_holds_what_is_asked_supplies_and_the_plan_says_by_which_statement() -> None:
    assert seller(best(asked())[1]) == "small"
    found, option = best(asked("low"))
    assert seller(option) == "middle"
    (rests,) = found.certificates
    assert (rests.certificate, rests.provider, rests.by) == ("low", "middle", "catalog")
    assert (rests.scope, rests.source, rests.date) == ("All of it", "Its page", "2026-11-01")
    found, option = best(asked("high", "low"))
    assert seller(option) == "big"
    assert [(one.certificate, one.stated) for one in found.certificates] == [("high", "high"), ("low", "high")]


def test_what_is_left_out_says_which_certificate_and_whether_it_is_unknown_or_elsewhere() -> None:
    found, _ = best(asked("low"))
    (left,) = [one for one in found.rejected if one.code.startswith("certificate_")]
    assert (left.code, left.count) == ("certificate_elsewhere", 1)
    assert "Low" in told(left.reason)
    found, _ = best(asked("high"))
    (left,) = [one for one in found.rejected if one.code.startswith("certificate_")]
    assert (left.code, left.count) == ("certificate_unknown", 2)
    assert "ask the provider" in told(left.reason)


def test_nobody_is_refused_with_whom_each_certificate_excludes_and_the_nearest_way_out() -> None:
    found = recommend(asked("rare"), CLOUDS)
    assert not found.feasible
    assert found.certificates == ()
    said = told(found.headline)
    assert said.startswith("Nobody who could supply this is known to hold Rare:")
    assert "found of middle and small, so ask them" in said
    assert "does not hold Rare yet is said of big" in said
    assert [change.field for way in found.nearest for change in way.changes] == ["constraints.certificates"]
    assert "Do without Rare, or have it shown" in told(found.nearest[0].told)
    several = recommend(asked("low", "rare"), CLOUDS)
    assert "Do without Rare" in " ".join(told(way.told) for way in several.nearest)


def test_what_a_provider_has_shown_to_the_team_counts() -> None:
    found, option = best(asked("rare", shown=("small/rare",)))
    assert seller(option) == "small"
    (rests,) = found.certificates
    assert (rests.by, rests.source, rests.date) == ("request", "", "")
    more, higher = best(asked("low", shown=("small/high",)))  # what includes it is enough
    assert seller(higher) == "small"
    assert more.certificates[0].by == "request"


def test_of_hardware_in_own_rooms_no_providers_certificate_speaks() -> None:
    own = replace(run(), owned=(Owned(accelerator="h100-sxm5", count=64),))
    found, option = best(asked("rare", base=own))
    assert option.kind == "owned"
    (rests,) = found.certificates
    assert (rests.by, rests.provider) == ("own_site", "")
    gapped = replace(long_spec(), operations=Operations(security=("air-gapped",)))
    found, option = best(asked("rare", base=gapped))
    assert option.kind == "on_prem"
    assert found.certificates[0].by == "own_site"


@pytest.mark.parametrize("objective", ["cost", "time", "balanced", "carbon"])
def test_dropping_a_certificate_never_makes_it_worse(objective: Objective) -> None:
    def scored(*certificates: str) -> float:
        _, option = best(replace(asked(*certificates), objective=objective))
        assert option.energy.kg_co2e is not None
        usd, days = option.cost.npv_at_confidence, option.days.expected
        return {"cost": usd, "time": days, "balanced": usd * days, "carbon": option.energy.kg_co2e.expected}[objective]

    assert scored() <= scored("low") * 1.005 <= scored("low", "high") * 1.005**2


_SERVICE = {
    "name": "Chat",
    "workload": "serving",
    "model": "llama-3.1-8b",
    "serving": {"requests_per_s": 2, "input_tokens": 800, "output_tokens": 200, "ttft_p95_ms": 2000, "tpot_p95_ms": 80},
}


def _on_files(*certificates: str, **limits: object) -> Recommendation:
    body = {**_SERVICE, "constraints": {"certificates": list(certificates), **limits}}
    return estimate(spec_from(body), market_from_files()).recommendation


def test_the_catalogs_statements_name_what_exists_and_where() -> None:
    files = market_from_files()
    sellers = {record.slug for record in released().of("provider")}
    for slug, stated in files.attestations.items():
        provider, _, certificate = slug.partition("/")
        assert provider in sellers, slug
        assert certificate in files.certificates, slug
        assert stated.scope, slug
        assert stated.source, slug
        assert stated.date <= files.release_date, slug
    for one in files.certificates.values():
        assert set(one.includes) <= files.certificates.keys()


def test_on_the_catalog_each_certificate_costs_no_less_than_none() -> None:
    free = _on_files()
    assert free.recommended is not None
    for name in ("iso-27001", "soc-2-type-2", "c5", "fedramp-moderate", "fedramp-high", "pci-dss"):
        kept = _on_files(name)
        assert kept.recommended is not None, name
        assert kept.recommended.offer is not None
        assert kept.recommended.cost.npv_at_confidence >= free.recommended.cost.npv_at_confidence * 0.995
        assert proof_of(market_from_files(), (), kept.recommended.offer, name).standing == "held"
        assert [one.provider for one in kept.certificates] == [kept.recommended.offer.provider]
    high = _on_files("fedramp-high").recommended
    assert high is not None
    assert high.offer is not None
    assert high.offer.country == "USA"


def test_secnumcloud_is_held_by_nobody_in_the_catalog() -> None:
    answer = _on_files("secnumcloud")
    assert not answer.feasible
    assert "no statement on SecNumCloud was found of" in told(answer.headline)
    assert "Do without SecNumCloud" in told(answer.nearest[0].told)
