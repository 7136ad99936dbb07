"""What is recommended and why, what was left out, what would make a request feasible, and what to mind."""

from __future__ import annotations

_SPARED = (
    "without, all of the load is served for {without} of the time, where {asked} is asked, for {saving:about} less."
)

THINGS = {
    "source.rented": "{provider} {terms}",
    "source.rented.two": "{provider} and {second} {terms}",
    "source.bought": "bought",
    "source.owned": "owned",
    "source.sized": "{source}, {devices} per instance",
    "source.placed": "{source}, {region}",
    "hardware": "{count} × {accelerator} ({source})",
    "hardware.noted": "{count} × {accelerator}, {source}",
    "cluster": "{count} × {accelerator}",
    "signed.none": "",
    "signed.drawn": "{signed}, beside {drawn:about} that draw a spend commitment",
    "signed.lease": ", with a {months}-month lease of {cost:about} to sign",
    "signed.purchase": ", with a purchase of {cost:about} to sign",
    "signed.commitment": ", with a {months}-month commitment of {cost:about} to sign",
    "signed.prepayment": ", with {cost:about} paid in advance",
    "held.none": "",
    "held.lease": "; the budget must hold the whole {months}-month lease of {cost}",
    "held.purchase": "; the budget must hold the whole purchase of {cost}",
    "held.commitment": "; the budget must hold the whole {months}-month commitment of {cost}",
    "held.prepayment": "; the budget must hold the whole prepayment of {cost}",
    "examples": "{shown:;}",
    "examples.more": "{shown:;}; and {rest} more",
}

HEADLINES = {
    "headline.training": "{hardware} finishes in {time} for about {cost:about}{signed}.",
    "headline.batch": "{replicas:# replica|# replicas} of {hardware} {replicas:finishes|finish} the batch in {time} for about "
    "{cost:about}{signed}.",
    "headline.service": "{replicas:# replica|# replicas} of {hardware} {replicas:serves|serve} the peak for about {cost:about} a "
    "month{signed}.",
    "headline.service.spares": "{replicas:# replica|# replicas} and {spares} spare of {hardware} serve the peak for about "
    "{cost:about} a month{signed}.",
    "headline.service.unavailable": "{replicas:# replica|# replicas} of {hardware} {replicas:serves|serve} the peak for about "
    "{cost:about} a month{signed}, for {availability} of the time: the availability of {asked} that is asked is missed.",
    "headline.service.spares.unavailable": "{replicas:# replica|# replicas} and {spares} spare of {hardware} serve the peak for about "
    "{cost:about} a month{signed}, for {availability} of the time: the availability of {asked} that is asked is missed.",
    "refusal.nothing": "Nothing in the catalog can run this within the limits you set.",
    "refusal.both": "No option does this in {deadline:exact} and for {budget} with {chance} probability.",
    "refusal.deadline": "No option does this in {deadline:exact} with {chance} probability.",
    "refusal.budget": "No option does this for {budget} with {chance} probability.",
    "refusal.memory": "No option fits into memory with {asked} probability: the best of them does with {chance:down}.",
    "refusal.length": "No option does this with runs of at most {days:# day|# days}.",
    "refusal.batch": "No option in the catalog finishes this batch in time within the limits you set.",
    "refusal.promise": "No option in the catalog keeps this promise within the limits you set.",
    "refusal.load": "No option in the catalog keeps up with this load within the limits you set.",
    "refusal.no_price": "There is no price in the catalog for {names}, so nothing can be recommended on it.",
    "refusal.certificates": "Nobody who could supply this is known to hold {certificates}: {why:;}.",
    "excluded.certificate_unknown": "no statement on {certificate} was found of {shown}, so ask them",
    "excluded.certificate_unknown.more": "no statement on {certificate} was found of {shown} nor of {rest} more, so ask them",
    "excluded.certificate_elsewhere": "what {shown} state on {certificate} does not cover the places that may be used",
    "excluded.certificate_elsewhere.more": "what {shown} and {rest} more state on {certificate} does not cover the places that may be used",
    "excluded.certificate_pending": "that it does not hold {certificate} yet is said of {shown}",
    "excluded.certificate_pending.more": "that they do not hold {certificate} yet is said of {shown} and {rest} more",
    "refusal.only_sold": "{names} can be bought, not rented, and no horizon of demand is stated to buy for.",
}

