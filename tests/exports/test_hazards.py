"""What could go wrong is said from the plan's own numbers, for a run and for a service, the gravest first."""

from __future__ import annotations

import re
from dataclasses import replace
from math import exp
from pathlib import Path

import pytest

from engine.answer import Option, Signed
from engine.inputs.finding import Typed, finding
from engine.inputs.software import PORTING_WEEKS
from exports.compose import compose
from exports.composing.context import Context, Release, currency_of, provider
from exports.composing.hazards import hazards
from exports.composing.next_steps import next_steps
from exports.composing.scope import scope
from exports.cost_values import leaves, values_of
from exports.document import Bullets, Fact
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.request.parse import spec_from
from planner.request.yaml_file import load_yaml
from tests.exports.real_plans import gallery_plan
from tests.exports.samples import serving_plan, training_plan
from tests.told import told

GALLERY = Path(__file__).parents[2] / "examples/gallery"


def context_of(plan: Plan) -> Context:
    return Context(plan=plan, release=Release(), money=currency_of(plan))


def best_of(plan: Plan) -> Option:
    best = plan.recommendation.recommended
    assert best
    return best


def risks(plan: Plan) -> dict[str, str]:
    """What page 1 or, where that has no room, the chapter on risks says."""
    return {f"Risk: {row.label}": row.text for row in hazards(context_of(plan), best_of(plan))}


def test_a_run_says_capacity_price_pace_and_interruptions() -> None:
    plan = training_plan()
    shown = risks(plan)
    assert set(shown) >= {"Risk: no capacity", "Risk: price", "Risk: slower than computed", "Risk: interruptions"}
    best = best_of(plan)
    assert best.offer
    elsewhere = next(
        option
        for option in plan.recommendation.alternatives
        if option.offer and option.offer.provider != best.offer.provider and option.keeps_limits
    )
    assert elsewhere.offer
    other = f"{elsewhere.count}\u00a0×\u00a0{elsewhere.accelerator_name} at {provider(elsewhere.offer.provider)}"
    assert f"the nearest elsewhere, {other}" in shown["Risk: no capacity"]
    assert "The deadline still holds by" in shown["Risk: slower than computed"]
    model = best_of(plan).cost.model
    price = next(item for item in model.inputs if item.name == "price_per_instance_hour")
    tenth = values_of(model, {price.name: price.value * 1.1})["total"] - values_of(model, {})["total"]
    assert context_of(plan).money.rounded(tenth) in shown["Risk: price"]


def test_a_service_says_load_and_failed_replicas() -> None:
    plan = serving_plan()
    serving = best_of(plan).serving
    assert serving
    room = 1 / 0.72 - 1
    wide = replace(best_of(plan), serving=replace(serving, utilisation=0.72, spare_replicas=1))
    told = {row.kind: row.text for row in hazards(context_of(plan), wide)}["load"]
    assert f"may grow by {room:.0%}" in told
    assert "the promise holds as surely as planned" in told


def test_a_service_without_room_says_what_a_failure_does() -> None:
    plan = serving_plan()
    best = best_of(plan)
    assert best.serving
    tight = replace(best, serving=replace(best.serving, utilisation=0.95, replicas=2, spare_replicas=0))
    texts = {row.kind: row.text for row in hazards(context_of(plan), tight)}
    assert (
        "the promise is kept less surely than planned: the others would be asked for 190% of what they keep it at"
        in texts["load"]
    )


def test_the_gravest_comes_first_and_a_deadline_that_breaks_is_said() -> None:
    plan = training_plan()
    rows = hazards(context_of(plan), best_of(plan))
    weights = [row.weight for row in rows if row.weight is not None]
    assert len(weights) > 2
    assert weights == sorted(weights, reverse=True)
    assert [row.weight for row in rows[: len(weights)]] == weights, "what nobody can weigh comes last"
    unknown = [row.stake or 0.0 for row in rows if row.chance is None]
    assert unknown == sorted(unknown, reverse=True)
    assert rows[-1].chance is None
    due = best_of(plan).days.expected * 1.02
    late = replace(plan, spec=replace(plan.spec, constraints=replace(plan.spec.constraints, deadline_days=due)))
    pace = next(row for row in hazards(context_of(late), best_of(late)) if row.kind == "pace")
    assert "The deadline is then missed by" in pace.text


