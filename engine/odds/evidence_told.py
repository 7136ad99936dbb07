"""What stands behind an estimate, as one finding."""

from __future__ import annotations

from engine.answer import Evidence
from engine.inputs.finding import Finding, Quantity, Typed, finding


def told_of(evidence: Evidence, *, widened: bool) -> Finding:
    """How far measurements support the estimate. `widened`: is the band as wide as weak errors were?"""
    name = Typed(evidence.name)
    if not evidence.rows:
        if evidence.level == "near" and evidence.about == "accelerator":
            return finding("evidence.generation", name=name)
        return finding(f"evidence.none.{evidence.about}", name=name)
    runs = finding(f"runs.{evidence.about}", rows=evidence.rows, name=name)
    median = Quantity(evidence.median_error or 0.0, "share")
    if evidence.weak:
        covered = Quantity(evidence.coverage or 0.0, "share")
        code = "evidence.weak.widened" if widened else "evidence.weak"
        return finding(code, runs=runs, median=median, covered=covered)
    return finding("evidence.near" if evidence.level == "near" else "evidence.supported", runs=runs, median=median)
