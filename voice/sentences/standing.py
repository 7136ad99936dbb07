"""How a service stands while hosts and sites fail: a table, row by row, and the sentence before it."""

STANDING = {
    "standing": "Stands by: {pattern}. All of the load is served for {availability} of the time, {asked} is the goal; {hours} of a year "
    "are missing, as outages are assumed.",
    "standing.second": "Stands by: {pattern}, the second one in {region}. All of the load is served for {availability} of the "
    "time, {asked} is the goal; {hours} of a year are missing, as outages are assumed.",
    "standing.keep": "To keep the replicas of the peak at all hours (“operations.keep_capacity”) costs {cost} more.",
    "case.normal": "A normal day",
    "case.host": "A host is down",
    "case.maintenance": "A host is in maintenance",
    "case.morning": "What was given back at night is not there",
    "case.site": "The site is down",
    "case.site.one": "One of the sites is down",
    "case.provider": "The provider is down everywhere",
    "often.always": "nearly always",
    "often.year": "{times:# time|# times} a year, {lasts} each",
    "often.years": "once in {years:# year|# years}, {lasts}",
    "served.normal": "all; replicas for {carries} of the peak stand",
    "served.normal.first": "all; replicas for {carries} of the peak stand, 19 of 20 answers begin within {first:0.0}",
    "served.all": "all; {carries} of the peak is left",
    "served.part": "{share} of the peak",
    "served.none": "nothing",
    "until.never": "nothing is missing",
    "until.gap": "after {gap}",
    "until.full": "after {full}, if capacity is to be had",
    "until.started": "that much after {gap}, all after {full}",
    "until.started.chance": "that much after {gap}, all after {full} with {chance} probability, else when it is over",
    "until.over": "when it is over",
}