def test_spot_capacity_is_said_to_be_taken_back() -> None:
    plan = training_plan()
    best = best_of(plan)
    assert best.offer
    spot = replace(best, offer=replace(best.offer, option="spot", interruption_per_month=0.12))
    capacity = next(row for row in hazards(context_of(plan), spot) if row.kind == "capacity")
    assert "takes back 12% of them in a month" in capacity.text


def doubtful(utilisation: float, high: float) -> Plan:
    """The serving plan, rented, that busy at its peak and with that P90 of the time to first token [ms]."""
    plan = serving_plan()
    best = next(option for option in plan.recommendation.alternatives if option.offer)
    assert best.serving is not None
    row = best.serving.ttft_ms
    latency = replace(row, p95=replace(row.p95, expected=600.0, high=high))
    service = replace(best.serving, utilisation=utilisation, ttft_ms=latency)
    return replace(plan, recommendation=replace(plan.recommendation, recommended=replace(best, serving=service)))


def facts(plan: Plan) -> dict[str, Fact]:
    return {fact.key: fact for fact in compose(plan).decision.facts}


def test_a_doubtful_promise_is_said_in_the_headline_and_as_a_number() -> None:
    sure, doubt = compose(doubtful(0.7, 640.0)).decision, compose(doubtful(0.7, 1500.0)).decision
    assert "served as promised" in sure.sentence
    assert "served as promised" not in doubt.sentence
    assert "kept with a chance of 66%" in doubt.sentence
    assert [item.value for item in doubt.figures.items if item.label == "Chance to keep the promise"] == ["66%"]


def test_narrow_head_room_stands_among_the_first_lines_with_the_price_of_more() -> None:
    shown = facts(doubtful(0.97, 700.0))
    room = shown["room"]
    assert room.tone == "warning"
    assert "may grow by 3.1% before" in room.text
    assert "One more replica costs USD" in room.text
    assert list(shown).index("room") < list(shown).index("cost")
    assert [key for key, row in shown.items() if "may grow" in row.text] == ["room"], "once is enough"
    assert "room" not in facts(doubtful(0.7, 700.0))


def test_what_the_sum_holds_and_what_it_does_not() -> None:
    text = facts(training_plan())["scope"].text
    assert text.startswith("Included: instances and smaller lines, together under 2%.")
    assert text.endswith("Not included: people, value-added tax, a reserve.")
    bought = next(option for option in serving_plan().recommendation.alternatives if option.kind == "on_prem")
    told = scope(context_of(serving_plan()), bought)
    left_out = told.partition("Not included")[2]
    assert "people" not in left_out.replace("people on call", ""), "staff is a line there"
    assert "people on call" in left_out, "nobody is asked for who answers at night"


@pytest.mark.parametrize("name", ["serve-buy-jpy", "buy-tax-not-recovered-gbp"])
def test_lines_without_a_name_are_two_percent_of_the_total_at_most(name: str) -> None:
    """Of what is left after the value that comes back, as the table of lines has it, and all of them together."""
    plan = gallery_plan(name)
    best = best_of(plan)
    rows = leaves(best.cost.model)
    named = scope(context_of(plan), best).partition(" and smaller lines")[0].lower()
    unnamed = [row.amount for row in rows if row.amount > 0 and told(row.label).lower() not in named]
    assert 0 < sum(unnamed) < 0.02 * sum(row.amount for row in rows)


def test_behind_an_air_gap_there_is_no_internet_connection() -> None:
    plan = gallery_plan("serve-buy-jpy")
    assert plan.spec.air_gapped
    assert "transit" not in {line.name for line in leaves(best_of(plan).cost.model)}
    assert "transit_usd_year" not in {driver.name for driver in plan.recommendation.drivers}


