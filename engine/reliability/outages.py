"""What takes more than one host: outages of a site and of a provider, maintenance, and capacity that is not to be had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.inputs.assumptions import Assumption, Assumptions, Limits

HOURS_PER_YEAR = 8760.0
DAYS_PER_YEAR = 365.0
_POST_MORTEMS = (
    "Assumed, no provider publishes a rate. Post-mortems: AWS us-east-1 2021-12-07 (7 h), 2023-06-13 (3 h), 2025-10-20 (15 h); Google "
    "europe-west2 2022-07-19 (15 h), europe-west9 2023-04-26 (a day and more); Azure Australia East 2023-08-30 (a day)"
)
_PROVIDERS = (
    "Assumed. Incident reports: Google Cloud 2025-06-12 (most regions within 3 h, the last 8 h), Azure wide-area network "
    "2023-01-25 (5 h), Azure Front Door 2025-10-29 (8 h)"
)


def _entry(
    name: str, value: float, low: float, high: float, limits: Limits, unit: str, meaning: str, source: str
) -> Assumption:
    return Assumption(
        id=f"standby.{name}",
        value=value,
        low=low,
        high=high,
        limits=limits,
        unit=unit,
        meaning=meaning,
        source=source,
    )


_ENTRIES = (
    _entry(
        "site_outages_per_year",
        0.3,
        0.1,
        1.0,
        Limits(0, 100),
        "1/year",
        "Outages of a whole site, a zone or a region, that stop running replicas",
        f"{_POST_MORTEMS}: the worst regions about one a year, most none in years",
    ),
    _entry(
        "site_outage_h", 8.0, 3.0, 24.0, Limits(0.01, 1000), "h", "Mean length of an outage of a site", _POST_MORTEMS
    ),
    _entry(
        "provider_outages_per_year",
        0.1,
        0.02,
        0.3,
        Limits(0, 100),
        "1/year",
        "Outages of a provider that stop the replicas at all its sites at once",
        _PROVIDERS,
    ),
    _entry(
        "provider_outage_h",
        4.0,
        1.0,
        8.0,
        Limits(0.01, 1000),
        "h",
        "Mean length of an outage of a provider",
        _PROVIDERS,
    ),
    _entry(
        "maintenance_h",
        8.0,
        0.0,
        48.0,
        Limits(0, 2000),
        "h/year",
        "Planned maintenance of a host: drained first, one host at a time",
        "Assumed: two windows of four hours. Google's documentation on host maintenance: instances with accelerators cannot be "
        "moved while they run and are stopped",
    ),
    _entry(
        "detect_s",
        60.0,
        20.0,
        300.0,
        Limits(0, 86_400),
        "s",
        "Until no more requests are sent to a site that is down, where both sites serve",
        "Assumed: health checks every 10 to 30 s, two or three misses, and the time that names live in caches",
    ),
    _entry(
        "failover_s",
        900.0,
        120.0,
        7200.0,
        Limits(0, 864_000),
        "s",
        "Until a site that stands by takes the traffic of one that is down",
        "Assumed: somebody or something decides first, so that a short fault moves nothing; then names change",
    ),
    _entry(
        "capacity",
        0.8,
        0.4,
        0.95,
        Limits(0, 1),
        "",
        "Chance that replicas which do not stand yet can be had at a site while another one is down",
        "Assumed: all customers of that site ask at the same hour. AWS throttled new instances on 2025-10-20",
    ),
    _entry(
        "morning_capacity",
        0.98,
        0.8,
        0.999,
        Limits(0, 1),
        "",
        "Chance that capacity which was given back at night is there in the morning, rented by the hour",
        "Assumed, no provider publishes it: on-demand accelerators of large regions are short for days at a time",
    ),
    _entry(
        "morning_h",
        2.0,
        0.5,
        8.0,
        Limits(0.01, 24),
        "h",
        "Until missing capacity is there on such a morning",
        "Assumed: others give theirs back, or another instance type is found",
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
        detect_s=assume["standby.detect_s"],
        failover_s=assume["standby.failover_s"],
        capacity=assume["standby.capacity"],
        morning_capacity=assume["standby.morning_capacity"],
        morning_h=assume["standby.morning_h"],
    )


def _share(per_year: float, hours: float) -> float:
    """Of time that something is down which fails so often while it works, for so long each time."""
    return hours / (HOURS_PER_YEAR / per_year + hours) if per_year > 0 else 0.0
