"""What is measured before the money, what each result releases, and whether that pays."""

GATES = {
    "gate.canary": "Measure first: approve {fee} now for a canary of {steps:# step|# steps} on {hardware}, {hours} at most{delay}.",
    "gate.replica_test": "Measure first: approve {fee} now for a load test of one replica, {hardware}, {hours} at most{delay}. "
    "It finds the most {things} a second at which {shown}.",
    # Of plans from before a test named what it counts.
    "gate.load_test": "Measure first: approve {fee} now for a load test of one replica, {hardware}, {hours} at most{delay}. It finds "
    "the most requests a second at which {shown}.",
    "gate.delay": ", which takes {days} with the decision",
    "gate.no_delay": "",
    "gate.then": "{outcomes:;}.",
    "gate.step_first": "A step of up to {high} {what}",
    "gate.step_to": "one of up to {high} {what}",
    "gate.step_beyond": "a longer one {what}",
    "gate.rate_first": "At least {low:3} {what}",
    "gate.rate_from": "at least {low:3} {what}",
    "gate.rate_below": "less {what}",
    "gate.release": "releases up to {sum} for {hardware}, as planned",
    "gate.take": "takes {hardware} instead, for up to {sum}",
    "gate.take.signed": "needs a new decision: {hardware} would do it, and binds up to {sum}, {carried:about} of it for this work",
    "gate.stop": "stops the work, with at most {fee} lost",
    "gate.worth": "On average that saves {worth:about} over deciding now, its price and its delay counted: in the same draws, with work "
    "that breaks a limit counted as lost.",
    "gate.unworthy": "Measuring first does not pay: it would cost {fee:about}{delay}, and save {saved:about} on average.",
    "gate.unworthy.nothing": "Measuring first does not pay: it would cost {fee:about}{delay}, and save nothing on average.",
    "gate.small": "Measuring first is not proposed: its price counted, it would save {worth:about} on average, too little for a second "
    "decision.",
    "gate.too_dear": "Measuring first does not pay: it would cost {fee:about}{delay}, and knowing everything beforehand would save "
    "{saved:about} on average at most.",
    "gate.unchanged": "Measuring first does not pay: whatever is likely to be measured, the same would be chosen, and {fee:about} "
    "would be spent{delay}.",
    "gate.passed": "The planned layout was measured already: nothing is left to be measured before the money.",
    "gate.no_hardware": "Nothing can be measured first: so many of the planned accelerators are not to be had for a few hours.",
    "gate.air_gapped": "Nothing can be measured first: no accelerator may be rented for it, since the work stays behind an air gap, and "
    "the planned ones are not there yet.",
    "gate.no_room": "There is no room to measure first: it would cost up to {fee}{delay}, and that alone uses up a limit.",
}
