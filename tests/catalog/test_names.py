"""Whatever has a price has a name that people know."""

from __future__ import annotations

from catalog.facts import released
from catalog.providers import provider_name


def test_everybody_who_sells_is_called_by_name() -> None:
    sellers = {row.provider for row in released().prices}
    assert len(sellers) >= 20
    assert {slug: provider_name(slug) for slug in sellers if provider_name(slug) == slug} == {}
    assert (provider_name("verda"), provider_name("aws"), provider_name("own cloud")) == ("Verda", "AWS", "own cloud")
