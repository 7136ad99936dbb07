"""SkyPilot files of seven clouds: each trap that their rows hold, and a full account of every line."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.importers.outcome import ImportFault, Outcome
from catalog.importers.skypilot import read_skypilot, tpu_slice
from catalog.records import PriceRow

DAY = date(2026, 8, 22)
AWS = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch"
)
AZURE = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,Generation"
GCP = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice"
RUNPOD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Region,SpotPrice,Price,AvailabilityZone,GpuInfo"
LAMBDA = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"
OCI = AWS.removesuffix(",Arch")

Read = Callable[..., Outcome]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads those lines as the file of that cloud."""

    def _read(provider: str, header: str, *lines: str, reference: Mapping[str, Decimal] | None = None) -> Outcome:
        path = tmp_path / "vms.csv"
        path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        outcome = read_skypilot(path, provider, day=DAY, reference=reference)
        assert outcome.reconciles
        return outcome

    return _read


def _only(outcome: Outcome, option: str = "on_demand") -> PriceRow:
    (row,) = [row for row in outcome.rows if row.option == option]
    return row


def _info(name: str, count: int, mib: int) -> str:
    return f"\"{{'Gpus': [{{'Name': '{name}', 'Count': {count}, 'MemoryInfo': {{'SizeInMiB': {mib}}}}}]}}\""


def test_columns_are_read_by_name_so_runpods_order_does_not_swap_spot_and_price(read: Read) -> None:
    outcome = read(
        "runpod",
        RUNPOD,
        "1x_A100-80GB_SECURE,A100-80GB,1.0,8.0,117.0,CA,1.20,1.39,CA-MTL-1," + _info("A100 PCIe", 1, 80),
    )
    assert _only(outcome).amount == Decimal("1.39")
    assert _only(outcome, "spot").amount == Decimal("1.20")
    assert _only(outcome).accelerator == "a100-pcie-80"
    assert _only(outcome).region == "CA"


def test_a_spot_price_above_on_demand_is_left_out_and_counted(read: Read) -> None:
    outcome = read("runpod", RUNPOD, "1x_A100-80GB_SECURE,A100-80GB,1.0,8.0,117.0,CA,1.60,1.39,CA-MTL-1,")
    assert [row.option for row in outcome.rows] == ["on_demand"]
    assert outcome.reasons() == {"The spot price is above the on-demand price.": 1}


def test_gpuinfo_is_a_python_literal_and_may_be_a_bare_name_or_broken(read: Read) -> None:
    lines = [
        f"p5.48xlarge,H100,8.0,192.0,2048.0,{info},55.04,,us-east-1,use1-az{n},x86_64"
        for n, info in enumerate(["H100", "{'Gpus': [", ""])
    ]
    outcome = read("aws", AWS, *lines)
    assert [row.accelerator for row in outcome.rows] == ["h100-sxm5"] * 3


def test_counts_are_floats_or_whole_numbers_and_fractions_stay_fractions(read: Read) -> None:
    outcome = read("aws", AWS, "g6f.2xlarge,L4,0.25,8.0,32.0,,0.475,,us-east-1,use1-az1,x86_64")
    assert _only(outcome).count == Decimal("0.25")
    assert _only(outcome).accelerator == "l4"


def test_the_eight_gpus_of_azures_h100_machine_are_not_twelve(read: Read) -> None:
    row = _only(read("azure", AZURE, 'Standard_ND96isr_H100_v5,H100,12,96.0,1900,H100,98.32,98.32,eastus,"V1,V2"'))
    assert row.count == 8
    assert row.accelerator == "h100-sxm5"
    assert row.amount / row.count == Decimal("12.29")


