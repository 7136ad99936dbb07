"""Numbers of a plan as the pages print them: the same digits as in the documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.answer import Estimate, Layout, Option, Site
from engine.inputs.assumptions import Assumption
from engine.inputs.finding import Ref
from engine.inputs.hardware import Offer
from planner.names import provider_name
from planner.request.quantities import compact, plural, rounded
from planner.telling import PAGES, named
from voice import writing
from voice.terms import TERMS

NBSP = "\u00a0"


def pace_words(pace: Estimate) -> str:
    """“14.9 k tokens/s”, “796 images/s”: how much is worked through, in the unit that it is counted in."""
    return f"{compact(pace.expected)} {plural(pace.unit, pace.expected)}"


def span(low: float, high: float) -> str:
    """Both ends of a band with three significant digits, one text when they print alike."""
    first, last = rounded(low), rounded(high)
    return first if first == last else f"{first}–{last}"


def allowed(item: Assumption) -> str:
    """What a request may set that assumption to."""
    limits = item.limits
    if limits is None or not item.editable:
        return "" if item.editable else "fixed"
    ends = (f"{end:,.0f}" if 1e3 <= end < 1e6 else f"{end:g}" for end in (limits.least, limits.most))
    return "–".join(ends) + (", whole" if limits.whole else "")


def days(value: float) -> str:
    """A stretch of days in the unit that reads best."""
    return seconds(value * writing.DAY_S)


def seconds(value: float) -> str:
    """A stretch of time in the unit that reads best, three significant digits."""
    return writing.span(value, PAGES.writes, PAGES.catalog)


def days_span(value: Estimate) -> str:
    """The band of a stretch of days, in the unit in which `days` tells its expected value."""
    low, high, expected = (end * writing.DAY_S for end in (value.low, value.high, value.expected))
    return writing.span_band(low, high, expected, PAGES.writes, PAGES.catalog)


def estimate(value: Estimate, unit: str = "") -> str:
    """The expected value with its unit."""
    return f"{rounded(value.expected)}{NBSP}{unit}".rstrip()


def percent(share: float) -> str:
    """A share of one as a percentage: “54%”, as sentences, charts and documents write it."""
    return writing.percent(share, PAGES.writes)


def chance(probability: float | None, *, down: bool = False) -> str:
    """A probability that never claims certainty. `down`: beside a greater one that is asked for."""
    if probability is None:
        return "not known"
    return writing.chance(probability, PAGES.writes, PAGES.catalog, down=down)


def hardware(option: Option) -> str:
    """“32 × H100 SXM”."""
    return many_of(option, option.count)


def many_of(option: Option, count: int) -> str:
    """So many of that option's accelerators."""
    return f"{count:,}{NBSP}×{NBSP}{option.accelerator_name}"


def place(option: Option) -> str:
    """Where the hardware comes from: provider, region and way of paying, or the system that is bought."""
    if option.offer is None:
        return {"owned": "owned hardware", "on_prem": "bought"}.get(option.kind, option.kind) + (
            f", {option.system_name}" if option.system_name else ""
        )
    return place_of(option.sites)


def place_of(sites: Sequence[Site]) -> str:
    """“Nebius, eu-north1 and Lambda, us-east-1, on demand”: where what is rented stands."""
    return f"{' and '.join(_site(site.offer.provider, site.offer.region) for site in sites)}, {way(sites[0].offer)}"


def _site(provider: str, region: str) -> str:
    return ", ".join([provider_name(provider), *([named(Ref("region", region))] if region else [])])


def way(offer: Offer) -> str:
    """How the offer is paid for, in words."""
    return TERMS["terms"][offer.option]


def layout(value: Layout) -> str:
    """The parallelism that differs from one, in the usual short form: “TP 8 · PP 2 · DP 4 · ZeRO 1”; no line begins with a dot."""
    pairs = (("TP", value.tp), ("PP", value.pp), ("VPP", value.vpp), ("CP", value.cp), ("EP", value.ep))
    shown = [f"{name}{NBSP}{size}" for name, size in pairs if size > 1]
    shown.append(f"DP{NBSP}{value.dp}")
    if value.zero_stage > 0:
        shown.append(f"ZeRO{NBSP}{value.zero_stage}")
    return f"{NBSP}· ".join(shown)


def anchor(option_id: str) -> str:
    """The id of an option's row in the page."""
    return "o-" + re.sub(r"[^A-Za-z0-9_-]", "-", option_id)
