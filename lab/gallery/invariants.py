"""What must hold for every answer, whatever was asked: each rule takes an answer and says what breaks it.

Rules read the JSON that readers of the API get, not the engine's own values: a number that is right inside and wrong
outside is wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from engine.inputs.architecture import Architecture, counts_of
from engine.inputs.currency import DIGITS
from engine.inputs.hardware import Device
from engine.inputs.spec import Spec
from lab.gallery.standing_rules import STANDING_RULES
from lab.gallery.supply_rules import faults_of_backing, faults_of_blocks, faults_of_obtaining
from lab.kinds import JUDGED, asked_service
from planner.asked.kinds import WORK
from voice.terms import SOFTWARE

Json = dict[str, Any]
HOURS_A_MONTH = 730.0
NEAR = 0.02
"""Tolerance of products of numbers that are rounded apart from each other."""
WATTS_OVER_TDP = 2.6
"""Most that an accelerator-hour may draw of its limit: host, cooling, conversion and the hours of failures together."""
WATTS_UNDER_TDP = 0.1
"""And the least: no accelerator that somebody pays for draws less than its idle power."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One request with the JSON that answers it."""

    spec: Spec
    arch: Architecture
    body: Json
    devices: dict[str, Device]

    @property
    def options(self) -> list[Json]:
        """The recommended option, if any, and its alternatives."""
        first: Json | None = self.body["recommended"]
        rest: list[Json] = self.body["alternatives"]
        return [first, *rest] if first else rest


Rule = Callable[[Answer], Iterator[str]]


def violations(answer: Answer) -> list[str]:
    """Everything that is broken, a sentence each."""
    return [f"{rule.__name__}: {said}" for rule in RULES for said in rule(answer)]


def feasibility_is_said_once(answer: Answer) -> Iterator[str]:
    """Feasible means: something is recommended, it keeps its limits. Not feasible means: a way out is named."""
    body = answer.body
    if body["feasible"] != (body["recommended"] is not None):
        yield f"feasible is {body['feasible']}, recommended is {body['recommended'] and body['recommended']['id']}"
    if not body["feasible"] and not body["nearest"]:
        yield "refused without saying what to change"
    best = body["recommended"]
    # A service may be recommended that is up for less of the time than is asked, where nothing else is; then it is not sure.
    standing = best and best.get("standing")
    down = standing and standing["availability"] < standing["asked"]
    sure = best and best["sure"] != bool(down)
    keeps = best and best["meets_deadline"] and best["meets_budget"] and sure and best["too_long"] is None
    if best and not keeps:
        yield f"{best['id']} is recommended and breaks a limit"


def ranges_are_ordered(answer: Answer) -> Iterator[str]:
    """low <= expected <= high, and no number is endless or missing."""
    for path, value in _walk(answer.body):
        if isinstance(value, dict) and {"low", "expected", "high"} <= value.keys():
            low, mid, high = (float(value[end]) for end in ("low", "expected", "high"))
            if not (low <= mid * (1 + 1e-9) + 1e-9 and mid <= high * (1 + 1e-9) + 1e-9):
                yield f"{path}: {low} <= {mid} <= {high} does not hold"
        if isinstance(value, float) and not math.isfinite(value):
            yield f"{path} is {value}"


def lines_add_up(answer: Answer) -> Iterator[str]:
    """The lines that are leaves of the total are the total, to the cent."""
    for option in answer.options:
        leaves = [line for line in option["cost"]["lines"] if line["schedule"] != "none"]
        total = Decimal(option["cost"]["total"]["expected"])
        found = sum((Decimal(line["amount"]["amount"]) for line in leaves), Decimal(0))
        if found != total:
            yield f"{option['id']}: lines add up to {found}, the total is {total}"


def hours_are_physical(answer: Answer) -> Iterator[str]:
    """Accelerator-hours are never more than every accelerator in every hour of all runs."""
    for option in answer.options:
        hours, days = option["accelerator_hours"]["expected"], option["days"]["expected"]
        most = option["count"] * days * 24 * (1 + NEAR)
        if hours > most + 0.01:
            yield f"{option['id']}: {hours:,.1f} accelerator-hours in {days:.2f} days on {option['count']}: at most {most:,.1f}"
        if hours <= 0:
            yield f"{option['id']}: {hours} accelerator-hours"


