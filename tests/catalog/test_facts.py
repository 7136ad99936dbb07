"""The catalog's files: every value with a unit and a source, every fault with file, line and field."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import pytest
import yaml

from catalog.accelerator_names import accelerator_names
from catalog.facts import DATA, load, load_from, released
from catalog.records import SOURCE_WIDTHS
from catalog.schema import KINDS
from catalog.units import split, to_si
from catalog.yamlfile import CatalogError
from tests import RELEASE

# fmt: off
SCOPE = (
    "v100-sxm2-16", "v100-sxm2-32", "a100-sxm4-40", "a100-sxm4-80", "a100-pcie-40", "a100-pcie-80", "h100-sxm5",
    "h100-pcie", "h100-nvl", "h200-sxm", "h200-nvl", "b200-sxm", "b300-sxm", "gb200", "gb300", "t4", "l4", "l40s",
    "a10", "a10g", "rtx-a6000", "rtx-4090", "rtx-5090", "rtx-pro-6000-blackwell", "mi300x", "mi325x", "mi350x",
    "mi355x", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu7x", "trainium1", "trainium2", "trainium3",
    "inferentia1", "inferentia2", "gaudi2", "gaudi3", "graphcore-bow", "cerebras-cs2", "cerebras-cs3",
    "sambanova-sn40l", "groq-lpu", "apple-m3-max", "apple-m3-ultra", "apple-m4-max", "snapdragon-x-elite",
)
# fmt: on
GOOD = """
kind: accelerator
defaults: {source: vendor, date: 2026-08-22, confidence: memory}
entries:
  one:
    name: One
    vendor: Maker
    generation: hopper
    runtime: cuda
    release_year: 2024
    memory_bytes: 80 GiB
    memory_bandwidth: 3000 GB/s
    dense_flops: {bf16: 900 TFLOP/s, fp8: 1800 TFLOP/s}
    scaleup_bandwidth: 450 GB/s
    scaleup_both_directions: 900 GB/s
