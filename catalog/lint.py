"""Refuses the faults that circulate about accelerators: sparse rates as dense, both directions as one, impossible precisions."""

from __future__ import annotations

from itertools import pairwise

from catalog.records import Record
from catalog.yamlfile import Located

ABSENT = {
    "volta": ("tf32", "bf16", "fp8", "mxfp8", "nvfp4"),
    "turing": ("tf32", "bf16", "fp8", "mxfp8", "nvfp4"),
    "ampere": ("fp8", "mxfp8", "nvfp4"),
    "ada": ("mxfp8", "nvfp4"),
    "hopper": ("mxfp8", "nvfp4"),
}
"""Precisions that a generation has no hardware for (V100 has no TF32, A100 no FP8, H100 no FP4)."""

_LADDER = ("fp32", "tf32", "bf16", "fp8")
"""Each of these is at least as fast as the one before on the same hardware."""


def check(record: Record, entry: Located) -> None:
    """Raise CatalogError at the first fault of that record."""
    if record.kind == "accelerator":
        _check_rates(record, entry)
        _check_plannable(record, entry)
    for one, both in (("scaleup_bandwidth", "scaleup_both_directions"), ("bandwidth", "both_directions")):
        _check_directions(record, entry, one, both)
    for low, high in (("purchase_low_usd", "purchase_high_usd"), ("price_low_usd", "price_high_usd")):
        if record.number(low) > record.number(high):
            raise entry.fail(f"{record.slug}.{low}", f"is more than {high}.")


def _check_rates(record: Record, entry: Located) -> None:
    dense, sparse = record.group("dense_flops"), record.group("sparse_flops")
    for name in ABSENT.get(record.text("generation"), ()):
        if name in dense or name in sparse:
            raise entry.fail(
                f"{record.slug}.dense_flops.{name}", f"{record.text('generation')} hardware has no {name.upper()}."
            )
    for name, rate in sparse.items():
        if name in dense and not 1.9 < rate / dense[name] < 2.1:
            raise entry.fail(
                f"{record.slug}.dense_flops.{name}",
                "must be half of the sparse rate; is a sparse figure in the dense field?",
            )
    steps = [dense[name] for name in _LADDER if name in dense]
    if any(slow > fast * 1.001 for slow, fast in pairwise(steps)):
        raise entry.fail(f"{record.slug}.dense_flops", "rises with precision; is a sparse figure among dense ones?")


def _check_plannable(record: Record, entry: Located) -> None:
    if record.flag("plannable", True):
        if not record.group("dense_flops"):
            raise entry.fail(
                f"{record.slug}.dense_flops", "is missing; without a dense rate it cannot be planned with."
            )
    elif not record.text("why_not_plannable"):
        raise entry.fail(f"{record.slug}.why_not_plannable", "is missing: say why it is not planned with.")


def _check_directions(record: Record, entry: Located, one: str, both: str) -> None:
    if both in record.values and abs(record.number(both) - 2 * record.number(one)) > 0.01 * record.number(both):
        raise entry.fail(f"{record.slug}.{one}", f"must be half of {both}: one direction, not both summed.")