def hours_are_paid_at_their_price(answer: Answer) -> Iterator[str]:
    """A rented accelerator-hour costs no less than its offer says, once everything is added to it."""
    for option in answer.options:
        offer = option["offer"]
        if not offer or option["kind"] != "cloud":
            continue
        second = (option.get("standing") or {}).get("second") or offer  # the cheaper of two sites
        usd = min(_money(offer["usd_per_hour"]), _money(second["usd_per_hour"]))
        listed = usd * answer.body["currency"]["rate"] / offer["devices"]
        paid = _money(option["cost"]["price_per_accelerator_hour"])
        # What a spend commitment pays is paid anyway, and so no part of the cost.
        paid += _money(option["cost"]["signed"]["drawn"]) / option["accelerator_hours"]["expected"]
        if paid < listed * (1 - NEAR) and offer["term_months"] == 0:
            yield f"{option['id']}: {paid:.4f} is paid for an accelerator-hour that costs {listed:.4f}"


def the_rate_is_the_total_over_the_hours(answer: Answer) -> Iterator[str]:
    """What an accelerator-hour costs, times all of them, is the total."""
    for option in answer.options:
        rate, hours = _money(option["cost"]["price_per_accelerator_hour"]), option["accelerator_hours"]["expected"]
        total = float(option["cost"]["total"]["expected"])
        if abs(rate * hours - total) > 1e-3 * total + 0.01 + 1e-4 * hours:
            yield f"{option['id']}: {hours:,.2f} accelerator-hours at {rate:.4f} cost {rate * hours:,.2f}, the total is {total:,.2f}"


def energy_is_physical(answer: Answer) -> Iterator[str]:
    """Energy of an accelerator-hour lies between idling and the limit of the device with all that stands around it."""
    for option in answer.options:
        device = answer.devices[option["accelerator"]]
        hours = option["accelerator_hours"]["expected"]
        if not device.tdp_w or hours <= 0:
            continue
        watts = option["energy"]["kwh"]["expected"] / hours * 1e3
        # Bought servers draw power as a whole, nine accelerators in two servers for sixteen.
        held = next((item["value"] for item in option["cost"]["inputs"] if item["name"] == "devices"), 0.0)
        whole = max(held / option["count"], 1.0)
        if not WATTS_UNDER_TDP * device.tdp_w <= watts <= WATTS_OVER_TDP * device.tdp_w * whole:
            yield f"{option['id']}: {watts:,.0f} W for an accelerator-hour of a device of {device.tdp_w:g} W"


def own_energy_is_paid(answer: Answer) -> Iterator[str]:
    """The energy of hardware of one's own is that of its cost; more where other hardware is rented until it is delivered."""
    for option in answer.options:
        paid = _quantities(option)
        if option["kind"] == "cloud":
            continue
        told = option["energy"]["kwh"]["expected"]
        if told < paid["kwh"] * (1 - NEAR) or (told > paid["kwh"] * (1 + NEAR) and not paid.get("rented_hours")):
            yield f"{option['id']}: {told:,.0f} kWh are told, {paid['kwh']:,.0f} kWh are paid"


def nothing_is_paid_before_delivery(answer: Answer) -> Iterator[str]:
    """Where work waits for servers that are bought, no money leaves before they come."""
    for option in answer.options:
        amounts = _quantities(option)
        if not amounts.get("lead_hours") or "work_hours" in amounts:
            continue
        ahead = amounts["lead_hours"] - amounts.get("acceptance_hours", 0.0)
        begun = date.fromisoformat(answer.body["start"]) + timedelta(hours=ahead)
        early = [
            month["month"] for month in option["cost"]["by_month"] if _money(month["opex"]) + _money(month["capex"])
        ]
        if early and early[0] < f"{begun:%Y-%m}":
            yield f"{option['id']}: money leaves in {early[0]}, servers come in {begun:%Y-%m}"


_UNTAXED = {"purchase", "residual_value", "disposal", "cost_of_capital", "staff", "cover", "shortfall_saved"}
"""Leaves that are no service: wages, capital and a shortfall that is saved bear no tax, the removal holds its own, and a purchase has
its own rate."""


