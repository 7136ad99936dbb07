"""How a run is saved, what its data path gives, and when owning costs less than renting."""

from __future__ import annotations

CHECKPOINTS = {
    "checkpoint.state": "Save the whole state ({size}, {write}) every {interval}, that is every {steps:step|# steps}.",
    "checkpoint.state.once": "Save the whole state ({size}, {write}) once, at the end of the run.",
    "checkpoint.adapters": "Save the adapters ({size}, {write}) every {interval}, that is every {steps:step|# steps}.",
    "checkpoint.adapters.once": "Save the adapters ({size}, {write}) once, at the end of the run.",
    "checkpoint.lost": "With a failure about every {between}, {lost:0.1} of the time goes into saving, repeated work and "
    "restarts: {hours:# accelerator-hour|# accelerator-hours} a run.",
    "checkpoint.background": "Checkpoints are copied to host memory and written while training goes on.",
    "checkpoint.background.by": "The framework's own writer does that: {writer}.",
    "checkpoint.waits": "Training waits for storage, since this framework has no writer of its own that works while training goes on.",
    "checkpoint.near": "Every {interval} a copy goes to another node's memory.",
    "checkpoint.partial": "One checkpoint in {every} is full, the others hold what changed.",
    "checkpoint.corruption": "About every {between} an accelerator computes wrong without an error, which is noticed after {delay} by "
    "assumption: {lost:0.1} of the time is trained in vain. Keep a checkpoint from before it, {back} intervals back.",
    "checkpoint.others": "What other ways of saving would lose: {ways:;}.",
    "checkpoint.way": "{way}: {lost:0.1}",
    "checkpoint.notice": "The spot notice of {notice} is long enough for a last checkpoint.",
    "checkpoint.notice.short": "The spot notice of {notice} is too short for a last checkpoint, so the work since the last one "
    "is lost.",
}

DATA_PATH = {
    "data.path": "Training reads {need}; {tier} gives {given} to {nodes:one node|# nodes}.",
    "data.workers": "{workers:One loader worker|# loader workers} per node {workers:keeps|keep} up.",
    "data.workers.crowded": "{workers:One loader worker|# loader workers} per node would keep up, and the node has {vcpus} vCPUs.",
    "data.assumed": "No dataset is described, so its size follows from the amount of work.",
    "data.unprepared": "Collecting, filtering and deduplicating the data is in no cost of this plan, nor is tokenising it: about "
    "{hours:# processor-hour|# processor-hours} for raw text.",
    "data.tokenised": "Tokenising takes about {hours:# processor-hour|# processor-hours}, a line of the cost. Collecting, filtering and "
    "deduplicating the data is in none.",
    "data.tokenised.own": "Tokenising takes about {hours:# processor-hour|# processor-hours} of the team's own servers, which are not "
    "charged. Collecting, filtering and deduplicating the data is in no cost.",
    "data.starves": "Accelerators will wait for data: training reads {need} and even {tier} gives {given}. Use smaller samples or "
    "more nodes.",
    "data.starves.decoding": "Accelerators will wait for data: decoding needs {workers:# loader worker|# loader workers} per node "
    "and the node has {vcpus} vCPUs. Decode ahead of time or on the accelerator, or take an instance with more vCPUs.",
    "data.slow": "{here:^} gives {given} and training reads {need}, so accelerators would wait for data: copy the data to {tier}.",
    "data.narrow": "{here:^} gives {given} and training reads {need}, so there is no headroom: copy the data to {tier}.",
}

BREAK_EVEN = {
    "break_even.never": "Over {span} renting at {price:price} per accelerator-hour costs less than owning at any utilisation: "
    "owning costs {switch:price} at {use} use.",
    "break_even.from": "Over {span} owning costs less than renting at {price:price} per accelerator-hour when the servers are used "
    "more than {needed} of the time.",
    "break_even.expected": "At {use} use owning costs {switch:price}.",
    "break_even.expected.service": "This service alone uses {use} of the hours of the servers that its peak needs: owning then "
    "costs {switch:price}.",
    "break_even.owning": "All in all this work costs {own} on servers bought for it and {rent} rented: owning costs less.",
    "break_even.renting": "All in all this work costs {own} on servers bought for it and {rent} rented: renting costs less.",
    "break_even.late": "Servers ordered now can be used in {time}, and by then this work is done: on them it would cost {own}, and rented "
    "it costs {rent}.",
    "break_even.no_horizon": "This request states no demand beyond this work.",
    "break_even.no_horizon.amounts": "This request states no demand beyond this work: bought for it alone, servers would cost "
    "{own}, and renting costs {rent}.",
    "break_even.no_horizon.service": "No horizon of demand is stated, over which bought servers would be judged.",
    "years": "{years:# year|# years}",
    "months": "{months:# month|# months}",
}

WAYS = {
    "ways.after": "{months:#\u00a0month|#\u00a0months}",
    "ways.at_once": "at once",
    "ways.never": "never",
    "ways.from_use": "{use}",
    "ways.alone": "No other way of having the hardware keeps what was asked, so nothing is weighed against {way}.",
    "ways.least": "In present value, as surely as is asked, {way} costs least: {cost} less than {other}.",
    "ways.other": "In present value, as surely as is asked, {other} costs {cost} less than {way}; the plan is chosen by what was asked "
    "to be least.",
    "ways.api": "The hosted API costs {cost} less than {way}, if its model and its promises suffice.",
    "ways.forgone": "Keeping forgoes a sale of {cost} today, of which {left} is left when the work is done.",
    "ways.unsold": "Nobody says what the owned accelerators would sell for, so keeping stands without the sale that it forgoes.",
}

