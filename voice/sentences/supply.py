"""What stands behind a price, and what to ask for to have the hardware of a plan."""

from __future__ import annotations

BACKING = {
    "backing.quoted": "quoted to the team, valid until {until}",
    "backing.open_quote": "agreed by the team, but nobody has said until when it holds",
    "backing.short_quote": "quoted to the team, but valid only until {until} and needed on {needed}: sign before",
    "backing.public": "a public price that anybody can buy at, read on {day}",
    "backing.old": "a listed price read on {day}, {age:# day|# days} before this plan",
    "backing.undated": "a listed price without a date",
    "backing.spot": "a spot price, which {provider} promises to nobody",
    "backing.second_hand": "a price of {provider} by way of a price comparison",
    "backing.marketplace": "a price of one of many hosts at {provider}",
    "backing.memory": "a price of {provider} that was not read again",
    "backing.range": "the range that is asked for {system}, and no offer",
    "backing.assumed": "an assumption",
}

OBTAINING = {
    "obtain.quota": "Ask {provider} by {by} to raise {quota} in {region} to at least {need} {unit} for {count} {accelerator}.",
    "obtain.quota.from": "Ask {provider} by {by} to raise {quota} in {region} to at least {need} {unit} for {count} "
    "{accelerator}; a new account has {usual}.",
    "obtain.quota.uncounted": "Ask {provider} by {by} to raise {quota} in {region} so that it holds {count} {accelerator}.",
    "obtain.quota.unknown": "Ask {provider} by {by} which quota holds for {count} {accelerator} in {region} and how it is raised: that is "
    "unknown.",
    "obtain.reserve": "Ask {provider} by {by} to keep {count} {accelerator} free in {region} from {start}: how long that takes "
    "is unknown.",
    "obtain.least": "{provider} lets no fewer than {least} {accelerator} on these terms: ask what {count} cost.",
    "obtain.interruption": "Ask {provider} by {by} how often spot instances with {devices} × {accelerator} are taken back: that is "
    "unknown, and {share} a month are assumed.",
    "obtain.lease": "Have {provider} confirm in writing by {by} that {count} {accelerator} stand ready on {start}, at which rate over "
    "{months:# month|# months}, and what may be done at the end of the lease.",
    "obtain.quote.alone": "Send a request for quotation to {provider} by {by}.",
    "obtain.confirm": "Ask {provider} by {by} to confirm that the agreed price is that of an instance with {devices} accelerators "
    "and not of one: it is less than half of the cheapest list.",
    "obtain.quote": "Send requests for quotation to {provider} and its rivals by {by}.",
    "obtain.block": "Book {days:# day|# days} of {count} {accelerator} with {provider} in {region} as soon as that is possible, "
    "from {first} on: blocks can be booked {ahead:# day|# days} ahead, and whether one is free is unknown.",
    "obtain.block.unknown": "Ask {provider} by {by} whether a block of {days:# day|# days} of {count} {accelerator} is free in "
    "{region}: how far ahead it can be booked is unknown.",
    # Plans of today hold no such block; those from before do.
    "obtain.block.long": "{provider} sells blocks of at most {most:# day|# days}: {days:# day|# days} take several, one after the "
    "other.",
    "obtain.block.large": "{provider} sells at most {most:# instance|# instances} in one block: {instances} take several, side by "
    "side.",
    "obtain.server_quote": "Send requests for quotation for {system} by {by}.",
    "obtain.order": "Order {system} by {by}, so that it works on {start}: {months:# month|# months} from the order, by assumption.",
    "obtain.order.late": "Order {system} at once: {months:# month|# months} from the order, by assumption. Even ordered on the day of "
    "the request it works on {arrive}, after the start on {start}, and every later day moves that.",
    "obtain.order.unset": "Order {system} as soon as it is approved: {months:# month|# months} from the order, by assumption. The dates "
    "of this plan count from an order on the day of the request and move with it.",
}

WARNINGS = {
    "warning.quote.ended": "The quote for {item} was valid until {until}: the listed price is used; ask for a new one.",
    "warning.quote.lapsed": "The quote of {provider} was valid until {until}, and no listed price is known to take its place: "
    "ask for a new one.",
    "warning.quote.short": "The quote for {item} is valid until {until}, before the start on {start}: sign before it ends.",
}
"""What is to be known of quotes that end."""

SUPPLY = {**BACKING, **OBTAINING, **WARNINGS}
