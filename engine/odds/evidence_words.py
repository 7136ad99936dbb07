"""What stands behind an estimate, in one sentence: worded here and nowhere else."""

from __future__ import annotations

from engine.answer import Evidence

_MODELLED = {
    "model": "No measured run of {name} stands behind this estimate",
    "method": "No measured run with {name} stands behind this estimate",
    "precision": "No measured run in {name} stands behind this estimate",
    "accelerator": "No measured run on {name} or its generation stands behind this estimate",
}
_NEAR = "No measured run on {name} stands behind this estimate, only runs on others of its generation"
_GROUPS = {
    "model": "of {name}",
    "method": "with {name}",
    "precision": "in {name}",
    "accelerator": "on {name}",
}


def evidence_words(evidence: Evidence, *, widened: bool) -> str:
    """One sentence on how far measurements support the estimate. `widened`: is the band as wide as weak errors were?"""
    if not evidence.rows:
        text = _NEAR if evidence.level == "near" and evidence.about == "accelerator" else _MODELLED[evidence.about]
        return f"{text.format(name=evidence.name)}: it is reckoned from data sheets, so measure a short run first."
    runs = f"{evidence.rows:,} measured runs {_GROUPS[evidence.about].format(name=evidence.name)}"
    median, covered = f"{evidence.median_error or 0.0:.1%}", f"{evidence.coverage or 0.0:.0%}"
    if evidence.weak:
        wide = "; the band here is as wide as those errors" if widened else ""
        return (
            f"Weak evidence: on {runs} estimates were off by {median} in the median, and the 80% band held {covered} of "
            f"them{wide}. Measure a short run first."
        )
    near = ", none of them of this accelerator and precision together" if evidence.level == "near" else ""
    return f"Speed supported by {runs}{near}: {median} off in the median."