REASONS = {
    "reason.drafts_left_off": "Speculative decoding is left off: the {tokens:3} tokens for each verification that the request states "
    "would save no accelerator here.",
    "reason.no_rival": "No other accelerator that you allow does it within the limits.",
    "reason.no_rival.batch": "No other accelerator that you allow finishes in time within the limits.",
    "reason.no_rival.promise": "No other accelerator that you allow keeps the promise within the limits.",
    "reason.no_rival.load": "No other accelerator that you allow keeps up with the load within the limits.",
    "reason.cheaper": "It costs {saved} less than the next best accelerator, {rival}.",
    "reason.cheaper.sure": "At {chance} confidence it costs {saved} less in present value than the next best accelerator, {rival}.",
    "reason.alike": "It costs about the same as the next best accelerator, {rival}.",
    "reason.alike.sure": "At {chance} confidence it costs about the same in present value as the next best accelerator, {rival}.",
    "reason.surer": "{rival} costs less at central values, {expected}, but only {rival_sure} suffices for it with {chance} confidence; "
    "here {sure} does.",
    "reason.faster": "It is faster than the next best accelerator, {rival}, and costs {dearer} more in present value at "
    "{chance} confidence.",
    "reason.faster.cheaper": "It is faster than the next best accelerator, {rival}, and costs {saved} less in present value at "
    "{chance} confidence.",
    "reason.cleaner.cheaper": "It is lower in emissions than the next best accelerator, {rival}, and costs {saved} less in present "
    "value at {chance} confidence.",
    "reason.balanced": "It is better on cost times days than the next best accelerator, {rival}, and costs {dearer} more in present "
    "value at {chance} confidence.",
    "reason.cleaner": "It is lower in emissions than the next best accelerator, {rival}, and costs {dearer} more in present value at "
    "{chance} confidence.",
    "reason.balance": "Asked for is the least cost times days: {rival} would cost {cost:about} instead of {own_cost:about}, and take "
    "{time} instead of {own_time}.",
    "reason.bought_by": "Of {held} accelerators the peak alone takes {load}; {more:# other is|# others are} {cost:about} "
    "of the cost: {parts:;}.",
    "reason.bought_by.peak": "At the peak its load alone takes {load} of {held} accelerators; the others: {parts:;}.",
    "bought.sure": "{count} so that it is carried with {chance} probability",
    "bought.speed": "{count} for the promised speed",
    "bought.speed.unpromised": "{count} so that requests wait briefly",
    "bought.standby": "{count:# that stands by|# that stand by}",
    "bought.machines": "{count} because only whole machines are sold",
    "reason.spared": f"{{count:# replica is|# replicas are}} kept spare, since the request does not say otherwise: {_SPARED}",
    "reason.spared.asked": f"{{count:# replica is|# replicas are}} kept spare, as the request asks: {_SPARED}",
    "reason.idle": "Only whole machines are sold: {idle} of their {held} {accelerator} are paid for and not used.",
    "reason.fewer": "It needs fewer accelerators than the next best accelerator, {rival}, for {dearer} more in present value at "
    "{chance} confidence.",
    "reason.near_equal": "{rival} costs {less} less in present value, as surely, which counts as equal: {why:;}.",
    "near.fewer": "{count} accelerators are easier to get than {more}",
    "near.sooner": "this is done in {time} instead of {longer}",
    "near.quicker": "19 of 20 answers begin within {time:0.0} instead of {longer:0.0}",
    "near.signed": "{less} less is signed",
    "near.surer": "it keeps its limits with {chance} instead of {other} probability",
    "reason.porting": "{rival} would cost {less} less in present value at {chance} confidence, but runs on other software: bringing the "
    "work there takes {porting} of people's time at least, which counts in the ranking and in no sum.",
    "reason.preferred": "It was preferred to the next best accelerator, {rival}, for {dearer} more in present value at "
    "{chance} confidence.",
    "reason.deadline": "It keeps the deadline of {deadline:exact} with {chance} probability.",
    "reason.both_limits": "It keeps the deadline of {deadline:exact} with {chance} probability, the budget with {budget}, and both "
    "with {both}.",
    "reason.smallest": "At about this cost it can be done sooner: {rival} would finish in {time} and need {cost:about} to be as "
    "sure, if a provider has that many free at once.",
    "reason.smallest.signed": "At about this cost it can be done sooner: {rival} would finish in {time} and need {cost:about} to be "
    "as sure{signed}.",
    "reason.memory": "Memory holds: {used} of {room} on the fullest accelerator.",
    "reason.mfu": "It runs at {mfu} model FLOPs utilisation.",
    "reason.bound": "The largest part of a step goes into {part}.",
    "reason.eight_bit": "{precision} matrix products on {rival} would save {saved}; that is a decision about training quality, so "
    "it is offered, not assumed.",
    "reason.use.batch": "Until the batch is done each replica works at {use} of what it can; what limits it is {bound}.",
    "reason.use.promise": "At the peak each replica carries {use} of the load at which it keeps the promise as surely as planned; it is "
    "limited by {bound}.",
    "reason.use.load": "At the peak each replica carries {use} of the most that is planned for it; it is limited by {bound}.",
    "reason.room": "Weights, activations and buffers take {used} of {room} on each accelerator.",
    "reason.room.cache": "Weights, cache and buffers take {used} of {room} on each accelerator.",
    "grid.region": "Grid of {provider} {region}, location-based",
    "grid.country": "Grid of {country}, location-based",
    "grid.of_region": "Grid of {country}, the country of {provider} {region}, location-based",
    "grid.two_sites": "Grids of {provider} {region} and of {other} {there}, each by the servers that stand there, location-based; the "
    "country's where the region's is not known",
    "grid.unknown": "No grid intensity is known for this place",
    "part": "{what:^}",
    "told": "{text}",  # what plans from before it became a code say in the words of their day
}