def test_nothing_is_measured_first_behind_an_air_gap_and_no_step_proposes_it() -> None:
    """One accelerator would suffice: the reason is the air gap, and a load test is for when the servers are there."""
    plan = gallery_plan("serve-buy-jpy")
    gate = plan.recommendation.gate
    assert gate is not None
    assert [one.code for one in gate.told] == ["gate.air_gapped"]
    (steps,) = next_steps(context_of(plan), compose(plan).decision).blocks
    assert isinstance(steps, Bullets)
    tests = [item for item in map(str, steps.items) if "load-test" in item]
    assert len(tests) == 1
    assert "once the servers are there" in tests[0]


def test_data_transfer_that_costs_nothing_is_in_the_sum() -> None:
    plan = training_plan()
    best = best_of(plan)
    free = tuple(
        replace(item, value=0.0) if item.name == "egress_usd_per_gb" else item for item in best.cost.model.inputs
    )
    lines = tuple(replace(line, amount=0.0) if line.name == "egress" else line for line in best.cost.model.lines)
    unpriced = replace(best, cost=replace(best.cost, model=replace(best.cost.model, inputs=free, lines=lines)))
    text = scope(context_of(plan), unpriced)
    assert "and smaller lines, together under 2%. Free of charge: data transfer out. Not included:" in text
    assert "data transfer" not in text.partition("Not included")[2]


def test_a_line_of_another_name_is_no_reason_to_call_something_included() -> None:
    """Words of a label say nothing: “Team licences” pays nobody, “Network switches” transfer nothing out."""
    plan = training_plan()
    best = best_of(plan)
    renamed = {"egress": ("switches", "Network transfer switches for the team")}
    lines = tuple(
        replace(line, name=renamed[line.name][0], told=finding("told", text=Typed(renamed[line.name][1])))
        if line.name in renamed
        else line
        for line in best.cost.model.lines
    )
    text = scope(context_of(plan), replace(best, cost=replace(best.cost, model=replace(best.cost.model, lines=lines))))
    assert "people, data transfer, value-added tax, a reserve." in text.partition("Not included: ")[2]


def test_without_a_start_the_dates_say_where_they_come_from() -> None:
    plan = training_plan()
    shown = facts(replace(plan, spec=replace(plan.spec, start=None)))
    assert "No start was set: dates count from the day of the request." in shown["ask"].text
    assert "No start" not in facts(plan)["ask"].text


@pytest.mark.parametrize(
    ("runs", "overhead", "words"),
    [
        (1, 0.0, "a run of {days}, from"),
        (2, 0.0, "2 runs, {days} in all, from"),
        (1, 0.2, "a run and its experiments, {days} in all, from"),
        (3, 0.2, "3 runs and their experiments, {days} in all, from"),
    ],
)
def test_days_of_several_runs_are_not_told_as_those_of_one(runs: int, overhead: float, words: str) -> None:
    """Failures are counted for one run, days and money for all: 8 interruptions stood beside twice their time."""
    plan = training_plan()
    assert plan.spec.training
    training = replace(plan.spec.training, runs=runs, experiment_overhead=overhead)
    changed = replace(plan, spec=replace(plan.spec, training=training))
    several = runs > 1 or overhead > 0
    ask = next(fact.text for fact in compose(changed).decision.facts if fact.key == "ask")
    told = words.format(days=f"{best_of(plan).days.expected:.3g} days")
    assert f" for {told}" in ask.replace("\u00a0", " ")
    assert ("during each run" in risks(changed)["Risk: interruptions"]) == several
    assert ("all runs together take" in risks(changed)["Risk: slower than computed"]) == several


def planned(name: str) -> Plan:
    """The answer to that request of the gallery."""
    data = load_yaml((GALLERY / f"{name}.yaml").read_text(encoding="utf-8"))
    market = market_from_files()
    return estimate(spec_from(data, text=True, rates=market.fx_usd), market)


