"""The linter refuses each kind of fault that circulates about accelerators, and the catalog has none of them."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from catalog.facts import DATA, load
from catalog.lint import faults
from catalog.records import Record, Value


def _record(slug: str, **changes: str) -> Record:
    """The catalog's record of that slug with other values; `__` in a name stands for the dot."""
    found = next(record for record in load().records if record.slug == slug)
    values = dict(found.values)
    for name, text in changes.items():
        field = name.replace("__", ".")
        number, _, unit = text.partition(" ")
        old = values.get(field, values["memory_bytes"] if "memory_bytes" in values else next(iter(values.values())))
        dimension = "FLOP/s" if field.startswith(("dense", "sparse")) else old.dimension
        values[field] = Value(
            text=number, unit=unit, dimension=dimension, source=old.source, date=old.date, confidence=old.confidence
        )
    return Record(kind=found.kind, slug=slug, values=values)


@pytest.mark.parametrize(
    ("slug", "changes", "field", "words"),
    [
        ("h100-sxm5", {"dense_flops__tf32": "989 TFLOP/s"}, "dense_flops.tf32", "half of BF16"),
        ("h100-sxm5", {"dense_flops__bf16": "1979 TFLOP/s"}, "dense_flops.bf16", "sparse"),
        ("h100-sxm5", {"dense_flops__bf16": "3960 TFLOP/s"}, "dense_flops.bf16", "more than any hopper"),
        ("a100-sxm4-80", {"dense_flops__bf16": "624 TFLOP/s"}, "dense_flops.bf16", "more than any ampere"),
        ("a100-sxm4-80", {"dense_flops__tf32": "312 TFLOP/s"}, "dense_flops.tf32", "half of BF16"),
        ("a100-sxm4-80", {"dense_flops__fp8": "624 TFLOP/s"}, "dense_flops.fp8", "no FP8"),
        ("v100-sxm2-16", {"dense_flops__tf32": "130 TFLOP/s"}, "dense_flops.tf32", "no TF32"),
        ("rtx-a6000", {"dense_flops__bf16": "309 TFLOP/s"}, "dense_flops.tf32", "half of BF16"),
        ("l40s", {"dense_flops__bf16": "733 TFLOP/s"}, "dense_flops.bf16", "more than any ada"),
        ("rtx-4090", {"dense_flops__bf16": "330.3 TFLOP/s"}, "dense_flops.bf16", "accumulation"),
        ("b200-sxm", {"dense_flops__bf16": "4500 TFLOP/s"}, "dense_flops.bf16", "more than any blackwell"),
        ("b200-sxm", {"memory_bytes": "192 GB"}, "memory_bytes", "write GiB"),
        ("a100-sxm4-80", {"memory_bytes": "40 GiB"}, "memory_bytes", "in the name"),
        ("h100-sxm5", {"memory_bandwidth": "26800 GB/s"}, "memory_bandwidth", "bits written as bytes"),
        ("h100-sxm5", {"memory_bandwidth": "3350 Gb/s"}, "memory_bandwidth", "rated in bytes"),
        ("h100-sxm5", {"nic_bandwidth": "400 GB/s"}, "nic_bandwidth", "bits written as bytes"),
        ("h100-sxm5", {"nic_bandwidth": "50 GB/s"}, "nic_bandwidth", "write Gb/s"),
        ("h100-sxm5", {"scaleup_bandwidth": "900 GB/s"}, "scaleup_bandwidth", "both directions"),
        ("h100-sxm5", {"pcie_bandwidth": "8 Gb/s"}, "pcie_bandwidth", "16 PCIe lanes"),
        ("h100-sxm5", {"scaleup_both_directions": "450 GB/s"}, "scaleup_bandwidth", "half of"),
        ("ib-ndr", {"bandwidth": "400 GB/s"}, "bandwidth", "write Gb/s"),
        ("dgx-h100", {"nic_bandwidth": "400 GB/s"}, "nic_bandwidth", "write Gb/s"),
    ],
)
def test_a_circulating_fault_is_refused(slug: str, changes: dict[str, str], field: str, words: str) -> None:
    found = list(faults(_record(slug, **changes)))
    assert any(name == field and words in sentence for name, sentence in found), found


def test_the_catalog_has_no_fault_and_no_fact_without_a_source() -> None:
    out = StringIO()
    call_command("lint_catalog", stdout=out)
    assert " 0 facts lack a source or a date." in out.getvalue()
    assert " 0 prices lack a source." in out.getvalue()


def test_the_command_names_file_line_and_field_of_every_fault(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    path = folder / "accelerators_nvidia.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("bf16: 989.4 TFLOP/s", "bf16: 1979 TFLOP/s", 1).replace("80 GiB", "80 GB", 1), encoding="utf-8"
    )
    errors = StringIO()
    with pytest.raises(CommandError, match="faults, 0 facts"):
        call_command("lint_catalog", str(folder), stdout=StringIO(), stderr=errors)
    assert "accelerators_nvidia.yaml, line" in errors.getvalue()
    assert "memory_bytes: memory chips have binary sizes" in errors.getvalue()
    assert "sparse" in errors.getvalue()