MISSES = {
    "miss.budget": "{over} over the budget",
    "miss.deadline": "misses the deadline by {over}",
    "miss.run": "a single run takes {days:# day|# days}, it may last at most {most} (assumption {assumption})",
    "miss.programme": "all runs take {days:# day|# days}, together they may take at most {most} (assumption {assumption})",
    "miss.maybe": "may take up to {days}, more than the {deadline:exact} allowed",
    "miss.memory": "fits into memory with a probability of {chance:down}, {asked} is asked",
    "miss.chance": "keeps its limits with a probability of {chance:down}, {asked} is asked",
}

LEFT_OUT = {
    "left_out.accelerator": "accelerators that you do not allow",
    "left_out.not_plannable": "accelerators in the catalog that cannot be planned with",
    "left_out.no_training": "accelerators that are planned for serving only",
    "left_out.software": "accelerators on which the software does not run",
    "left_out.no_price": "accelerators with no price in the catalog",
    "left_out.air_gapped": "offers in public clouds: air-gapped work stays on hardware of your own",
    "left_out.provider": "offers of providers that you do not allow",
    "left_out.region": "offers in regions that you do not allow",
    "left_out.residency": "offers whose region is not known to be in {residency}",
    "left_out.scheduler": "offers of providers on whose instances the scheduler that you ask for places nothing",
    "left_out.scheduler_own": "hardware of your own, which the scheduler that you ask for does not reach",
    "left_out.health_data": "offers of providers of which no attestation for health data (HIPAA) is known: name those that gave you one",
    "left_out.certificate_unknown": "offers of providers of whom no statement on {certificate} was found: ask the provider",
    "left_out.certificate_elsewhere": "offers in places that the provider's statement on {certificate} does not cover",
    "left_out.certificate_pending": "offers of providers who say that they do not hold {certificate} yet",
    "left_out.not_adequate": "offers whose region is not known to be in the EEA or in a country with adequate protection (GDPR)",
    "left_out.place_unknown": "offers that do not say in which country they stand, which export control asks",
    "left_out.spot": "spot offers: you do not allow interruptible capacity",
    "left_out.spot_serving": "spot offers: a service cannot lose replicas at short notice",
    "left_out.capacity_block": "capacity blocks: they are booked for a fixed time, which a service or a batch does not have",
    "left_out.commitment": "offers that need a commitment of one or three years",
    "left_out.memory": "does not fit into accelerator memory",
    "left_out.not_for_training": "the accelerator is not offered for training",
    "left_out.precision": "the accelerator lacks the precision",
    "left_out.framework": "no framework for this work runs there",
    "left_out.no_layout": "no layout divides the model, the batch and the accelerators",
    "left_out.engine": "no serving engine runs here, or the fixed layout does not fit into one cluster",
    "left_out.engine.asked": "{framework} does not run on this hardware, or the fixed layout does not fit into one cluster",
    "left_out.context": "the mean request is longer than the model can take",
    "left_out.memory.service": "weights and one full sequence do not fit",
    "left_out.memory.samples": "the model does not fit into one accelerator",
    "left_out.latency": "too slow even for a single request",
    "left_out.latency.samples": "too slow even for a single sample",
    "left_out.load": "quick enough for a single request, but not for several at once",
    "left_out.count": "would need more accelerators than the request allows or one place offers",
    "left_out.count.batch": "too few accelerators may be had to end in time",
    "left_out.second_site": "hardware that is to be had in one region only, where two sites are asked for",
    "left_out.unsold_size": "sizes that their provider does not sell",
    "left_out.too_long": "work that lasts longer than the longest order of its provider",
    "left_out.delivery": "hardware that comes too late",
    "example.late_delivery": "{accelerator}, {source}: {wait} until it is there",
    "example.sold_sizes": "{provider}, {option}: sold in {sizes} instances to an order",
    "example.sold_most": "{provider}, {option}: at most {most:# instance|# instances} to an order",
    "example.sold_least": "{provider}, {option}: at least {least:# accelerator|# accelerators} to an order",
    "example.sold_days": "{provider}, {option}: at most {most:# day|# days} to an order",
    "example.because": "{accelerator}: {why}",
    "example.precision": "{accelerator} has no {precision} matrix units",
    "example.not_joined": "{accelerator}: {count} are asked, and at most {most} are joined by a network where it is to be had; change the "
    "fixed count",
    "example.no_layout": "{accelerator}: no layout of this model and batch divides; change the fixed layout or the batch",
    "example.no_framework": "No framework that trains {model} on {accelerator} is known here",
    "example.framework": "{framework} does not train {model} on {accelerator}: leave the framework open",
    "example.others_fit": "Other layouts of the same hardware fit",
    "example.too_large": "{count} × {accelerator}: needs {need} of {room} usable per accelerator at TP {tp}, PP {pp}, CP {cp}, "
    "EP {ep}, DP {dp}, ZeRO {zero}, micro-batch {micro_batch}, recompute {recompute}",
    "example.too_long": "{model} takes {window:# token|# tokens}, prompt and answer together; {asked} are asked",
    "example.no_room": "{count} × {accelerator}: needs {need} of {room} per accelerator at TP {tp}, PP {pp}, {precision}",
    "example.late": "{count} × {accelerator}, {precision}: alone, 19 of 20 requests need at most {first:0.0} to the first token and "
    "{each:0.1} for each next one; for the promise to hold with {sure} probability, the central estimate may be no more than {planned}",
    "example.late.hardly": "{count} × {accelerator}, {precision}: alone, 19 of 20 requests need a little too long; "
    "for the promise to hold with {sure} probability, the central estimate may be no more than {planned}",
    "planned.both": "{first:0.0} and {each:0.1} for each next one",
    "planned.first": "{first:0.0}",
    "planned.each": "{each:0.1} for each next one",
    "example.late_batch": "{count} × {accelerator}: at least {hours}, {given:exact} given",
    "example.late_batch.more": "{count} × {accelerator}: more than the {given:exact} given",
    "example.too_few.more": "{accelerator}: more are needed than the {have} that may be had",
    "example.too_few": "{accelerator}: at least {needed} are needed, and {have} may be had",
    "software.kernels": "{accelerator} runs {runtime}, and the work needs custom CUDA kernels",
    "software.kernels.porting": "{accelerator} runs {runtime}, and the work needs custom CUDA kernels: porting takes about "
    "{weeks_low}–{weeks_high} person-weeks",
    "software.framework": "{framework} needs {runtimes:or}; {accelerator} runs {runtime}",
    "software.no_training": "{accelerator} runs {runtime}, for which no distributed training framework is planned",
    "software.qlora": "QLoRA needs 4-bit kernels (bitsandbytes) that {runtime} on {accelerator} does not have: use LoRA",
}