def test_azures_form_factor_and_missing_names_come_from_the_instance(read: Read) -> None:
    outcome = read(
        "azure",
        AZURE,
        "Standard_NC40ads_H100_v5,H100,1,40.0,320,H100,6.98,,eastus,V2",
        "Standard_NCC40ads_H100_v5,,,40.0,320,,6.98,1.745,eastus2,V2",
        "Standard_NC16ads_A10_v4,,,16.0,220,,,,eastus,V2",
        "Standard_NV16as_v4,Radeon MI25,1,16.0,56,Radeon MI25,0.932,0.10252,eastus,V1",
    )
    assert [row.accelerator for row in outcome.rows if row.option == "on_demand"] == ["h100-nvl", "h100-nvl"]
    assert len(outcome.refused) == 2
    assert set(outcome.reasons()) == {
        "The line has neither an on-demand nor a spot price.",
        "The accelerator “Radeon MI25” is not in the catalog.",
    }


def test_a_blank_on_demand_price_is_unknown_and_never_zero(read: Read) -> None:
    outcome = read("aws", AWS, "p5e.48xlarge,H200,8.0,192.0,2048.0,,,18.7,ap-southeast-2,apse2-az1,x86_64")
    assert [(row.option, row.amount) for row in outcome.rows] == [("spot", Decimal("18.7"))]


@pytest.mark.parametrize("price", ["0", "0.0", "-5", "NaN", "inf", "free", "1e400x"])
def test_a_price_that_is_none_refuses_the_line(read: Read, price: str) -> None:
    outcome = read("aws", AWS, f"p5.48xlarge,H100,8.0,192.0,2048.0,,{price},,us-east-1,use1-az1,x86_64")
    assert not outcome.rows
    assert len(outcome.refused) == 1


def test_rounded_spot_may_pass_on_demand_by_a_thousandth_and_equal_spot_is_no_discount(read: Read) -> None:
    outcome = read(
        "aws",
        AWS,
        "p4de.24xlarge,A100-80GB,8.0,96.0,1152.0,,32.93646,32.936500,us-west-2,usw2-az1,x86_64",
        "p5.48xlarge,H100,8.0,192.0,2048.0,,55.04,55.040000,us-east-1,use1-az1,x86_64",
    )
    spots = [row.amount for row in outcome.rows if row.option == "spot"]
    assert spots == [Decimal("32.93646"), Decimal("55.040000")]
    assert not outcome.dropped


def test_names_of_one_family_are_told_apart(read: Read) -> None:
    outcome = read(
        "aws",
        AWS,
        "p4d.24xlarge,A100,8.0,96.0,1152.0,,21.957642,,us-east-1,use1-az1,x86_64",
        "p4de.24xlarge,A100-80GB,8.0,96.0,1152.0,,27.44705,,us-east-1,use1-az1,x86_64",
        "p3dn.24xlarge,V100-32GB,8.0,96.0,768.0,,31.212,,us-east-1,use1-az1,x86_64",
        "p3.2xlarge,V100,1.0,8.0,61.0,,3.06,,us-east-1,use1-atl2-az1,x86_64",
    )
    assert [row.accelerator for row in outcome.rows] == ["a100-sxm4-40", "a100-sxm4-80", "v100-sxm2-32", "v100-sxm2-16"]


def test_lambda_tells_pcie_from_sxm_by_the_instance_and_has_no_zone(read: Read) -> None:
    outcome = read(
        "lambda",
        LAMBDA,
        "gpu_1x_h100_pcie,H100,1.0,26.0,200.0,3.29,us-west-2," + _info("H100", 1, 81920) + ",",
        "gpu_8x_h100_sxm5,H100,8.0,208.0,1800.0,31.92,us-east-1,,",
        "gpu_8x_v100_n,V100,8.0,88.0,448.0,6.32,us-east-1," + _info("V100", 8, 16384) + ",",
    )
    assert [(row.accelerator, row.count) for row in outcome.rows] == [
        ("h100-pcie", 1),
        ("h100-sxm5", 8),
        ("v100-sxm2-16", 8),
    ]
    assert {row.zone for row in outcome.rows} == {""}


