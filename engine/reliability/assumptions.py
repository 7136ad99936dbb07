"""Coefficients of failures, restarts and checkpoint storage, each with range and source."""

from __future__ import annotations

from collections.abc import Mapping

from engine.inputs.assumptions import SWITCH, Assumption, Limits

_LLAMA = (
    "Llama 3 Herd of Models (arXiv 2407.21783) §3.3.4: "
    "327 hardware and 92 other interruptions of 16,384 H100 in 54 days"
)
_RSC = "Kokolis et al., HPCA 2025 (arXiv 2410.21680)"


def _entry(
    name: str, value: float, low: float, high: float, limits: Limits, unit: str, meaning: str, source: str
) -> Assumption:
    return Assumption(
        id=f"reliability.{name}",
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
        "device_mtbf_h",
        65_000.0,
        30_000.0,
        80_000.0,
        Limits(100, 1e8),
        "h",
        "Mean time between hardware failures of one accelerator",
        f"{_LLAMA}; range from RSC-1 and RSC-2, {_RSC}",
    ),
    _entry(
        "job_hazard_per_h",
        0.071,
        0.03,
        0.1,
        Limits(0, 10),
        "1/h",
        "Interruptions of a large job (1,024 accelerators or more) by software, configuration and operators",
        f"{_LLAMA}; upper end {_RSC} at 1,024 GPUs",
    ),
    _entry(
        "small_job_hazard_per_h",
        0.01,
        0.003,
        0.03,
        Limits(0, 10),
        "1/h",
        "Interruptions of a job on one node by software, configuration and operators; they grow with the logarithm of its size",
        "Planning judgement: one in four days; the large end is measured, 70 automatic restarts of OPT-175B in "
        "two months on 992 GPUs lie on the way",
    ),
    _entry(
        "fleet",
        0.0,
        0.0,
        0.0,
        Limits(0, 3, whole=True),
        "",
        "Preset of failure rates: 0 = as listed here, 1 = new fleet, 2 = mature fleet, 3 = research cluster",
        f"New and research from RSC-1 and RSC-2, {_RSC}; mature from Llama 3",
    ),
    _entry(
        "restart_s",
        600.0,
        240.0,
        1800.0,
        Limits(0, 1e6),
        "s",
        "Detection, rescheduling and warm-up after a failure, without loading the checkpoint",
        "mlsysim 0.3.0 reliability model: 60 s detection, 60–180 s warm-up, 10–30 min node recovery",
    ),
    _entry(
        "spot_reacquire_s",
        900.0,
        120.0,
        7200.0,
        Limits(0, 1e6),
        "s",
        "Wait for a replacement of a reclaimed spot instance",
        "Planning judgement: from minutes to hours, depends on region and hour",
    ),
    _entry(
        "spot_burst",
        1.5,
        1.0,
        3.0,
        Limits(1, 100),
        "",
        "Spot instances are reclaimed together: factor on the independent rate",
        "Planning judgement: independence is optimistic when capacity of a zone is withdrawn",
    ),
    _entry(
        "storage_write_per_node",
        2e9,
        1e9,
        5e9,
        Limits(1e6, 1e14),
        "byte/s",
        "Checkpoint write bandwidth of one node to shared storage",
        "BLOOM: 2.3 TB in 40 s from 48 nodes = 1.2 GB/s per node; object stores 1–12 GB/s per node",
    ),
    _entry(
        "storage_write_cap",
        1e12,
        2e11,
        2e12,
        Limits(1e6, 1e16),
        "byte/s",
        "Write bandwidth of the whole shared storage",
        "Llama 3: 2 TB/s sustained over 7,500 servers",
    ),
    _entry(
        "device_to_host",
        25e9,
        10e9,
        50e9,
        Limits(1e8, 1e13),
        "byte/s",
        "Copy from one accelerator to host memory",
        "PCIe 5.0 ×16: 63 GB/s peak, 25–50 GB/s in practice",
    ),
    _entry(
        "asynchronous",
        0.0,
        0.0,
        0.0,
        SWITCH,
        "",
        "1 when checkpoints are copied to host memory and written in the background, 0 when training waits",
        "PyTorch distributed checkpoint offers both; waiting is the safe assumption",
    ),
    _entry(
        "two_level",
        0.0,
        0.0,
        0.0,
        SWITCH,
        "",
        "1 when the state is copied to the memory of another node as well, from which most failures recover; 0 without",
        "In-memory copies as in Gemini (SOSP 2023); needs host memory for two states and a framework that does it",
    ),
    _entry(
        "near_share",
        0.9,
        0.7,
        0.97,
        Limits(0.01, 0.99),
        "share",
        "Share of failures after which the copy in another node's memory is still there",
        "Planning judgement: most failures take one node; software faults and lost racks take the copies, too",
    ),
    _entry(
        "near_restart_s",
        240.0,
        120.0,
        600.0,
        Limits(0, 1e6),
        "s",
        "Detection, replacement and warm-up after a failure that recovers from another node's memory",
        "mlsysim 0.3.0: 60 s detection, 60–180 s warm-up; Gemini recovers more than 13 times faster than from storage",
    ),
    _entry(
        "delta_share",
        1.0,
        1.0,
        1.0,
        Limits(0.001, 1),
        "share",
        "Share of the state that a differential checkpoint writes; 1 = every checkpoint is a full one",
        "Check-N-Run (NSDI 2022) writes 6–17 times less for embedding tables; dense models change all of their state",
    ),
    _entry(
        "full_every",
        10.0,
        10.0,
        10.0,
        Limits(1, 10_000, whole=True),
        "",
        "With differential checkpoints, every how manieth is a full one",
        "Planning judgement: bounds what must be read after a failure",
    ),
    _entry(
        "spot_notice_s",
        120.0,
        30.0,
        120.0,
        Limits(0, 1e5),
        "s",
        "Notice before a spot instance is taken",
        "AWS 2 minutes; Google Cloud and Azure 30 seconds (provider documentation)",
    ),
    _entry(
        "repair_h",
        24.0,
        4.0,
        120.0,
        Limits(0, 10_000),
        "h",
        "Time until a failed node is back in service",
        "Planning judgement: same-day swap to next-week part",
    ),
)

RELIABILITY_ASSUMPTIONS: Mapping[str, Assumption] = {item.id: item for item in _ENTRIES}

FLEETS: Mapping[str, Mapping[str, float]] = {
    "new": {"reliability.device_mtbf_h": 30_000.0, "reliability.job_hazard_per_h": 0.092},
    "mature": {"reliability.device_mtbf_h": 65_000.0, "reliability.job_hazard_per_h": 0.071},
    "research": {"reliability.device_mtbf_h": 82_000.0, "reliability.job_hazard_per_h": 0.092},
}
"""Presets of a fleet as overrides: a new batch fails like RSC-1; a research cluster has hardware like RSC-2 and more
errors of jobs."""

FLEET_CODES: Mapping[int, str] = {1: "new", 2: "mature", 3: "research"}
"""Values of `reliability.fleet` that choose a preset; 0 chooses none."""

FLEET = "reliability.fleet"