def tax_is_owed_on_what_is_taxed(answer: Answer) -> Iterator[str]:
    """Tax in a cost is its rate, less what is recovered, times what it is owed on; where none was stated no line is tax."""
    stated = answer.spec.taxes
    on_use, on_orders = (stated.owed_on_services, stated.owed_on_purchases) if stated else (0.0, 0.0)
    for option in answer.options:
        leaves = {
            line["name"]: _money(line["amount"]) for line in option["cost"]["lines"] if line["schedule"] != "none"
        }
        taxes = {name: leaves.pop(name) for name in list(leaves) if name.startswith("tax_")}
        used = sum(amount for name, amount in leaves.items() if name not in _UNTAXED)
        owed = used * on_use + leaves.get("purchase", 0.0) * on_orders
        coin = 10.0 ** -DIGITS[answer.body["currency"]["code"]]
        if abs(sum(taxes.values()) - owed) > 12 * coin + 1e-6 * owed:
            yield f"{option['id']}: tax of {sum(taxes.values()):,.2f} is counted, {owed:,.2f} is owed"


def _quantities(option: Json) -> dict[str, float]:
    """The lines of a cost model that are no money."""
    lines = option["cost"]["lines"]
    return {line["name"]: line["amount"] for line in lines if not isinstance(line["amount"], dict)}


def days_follow_the_request(answer: Answer) -> Iterator[str]:
    """Nothing happens before the day of the request, no money leaves before the work begins but for a block, which is paid when it is
    booked, and the recommended option ends within the deadline."""
    first = date.fromisoformat(answer.body["start"])
    if answer.body["start"] < answer.body["as_of"]:
        yield f"work starts on {first}, asked on {answer.body['as_of']}"
    for option in answer.options:
        if option["finish"] and date.fromisoformat(option["finish"]) < first:
            yield f"{option['id']} finishes on {option['finish']}, work starts on {first}"
        months = [item["month"] for item in option["cost"]["by_month"]]
        booked = option["offer"] and option["offer"]["option"] == "capacity_block"
        if months and min(months) < (answer.body["as_of"] if booked else answer.body["start"])[:7]:
            yield f"{option['id']}: cash leaves in {min(months)}, work starts on {first}"
    best, limit = answer.body["recommended"], answer.spec.due_days
    if best and limit and best["days"]["expected"] > limit:
        yield f"{best['id']} takes {best['days']['expected']:.2f} of {limit:g} days"


def a_deadline_is_kept_as_surely_as_was_asked(answer: Answer) -> Iterator[str]:
    """Of a run and of a batch: the chance is told, and it is the one that a recommendation needs."""
    best = answer.body["recommended"]
    if not best or not answer.spec.due_days:
        return
    asked = next(float(item["value"]) for item in answer.body["assumptions"] if item["id"] == "select.confidence")
    chance = best["probability_in_time"]
    if chance is None or chance < asked - 1e-6:
        yield f"{best['id']} is in time with {chance}, {asked:g} is asked"


def chances_hang_together(answer: Answer) -> Iterator[str]:
    """All limits together are no likelier than each of them, and a recommendation keeps them as surely as was asked."""
    assumed = {item["id"]: item["value"] for item in answer.body["assumptions"]}
    for option in answer.options:
        chance = option["chance"]
        for name, value in chance.items():
            if value is not None and not chance["all"] - 1e-9 <= value <= 1:
                yield f"{option['id']}: {name} is {value}, all of it {chance['all']}"
    best = answer.body["recommended"]
    at_risk = best and any(item["code"] == "warning.at_risk" for item in best["warnings"])
    if best and best["chance"]["all"] < assumed["select.confidence"] - 1e-6 and not at_risk:
        yield f"{best['id']} keeps its limits with {best['chance']['all']}, {assumed['select.confidence']} is asked"
    if best and best["chance"]["memory"] is not None and best["chance"]["memory"] < assumed["select.fits"] - 1e-6:
        yield f"{best['id']} fits with {best['chance']['memory']}, {assumed['select.fits']} is asked"