def test_googles_price_is_host_and_accelerators_together(read: Read) -> None:
    outcome = read(
        "gcp",
        GCP,
        "a2-highgpu-1g,12.0,85.0,,,,us-central1,us-central1-c,0.73948,0.36975",
        ",,,A100,1,,us-central1,us-central1-c,2.93391,1.4341",
        ",,,A100,8,,us-central1,us-central1-a,23.47126,11.4728",
    )
    by_name = {row.instance: row for row in outcome.rows if row.option == "on_demand"}
    assert by_name["a2-highgpu-1g"].amount == Decimal("3.67339")
    assert by_name["a2-highgpu-8g"].amount == Decimal("23.47126") + 8 * Decimal("0.73948")
    assert by_name["a2-highgpu-8g"].confidence == "derived"
    assert by_name["a2-highgpu-8g"].vcpus == 96
    assert outcome.parts == 1


def test_a_google_machine_whose_host_is_not_in_the_file_has_no_price(read: Read) -> None:
    outcome = read("gcp", GCP, ",,,B200,8,,us-central1,us-central1-b,90.216,32.6064")
    assert not outcome.rows
    assert outcome.reasons() == {"The file has no host price for this machine, so its price is not known.": 1}


def test_of_two_google_classes_the_low_one_is_never_published_as_on_demand(read: Read) -> None:
    host = "a3-highgpu-1g,26.0,234.0,,,,{0},{0}-a,1.18251,0.36117"
    outcome = read(
        "gcp",
        GCP,
        *[host.format(region) for region in ("us-central1", "us-east4", "us-east5")],
        ",,,H100,8,,us-central1,us-central1-a,33.60609,23.9408",
        ",,,H100,8,,us-east4,us-east4-a,78.37241,17.8848",
        ",,,H100,8,,us-east5,us-east5-a,88.2708,19.2648",
    )
    assert {row.region for row in outcome.rows if row.option == "on_demand"} == {"us-east4", "us-east5"}
    assert {row.region for row in outcome.rows if row.option == "spot"} == {"us-central1", "us-east4", "us-east5"}
    assert sum("another class" in reason for reason in outcome.reasons()) == 1


def test_google_spot_above_on_demand_marks_the_on_demand_price_as_doubtful(read: Read) -> None:
    host = "a2-ultragpu-1g,12.0,170.0,,,,us-central1,us-central1-a,1.09962,0.54978"
    outcome = read("gcp", GCP, host, ",,,A100-80GB,1,,us-central1,us-central1-a,1.8462,1.964")
    assert [row.option for row in outcome.rows] == ["spot"]


@pytest.mark.parametrize(
    ("name", "slug", "chips"),
    [
        ("tpu-v5p-1024", "tpu-v5p", 512),
        ("tpu-v4-8", "tpu-v4", 4),
        ("tpu-v5litepod-16", "tpu-v5e", 16),
        ("tpu-v6e-256", "tpu-v6e", 256),
    ],
)
def test_tpu_names_count_cores_or_chips(name: str, slug: str, chips: int) -> None:
    assert tpu_slice(name) == (slug, chips)


def test_a_tpu_slice_is_one_row_of_many_chips_and_its_twin_is_a_duplicate(read: Read) -> None:
    line = ",,,tpu-v5p-1024,1,tpu-v5p-1024,us-east1,us-east1-d,2150.4,427.87891"
    outcome = read("gcp", GCP, line, line)
    assert _only(outcome).count == 512
    assert _only(outcome).amount / 512 == Decimal("4.20")
    assert outcome.duplicates == 1


def test_oci_repeats_a_price_in_every_region_and_has_spot_for_some_shapes(read: Read) -> None:
    outcome = read(
        "oci",
        OCI,
        "BM.GPU.H100.8,H100,8,224,2048,,80,,af-casablanca-1,AF-CASABLANCA-1-AD-1",
        "BM.GPU.H100.8,H100,8,224,2048,,80,,us-ashburn-1,US-ASHBURN-1-AD-1",
        "VM.GPU3.1,V100,1,12,90,,2.95,1.475,af-casablanca-1,AF-CASABLANCA-1-AD-1",
        "BM.GPU2.2,P100,2,28,192,,2.55,,af-casablanca-1,AF-CASABLANCA-1-AD-1",
    )
    assert [row.option for row in outcome.rows] == ["on_demand", "on_demand", "on_demand", "spot"]
    assert outcome.reasons() == {"The accelerator “P100” is not in the catalog.": 1}


