"""What would cost less, and needs something first."""

_THEN = "it would take {hardware}, for {cost:about}{signed}: {saving:about} less. {needs}"

LEVERS = {
    "lever.precision": "In {precision} it would take {hardware}, for {cost:about}: {saving:about} less. {needs}",
    "lever.format": f"In {{needed}} {_THEN}",
    "lever.commitment": f"With a commitment of one or three years {_THEN}",
    "lever.ttft_p95_ms": f"With {{needed}} to the first token instead of {{now}} {_THEN}",
    "lever.tpot_p95_ms": f"With {{needed}} for each further token instead of {{now}} {_THEN}",
    "lever.availability": f"With an availability of {{needed:exact}} instead of {{now:exact}} {_THEN}",
    "lever.deadline": f"With {{needed:exact}} instead of {{now:exact}} {_THEN}",
    "lever.spot": f"On spot capacity {_THEN}",
    "lever.background": f"With checkpoints written in the background {_THEN}",
    "lever.model": f"With {{needed}} instead of {{now}} {_THEN}",
    "lever.signed": "The commitment saves {saving:about}: this plan costs {own:about}{signs}; without a commitment it would take "
    "{hardware}, for {cost:about}{signed}.",
    "needs.evaluation": "Evaluate the quality first: the benchmarks that the publisher of {model} reports, in both formats, for instance "
    "with the LM Evaluation Harness, and then your own data.",
    "needs.evaluation.training": "Evaluate it first: train {model} for some thousand steps in both formats from the same data and compare "
    "the loss, then the benchmarks of a checkpoint.",
    "needs.smaller": "Its answers are worse by nobody knows how much: the catalog holds no evaluation of both. Compare {smaller} with "
    "{model} first: the benchmarks that their publisher reports, then your own data.",
    "needs.signature": "It has to be signed, and is owed whether it is used or not.",
    "needs.nothing": "Nothing has to be signed for a term.",
    "needs.agreement": "Whoever was promised more has to agree.",
    "needs.interruptible": "It may be taken away at any time: the run must start again from its checkpoints by itself.",
    "needs.interruptible.batch": "It may be taken away at any time: requests that were not answered must go back into the "
    "queue by themselves.",
    "needs.background": "{framework} has no such writer of its own: bring one, and try a restart from what it wrote.",
    "changed.serving.precision": "weights in {needed}",
    "changed.training.precision": "matrix products in {needed}",
    "changed.model": "{needed} instead of {now}",
    "changed.constraints.commitments": "a commitment of one or three years",
    "changed.constraints.spot": "spot capacity",
    "changed.constraints.deadline_days": "{needed:exact} instead of {now:exact}",
    "changed.serving.batch.deadline_hours": "{needed:exact} instead of {now:exact}",
    "changed.serving.ttft_p95_ms": "{needed} to the first token instead of {now}",
    "changed.serving.tpot_p95_ms": "{needed} for each further token instead of {now}",
    "changed.operations.availability": "an availability of {needed:exact} instead of {now:exact}",
    "changed.assumptions.reliability.asynchronous": "checkpoints written in the background",
    "lever.chance": "All limits that are left are then kept together with a chance of {chance}.",
    "lever.idle": "Nothing worth telling is saved by {changes:or}.",
    "idle.ttft_p95_ms": "a slower first token",
    "idle.tpot_p95_ms": "slower further tokens",
    "idle.availability": "one nine less of availability",
    "idle.deadline_days": "a later deadline",
    "idle.deadline_hours": "a later deadline",
    "idle.precision": "fewer bits",
    "idle.commitments": "a commitment",
    "idle.uncommitted": "no commitment",
    "idle.spot": "spot capacity",
    "idle.model": "a smaller model of the family",
    "idle.asynchronous": "checkpoints in the background",
}
