"""What takes more than one host: outages of a site and of a provider, maintenance, and capacity that is not to be had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.inputs.assumptions import Assumption, Assumptions, Limits, entries_in
from engine.inputs.origin import origin

HOURS_PER_YEAR = 8760.0
DAYS_PER_YEAR = 365.0
_INCIDENTS = origin("incidents")


_entry = entries_in("standby")

_ENTRIES = (
    _entry(
        "site_outages_per_year",
        0.3,
        0.1,
        1.0,
        Limits(0, 100),
        "1/year",
    ),
    _entry("site_outage_h", 8.0, 3.0, 24.0, Limits(0.01, 1000), "h"),
    _entry(
        "provider_outages_per_year",
        0.1,
        0.02,
        0.3,
        Limits(0, 100),
        "1/year",
        _INCIDENTS,
    ),
    _entry(
        "provider_outage_h",
        4.0,
        1.0,
        8.0,
        Limits(0.01, 1000),
        "h",
        _INCIDENTS,
    ),
    _entry(
        "maintenance_h",
        8.0,
        0.0,
        48.0,
        Limits(0, 2000),
        "h/year",
    ),
    _entry(
        "detect_s",
        60.0,
        20.0,
        300.0,
        Limits(0, 86_400),
        "s",
    ),
    _entry(
        "failover_s",
        900.0,
        120.0,
        7200.0,
        Limits(0, 864_000),
        "s",
    ),
    _entry(
        "capacity",
        0.8,
        0.4,
        0.95,
        Limits(0, 1),
        "",
    ),
    _entry(
        "morning_capacity",
        0.98,
        0.8,
        0.999,
        Limits(0, 1),
        "",
    ),
    _entry(
        "morning_h",
        2.0,
        0.5,
        8.0,
        Limits(0.01, 24),
        "h",
    ),
)
STANDBY_ASSUMPTIONS: Mapping[str, Assumption] = {item.id: item for item in _ENTRIES}


@dataclass(frozen=True, kw_only=True)
class Outages:
    """How often and for how long more than one host is away, and how soon others take over."""

    site_per_year: float = 0.0
    site_h: float = 1.0
    provider_per_year: float = 0.0
    provider_h: float = 1.0
    maintenance_h: float = 0.0
    """Of a host in a year."""
    repair_h: float = 24.0
    """Of a host that has failed."""
    detect_s: float = 0.0
    failover_s: float = 0.0
    start_s: float = 0.0
    """Until a replica answers that was not there, once its accelerators are."""
    capacity: float = 1.0
    morning_capacity: float = 1.0
    morning_h: float = 0.0

    @property
    def site(self) -> float:
        """Share of time that a site is down."""
        return _share(self.site_per_year, self.site_h)

    @property
    def provider(self) -> float:
        """Share of time that a provider is down, with all its sites."""
        return _share(self.provider_per_year, self.provider_h)

    @property
    def planned(self) -> float:
        """Share of time that a host is in maintenance."""
        return self.maintenance_h / HOURS_PER_YEAR

    @property
    def mornings(self) -> float:
        """Share of time that the load waits for capacity which was given back at night."""
        return DAYS_PER_YEAR * (1.0 - self.morning_capacity) * self.morning_h / HOURS_PER_YEAR


NO_OUTAGES = Outages()


def outages_of(assume: Assumptions) -> Outages:
    """As it is assumed."""
    return Outages(
        site_per_year=assume["standby.site_outages_per_year"],
        site_h=assume["standby.site_outage_h"],
        provider_per_year=assume["standby.provider_outages_per_year"],
        provider_h=assume["standby.provider_outage_h"],
        maintenance_h=assume["standby.maintenance_h"],
        repair_h=assume["reliability.repair_h"],
        detect_s=assume["standby.detect_s"],
        failover_s=assume["standby.failover_s"],
        capacity=assume["standby.capacity"],
        morning_capacity=assume["standby.morning_capacity"],
        morning_h=assume["standby.morning_h"],
    )


def _share(per_year: float, hours: float) -> float:
    """Of time that something is down which fails so often while it works, for so long each time."""
    return hours / (HOURS_PER_YEAR / per_year + hours) if per_year > 0 else 0.0
