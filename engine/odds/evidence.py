"""What measured runs say of an estimate like this one: how many there are, and how far off it was on them.

`evidence_rows.csv` holds groups of measured rows with the errors of predictions; `manage.py validate --evidence` writes it.
Training rows are predicted with their whole source left out of the fit, rows of services as they are.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from engine.answer import Evidence, EvidenceAbout, EvidenceLevel
from engine.inputs.architecture import Architecture, is_language_model
from engine.inputs.hardware import Device
from engine.odds.evidence_told import told_of
from engine.odds.normal import P90
from engine.physics.chip import curve_of

FILE = Path(__file__).with_name("evidence_rows.csv")
LEAST_ROWS = 3
"""Rows from which a group's errors say something."""
WEAK_MEDIAN, WEAK_COVERAGE = 0.15, 0.65
"""A median error above the one, or an 80 % band that covers less than the other, is called weak."""
ADAPTERS = ("lora", "qlora")
SAME = {"q4": "int4", "q8": "int8", "bf16": "16 bits", "fp16": "16 bits"}
"""Formats of services that are measured alike; in training BF16 and FP16 stand apart."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Measured rows that have something in common, and the error of their predictions."""

    work: str
    """training | serving."""
    axis: str
    """accelerator | precision | pair (of both) | generation | method."""
    name: str
    rows: int
    median_error: float
    coverage: float
    """Share of the rows that lie in the 80 % band."""
    log_error: float
    """80 % of the rows are off by no more than this in the logarithm."""

    @property
    def weak(self) -> bool:
        """Does the page on accuracy show this group as weak?"""
        return self.rows >= LEAST_ROWS and (self.median_error > WEAK_MEDIAN or self.coverage < WEAK_COVERAGE)


@cache
def groups() -> dict[tuple[str, str, str], Group]:
    """Every group of the file by work, axis and name."""
    with FILE.open(newline="", encoding="utf-8") as file:
        found = [_group(row) for row in csv.DictReader(file)]
    return {(one.work, one.axis, one.name): one for one in found}


def _group(row: dict[str, str]) -> Group:
    numbers = {name: float(row[name]) for name in ("median_error", "coverage", "log_error")}
    return Group(work=row["work"], axis=row["axis"], name=row["name"], rows=int(row["rows"]), **numbers)


def training_evidence(arch: Architecture, device: Device, precision: str, method: str) -> Evidence:
    """What stands behind the step time of such a run there."""
    evidence = _of_training(arch, device, precision, method)
    return _with_finding(evidence, widened=method not in ADAPTERS, lacks=_lacks(device, precision))


def serving_evidence(arch: Architecture, device: Device, precision: str) -> Evidence:
    """What stands behind the speed of such a service there."""
    if not is_language_model(arch):
        return _with_finding(Evidence(level="modelled", about="model", name=_kind_name(arch)), widened=False, lacks={})
    evidence = _of("serving", device, SAME.get(precision, precision))
    return _with_finding(evidence, widened=False, lacks=_lacks(device, precision))


def _lacks(device: Device, precision: str) -> dict[str, str]:
    """Where no pair of both is known, no run on this accelerator has the precision, and none in the precision is on the accelerator."""
    return {"accelerator": precision.upper(), "precision": device.name}


def _with_finding(evidence: Evidence, *, widened: bool, lacks: dict[str, str]) -> Evidence:
    return replace(evidence, told=told_of(evidence, widened=widened, lacks=lacks))


def _of_training(arch: Architecture, device: Device, precision: str, method: str) -> Evidence:
    if not is_language_model(arch):
        return Evidence(level="modelled", about="model", name=_kind_name(arch))
    if method in ADAPTERS:
        return _told(groups()["training", "method", "lora"], "method", "adapters", level="near")
    return _of("training", device, precision)


def least_log_sigma(arch: Architecture, device: Device, precision: str) -> float:
    """Standard deviation that an 80 % band of a run needs to be as wide as the errors on its accelerator and precision
    were, where they are weak."""
    if not is_language_model(arch):
        return 0.0
    found = (groups().get(("training", *pair)) for pair in (("accelerator", device.slug), ("precision", precision)))
    return max((one.log_error / P90 for one in found if one and one.weak), default=0.0)


def _of(work: str, device: Device, precision: str) -> Evidence:
    """By accelerator and precision: the group that was predicted worst speaks for both."""
    there, format_ = groups().get((work, "accelerator", device.slug)), groups().get((work, "precision", precision))
    if format_ is None:
        return Evidence(level="modelled", about="precision", name=precision.upper())
    if there is None:
        known = (work, "generation", curve_of(device)) in groups()
        return Evidence(level="near" if known else "modelled", about="accelerator", name=device.name)
    level: EvidenceLevel = "measured" if (work, "pair", f"{device.slug} {precision}") in groups() else "near"
    if format_.weak and (not there.weak or format_.median_error > there.median_error):
        return _told(format_, "precision", precision.upper(), level=level)
    return _told(there, "accelerator", device.name, level=level)


def _told(group: Group, about: EvidenceAbout, name: str, *, level: EvidenceLevel) -> Evidence:
    return Evidence(
        level=level,
        about=about,
        name=name,
        rows=group.rows,
        median_error=group.median_error,
        coverage=group.coverage,
        weak=group.weak,
    )


def _kind_name(arch: Architecture) -> str:
    """Which models are like it, as a word of ours."""
    kinds = ("image", "audio", "diffusion", "recommender")
    return f"models.{arch.modality if arch.modality in kinds else 'encoder' if arch.token_types else 'alike'}"