@pytest.mark.parametrize(
    "name", ["train-tpu-commitment", "finetune-amd", "owned-too-small-hybrid", "serve-assistant-office-hours"]
)
def test_software_of_another_vendor_is_a_risk_of_each_option_that_is_new_to_the_team(name: str) -> None:
    """Bought, committed or rented: whatever runs no CUDA and is not the team's already."""
    plan, devices = planned(name), market_from_files().devices
    for option in (best_of(plan), *plan.recommendation.alternatives):
        told = [row for row in hazards(context_of(plan), option) if row.kind == "software"]
        new = devices[option.accelerator].runtime in PORTING_WEEKS and option.kind != "owned"
        assert bool(told) == new, option.id
        assert (option.porting in option.warnings) == new, "terminal, page and API say it too"
        assert all("not CUDA" in row.text and "person-weeks" in row.text for row in told)


def test_capacity_that_is_given_back_at_night_has_a_price() -> None:
    plan = planned("serve-assistant-office-hours")
    context = context_of(plan)
    for option in (best_of(plan), *plan.recommendation.alternatives):
        values = {item.name: item.value for item in option.cost.model.inputs}
        scaled = option.kind == "cloud" and values["instances"] < values["instances_peak"]
        told = next((row for row in hazards(context, option) if row.kind == "mornings"), None)
        assert (told is not None) == scaled, option.id
        if told is not None:
            model = option.cost.model
            held = values_of(model, {"instances": values["instances_peak"]})[model.total] - option.cost.total.expected
            assert told.stake == pytest.approx(held, abs=0.05)
            assert told.chance is None or told.chance > 0.9, "some morning of a year"
            assert context.money.rounded(held) in told.text


def test_where_no_other_seller_has_capacity_the_same_one_on_other_terms_is_named() -> None:
    """A plan said that no other option keeps the limits, one line below an option that costs 27 dollars more."""
    plan = training_plan()
    best = best_of(plan)
    assert best.offer
    terms = replace(best, offer=replace(best.offer, option="commit_1y"))
    only = replace(plan, recommendation=replace(plan.recommendation, alternatives=(terms,)))
    text = risks(only)["Risk: no capacity"]
    assert "the nearest, " in text
    assert "one-year commitment, costs" in text
    assert "nothing that another seller rents out keeps the limits" in text
    alone = replace(plan, recommendation=replace(plan.recommendation, alternatives=()))
    assert "nothing else of this plan that can be rented keeps the limits" in risks(alone)["Risk: no capacity"]


def test_a_way_out_that_binds_more_says_what_is_signed_and_one_to_buy_is_no_secret() -> None:
    """A run of USD 11,013 told that the next option costs USD 1,320 more, and not that half a million is signed for it."""
    plan = training_plan()
    best = best_of(plan)
    assert best.offer
    signed = Signed(what="commitment", total=900_000.0, share=20_000.0, months=36.0)
    long = replace(best, offer=replace(best.offer, option="commit_3y"), cost=replace(best.cost, signed=signed))
    bought = replace(long, kind="on_prem", offer=None, on_prem="dgx-h100")
    text = risks(replace(plan, recommendation=replace(plan.recommendation, alternatives=(long, bought))))[
        "Risk: no capacity"
    ]
    text = text.replace("\u00a0", " ")
    assert (
        "with the whole commitment over 36 months of USD 900,000 to sign; nothing that another seller rents out" in text
    )
    assert "Once delivered, " in text
    alike = replace(plan, recommendation=replace(plan.recommendation, alternatives=(best,)))
    assert "to sign" not in risks(alike)["Risk: no capacity"]