HOSTED = {
    "hosted": "The same tokens, {into:words} in and {out:words} out, cost {cost:about} on the hosted API at its prices of {day}, "
    "{price_in:price} and {price_out:price} a million: {against}.",
    "hosted.nothing": "while this option costs nothing beyond a spend commitment that is paid anyway",
    "hosted.less": "{share} less than this option",
    "hosted.more": "{share} more than this option",
    "hosted.times": "{times:2} times as much",
    "engines.compared": "Saturated throughput against {engine}: {others:;}.",
    "engines.one": "{engine} {factor:0.2} ({low:0.2}–{high:0.2}, {month})",
}

EVIDENCE = {
    "evidence.none.model": "No measured run of {name} stands behind this estimate: it is reckoned from data sheets, so measure a "
    "short run first.",
    "evidence.none.method": "No measured run with {name} stands behind this estimate: it is reckoned from data sheets, so measure "
    "a short run first.",
    "evidence.none.precision": "No measured run in {name} stands behind this estimate: it is reckoned from data sheets, so "
    "measure a short run first.",
    "evidence.none.accelerator": "No measured run on {name} or its generation stands behind this estimate: it is reckoned from "
    "data sheets, so measure a short run first.",
    "evidence.generation": "No measured run on {name} stands behind this estimate, only runs on others of its generation: it is "
    "reckoned from data sheets, so measure a short run first.",
    "evidence.weak": "Weak evidence: on {runs} estimates were off by {median:0.1} in the median, and the 80% band held {covered} of "
    "them. Measure a short run first.",
    "evidence.weak.widened": "Weak evidence: on {runs} estimates were off by {median:0.1} in the median, and the 80% band held "
    "{covered} of them; the band here is as wide as those errors. Measure a short run first.",
    "evidence.supported": "Speed supported by {runs}: {median:0.1} off in the median.",
    "evidence.near": "Speed supported by {runs}, none of them of this accelerator and precision together: {median:0.1} off in "
    "the median.",
    "evidence.near.accelerator": "Speed supported by {runs}, none of them in {lacks}: {median:0.1} off in the median.",
    "evidence.near.precision": "Speed supported by {runs}, none of them on {lacks}: {median:0.1} off in the median.",
    "evidence.far": "No measured run is near this one; on {runs}, all of them far from it, estimates were off by {median:0.1} in the "
    "median.",
    "runs.model": "{rows:# measured run|# measured runs} of {name}",
    "runs.method": "{rows:# measured run|# measured runs} with {name}",
    "runs.precision": "{rows:# measured run|# measured runs} in {name}",
    "runs.accelerator": "{rows:# measured run|# measured runs} on {name}",
}

_RUN = (
    "{model} in {precision} on {count} × {accelerator}, {framework}, sequences of {sequence}: {rate} per accelerator; "
)
BASIS = {
    "row.pretrain.slow": _RUN + "our step time there, without that source, is {off:0.1} too long ({source}).",
    "row.pretrain.fast": _RUN + "our step time there, without that source, is {off:0.1} too short ({source}).",
    "row.finetune.slow": "Fine-tuning of " + _RUN + "our step time there is {off:0.1} too long ({source}).",
    "row.finetune.fast": "Fine-tuning of " + _RUN + "our step time there is {off:0.1} too short ({source}).",
    "row.lora.slow": "Adapters of " + _RUN + "our step time there is {off:0.1} too long ({source}).",
    "row.lora.fast": "Adapters of " + _RUN + "our step time there is {off:0.1} too short ({source}).",
    "row.service": "{model} in {precision} on {count} × {accelerator}, {engine}, {into} in, {out} out: {rate} per accelerator "
    "({source}).",
    "row.far": "Far from this plan: {row}",
    "basis.unknown": "Not known.",
    "basis.speed.own": "Your own measurements, carried over to this layout.",
    "basis.memory.measured": "{rows:# measured peak|# measured peaks} on {accelerator}: {off:0.1} off in the median.",
    "basis.memory.near": "{rows:# measured peak|# measured peaks} of the same framework on other accelerators: {off:0.1} off in the "
    "median.",
    "basis.memory.modelled": "Counted from the layout, tensor by tensor; no measured peak of this kind of model, framework or accelerator.",
    "basis.memory.counted": "Weights and cache are counted; activations and buffers are an assumed share.",
    "basis.price.read": "Read on {day}; its source stands with the prices.",
    "basis.price.undated": "an unknown day",
    "basis.price.bought": "The price of a server as published; a quotation will differ.",
    "basis.price.owned": "Upkeep, electricity and space by the assumptions; the hardware is paid for.",
    "basis.failures.counted": "Failures that large fleets of this generation have published.",
    "basis.failures.near": "Failures that large fleets of A100 and H100 have published; none of {accelerator}.",
    "basis.failures.small": "A planning judgement for jobs of this size: nobody publishes their failures.",
    "basis.programme.text": "Seven organisations' whole programmes, 2021 to 2024, of other sizes.",
    "basis.programme.other": "Two whole programmes on pictures and text; assumed for all else.",
    "basis.energy": "Reckoned from the power limit on the data sheet and an assumed load.",
}

SAVING = {**CHECKPOINTS, **DATA_PATH, **BREAK_EVEN, **WAYS, **HOSTED, **EVIDENCE, **BASIS}
