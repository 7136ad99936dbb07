"""Google Cloud in a SkyPilot file: a machine's price is its host row plus its accelerator row.

A host that the file lacks in a zone is taken from the same region, or from another size of the same series, whose
price is in proportion to vCPUs and memory. Accelerator prices of several classes (flex start, calendar) are mixed
into the on-demand column: of two prices on one continent the low one is not published as on-demand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from catalog.importers.outcome import SPOT_TOLERANCE, Outcome, Refusal, amount

Line = tuple[int, dict[str, str]]
SPREAD = Decimal("1.35")
"""Honest prices of one accelerator differ by less than this within a continent; B200 mixes classes at 1.40."""
_SERIES = {
    "A100": ("a2-highgpu", (1, 2, 4, 8)),
    "A100-80GB": ("a2-ultragpu", (1, 2, 4, 8)),
    "H100": ("a3-highgpu", (1, 2, 4, 8)),
    "H100-MEGA": ("a3-megagpu", (8,)),
    "H200": ("a3-ultragpu", (8,)),
    "B200": ("a4-highgpu", (8,)),
}
_HOST_SERIES = {"a3-megagpu": "a3-highgpu"}
"""Same machine (208 vCPUs, 1,872 GiB) and same core price as the series named."""
_G2 = {1: "g2-standard-4", 2: "g2-standard-24", 4: "g2-standard-48", 8: "g2-standard-96"}
_SIZE = re.compile(r"(.+)-(\d+)g")
_MIXED = "The on-demand price looks like another class of capacity: far below others, or below spot."


@dataclass(frozen=True, slots=True)
class _Host:
    """One host row: price, spot price and shape, for so many accelerators."""

    price: Decimal | None
    spot: Decimal | None
    vcpus: Decimal
    memory: Decimal
    size: int


def assemble(lines: list[Line], outcome: Outcome) -> list[Line]:
    """Lines with whole-machine prices; hosts are counted as parts, what cannot be assembled is refused."""
    hosts, rest = _hosts(lines, outcome)
    mixed = mixed_classes(rest)
    found: list[Line] = []
    for number, line in rest:
        try:
            found.append(
                (number, line if line["AcceleratorName"].startswith("tpu-") else _machine(line, hosts, number in mixed))
            )
        except ValueError as error:
            text = f"{line['AcceleratorName']} x{line['AcceleratorCount']} {line.get('AvailabilityZone', '')} {line['Price']}"
            outcome.refused.append(Refusal(line=number, reason=str(error), text=text[:200]))
            continue
        if number in mixed:
            outcome.dropped.append(
                Refusal(
                    line=number, reason=_MIXED, text=f"{line['AcceleratorName']} {line['Region']} {line['Price']}"[:200]
                )
            )
    return found


def _hosts(lines: list[Line], outcome: Outcome) -> tuple[dict[tuple[str, str], list[_Host]], list[Line]]:
    """Host rows by (series or name, zone) and by (…, region), and all other lines."""
    hosts: dict[tuple[str, str], list[_Host]] = {}
    rest: list[Line] = []
    for number, line in lines:
        if line["AcceleratorName"] or not line["InstanceType"]:
            rest.append((number, line))
            continue
        try:
            host = _host(line)
        except (ValueError, ArithmeticError):
            outcome.refused.append(
                Refusal(line=number, reason="The host row has no usable price.", text=line["InstanceType"][:200])
            )
            continue
        outcome.parts += 1
        match = _SIZE.fullmatch(line["InstanceType"])
        series = match[1] if match else line["InstanceType"]
        for place in (line.get("AvailabilityZone", ""), line["Region"]):
            hosts.setdefault((series, place), []).append(host)
    return hosts, rest


def _host(line: dict[str, str]) -> _Host:
    match = _SIZE.fullmatch(line["InstanceType"])
    return _Host(
        amount(line["Price"]),
        amount(line["SpotPrice"]),
        Decimal(line["vCPUs"]),
        Decimal(line["MemoryGiB"]),
        int(match[2]) if match else 0,
    )


def _machine(line: dict[str, str], hosts: dict[tuple[str, str], list[_Host]], mixed: bool) -> dict[str, str]:
    """That accelerator line as the whole machine. ValueError when its host or shape is not known."""
    count = Decimal(line["AcceleratorCount"] or 0)
    name, series = _instance(line["AcceleratorName"], int(count))
    options = next(
        (
            hosts[key]
            for place in (line.get("AvailabilityZone", ""), line["Region"])
            if (key := (series, place)) in hosts
        ),
        [],
    )
    host = next((host for host in options if host.size == count), options[0] if options else None)
    if host is None:
        raise ValueError("The file has no host price for this machine, so its price is not known.")
    scale = count / host.size if host.size else Decimal(1)
    price = None if mixed else _sum(amount(line["Price"]), host.price, scale)
    spot = _sum(amount(line["SpotPrice"]), host.spot, scale)
    if price is None and spot is None:
        raise ValueError(_MIXED if mixed else "The line has neither an on-demand nor a spot price.")
    return {
        **line,
        "InstanceType": name,
        "Price": "" if price is None else str(price),
        "SpotPrice": "" if spot is None else str(spot),
        "vCPUs": str(host.vcpus * scale),
        "MemoryGiB": str(host.memory * scale),
        "confidence": "repo" if host.size in (0, count) else "derived",
    }


def _sum(part: Decimal | None, host: Decimal | None, scale: Decimal) -> Decimal | None:
    return None if part is None or host is None else part + host * scale


def _instance(accelerator: str, count: int) -> tuple[str, str]:
    """Machine type and host series of so many accelerators."""
    if accelerator == "L4" and count in _G2:
        return _G2[count], _G2[count]
    series, sizes = _SERIES.get(accelerator, ("", ()))
    if count not in sizes:
        raise ValueError("No machine type is known for this number of accelerators.")
    return f"{series}-{count}g", _HOST_SERIES.get(series, series)


def mixed_classes(lines: list[Line]) -> set[int]:
    """Line numbers whose on-demand price is of another class than it says."""
    groups: dict[str, list[tuple[int, str, Decimal, Decimal | None]]] = {}
    for number, line in lines:
        try:
            price, spot, count = (
                amount(line["Price"]),
                amount(line["SpotPrice"]),
                Decimal(line["AcceleratorCount"] or 0),
            )
        except (ValueError, ArithmeticError):
            continue
        if price is not None and count > 0 and not line["AcceleratorName"].startswith("tpu-"):
            groups.setdefault(line["AcceleratorName"], []).append(
                (number, _continent(line["Region"]), price / count, spot and spot / count)
            )
    return {number for group in groups.values() for number in _low(group)}


def _low(group: list[tuple[int, str, Decimal, Decimal | None]]) -> set[int]:
    """Members far below the dearest of their continent or below spot; then those far below the median of the rest."""
    top: dict[str, Decimal] = {}
    for _, continent, price, _spot in group:
        top[continent] = max(top.get(continent, price), price)
    low = {
        n
        for n, continent, price, spot in group
        if price * SPREAD < top[continent] or (spot is not None and spot > price * SPOT_TOLERANCE)
    }
    rest = [(number, price) for number, _, price, _spot in group if number not in low]
    if not rest:
        return low
    middle = median(price for _, price in rest)
    return low | {number for number, price in rest if price * SPREAD < middle}


def _continent(region: str) -> str:
    start = region.split("-")[0]
    return "america" if start in ("us", "northamerica", "southamerica") else start
