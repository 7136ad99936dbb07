"""Coefficients of failures, restarts and checkpoint storage, each with range and source."""

from __future__ import annotations

from collections.abc import Mapping

from engine.inputs.assumptions import SWITCH, Assumption, Limits, entries_in

_entry = entries_in("reliability")

_ENTRIES = (
    _entry(
        "device_mtbf_h",
        65_000.0,
        30_000.0,
        80_000.0,
        Limits(100, 1e8),
        "h",
    ),
    _entry(
        "job_hazard_per_h",
        0.071,
        0.03,
        0.1,
        Limits(0, 10),
        "1/h",
    ),
    _entry(
        "small_job_hazard_per_h",
        0.01,
        0.003,
        0.03,
        Limits(0, 10),
        "1/h",
    ),
    _entry(
        "fleet",
        0.0,
        0.0,
        0.0,
        Limits(0, 3, whole=True),
        "",
    ),
    _entry(
        "corruption_mtbf_h",
        3.5e6,
        1e6,
        1e7,
        Limits(1e3, 1e12),
        "h",
    ),
    _entry(
        "corruption_delay_h",
        4.0,
        1.0,
        24.0,
        Limits(0, 10_000),
        "h",
    ),
    _entry(
        "restart_s",
        600.0,
        240.0,
        1800.0,
        Limits(0, 1e6),
        "s",
    ),
    _entry(
        "spot_reacquire_s",
        900.0,
        120.0,
        7200.0,
        Limits(0, 1e6),
        "s",
    ),
    _entry(
        "spot_burst",
        1.5,
        1.0,
        3.0,
        Limits(1, 100),
        "",
    ),
    _entry(
        "storage_write_per_node",
        2e9,
        1e9,
        5e9,
        Limits(1e6, 1e14),
        "byte/s",
    ),
    _entry(
        "storage_write_cap",
        1e12,
        2e11,
        2e12,
        Limits(1e6, 1e16),
        "byte/s",
    ),
    _entry(
        "device_to_host",
        25e9,
        10e9,
        50e9,
        Limits(1e8, 1e13),
        "byte/s",
    ),
    _entry(
        "asynchronous",
        1.0,
        1.0,
        1.0,
        SWITCH,
        "",
    ),
    _entry(
        "two_level",
        0.0,
        0.0,
        0.0,
        SWITCH,
        "",
    ),
    _entry(
        "near_share",
        0.9,
        0.7,
        0.97,
        Limits(0.01, 0.99),
        "share",
    ),
    _entry(
        "near_restart_s",
        240.0,
        120.0,
        600.0,
        Limits(0, 1e6),
        "s",
    ),
    _entry(
        "delta_share",
        1.0,
        1.0,
        1.0,
        Limits(0.001, 1),
        "share",
    ),
    _entry(
        "full_every",
        10.0,
        10.0,
        10.0,
        Limits(1, 10_000, whole=True),
        "",
    ),
    _entry(
        "spot_notice_s",
        120.0,
        30.0,
        120.0,
        Limits(0, 1e5),
        "s",
    ),
    _entry(
        "repair_h",
        24.0,
        4.0,
        120.0,
        Limits(0, 10_000),
        "h",
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