def certainty_is_never_cheaper(answer: Answer) -> Iterator[str]:
    """Rows of more confidence cost no less, and one of them is what was asked for."""
    rows, best = answer.body["certainty"], answer.body["recommended"]
    if bool(rows) != bool(best):
        yield f"{len(rows)} rows of certainty, recommended is {best and best['id']}"
    if not rows or not best:
        return
    at_risk = any(item["code"] == "warning.at_risk" for item in best["warnings"])
    if [row["option_id"] for row in rows if row["asked"]] != ([""] if at_risk else [best["id"]]):
        yield f"what is asked for is not {best['id']} among the rows of certainty"
    if best["id"] not in [row["option_id"] for row in rows]:
        yield f"{best['id']}, which is at risk, has no row of certainty"
    known = [(row["confidence"], _money(row["cost"])) for row in rows if row["cost"]]
    for (less, cheap), (more, dear) in pairwise(known):
        if more <= less or dear < cheap:
            yield f"{more:.0%} sure costs {dear:,.2f}, {less:.0%} costs {cheap:,.2f}"
    reached = [row["cost"] is not None for row in rows]
    if reached != sorted(reached, reverse=True):
        yield "less confidence is out of reach where more is not"


def certainty_costs_what_its_options_cost(answer: Answer) -> Iterator[str]:
    """The row that was asked for costs what the recommendation needs to be so sure, and that of 90 % no more than the recommendation
    needs there, where that keeps all limits so surely: something cheaper may be taken, nothing dearer."""
    best = answer.body["recommended"]
    for row in answer.body["certainty"]:
        if not best or not row["cost"]:
            continue
        cost, needed = _money(row["cost"]), _money(best["cost"]["at_confidence"])
        if row["asked"] and row["option_id"] == best["id"] and abs(cost - needed) > 0.005 * needed + 0.01:
            yield f"as asked {cost:,.2f} are held ready, the option needs {needed:,.2f}"
        high = float(best["cost"]["total"]["high"])
        if row["confidence"] == 0.9 and best["chance"]["all"] >= 0.9 and cost > high * 1.005 + 0.01:
            yield f"90% sure costs {cost:,.2f}, the recommendation {high:,.2f}"


def owning_has_one_verdict(answer: Answer) -> Iterator[str]:
    """What owning and renting cost is told once: where no use of own hardware is cheaper, owning does not cost less."""
    for item in answer.body["advice"]:
        codes = {one["code"] for one in item["reason"] if isinstance(one, dict)}
        if {"break_even.never", "break_even.owning"} <= codes:
            yield "renting costs less than owning at any utilisation, and owning costs less"


def every_degree_is_as_sure_as_it_says(answer: Answer) -> Iterator[str]:
    """What would be taken at a degree of confidence keeps all limits that surely, and is named."""
    best = answer.body["recommended"]
    at_risk = best and any(item["code"] == "warning.at_risk" for item in best["warnings"])
    for row in answer.body["certainty"]:
        if (row["cost"] is None) != (row["hardware"] is None) or (row["cost"] is None) != (row["chance"] is None):
            yield f"{row['confidence']:.0%}: a cost without hardware and chance, or the other way round"
        elif row["chance"] is not None and row["chance"] < row["confidence"] - 1e-6 and not at_risk:
            yield f"{row['confidence']:.0%}: {row['option_id']} keeps all limits with {row['chance']}"


def a_choice_is_held_against_others(answer: Answer) -> Iterator[str]:
    """What is recommended was compared with others drawn at random, and no better one was found and left."""
    held, best = answer.body["checked"], answer.body["recommended"]
    if bool(held) != bool(best):
        yield f"checked is {held}, recommended {best and best['id']}"
    elif held and not 0 <= held["better"] <= held["alternatives"]:
        yield f"{held['better']} of {held['alternatives']} are better"
    elif held and held["better"]:
        yield f"the search missed {held['better']} better ones of {held['alternatives']} drawn"


def what_is_authorised_covers_what_is_signed(answer: Answer) -> Iterator[str]:
    """To be as sure as was asked, no less is authorised than the whole that is signed, and where nothing is, what the work costs;
    more confidence in one option never asks for less: another may sign less and cost more."""
    rows, best = answer.body["certainty"], answer.body["recommended"]
    for lesser, surer in pairwise(row for row in rows if row["authorised"]):
        small, large = _money(lesser["authorised"]), _money(surer["authorised"])
        if large < small and lesser["option_id"] == surer["option_id"]:
            yield f"{surer['confidence']:.0%} sure authorises {large:,.2f}, {lesser['confidence']:.0%} {small:,.2f}"
    for row in rows:
        if (row["cost"] is None) != (row["authorised"] is None):
            yield f"{row['confidence']:.0%}: a cost without what is authorised, or the other way round"
        if not best or row["option_id"] != best["id"] or not row["authorised"]:
            continue
        held, signed = _money(row["authorised"]), best["cost"]["signed"]
        newly = _money(signed["total"]) - _money(signed["drawn"])
        if row["asked"] and held < newly * (1 - 1e-9) - 0.01:
            yield f"{best['id']} authorises {held:,.2f} and signs {signed['total']['amount']}"
        if signed["what"] == "none" and held != _money(row["cost"]):
            yield f"{best['id']} signs nothing, authorises {held:,.2f} and costs {row['cost']['amount']}"