CERTAINTY = {
    "certainty.none": "nothing that was searched is so sure",
    "certainty.more": "{more} more {accelerator}",
    "certainty.on_demand": "{hardware} instead of spot",
    "certainty.other": "{hardware}",
    "certainty.money": "{more:about} more held ready",
    "certainty.days": "{more} more until it is done",
}

WAYS_OUT = {
    "way.agree_price": "Agree a price for {names} and enter it in a price list of your team, or name what you have under “owned”: "
    "the catalog holds no price.",
    "way.state_horizon": "State how long there will be demand in “horizon_months”, for instance {months}: servers with {names} can "
    "then be bought; the catalog knows nobody who rents them out.",
    "way.opened": "{opening:^}: {offers:# offer|# offers} can then be used.",
    "way.open_layout": "Leave the layout open in “fixed”.",
    "way.does": "{hardware} then does it in {time}, for about {cost:about}{signed}",
    "way.more": "Allow {needed} accelerators instead of {now}: {does}.",
    "way.more_and": "Allow {needed} accelerators instead of {now}. That alone is not enough.",
    "way.less_sure": "Be content with {needed} probability instead of {now}: {does}.",
    "way.batch": "Train with {needed} samples a step instead of {now}, if learning allows: {does}.",
    "way.less.runs": "Make {needed:# run|# runs} instead of {now}: {does}.",
    "way.less.tokens": "Train on {needed:words} tokens instead of {now:words}: {does}.",
    "way.less.samples": "Train on {needed:words} samples instead of {now:words}: {does}.",
    "way.deadline": "Give it {needed:exact} instead of {now:exact}: {hardware} then finishes in time with {chance} probability, for about "
    "{cost:about}{signed}.",
    "way.deadline.thrifty": "Give it {needed:exact} instead of {now:exact}: {hardware}, which asks for the least money, then "
    "finishes in time with {chance} probability, for about {cost:about}{signed}.",
    "way.budget": "Raise the budget from {now} to {needed}: {hardware} then does it in {time}{held}.",
    "way.both": "Neither limit alone makes room. Give it {days:exact} instead of {deadline:exact} and raise the budget from {now} to "
    "{needed}: {hardware} then does it{held}.",
    "way.priced": "{opening:^}: {does}.",
    "way.all": "No one of these alone is enough: {changes}; {hardware} then does it.",
    "way.service.budget": "Raise the budget from {now} to {needed}: {hardware} then {does}{held}.",
    "way.service.both": "No one change is enough. {opening:^} and raise the budget from {now} to {needed}: {hardware} then "
    "{does}{held}.",
    "way.service.keeps": "{hardware} then keep it for about {cost:about} a month{signed}",
    "way.service.finishes": "{hardware} then finish it for about {cost:about}{signed}",
    "does.batch": "finishes the batch in time",
    "does.promise": "keeps the promise",
    "longer": "{parts}",
    "longer.run": "let a single run last {most:# day|# days} instead of {now} (assumption {assumption})",
    "longer.programme": "let all runs take {most:# day|# days} instead of {now} (assumption {assumption})",
    "change.deadline": "give it {days:exact} instead of {deadline:exact}",
    "change.budget": "raise the budget from {now} to {needed}",
    "change.shorter": "shorten prompts from {now} to {needed} tokens, so that prompt and answer fit into the model's {window}",
    "change.shorter.both": "shorten prompts from {now} to {needed} and answers from {was} to {answers} tokens, so that both fit into "
    "the model's {window}",
    "change.batch_deadline": "give the batch {needed:exact} instead of {now:exact}",
    "change.promise": "promise {promises}",
    "promise.ttft_p95_ms": "a p95 time to first token of {needed} instead of {now}",
    "promise.tpot_p95_ms": "a p95 time per output token of {needed} instead of {now}",
    "change.more": "allow {needed} accelerators instead of {now}",
    "change.one_site": "ask for one site with “operations.pattern: spares”",
    "change.fewer_bits": "hold the weights in {precision}, if an evaluation shows that the quality suffices",
    "change.open_layout": "leave the layout open in “fixed”",
    "open.accelerators": "allow other accelerators",
    "open.providers": "allow other providers",
    "open.regions": "allow other regions",
    "open.certificates": "do without {names}, or have it shown to you by the provider and name that in “constraints.attested”",
    "open.certificate": "do without {certificate}, or have it shown to you by the provider and name that in “constraints.attested”",
    "open.residency": "drop the residency rule",
    "open.spot": "allow spot capacity",
    "open.commitments": "allow commitments of one or three years",
    "open.framework": "allow any framework",
    "open.custom_kernels": "do without custom CUDA kernels",
}

