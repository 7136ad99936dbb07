"""The country of a request's own site: in the form as a list, in the request as it is said, and refused by name where it is none."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from catalog.facts import released
from engine.inputs.spec import SpecError
from planner.estimate import estimate
from planner.market import market
from planner.pages.form.pickers import choices_of
from planner.request.parse import spec_from
from planner.telling import sourced
from tests.conftest import People

OWN: dict[str, Any] = {
    "name": "Own", "workload": "training", "model": "llama-3.1-8b", "as_of": "2026-11-28", "horizon_months": 36,
    "training": {"tokens": 20e9, "sequence_length": 8192}, "owned": [{"accelerator": "h100-sxm5", "count": 16}],
    "constraints": {"accelerators": ["h100-sxm5"], "spot": False},
}  # fmt: skip


def _paid(country: str) -> tuple[float, str, str]:
    """Tariff of the owned hardware with its source, and whose grid it is."""
    plan = estimate(spec_from(OWN | {"site": {"country": country}}), market(released()))
    best = plan.recommendation.recommended
    assert best is not None
    assert best.kind == "owned"
    power = next(item for item in best.cost.model.inputs if item.name == "usd_per_kwh")
    return power.value, power.source, str(best.energy.grid.values.get("country", ""))


def test_owned_hardware_pays_the_tariff_of_its_country_on_its_grid() -> None:
    assert _paid("")[1] != _paid("DEU")[1]
    value, source, grid = _paid("DEU")
    assert value == 0.2813
    assert sourced(source).startswith("Germany, 31 March 2025")
    assert "DEU" in grid
    assert _paid("USA")[0] == 0.146


def test_a_country_that_is_none_is_refused_at_its_field() -> None:
    with pytest.raises(SpecError) as refused:
        estimate(spec_from(OWN | {"site": {"country": "XYZ"}}), market(released()))
    assert [(fault.path, fault.code) for fault in refused.value.faults] == [("site.country", "unknown.country")]


def test_the_form_offers_countries_by_name() -> None:
    names = dict(pair for _, group in choices_of(market(released()))["site.country"] for pair in group)
    assert names["DEU"] == "Germany"
    assert "eu" not in names


def test_the_page_says_where_own_hardware_stands(client: Client, people: People) -> None:
    client.force_login(people.alice)
    page = client.get("/new/train").content.decode()
    assert "Where your own hardware stands" in page
    assert '<option value="DEU"' in page