def a_commitment_is_drawn_once(answer: Answer) -> Iterator[str]:
    """What is left of it is drawn by this work, by others, or by nobody; the cost lacks what this work draws, as its own line says."""
    pool = (answer.body.get("money") or {}).get("pool")
    if not pool:
        return
    left, drawn, others, unused = (_money(pool[name]) for name in ("left", "drawn", "others", "unused"))
    if abs(left - drawn - others - unused) > 0.011 or min(drawn, others, unused) < 0:
        yield f"{left:,.2f} are left of it: {drawn:,.2f} drawn, {others:,.2f} by others, {unused:,.2f} by nobody"
    money, best = answer.body["money"], answer.body["recommended"]
    carried = _money(money["allocated"]) - _money(money["economic"])
    saved = [_money(line["amount"]) for line in best["cost"]["lines"] if line["name"] == "shortfall_saved"]
    if abs(carried + sum(saved)) > 0.011:
        yield f"{best['id']} carries {carried:,.2f} more than it costs, {saved} are saved"
    if _money(money["committed"]) < 0:
        yield f"{best['id']} signs {money['committed']['amount']}"


def gates_are_worth_no_more_than_knowing_everything(answer: Answer) -> Iterator[str]:
    """Ranges follow each other and hold every draw; what is released is what is recommended; no measurement beats perfect knowledge, and
    of two stages approval names the first."""
    gate, best = answer.body["gate"], answer.body["recommended"]
    if gate is None or best is None:
        return
    if _money(gate["worth"]) > _money(gate["ceiling"]) * (1 + 1e-9) + 0.01:
        yield f"a gate is worth {gate['worth']}, knowing everything {gate['ceiling']}"
    outcomes = gate["outcomes"]
    if outcomes and abs(sum(one["chance"] for one in outcomes) - 1.0) > 1e-6:
        yield "the outcomes of the gate are not all that can come"
    yield from (
        f"{one['high']} is followed by {two['low']}" for one, two in pairwise(outcomes) if one["high"] != two["low"]
    )
    yield from (
        f"{one['option_id']} is said to be {one['does']}"
        for one in outcomes
        if (one["does"] == "release") != (one["option_id"] == best["id"])
    )
    if gate["pays"] != ("in two stages" in answer.body["approval"]):
        yield "the approval does not name the gate that pays, or names one that does not"


def one_currency(answer: Answer) -> Iterator[str]:
    """Every amount is in the currency of the plan, but what a seller asks, an assumption, and a price among the inputs."""
    for path, value in _walk(answer.body):
        if not {"offer", "second", "assumptions", "inputs"}.isdisjoint(path.split(".")) or path == "currency":
            continue
        code = value.get("currency") if isinstance(value, dict) else None
        if isinstance(code, str) and code != answer.spec.currency:
            yield f"{path} is in {value['currency']}, the plan in {answer.spec.currency}"


def no_sentence_speaks_of_dollars(answer: Answer) -> Iterator[str]:
    """In a plan of another currency, but for what a seller asks and what an assumption or an input was read as."""
    if answer.spec.currency == "USD":
        return
    for path, value in _walk(answer.body):
        if isinstance(value, str) and "USD" in value and _PRICED_ELSEWHERE.isdisjoint(path.split(".")):
            yield f"{path} says “{value[:80]}”"


_PRICED_ELSEWHERE = {"offer", "second", "assumptions", "inputs", "currency", "spec", "unit", "expression"}


def memory_adds_up(answer: Answer) -> Iterator[str]:
    """What is used of an accelerator's memory adds up to its total; what stays free is no part of it."""
    for option in answer.options:
        memory = option["memory"]
        used = sum(value for key, value in memory["parts"].items() if key not in ("free", "kept_free"))
        if abs(used - memory["total_gb"]["expected"]) > 1e-6 * used:
            yield f"{option['id']}: its parts are {used:.3f} GB, the total is {memory['total_gb']['expected']:.3f} GB"
        if any(value < 0 for value in memory["parts"].values()):
            yield f"{option['id']}: a part of its memory is below 0"


