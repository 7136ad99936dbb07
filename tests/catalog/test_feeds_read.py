"""Spot advisor, gpuhunt and fsdl: small retyped excerpts of the samples, and traps written by hand."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.importers.fsdl import UNSTATED, read_fsdl
from catalog.importers.gpuhunt import read_gpuhunt, read_gpuhunt_tpu
from catalog.importers.outcome import ImportFault
from catalog.importers.spot_advisor import read_spot_advisor

DAY = date(2026, 8, 22)
RANGES = [
    {"index": 0, "label": "<5%", "dots": 0, "max": 5},
    {"index": 1, "label": "5-10%", "dots": 1, "max": 11},
    {"index": 2, "label": "10-15%", "dots": 2, "max": 16},
    {"index": 3, "label": "15-20%", "dots": 3, "max": 22},
    {"index": 4, "label": ">20%", "dots": 4, "max": 100},
]
GPUHUNT = (
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch"
)
CLOUDS = "Cloud,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,On-demand,Per-GPU,Spot,Name"


def _write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_bucket_becomes_the_middle_of_its_range_and_the_open_one_thirty_percent(tmp_path: Path) -> None:
    feed = {
        "ranges": RANGES,
        "spot_advisor": {
            "us-east-1": {
                "Linux": {
                    "p5.48xlarge": {"r": 1, "s": 60},
                    "p4d.24xlarge": {"r": 4, "s": 50},
                    "m5.large": {"r": 0, "s": 50},
                    "p4de.24xlarge": {"s": 50},
                    "p3.2xlarge": {"r": 9, "s": 50},
                },
                "Windows": {"p5.48xlarge": {"r": 4, "s": 10}},
            }
        },
    }
    outcome, facts = read_spot_advisor(_write(tmp_path, "spot.json", json.dumps(feed)), day=DAY)
    assert outcome.reconciles
    assert (outcome.lines, outcome.priced, len(outcome.refused), outcome.skipped.total()) == (5, 2, 2, 1)
    assert {record.slug: record.number("interruption_per_month") for record in facts} == {
        "aws/p5.48xlarge/us-east-1": pytest.approx(0.08),
        "aws/p4d.24xlarge/us-east-1": pytest.approx(0.30),
    }
    assert all(value.source and value.date == "2026-08-22" for record in facts for value in record.values.values())


@pytest.mark.parametrize(
    "text", ["", "<html>", "[]", '{"ranges": []}', '{"ranges": 3, "spot_advisor": {}}', "[" * 9999]
)
def test_garbage_is_no_spot_advisor_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(ImportFault, match="not a spot advisor file"):
        read_spot_advisor(_write(tmp_path, "spot.json", text), day=DAY)


def test_gpuhunt_rows_become_prices_and_calendar_mode_is_a_capacity_block(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        "gcp.csv",
        "\n".join(
            (
                GPUHUNT,
                "a3-highgpu-8g,us-central1,88.49,208,1872.0,8,H100,80.0,False,,nvidia,,x86",
                "a3-highgpu-8g,us-central1,35.40,208,1872.0,8,H100,80.0,True,,nvidia,,x86",
                "a3-highgpu-8g,us-east4,88.49,208,1872.0,8,H100,80.0,False,,nvidia,,x86",
                "a3-highgpu-8g,us-east4,91.00,208,1872.0,8,H100,80.0,True,,nvidia,,x86",
                "a3-highgpu-8g,us-west1,40.00,208,1872.0,8,H100,80.0,False,,nvidia,gcp-dws-calendar-mode,x86",
                "n2-standard-4,us-west1,0.2,4,16.0,0,,,False,,,,x86",
                "odd-1,us-west1,1.0,4,16.0,1,K80,12.0,False,,nvidia,,x86",
                "a3-highgpu-8g,us-west1,,208,1872.0,8,H100,80.0,False,,nvidia,,x86",
                "a3-highgpu-8g,us-west1,0,208,1872.0,8,H100,80.0,False,,nvidia,,x86",
                "a3-highgpu-8g,us-west1,88,208,1872.0,NaN,H100,80.0,False,,nvidia,,x86",
                "a3-highgpu-8g,us-west1,88,208,1872.0,8,H100,80.0,maybe,,nvidia,,x86",
            )
        ),
    )
    outcome = read_gpuhunt(path, "gcp", day=DAY)
    assert outcome.reconciles
    assert [(row.region, row.option, row.amount) for row in outcome.rows] == [
        ("us-central1", "on_demand", Decimal("88.49")),
        ("us-central1", "spot", Decimal("35.40")),
        ("us-east4", "on_demand", Decimal("88.49")),
        ("us-west1", "capacity_block", Decimal("40.00")),
    ]
    assert len(outcome.refused) == 5
    assert [drop.reason for drop in outcome.dropped] == ["The spot price is above the on-demand price."]
    assert outcome.skipped == {"The machine has no accelerator.": 1}


def test_tpu_prices_per_chip_become_the_price_of_a_host(tmp_path: Path) -> None:
    table = {
        "TPU v6e": {"us-east1": {"On Demand (USD)": 2.7, "Spot (USD)": 1.89}},
        "TPU v4": {"us-central2": {"On Demand (USD)": 3.22, "Spot (USD)": 3.5}},
        "TPU v2": {"us-central1": {"On Demand (USD)": 1.3}},
        "TPU v5p": {"us-east5": {"On Demand (USD)": 0, "Spot (USD)": None}},
    }
    outcome = read_gpuhunt_tpu(_write(tmp_path, "tpu.json", json.dumps(table)), day=DAY)
    assert outcome.reconciles
    assert [(row.instance, row.accelerator, row.option, row.amount) for row in outcome.rows] == [
        ("ct6e-standard-8t", "tpu-v6e", "on_demand", Decimal("21.6")),
        ("ct6e-standard-8t", "tpu-v6e", "spot", Decimal("15.12")),
        ("ct4p-hightpu-4t", "tpu-v4", "on_demand", Decimal("12.88")),
    ]
    assert (len(outcome.refused), len(outcome.dropped), outcome.skipped.total()) == (1, 1, 1)


def test_fsdl_reads_the_machine_and_refuses_what_does_not_add_up(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        "cloud-gpus.csv",
        "\n".join(
            (
                CLOUDS,
                "AWS,A100 (80 GB),Ampere,8,640,96,1152,40.97,5.12,,p4de.24xlarge",
                "AWS,A100 (40 GB),Ampere,8,320,96,1152,32.77,4.10,9.83,p4d.24xlarge",
                "AWS,T4 (16 GB),Turing,1,16,16,64,1.20,1.20,0.36,g4dn.4xlarge",
                "AWS,T4 (16 GB),Turing,1,16,16,64,1.20,1.20,0.36,g4dn.4xlarge",
                "AWS,K80 (12 GB),Kepler,1,12,4,61,0.90,0.90,0.27,p2.xlarge",
                "Lambda,H100 (80 GB),Hopper,8,640,208,1800,23.92,9.99,,gpu_8x",
                "Lambda,H100 (80 GB),Hopper,8,640,208,1800,,2.99,,gpu_8x",
            )
        ),
    )
    outcome = read_fsdl(path, day=DAY)
    assert outcome.reconciles
    assert [(row.accelerator, row.option, row.amount, row.region) for row in outcome.rows] == [
        ("a100-sxm4-80", "on_demand", Decimal("40.97"), UNSTATED),
        ("a100-sxm4-40", "on_demand", Decimal("32.77"), UNSTATED),
        ("a100-sxm4-40", "spot", Decimal("9.83"), UNSTATED),
        ("t4", "on_demand", Decimal("1.20"), UNSTATED),
        ("t4", "spot", Decimal("0.36"), UNSTATED),
    ]
    assert outcome.duplicates == 1
    assert any("does not fit" in reason for reason in outcome.reasons())


def test_the_serverless_table_has_a_price_per_hour(tmp_path: Path) -> None:
    text = "Vendor,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,Per-Hour,Per-GPU\nBaseten,A10G (24 GB),Ampere,2,48,24,96,3.40,1.70\n"
    (row,) = read_fsdl(_write(tmp_path, "serverless-gpus.csv", text), day=DAY).rows
    assert (row.provider, row.accelerator, row.count, row.amount) == ("baseten", "a10g", 2, Decimal("3.40"))


def test_other_files_are_refused_by_name_of_the_column(tmp_path: Path) -> None:
    path = _write(tmp_path, "other.csv", "a,b\n1,2\n")
    with pytest.raises(ImportFault, match="cloud-gpus"):
        read_fsdl(path, day=DAY)
    with pytest.raises(ImportFault, match="instance_name"):
        read_gpuhunt(path, "gcp", day=DAY)
    with pytest.raises(ImportFault, match="TPU prices"):
        read_gpuhunt_tpu(path, day=DAY)