"""


def _load(folder: Path, text: str) -> CatalogError | None:
    shutil.copy(DATA / "sources.yaml", folder)
    (folder / "accelerators.yaml").write_text(text, encoding="utf-8")
    try:
        load_from(folder)
    except CatalogError as error:
        return error
    return None


@pytest.mark.parametrize(("name", "most"), SOURCE_WIDTHS.items())
def test_a_source_longer_than_its_column_is_refused(name: str, most: int, tmp_path: Path) -> None:
    """SQLite would store it, and PostgreSQL take none of the catalog."""
    texts = {"title": "A page", "where": "far.example", name: "a" * (most + 1)}
    (tmp_path / "sources.yaml").write_text(yaml.safe_dump({"far": texts}), encoding="utf-8")
    with pytest.raises(CatalogError, match=rf"far\.{name}: has {most + 1} characters, write at most {most}\."):
        load_from(tmp_path)


def test_every_accelerator_of_the_scope_is_there_and_the_machines_without_a_model_say_why() -> None:
    found = {record.slug: record for record in load().of("accelerator")}
    assert set(SCOPE) <= set(found)
    idle = {slug for slug in SCOPE if not found[slug].flag("plannable", True)}
    assert idle == {
        "graphcore-bow",
        "cerebras-cs2",
        "cerebras-cs3",
        "sambanova-sn40l",
        "groq-lpu",
        "snapdragon-x-elite",
        "inferentia1",
    }
    assert all(found[slug].text("why_not_plannable") for slug in idle)
    assert not found["apple-m4-max"].flag("trains", True)


def test_every_value_has_a_source_a_date_and_a_unit() -> None:
    catalog = load()
    known = {source.id for source in catalog.sources}
    values = [(record, name, value) for record in catalog.records for name, value in record.values.items()]
    assert len(values) > 2500
    assert all(value.source in known and len(value.date) == 10 and value.confidence for _, _, value in values)
    assert all(KINDS[record.kind][name].dimension == value.dimension for record, name, value in values)


def test_the_project_is_the_source_of_its_own_choices_only() -> None:
    choices = {"generation", "runtime", "plannable", "why_not_plannable", "trains"}
    ours = [
        (record, name)
        for record in load().records
        for name, value in record.values.items()
        if value.source == "project"
    ]
    assert ours
    macs = {(record.slug, name) for record, name in ours if name not in choices}
    assert all(slug.startswith("apple-") and name in {"scaleup_name", "scaleup_domain"} for slug, name in macs)


@pytest.mark.parametrize(
    ("slug", "field", "expected"),
    [
        ("h100-sxm5", "dense_flops.bf16", 989.4e12),
        ("a100-sxm4-80", "dense_flops.tf32", 156e12),
        ("l40s", "dense_flops.fp8", 733e12),
        ("rtx-4090", "dense_flops.fp16", 165.2e12),
        ("b200-sxm", "memory_bytes", 184_320 * 2**20),
        ("h200-sxm", "memory_bytes", 144_384 * 2**20),
        ("h100-sxm5", "scaleup_bandwidth", 450e9),
        ("h100-sxm5", "nic_bandwidth", 50e9),
        ("mi325x", "memory_bytes", 256 * 2**30),
        ("mi350x", "dense_flops.bf16", 2307e12),
        ("mi210", "dense_flops.fp32", 22.6e12),
        ("apple-m3-ultra", "purchase_low_usd", 9499),
    ],
)
def test_the_figures_that_circulate_wrongly_are_right_here(slug: str, field: str, expected: float) -> None:
    record = next(record for record in load().of("accelerator") if record.slug == slug)
    assert record.number(field) == pytest.approx(expected)


def test_links_are_per_direction_and_infiniband_generations_are_not_shifted() -> None:
    links = {record.slug: record.number("bandwidth") for record in load().of("link")}
    assert links["nvlink-4"] == 450e9
    assert (links["ib-hdr"], links["ib-ndr"], links["ib-xdr"]) == (25e9, 50e9, 100e9)


def test_the_well_formed_file_loads(tmp_path: Path) -> None:
    assert _load(tmp_path, GOOD) is None


@pytest.mark.parametrize(
    ("old", "new", "field", "line", "words"),
    [
        ("memory_bytes: 80 GiB", "memory_bytes: 80", "one.memory_bytes", 11, "wrong unit"),
        ("3000 GB/s", "3000 GB", "one.memory_bandwidth", 12, "wrong unit"),
        ("bf16: 900", "bf16: 1900", "one.dense_flops", 6, "sparse"),
        ("bf16: 900 TFLOP/s,", "bf16: 900 TFLOP/s, nvfp4: 3600 TFLOP/s,", "one.dense_flops.nvfp4", 6, "no NVFP4"),
        ("scaleup_bandwidth: 450", "scaleup_bandwidth: 900", "one.scaleup_bandwidth", 6, "one direction"),
        ("    vendor: Maker\n", "", "one.vendor", 6, "missing"),
        ("vendor: Maker", "vendor: {value: Maker, source: nowhere}", "one.vendor", 7, "sources.yaml"),
        ("date: 2026-08-22", "date: yesterday", "one.name", 6, "2026-08-22"),
        ("release_year: 2024", "release_year: new", "one.release_year", 10, "not a number"),
        ("    name: One", "    name: One\n    colour: green", "one.colour", 7, "not a field"),
        ("    name: One", "    name: One\n    name: Two", "name", 7, "twice"),
        ("80 GiB", "-80 GiB", "one.memory_bytes", 11, "not negative"),
    ],
)
def test_a_fault_names_file_line_and_field(
    tmp_path: Path, old: str, new: str, field: str, line: int, words: str
) -> None:
    error = _load(tmp_path, GOOD.replace(old, new, 1))
    assert error is not None
    assert (error.file, error.field, error.line) == ("accelerators.yaml", field, line)
    assert words in str(error)


def test_a_sparse_figure_in_the_dense_field_is_refused(tmp_path: Path) -> None:
    text = GOOD.replace("    scaleup_bandwidth", "    sparse_flops: {bf16: 900 TFLOP/s}\n    scaleup_bandwidth")
    error = _load(tmp_path, text)
    assert error is not None
    assert "half of the sparse rate" in str(error)


def test_a_file_that_is_not_yaml_is_one_sentence(tmp_path: Path) -> None:
    error = _load(tmp_path, "kind: [accelerator")
    assert error is not None
    assert error.file == "accelerators.yaml"
    assert "not YAML" in str(error)


def test_bits_are_not_bytes_and_gb_is_not_gib() -> None:
    assert to_si(*split("400 Gb/s"), "byte/s") == 50e9
    assert to_si(*split("80 GB"), "byte") == 80e9
    assert to_si(*split("80 GiB"), "byte") == 85_899_345_920
    with pytest.raises(ValueError, match="wrong unit"):
        to_si("80", "Gb", "byte")


def test_a_price_of_nothing_is_refused_with_its_line(tmp_path: Path) -> None:
    _load(tmp_path, GOOD)
    folder = tmp_path / "releases/2026-01/prices"
    folder.mkdir(parents=True)
    head = (DATA / "releases/2026-08/prices/commitments.csv").read_text(encoding="utf-8").splitlines()[0]
    row = "aws,x1,us-east-1,,one,8,on_demand,0,USD,2026-01-01,vendor,,,"
    (folder / "p.csv").write_text(f"{head}\n{row}\n", encoding="utf-8")
    with pytest.raises(CatalogError, match=r"p\.csv, line 2, amount") as caught:
        load_from(tmp_path)
    assert "leave the row out" in str(caught.value)


def test_the_hash_follows_the_facts_and_not_their_order(tmp_path: Path) -> None:
    shutil.copytree(DATA, tmp_path / "data")
    catalog = load()
    assert load_from(tmp_path / "data", until=RELEASE).release == catalog.release
    path = tmp_path / "data" / "currencies.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:4], *reversed(lines[4:])]) + "\n", encoding="utf-8")
    assert load_from(tmp_path / "data", until=RELEASE).release == catalog.release
    path.write_text(path.read_text(encoding="utf-8").replace("1.1555", "1.1556"), encoding="utf-8")
    assert load_from(tmp_path / "data", until=RELEASE).release != catalog.release


def test_all_prices_name_an_accelerator_of_the_catalog_and_stay_below_a_megabyte() -> None:
    catalog = load()
    slugs = {record.slug for record in catalog.of("accelerator")}
    assert {row.accelerator for row in catalog.prices} <= slugs
    assert {"aws", "azure", "gcp", "oci", "lambda", "nebius", "runpod"} == {row.provider for row in catalog.prices}
    assert sum(path.stat().st_size for path in (DATA / "releases").glob("*/prices/*.csv")) < 1_000_000


def test_systems_and_regions_point_at_things_that_exist() -> None:
    catalog = load()
    slugs = {record.slug for record in catalog.of("accelerator")}
    countries = {record.slug for record in catalog.of("country")}
    regions = {record.slug for record in catalog.of("region")}
    assert all(record.text("device") in slugs for record in catalog.of("system"))
    assert all(record.text("country") in countries for record in catalog.of("region"))
    assert {f"{row.provider}/{row.region}" for row in catalog.prices} <= regions
    sold = {f"{row.provider}/{row.instance}" for row in catalog.prices}
    assert "aws/p5.48xlarge" in sold


def test_every_accelerator_of_the_catalog_has_a_name_for_sentences() -> None:
    """A name may state a source of its own, as any fact: read a second time from the file it was no text."""
    names = accelerator_names()
    assert names["t4"] == "NVIDIA T4"
    assert set(names) == {record.slug for record in released().of("accelerator")}


def test_a_fault_of_a_file_arrives_from_another_process() -> None:
    fault = CatalogError("prices.yaml", 3, "name", "is missing.")
    assert str(copy.copy(fault)) == str(fault)