def shares_are_shares(answer: Answer) -> Iterator[str]:
    """Memory fits, a service has room at its peak, chances and shares lie between 0 and 1."""
    queues = JUDGED[answer.spec.kind].queues
    for option in answer.options:
        memory = option["memory"]
        if memory["total_gb"]["expected"] > memory["capacity_gb"] * (1 + 1e-9):
            yield f"{option['id']} needs {memory['total_gb']['expected']:.1f} of {memory['capacity_gb']:.1f} GB"
        used = option.get("utilisation")
        if used is not None and queues and not (0 < used < 1):
            yield f"{option['id']} is used {used:.3f} of the time at its peak: its queue never ends"
        if "max_batch" in option and option["batch_at_peak"] > option["max_batch"] * (1 + 1e-9):
            yield f"{option['id']}: {option['batch_at_peak']:.1f} sequences at the peak, {option['max_batch']} fit"
        for name in ("probability_in_time", "probability_in_budget", "probability_of_both"):
            if option[name] is not None and not 0 <= option[name] <= 1:
                yield f"{option['id']}: {name} is {option[name]}"


_SIMULATED = 1.05
"""Two simulations of one rate differ by less."""
_QUEUE = "queue"


def waiting_ends(answer: Answer) -> Iterator[str]:
    """Where no first token is promised, waiting takes no longer than the plan says of itself, for most and for 19 of 20: so many
    seconds, or so much of an answer that waits for nothing where that is more."""
    assumed = {item["id"]: item["value"] for item in answer.body["assumptions"]}
    if dict(WORK[answer.spec.kind].promised(answer.spec)).get("ttft") != 0.0:
        return
    wanted = asked_service(answer.spec)
    for option in answer.options:
        parts = {part["key"]: part["value"] for part in option["time"]}
        # What an idle replica takes: the median under load would grow with the queue that is looked for.
        alone = sum(value for key, value in parts.items() if key != _QUEUE)
        pace = option["tpot_ms"]["p50"]["expected"] * wanted.output_tokens if option["tpot_ms"] else 0.0
        most = max(assumed["serving.unpromised_wait_s"] * 1e3, assumed["serving.unpromised_share"] * (alone + pace))
        first, queue = option["ttft_ms"], parts[_QUEUE]
        if queue > most * _SIMULATED or first["p50"]["expected"] > alone + most * _SIMULATED:
            yield f"{option['id']}: p50 {first['p50']['expected']:.0f} ms, of which {queue:.0f} ms waiting"
        if first["p95"]["expected"] > first["p50"]["expected"] + most * _SIMULATED:
            yield f"{option['id']}: p50 {first['p50']['expected']:.0f} ms, p95 {first['p95']['expected']:.0f} ms"


def promises_are_kept(answer: Answer) -> Iterator[str]:
    """The recommended service keeps what it was asked to promise."""
    best = answer.body["recommended"]
    if not best:
        return
    for name, limit in WORK[answer.spec.kind].promised(answer.spec):
        found = best[f"{name}_ms"]["p95"]["expected"]
        if limit and found > limit:
            yield f"{best['id']}: p95 of {name}_ms is {found:.1f}, promised {limit:g}"


def answers_pay_the_bill(answer: Answer) -> Iterator[str]:
    """What all tokens, or all images, texts and so on, cost at the stated prices is the total."""
    best = answer.body["recommended"]
    count = JUDGED[answer.spec.kind].answered(answer.spec, best["days"]["expected"]) if best else 0.0
    if not count:
        return
    wanted = asked_service(answer.spec)
    into, out = (float(best[f"price_per_million_{way}"]["expected"]) for way in ("input", "output"))
    language = counts_of(answer.arch) == "token"
    each = into * wanted.input_tokens + out * wanted.output_tokens if language else into + out
    total = float(best["cost"]["total"]["expected"])
    paid = count / 1e6 * each
    if abs(paid - total) > 0.03 * total + 1:
        yield f"{best['id']}: answers at their prices cost {paid:,.2f}, all of them {total:,.2f}"


