"""What stands behind an estimate, as one finding."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import Evidence
from engine.inputs.finding import Finding, Quantity, Ref, Typed, finding


def told_of(evidence: Evidence, *, widened: bool, lacks: dict[str, str]) -> Finding:
    """How far measurements support the estimate. `widened`: is the band as wide as weak errors were? `lacks`: by what the runs are
    grouped, the name of what none of them has, where they are like the estimate and no more."""
    name = Ref("word", evidence.name) if evidence.name.startswith("models.") else Typed(evidence.name)
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
    if evidence.level != "near":
        return finding("evidence.supported", runs=runs, median=median)
    if evidence.about not in lacks:
        return finding("evidence.near", runs=runs, median=median)
    return finding(f"evidence.near.{evidence.about}", runs=runs, median=median, lacks=Typed(lacks[evidence.about]))


def far_from(evidence: Evidence) -> Evidence:
    """The same where no single run is near the choice: what runs of its group said is no support of it."""
    told = evidence.told
    if told is None or not told.code.startswith(("evidence.supported", "evidence.near")):
        return evidence
    values = dict(told.values)
    return replace(evidence, told=finding("evidence.far", runs=values["runs"], median=values["median"]))