FLIPS = {
    "flip.rival": "{rival} is recommended",
    "flip.rival.everywhere": "{rival} is recommended, provided that no region of {provider} stays cheaper",
    "flip.deadline": "a faster and dearer option, or none, is recommended",
    "flip.deadline.bought": "a larger purchase, another option, or none is recommended",
    "flip.budget": "the recommendation no longer fits the budget",
    "limit.deadline": "Deadline",
    "limit.budget": "Budget",
}

WARNINGS = {
    "warning.capacity": "No price list says whether {provider} has {count} {accelerator} free in {region}: have the capacity "
    "confirmed before you rely on this.",
    "warning.capacity.spot": "No price list says whether {provider} has {count} spot {accelerator} free in {region}: have the "
    "capacity confirmed before you rely on this.",
    "warning.price.old": "The price was read on {day}, {age:# day|# days} before this plan: ask for a new one.",
    "warning.price.old_by_start": "The price was read on {day} and will be {age:# day|# days} old when the work begins on {start}; after "
    "{limit:# day|# days} it is to be asked for again.",
    "warning.price.cheapest": "{provider} asks {price:price} per accelerator-hour, less than each of {count} other lists on these terms "
    "(next {next} at {least:price}, the middle one {middle:price}): {why}.",
    "warning.price.few_others": "Only {count:# other list has|# other lists have} this accelerator on these terms (the cheapest is "
    "{next} at {least:price}), too few to tell whether the {price:price} per accelerator-hour that {provider} asks is usual.",
    "warning.price.no_other": "No other list has this accelerator on these terms, so nothing tells whether the {price:price} per "
    "accelerator-hour that {provider} asks is usual.",
    "warning.price.agreed_low": "The price that is agreed with {provider}, {agreed:price} an hour, is that of an instance with {devices} "
    "accelerators: {price:price} for each of them, where the cheapest list of others has {least:price} ({next}). Was it meant for "
    "one accelerator?",
    "cheaper.older": "its price was read {days:# day|# days} before the middle one of theirs, and may have moved as they did",
    "cheaper.region": "it is that of one region only; elsewhere it asks up to {most:price}",
    "cheaper.one_zone": "it was read in a single zone",
    "cheaper.discount": "its spot is {own} below its own on-demand price, that of others usually {usual}",
    "cheaper.little": "the next asks no more than {share} more",
    "cheaper.no_network": "it states no network between its machines; of those that state one the cheapest asks {least:price}",
    "cheaper.unsaid": "the lists do not say why; ask what network, storage and support come with it",
    "warning.price.undated": "The price has no date: ask for a new one.",
    "warning.price.ask": "Ask {provider} in writing for {cluster}, {devices} to a machine, in {region}, {terms}, from {start}: what an "
    "accelerator-hour costs ({price:price} was reckoned with; by then it lies between {low:price} and {high:price} in four of five "
    "cases), until when that holds, and whether the capacity is there.",
    "warning.price.ask.spot": "Look up the spot price of {provider} for {cluster}, {devices} to a machine, in {region} again on the day "
    "({price:price} an accelerator-hour was reckoned with; by {start} it lies between {low:price} and {high:price} in four of five "
    "cases), and ask how often so many were to be had in the last weeks.",
    "warning.site.no_tariff": "What electricity costs in {country} is not in the catalog: the general price stands. Set the assumption "
    "to what you pay.",
    "warning.server_price.old": "The price of a server was read on {day}, {age:# day|# days} before this plan: ask for a quote.",
    "warning.server_price.ask": "Ask a seller in writing for a quotation of {servers} × {system}, with network, support and day of "
    "delivery; {low:about} to {high:about} each was reckoned with.",
    "warning.spend.draws": "{drawn:about} of what this work uses draw the commitment with {provider}, of which {left:about} remain "
    "until {day}: nobody else would draw them, so they are paid either way. {rest}",
    "warning.spend.others": "Other work draws all of the commitment with {provider}, of which {left:about} remain until {day}, so "
    "none of this work is paid by it.",
    "spend.unused": "Even so {unused:about} of it are drawn by nobody, and paid on that day all the same.",
    "spend.unused.hourly": "In other hours {unused:about} of it are drawn by nobody, and paid all the same.",
    "spend.used_up": "Together with other work that uses it up.",
    "warning.spend.ends": "The discount of {share} from the commitment with {provider} ends with it on {day}; what comes later costs "
    "{more:about} more.",
    "warning.spend.hourly": "The commitment with {provider} does not cover all hours until {day}; the others are paid without its "
    "discount of {share}, {more:about} in all.",
    "warning.spend.elsewhere": "{lapses:about} of the commitment with {provider} are drawn by nobody until {day} and paid in any case; "
    "they are no part of this cost.",
    "warning.lease.short": "The lease from {lessor} is for the controller: {months:# month|# months} without a right to cancel, "
    "{whole:about} in all. A term of at most 12 months may be booked as expense alone (IFRS 16, ASC 842), if no option makes it "
    "longer.",
    "warning.lease.right_of_use": "The lease from {lessor} is for the controller: identified servers over {months:# month|# months}, "
    "{whole:about} in all. Beyond 12 months IFRS 16 and ASC 842 book a right of use and a liability, about {worth:about} at {rate} a "
    "year; this plan books the rate as expense, evenly.",
    "warning.server_price.undated": "The price of a server has no date: ask for a quote.",
    "warning.porting": "{accelerator} runs {runtime}, not CUDA: code must be ported, and kernels may be missing. CUDA kernels of "
    "your own take {weeks_low}–{weeks_high} person-weeks, {least:about} to {most:about}, not in the total: run a real step before "
    "you sign.",
    "warning.delivery": "No {accelerator} can be rented until the servers are accepted, by assumption {months:# month|# months} "
    "after the order: the work begins on {start}.",
    "warning.delivery.in_time": "No {accelerator} can be rented until the servers are accepted, by assumption "
    "{months:# month|# months} after the order: the work can begin on {start} if they are ordered in time.",
    "warning.delivery.air_gapped": "Nothing may be rented until the servers are accepted, by assumption {months:# month|# months} "
    "after the order: the work begins on {start}.",
    "warning.delivery.air_gapped.in_time": "Nothing may be rented until the servers are accepted, by assumption "
    "{months:# month|# months} after the order: the work can begin on {start} if they are ordered in time.",
    "warning.spot": "Spot at {price:price} per accelerator-hour is {behind} on {day}.",
    "warning.spot.dearer": "Spot at {price:price} per accelerator-hour is {behind} on {day}; one zone in ten of the provider asks "
    "{dear:price} or more.",
    "warning.spot.no_fallback": "No on-demand price is known to fall back on: agree on one before you rely on this.",
    "warning.spot.fallback": "On demand it is {price:price}: {share} of the hours are costed at that price.",
    "warning.spot.fallback.other": "Its seller lists no on-demand price; {seller} asks {price:price}: {share} of the hours are costed at "
    "that price.",
    "warning.spot.fallback.no_dearer": "On demand {seller} asks {price:price}, no more than that: ask first whether it can be had.",
    "zones.none": "the one price listed for the region",
    "zones.one": "the price of one zone",
    "zones.several": "the middle of {zones} zones",
    "warning.memory": "Memory is close: {used} expected of {room}, at the pessimistic end {over:2} too many. Try one step first; "
    "more recomputation or sharding makes room at some cost in speed.",
    "warning.unmeasured.service": "Too few runs are measured on {accelerator}: the estimate rests on its specification and has a "
    "wide band.",
    "warning.unmeasured.training": "No published training measurement of {accelerator} was found: its efficiency is assumed and its "
    "band is wide.",
    "warning.reduced": "Weights in {precision}: check the answers' quality on your own evaluation before you commit.",
    "warning.pools": "Prompts and answers in pools of their own: each unit has {prefill} prefill and "
    "{decode:# decode replica|# decode replicas}; a prompt's cache takes {transfer:0.1} to cross.",
    "warning.drafts": "It counts on speculative decoding: {tokens:3} tokens for each verification, as the request says. Measure that on "
    "your own answers: if fewer are accepted, a replica serves less.",
    "warning.few_sequences": "Fewer than {count} full-length sequences fit into the cache: a long request will hold up the others.",
    "warning.unpromised": "No time to the first answer is promised, so the queue is kept short instead: {free} of the capacity stays "
    "free at the peak, and 19 of 20 requests wait at most {wait} longer than on an idle replica, or {share} of a whole answer where "
    "that is more, and never longer than {answers:# whole answer takes|# whole answers take} there.",
    "warning.at_risk": "The promise is at risk: it is kept with {chance:down} probability, {asked} is asked, and nothing that was searched "
    "keeps it more surely. Measure one replica before you sign, or promise more time.",
    "warning.unavailable": "All of the load is served for {availability} of the time, {asked} is the goal: {hours} of each year are "
    "missing, {most} of them because {worst}.",
    "warning.unavailable.way": "{ways:^} it is {availability}: {count:# accelerator|# accelerators} of the same kind in all, "
    "{more:about} more.",
    "warning.unavailable.none": "No pattern that is had on this hardware holds {asked} while outages come as they are assumed.",
    "warning.unavailable.elsewhere": "No pattern that is had on this hardware holds {asked}. {hardware}, as {pattern}, holds "
    "{availability} for {cost}, {more:about} more (operations.pattern: auto).",
    "warning.unavailable.nothing": "Nothing within the limits holds {asked} while outages come as they are assumed: enter what you know "
    "of them (standby.*), or ask for less.",
    "way.pattern": "with {pattern}",
    "way.pattern.second": "with {pattern} (the second one in {region})",
    "way.keep": "with the replicas of the peak kept at all hours",
    "warning.dear_certainty": "{asked} probability costs {more:about} more than an even chance, and a measurement may save that. Before "
    "you sign, load one replica of {replica} with {rate} of your own: if {shown}, {count:# accelerator is|# accelerators are} enough, for "
    "{cost:about}; if not, what was measured says how many are.",
    "shown.both": "19 of 20 answers begin within {first:0.0}, and their next tokens come within {each:0.1}",
    "shown.first": "19 of 20 answers begin within {first:0.0}",
    "shown.each": "19 of 20 next tokens come within {each:0.1}",
    "shown.answer": "19 of 20 answers come within {first:0.0}",
    "shown.load": "its queue does not grow",
    "warning.not_simulated": "The time to the first token could not be simulated.",
    "warning.beyond_horizon": "The work takes {time}, longer than the {months:# month|# months} of demand that the horizon states: "
    "state a longer horizon, or a deadline within it.",
    "warning.four_bits": "Pre-training in NVFP4 is young: few published runs show that its loss follows that of BF16, and they keep "
    "the first and last layers and attention in BF16. Train a small model both ways, and plan to finish in BF16 or FP8.",
    "warning.offload.states": "Optimizer states are kept in host memory, because they do not fit beside the model; the update is "
    "slower for it.",
    "warning.offload.weights": "Weights are kept in host memory and optimizer states on its drives, because nothing else fits; "
    "expect a slow step.",
    "warning.hybrid_sharding": "States are sharded inside each node and copied between nodes (hybrid sharding).",
    "warning.batch": "The global batch is {batch} instead of {asked} sequences, so that it divides over the replicas.",
    "warning.batch.more": "Because that batch is larger than asked, {more:0.1} more tokens are run: the same loss takes so many more.",
    "warning.critical_batch": "A step of {batch:words} tokens is beyond the critical batch of a run on {total:words} tokens, which is "
    "about {critical:words}. The tokens that are stated are run, but teach as much as {fewer:words} fewer would with the usual batch "
    "({least} to {most} of them): about {cost:about} of the cost buys time, not a lower loss. Begin with smaller steps and enlarge "
    "them, or take more tokens.",
    "warning.positions": "The model has {positions} positions: sequences are that long instead of {asked:# token|# tokens}.",
    "warning.cut": "The model takes {positions:# token|# tokens} at once, and is planned with those of the {asked} that were "
    "asked: cut longer texts into pieces, and state as many requests as there are pieces.",
    "warning.stretched": "The model was published for {length:# token|# tokens}: sequences of {asked} need its positions stretched, "
    "and an evaluation that they still work.",
}

