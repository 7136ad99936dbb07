"""Refuses the faults that circulate about accelerators: sparse rates as dense, GB as GiB, bits as bytes, both directions as one.

Each rule is a generator of (field, sentence); `check` raises the first, `manage.py lint_catalog` prints them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from catalog.records import Record
from catalog.yamlfile import Located

Fault = tuple[str, str]

ABSENT = {
    "volta": ("tf32", "bf16", "fp8", "mxfp8", "nvfp4"),
    "turing": ("tf32", "bf16", "fp8", "mxfp8", "nvfp4"),
    "ampere": ("fp8", "mxfp8", "nvfp4"),
    "ada": ("mxfp8", "nvfp4"),
    "hopper": ("mxfp8", "nvfp4"),
}
"""Precisions that a generation has no hardware for (V100 has no TF32, A100 no FP8, H100 no FP4)."""

CEILING = {
    "volta": 126e12,
    "turing": 131e12,
    "ampere": 313e12,
    "ada": 365e12,
    "hopper": 990e12,
    "blackwell": 2501e12,
    "cdna2": 384e12,
    "cdna3": 1308e12,
    "cdna4": 2517e12,
}
"""The fastest dense 16-bit rate of any product of the generation, FLOP/s: above it a figure counts sparsity."""

_TWICE = (
    ("tf32", "bf16", ("ampere", "ada", "hopper", "blackwell")),
    ("bf16", "fp8", ("ada", "hopper", "blackwell")),
)
"""The second precision is twice as fast as the first; a row in which it is not mixes dense with sparse."""

_LADDER = ("fp32", "tf32", "bf16", "fp8")
"""Each of these is at least as fast as the one before on the same hardware."""

_NVLINK = {"NVLink 2": 150e9, "NVLink 3": 300e9, "NVLink 4": 450e9, "NVLink 5": 900e9}
"""Byte/s of one GPU in one direction."""

_PCIE = (7.9e9, 15.75e9, 31.5e9, 63e9, 126e9)
"""Byte/s of 16 lanes in one direction, PCIe 2 to 6."""

_GEFORCE = re.compile(r"rtx-[345]0\d0(-ti)?")
_OF_PRICES = re.compile(r"\b(price|offer)", re.IGNORECASE)
_NAMED_SIZE = re.compile(r"\b(\d{2,3}) ?GB\b")
_MOST_DRAM, _MOST_NIC = 12e12, 200e9
_MOST_KWH = 2.0


def check(record: Record, entry: Located) -> None:
    """Raise CatalogError at the first fault of that record."""
    for field, sentence in faults(record):
        raise entry.fail(f"{record.slug}.{field}", sentence)


def faults(record: Record) -> Iterator[Fault]:
    """Every fault of that record as field and sentence."""
    for rule in _RULES.get(record.kind, ()):
        yield from rule(record)
    yield from _directions(record)
    yield from _prices(record)
    yield from _bits(record)


def _rates(record: Record) -> Iterator[Fault]:
    dense, sparse = record.group("dense_flops"), record.group("sparse_flops")
    generation = record.text("generation")
    for name in ABSENT.get(generation, ()):
        if name in dense or name in sparse:
            yield f"dense_flops.{name}", f"{generation} hardware has no {name.upper()}."
    for name, rate in sparse.items():
        if name in dense and not 1.9 < rate / dense[name] < 2.1:
            yield f"dense_flops.{name}", "must be half of the sparse rate; is a sparse figure in the dense field?"
    steps = [dense[name] for name in _LADDER if name in dense]
    if any(slow > fast * 1.001 for slow, fast in pairwise(steps)):
        yield "dense_flops", "rises with precision; is a sparse figure among dense ones?"
    for slow, fast, generations in _TWICE:
        if (
            generation in generations
            and slow in dense
            and fast in dense
            and not 1.85 < dense[fast] / dense[slow] < 2.15
        ):
            yield f"dense_flops.{slow}", f"must be half of {fast.upper()}; is one of them a sparse figure?"
    if max(dense.get("bf16", 0), dense.get("fp16", 0)) > CEILING.get(generation, float("inf")):
        yield "dense_flops.bf16", f"is more than any {generation} product does; a sparse figure?"
    if _GEFORCE.fullmatch(record.slug) and dense.get("bf16", 0) > 2.1 * dense.get("fp32", float("inf")):
        yield "dense_flops.bf16", "is the rate with FP16 accumulation; training accumulates in FP32 at half of it."


def _memory(record: Record) -> Iterator[Fault]:
    value = record.values.get("memory_bytes")
    chips = record.text("memory_type").startswith(("HBM", "GDDR", "LPDDR", "DDR"))
    if value is not None and chips and value.unit not in ("GiB", "MiB"):
        yield "memory_bytes", "memory chips have binary sizes: write GiB or MiB, not GB."
    named = _NAMED_SIZE.search(record.text("name"))
    if named and not 0.93 < record.number("memory_bytes") / 2**30 / float(named[1]) < 1.07:
        yield "memory_bytes", f"differs from the {named[1]} GB in the name by more than 7 %."
    if chips and record.number("memory_bandwidth") > _MOST_DRAM:
        yield "memory_bandwidth", "is more than any memory has; are bits written as bytes?"


def _links(record: Record) -> Iterator[Fault]:
    link = next((most for name, most in _NVLINK.items() if record.text("scaleup_name").startswith(name)), None)
    if link is not None and record.number("scaleup_bandwidth") > link * 1.01:
        yield "scaleup_bandwidth", "is more than this NVLink has in one direction; are both directions summed?"
    host = record.number("pcie_bandwidth")
    if host and not any(abs(host - usual) < 0.05 * usual for usual in _PCIE):
        yield "pcie_bandwidth", "is not the rate of 16 PCIe lanes in one direction (15.75, 31.5, 63 or 126 GB/s)."
    if record.number("nic_bandwidth") > _MOST_NIC:
        yield "nic_bandwidth", "is more than any accelerator's share of the network; are bits written as bytes?"


def _plannable(record: Record) -> Iterator[Fault]:
    if record.flag("plannable", True):
        if not record.group("dense_flops"):
            yield "dense_flops", "is missing; without a dense rate it cannot be planned with."
    elif not record.text("why_not_plannable"):
        yield "why_not_plannable", "is missing: say why it is not planned with."
    elif _OF_PRICES.search(record.text("why_not_plannable")):
        yield "why_not_plannable", "speaks of prices, which come and go without it; the pages say what is offered."


def _directions(record: Record) -> Iterator[Fault]:
    for one, both in (("scaleup_bandwidth", "scaleup_both_directions"), ("bandwidth", "both_directions")):
        if both in record.values and abs(record.number(both) - 2 * record.number(one)) > 0.01 * record.number(both):
            yield one, f"must be half of {both}: one direction, not both summed."


def _prices(record: Record) -> Iterator[Fault]:
    for low, high in (("purchase_low_usd", "purchase_high_usd"), ("price_low_usd", "price_high_usd")):
        if record.number(low) > record.number(high):
            yield low, f"is more than {high}."


def _bits(record: Record) -> Iterator[Fault]:
    """Network ports are rated in bits, memory and scale-up links in bytes: a wrong unit is the trap of a factor eight."""
    for field in ("nic_bandwidth", "scaleout_bandwidth"):
        value = record.values.get(field)
        if value is not None and not value.unit.endswith("b/s"):
            yield field, "network ports are rated in bits: write Gb/s."
    for field in ("memory_bandwidth", "scaleup_bandwidth", "pcie_bandwidth"):
        value = record.values.get(field)
        if value is not None and value.unit.endswith("b/s"):
            yield field, "is rated in bytes: write GB/s."
    cluster = record.kind == "link" and record.text("scope") == "cluster"
    if cluster and not record.values["bandwidth"].unit.endswith("b/s"):
        yield "bandwidth", "network ports are rated in bits: write Gb/s."


def _tariffs(record: Record) -> Iterator[Fault]:
    low, price, high = (record.number(f"usd_per_kwh{end}") for end in ("_low", "", "_high"))
    if price > _MOST_KWH:
        yield "usd_per_kwh", "is more than 2 USD for one kWh; are cents written as dollars?"
    if "usd_per_kwh" in record.values and not low <= price <= high:
        yield "usd_per_kwh", "must lie between its low and its high."


_RULES: dict[str, tuple[Callable[[Record], Iterator[Fault]], ...]] = {
    "accelerator": (_rates, _memory, _links, _plannable),
    "site": (_tariffs,),
}