def test_a_cent_for_a_b200_is_not_believed(read: Read) -> None:
    lines = [
        f"gpu_1x_b200_sxm6,B200,1.0,26.0,360.0,{price},us-east-{n},,"
        for n, price in enumerate(["6.99", "6.99", "6.99", "0.01"])
    ]
    outcome = read("lambda", LAMBDA, *lines)
    assert len(outcome.rows) == 3
    assert "too far from the median" in outcome.dropped[0].reason
    alone = read("lambda", LAMBDA, lines[3], reference={"b200-sxm": Decimal("7")})
    assert not alone.rows


def test_a_file_of_another_kind_is_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "pricing.csv"
    path.write_text("Region,Zone,PricePerVCPU\n,,0.0\n", encoding="utf-8")
    with pytest.raises(ImportFault, match="lacks the column InstanceType"):
        read_skypilot(path, "aws", day=DAY)
    with pytest.raises(ImportFault, match="not one of"):
        read_skypilot(path, "slurm", day=DAY)
    path.write_bytes(b"\xff\xfe\x00\x01InstanceType")
    with pytest.raises(ImportFault, match="UTF-8"):
        read_skypilot(path, "aws", day=DAY)


def test_short_lines_and_strange_counts_are_refused_not_fatal(read: Read) -> None:
    outcome = read(
        "lambda",
        LAMBDA,
        "gpu_9x,H100",
        "gpu_x,H100,many,1,1,3.0,us-east-1,,",
        "gpu_x,H100,-1,1,1,3.0,us-east-1,,",
        "gpu_x,H100,NaN,1,1,3.0,us-east-1,,",
        "gpu_x,H100,1,1,1,3.0,,,",
    )
    assert not outcome.rows
    assert len(outcome.refused) == 5


def test_a_hundred_thousand_rows_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "vms.csv"
    info = _info("H100", 8, 81920)
    with path.open("w", encoding="utf-8") as stream:
        stream.write(AWS + "\n")
        stream.writelines(
            f"p5.48xlarge,H100,8.0,192.0,2048.0,{info},55.04,21.{n:06},us-east-1,use1-az{n},x86_64\n"
            for n in range(100_000)
        )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = read_skypilot(path, "aws", day=DAY)
    assert outcome.priced == 100_000
    assert len(outcome.rows) == 200_000
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 300


@pytest.mark.parametrize(
    ("name", "instance", "slug", "sizes"),
    [
        ("H200", "p5en.48xlarge", "h200-sxm", (144_384, 143_771, 141_000, 0)),
        ("B200", "p6-b200.48xlarge", "b200-sxm", (184_320, 183_359, 180, 0)),
        ("H100", "p5.48xlarge", "h100-sxm5", (81_920, 80, 655_360, 0)),
    ],
)
def test_memory_sizes_of_any_making_change_neither_accelerator_nor_price(
    read: Read, name: str, instance: str, slug: str, sizes: tuple[int, ...]
) -> None:
    """Marketing GB, binary MiB, GB written as MiB, the total of the machine, or nothing: our own table decides."""
    lines = [
        f"{instance},{name},8.0,192.0,2048.0,{_info(name, 8, size)},60.0,,us-east-1,use1-az{n},x86_64"
        for n, size in enumerate(sizes)
    ]
    outcome = read("aws", AWS, *lines)
    assert {(row.accelerator, row.count, row.amount) for row in outcome.rows} == {(slug, Decimal(8), Decimal("60.0"))}


def test_a_machine_of_another_class_at_the_same_price_stays_itself(read: Read) -> None:
    """OCI lists H200 at the price of H100."""
    outcome = read(
        "oci",
        OCI,
        "BM.GPU.H100.8,H100,8,224,2048,,80,,us-ashburn-1,US-ASHBURN-1-AD-1",
        "BM.GPU.H200.8,H200,8,224,3072,,80,,us-ashburn-1,US-ASHBURN-1-AD-1",
    )
    assert [row.accelerator for row in outcome.rows] == ["h100-sxm5", "h200-sxm"]