CHECKED = {
    "checked.none": "Held against {others:# other combination|# other combinations} of hardware, source and number, drawn at random "
    "and costed exactly: {others:it is no better|none is better}",
    "checked.taken": "Held against {others:# other combination|# other combinations} of hardware, source and number, drawn at random "
    "and costed exactly: {better} {better:was|were} better, and the best of them is recommended",
    "checked.nothing": "No other combination of hardware, source and number was left to hold it against: all that may keep the limits were "
    "costed exactly",
}

COUNTS = {
    "searched.timed": "{layouts:# layout fits|# layouts fit} into memory and {layouts:was|were} timed",
    "searched.computed": "{layouts:# layout was|# layouts were} computed",
    "searched.none_fits": "{layouts:# layout was|# layouts were} tried, and none fits into memory",
    "searched.nothing": "No accelerator is left on which a layout could be tried",
    "counted.layout": "{count:# layout|# layouts}",
    "counted.cluster": "{count:# cluster|# clusters}",
    "counted.replica": "{count:# replica|# replicas}",
    "counted.offer": "{count:# offer|# offers}",
    "counted.accelerator": "{count:# accelerator|# accelerators}",
    "left_out_in_all": "{counts}",
}

MODELS = {
    "model.read": "{name}: {parameters:words} parameters.",
    "model.read.layers": "{name}: {parameters:words} parameters, {layers:# layer|# layers}.",
    "model.read.experts": "{name}: {parameters:words} parameters, of which {active:words} work on a token, {layers:# layer|# layers}.",
    "load.rate": "{people:# person|# people}, {sessions:# conversation|# conversations} a day each, {turns:# request|# requests} in each: "
    "{rate} in the busiest hour.",
    "memory.units": "GB here are 10⁹ bytes; makers of accelerators often count in GiB of 2³⁰: {room} are {gib:3} GiB.",
    "model.counts": "Its work is counted in {thing}: lengths in tokens change nothing.",
}

ANSWER = {
    **MODELS,
    **THINGS,
    **HEADLINES,
    **REASONS,
    **MISSES,
    **LEFT_OUT,
    **CERTAINTY,
    **WAYS_OUT,
    **FLIPS,
    **WARNINGS,
    **CHECKED,
    **COUNTS,
}