def paces_are_told_in_the_unit_of_the_model(answer: Answer) -> Iterator[str]:
    """Tokens of a language model, else what it takes or makes: the batch over the time of a step."""
    unit = f"{counts_of(answer.arch)}/s"
    for option in answer.options:
        pace, step = option["tokens_per_s"], option["step_time_s"]
        if pace["unit"] != unit:
            yield f"{option['id']}: {pace['unit']} for a model that counts {unit}"
        elif (
            step and unit != "token/s" and abs(pace["expected"] * step["expected"] / option["global_batch"] - 1) > NEAR
        ):
            yield f"{option['id']}: {pace['expected']:g} {unit}, {option['global_batch']} in {step['expected']:g} s"


def nothing_cheaper_keeps_the_limits(answer: Answer) -> Iterator[str]:
    """Ranked by cost, no alternative that keeps every limit is cheaper as surely as is asked, beyond what counts as equal."""
    best = answer.body["recommended"]
    if not best or answer.spec.objective != "cost":
        return
    total = _money(best["cost"]["npv_at_confidence"])
    ids = {point["option_id"] for point in answer.body["frontier"] if point["feasible"]}
    for option in answer.body["alternatives"]:
        other = _money(option["cost"]["npv_at_confidence"])
        if (
            option["id"] in ids
            and option["meets_deadline"]
            and option["meets_budget"]
            and other < total * (1 - 2 * NEAR)
            # What code must be brought to first counts with people's time, which is in no sum.
            and not (option["porting"] and not best["porting"])
        ):
            yield f"{option['id']} keeps the limits for {other:,.2f}, {best['id']} is recommended for {total:,.2f}"


def software_is_spelled_as_its_owners_do(answer: Answer) -> Iterator[str]:
    """No sentence and no choice prints the identifier that the engine computes with."""
    for path, value in _walk(answer.body):
        if path.rpartition(".")[2] == "text":
            found = _IDENTIFIER.search(value) if isinstance(value, str) else None
            if found:
                yield f"{path} says “{found[0]}”: {value[:80]}"


_IDENTIFIER = re.compile(
    rf"\b({'|'.join(re.escape(key) for key, name in SOFTWARE.items() if key not in name.split())})\b(?![-/])"
)
"""Of software; words that are part of a name, as “the maker's software”, are none, nor is the owner of a repository."""


def what_is_paid_rests_on_something(answer: Answer) -> Iterator[str]:
    """Each part of what is paid has a standing; a quote that counts holds when it is needed."""
    yield from faults_of_backing(answer.body)


def what_to_ask_for_has_a_day(answer: Answer) -> Iterator[str]:
    """Counted back from the start, never before the request."""
    yield from faults_of_obtaining(answer.body)


def blocks_are_paid_as_they_are_sold(answer: Answer) -> Iterator[str]:
    """By the day, a longer one by the week."""
    yield from faults_of_blocks(answer.body)


RULES: tuple[Rule, ...] = (
    feasibility_is_said_once,
    ranges_are_ordered,
    lines_add_up,
    hours_are_physical,
    hours_are_paid_at_their_price,
    the_rate_is_the_total_over_the_hours,
    energy_is_physical,
    own_energy_is_paid,
    nothing_is_paid_before_delivery,
    tax_is_owed_on_what_is_taxed,
    days_follow_the_request,
    a_deadline_is_kept_as_surely_as_was_asked,
    chances_hang_together,
    certainty_is_never_cheaper,
    certainty_costs_what_its_options_cost,
    owning_has_one_verdict,
    every_degree_is_as_sure_as_it_says,
    a_choice_is_held_against_others,
    gates_are_worth_no_more_than_knowing_everything,
    what_is_authorised_covers_what_is_signed,
    a_commitment_is_drawn_once,
    one_currency,
    no_sentence_speaks_of_dollars,
    memory_adds_up,
    shares_are_shares,
    waiting_ends,
    promises_are_kept,
    answers_pay_the_bill,
    paces_are_told_in_the_unit_of_the_model,
    nothing_cheaper_keeps_the_limits,
    software_is_spelled_as_its_owners_do,
    *STANDING_RULES,
    what_is_paid_rests_on_something,
    what_to_ask_for_has_a_day,
    blocks_are_paid_as_they_are_sold,
)


def _walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of the answer with its dotted path."""
    yield path, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _walk(child, f"{path}.{key}" if path else str(key))


def _money(value: Any) -> float:
    """An amount of the API as a number."""
    return float(value["amount"])