def test_trifles_leave_page_1_and_stay_in_the_chapter() -> None:
    found = 0
    for name in ("train-tpu-commitment", "serve-buy-jpy", "batch-ten-million-eur", "train-8b-two-weeks"):
        plan = gallery_plan(name)
        least = 0.0025 * best_of(plan).cost.total.expected
        rows = hazards(context_of(plan), best_of(plan))
        trifles = {f"Risk: {row.label}" for row in rows if row.weight is not None and row.weight < least}
        shown = {fact.label for fact in facts(plan).values() if fact.key.startswith("risk")}
        assert shown
        assert not shown & trifles
        found += len(trifles)
    assert found


def test_one_more_replica_costs_the_whole_servers_that_it_takes() -> None:
    """Eight accelerators to a leased server hold four replicas of two: the fifth takes a second server, not a quarter of one."""
    body = load_yaml((GALLERY / "serve-leased-servers.yaml").read_text(encoding="utf-8"))
    body["serving"]["precision"] = "fp8"
    market = market_from_files()
    plan = estimate(spec_from(body, text=True, rates=market.fx_usd), market)
    best = best_of(plan)
    assert (best.count, best.serving and best.serving.accelerators_per_replica) == (8, 2)
    lease = next(line.amount for line in best.cost.model.lines if line.name == "compute")
    text = facts(plan)["room"].text.replace("\u00a0", " ")
    (said,) = re.findall(r"One more replica costs GBP ([\d,]+)", text)
    assert float(said.replace(",", "")) > lease


def test_of_two_sites_both_prices_move() -> None:
    """A tenth on the price of the first site alone would be half of what a tenth costs: of one seller both move together."""
    body = load_yaml((GALLERY / "serve-recovery-half.yaml").read_text(encoding="utf-8"))
    market = market_from_files()
    plan = estimate(spec_from(body, text=True, rates=market.fx_usd), market)
    model = best_of(plan).cost.model
    [price] = [item for item in model.inputs if item.name.endswith("price_per_instance_hour")]
    before = values_of(model, {})
    tenth = values_of(model, {price.name: price.value * 1.1})["total"] - before["total"]
    assert tenth == pytest.approx(0.1 * (before["compute"] + before["second_compute"]), rel=0.01)
    said = risks(plan)["Risk: price"]
    assert f"Prices 10% higher at both sites add {context_of(plan).money.rounded(tenth)}" in said
    shown = {row.label for row in hazards(context_of(plan), best_of(plan))}
    assert "price" in shown
    assert "One more replica" not in facts(plan).get("room", Fact(key="room", label="", text="")).text


def test_a_host_that_takes_all_replicas_is_the_hazard_and_no_spare_on_it_a_help() -> None:
    """Six replicas on one server: the spare was told to hold 99 % while a host that is down serves nothing, and no hazard said so."""
    plan = planned("serve-buy-jpy")
    serving = best_of(plan).serving
    assert serving
    assert serving.spare_replicas
    [host] = [one for one in serving.standing.cases if one.case == "host"] if serving.standing else []
    assert host.served == 0.0
    rows = {row.kind: row for row in hazards(context_of(plan), best_of(plan))}
    assert f"All replicas stand on one host. While it is down ({host.per_year:.1f} times a year" in rows["host"].text
    assert "not for the host" in rows["host"].text
    assert host.per_year
    [months] = [item.value for item in best_of(plan).cost.model.inputs if item.name == "months"]
    assert rows["host"].chance == pytest.approx(1 - exp(-host.per_year * months / 12))
    assert rows["host"].stake is None, "what an hour without the service costs its users, no plan knows"
    assert facts(plan)["risk"].label == "Risk: a host is down", "it stands on page 1 all the same, and first"
    assert "of a host that is up be down" in rows["load"].text
    [spares] = [one for one in plan.recommendation.advice if one.rule == "serve.spares"]
    assert "nothing is served, whatever is spare" in " ".join(told(one) for one in spares.reason)


def test_hosts_of_which_one_may_fail_are_no_hazard() -> None:
    plan = planned("serve-two-sites")
    assert "host" not in {row.kind for row in hazards(context_of(plan), best_of(plan))}
