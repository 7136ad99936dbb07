"""The gallery judges: a right answer passes, an answer with one number bent is noticed by the rule for it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.inputs.spec import Confidence, Constraints
from lab.gallery.invariants import RULES, Answer, violations
from lab.gallery.loosening import chosen_again, loosened, worsened
from lab.gallery.requests import DAY, Request, requests
from lab.gallery.supply_rules import faults_of_blocks
from planner.body import estimate_body
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import architecture_of

Json = dict[str, Any]


def _answer(name: str) -> Answer:
    market = market_from_files()
    (request,) = requests(market, only=name)
    return Answer(
        spec=request.spec,
        arch=architecture_of(request.spec),
        body=estimate_body(estimate(request.spec, market)),
        devices=market.devices,
    )


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    names = (
        "train-8b-two-weeks",
        "serve-no-promise",
        "batch-million",
        "refused-budget",
        "serve-embeddings",
        "vision-resnet",
        "serve-buy-jpy",
        "train-quoted-until",
    )
    return {name: _answer(name) for name in names}


def _set(path: str, value: Any) -> Callable[[Json], None]:
    """Puts the value at a dotted path of the answer."""

    def bend(body: Json) -> None:
        *way, last = path.split(".")
        for key in way:
            body = body[int(key)] if isinstance(body, list) else body[key]
        body[last] = value(body[last]) if callable(value) else value

    return bend


def _tax(body: Json) -> None:
    """The instances stand as tax, which nobody stated."""
    lines = body["recommended"]["cost"]["lines"]
    next(line for line in lines if line["name"] == "compute")["name"] = "tax_instances"


def _both_verdicts(body: Json) -> None:
    """Renting is cheaper at any use, and owning costs less."""
    body["advice"][0]["reason"] = [{"code": "break_even.never"}, {"code": "break_even.owning"}]


_POOL = {name: {"amount": amount} for name, amount in (("left", "9"), ("drawn", "1"), ("others", "1"), ("unused", "1"))}
"""A commitment of which six are neither drawn nor left."""
BENT: tuple[tuple[str, str, Callable[[Json], None]], ...] = (
    ("feasibility_is_said_once", "refused-budget", _set("nearest", [])),
    ("feasibility_is_said_once", "train-8b-two-weeks", _set("recommended.meets_budget", False)),
    ("ranges_are_ordered", "train-8b-two-weeks", _set("recommended.days.low", 1e6)),
    ("ranges_are_ordered", "train-8b-two-weeks", _set("recommended.mfu.high", float("inf"))),
    ("lines_add_up", "train-8b-two-weeks", _set("recommended.cost.total.expected", "1.00")),
    ("hours_are_physical", "batch-million", _set("recommended.accelerator_hours.expected", lambda hours: hours * 2)),
    (
        "hours_are_paid_at_their_price",
        "batch-million",
        _set("recommended.cost.price_per_accelerator_hour.amount", "0.01"),
    ),
    (
        "the_rate_is_the_total_over_the_hours",
        "batch-million",
        _set("recommended.cost.price_per_accelerator_hour.amount", lambda rate: f"{float(rate) * 2}"),
    ),
    ("energy_is_physical", "batch-million", _set("recommended.energy.kwh.expected", lambda kwh: kwh * 24)),
    ("energy_is_physical", "batch-million", _set("recommended.energy.kwh.expected", lambda kwh: kwh / 24)),
    ("what_is_authorised_covers_what_is_signed", "serve-buy-jpy", _set("recommended.cost.signed.total.amount", "1e12")),
    ("what_is_authorised_covers_what_is_signed", "train-8b-two-weeks", _set("certainty.0.authorised.amount", "1e12")),
    ("own_energy_is_paid", "serve-buy-jpy", _set("recommended.energy.kwh.expected", lambda kwh: kwh / 1.3 * 1.25)),
    (
        "nothing_is_paid_before_delivery",
        "serve-buy-jpy",
        _set("recommended.cost.by_month.0.opex.amount", "72184"),
    ),
    ("days_follow_the_request", "train-8b-two-weeks", _set("recommended.finish", "2026-11-21")),
    ("chances_hang_together", "train-8b-two-weeks", _set("recommended.chance.memory", 0.5)),
    ("chances_hang_together", "train-8b-two-weeks", _set("recommended.chance.all", 0.7)),
    ("certainty_is_never_cheaper", "train-8b-two-weeks", _set("certainty.0.cost.amount", "1000000000.00")),
    ("certainty_is_never_cheaper", "train-8b-two-weeks", _set("certainty", [])),
    ("certainty_costs_what_its_options_cost", "train-8b-two-weeks", _set("certainty.6.cost.amount", "1.00")),
    ("certainty_costs_what_its_options_cost", "batch-million", _set("certainty.8.cost.amount", "1000000.00")),
    ("owning_has_one_verdict", "train-8b-two-weeks", _both_verdicts),
    ("every_degree_is_as_sure_as_it_says", "train-8b-two-weeks", _set("certainty.3.chance", 0.1)),
    ("every_degree_is_as_sure_as_it_says", "serve-no-promise", _set("certainty.0.hardware", None)),
    ("a_choice_is_held_against_others", "batch-million", _set("checked", None)),
    ("a_choice_is_held_against_others", "train-8b-two-weeks", _set("checked.better", 1)),
    ("days_follow_the_request", "train-8b-two-weeks", _set("recommended.cost.by_month.0.month", "2026-10")),
    ("days_follow_the_request", "train-8b-two-weeks", _set("recommended.days.expected", 15.0)),
    ("days_follow_the_request", "batch-million", _set("recommended.days.expected", 1e3)),
    ("a_deadline_is_kept_as_surely_as_was_asked", "batch-million", _set("recommended.probability_in_time", 0.5)),
    ("a_deadline_is_kept_as_surely_as_was_asked", "train-8b-two-weeks", _set("recommended.probability_in_time", None)),
    ("no_sentence_speaks_of_dollars", "serve-buy-jpy", _set("recommended.reasons", ["It costs 3 USD less."])),
    ("one_currency", "train-8b-two-weeks", _set("recommended.cost.total.currency", "EUR")),
    ("memory_adds_up", "train-8b-two-weeks", _set("recommended.memory.parts.weights", 1.0)),
    ("memory_adds_up", "serve-no-promise", _set("recommended.memory.parts.free", -1.0)),
    ("shares_are_shares", "serve-no-promise", _set("recommended.utilisation", 1.0)),
    ("shares_are_shares", "serve-no-promise", _set("recommended.batch_at_peak", 1e6)),
    ("shares_are_shares", "train-8b-two-weeks", _set("recommended.memory.total_gb.expected", 1e3)),
    ("shares_are_shares", "train-8b-two-weeks", _set("recommended.probability_in_time", 1.2)),
    ("waiting_ends", "serve-no-promise", _set("recommended.ttft_ms.p95.expected", 1e9)),
    ("waiting_ends", "serve-no-promise", _set("recommended.ttft_ms.p50.expected", 1e8)),
    ("waiting_ends", "serve-no-promise", _set("recommended.time.1.value", 1e6)),
    ("answers_pay_the_bill", "batch-million", _set("recommended.price_per_million_input.expected", "9.00")),
    ("answers_pay_the_bill", "serve-no-promise", _set("recommended.price_per_million_output.expected", "9.00")),
    ("answers_pay_the_bill", "serve-embeddings", _set("recommended.price_per_million_input.expected", "4.67")),
    ("paces_are_told_in_the_unit_of_the_model", "serve-embeddings", _set("recommended.tokens_per_s.unit", "token/s")),
    ("paces_are_told_in_the_unit_of_the_model", "vision-resnet", _set("recommended.tokens_per_s.expected", 1e6)),
    (
        "nothing_cheaper_keeps_the_limits",
        "train-8b-two-weeks",
        _set("recommended.cost.npv_at_confidence.amount", "1e9"),
    ),
    ("what_is_paid_rests_on_something", "train-quoted-until", _set("backing.parts.0.valid_until", "2027-01-10")),
    ("what_is_paid_rests_on_something", "train-quoted-until", _set("backing.shares.quoted", 0.1)),
    ("what_is_paid_rests_on_something", "train-8b-two-weeks", _set("backing.paid.amount", "1.00")),
    ("what_to_ask_for_has_a_day", "train-quoted-until", _set("obtaining.0.values.by", "2026-11-21")),
    ("what_to_ask_for_has_a_day", "train-quoted-until", _set("obtaining", [])),
    ("what_to_ask_for_has_a_day", "train-quoted-until", _set("obtaining.0.values.by", "2026-11-28")),
    ("gates_are_worth_no_more_than_knowing_everything", "train-8b-two-weeks", _set("gate.worth.amount", "1e12")),
    (
        "a_missed_availability_is_in_the_headline",
        "serve-no-promise",
        _set("headline.code", "headline.service.unavailable"),
    ),
    ("availability_is_kept_or_said", "serve-no-promise", _set("recommended.standing.availability", 0.5)),
    ("two_sites_are_two_places", "serve-no-promise", _set("recommended.standing.pattern", "active-active")),
    ("patterns_hang_together", "serve-no-promise", _set("recommended.standing.patterns", [])),
    ("tax_is_owed_on_what_is_taxed", "train-8b-two-weeks", _tax),
    ("a_commitment_is_drawn_once", "train-8b-two-weeks", _set("money.pool", _POOL)),
    (
        "software_is_spelled_as_its_owners_do",
        "serve-no-promise",
        _set("recommended.reasons.0.text", "It runs on vllm."),
    ),
)


@pytest.mark.parametrize(("rule", "name", "bend"), BENT)
def test_a_bent_number_is_noticed_by_its_rule(
    answers: dict[str, Answer], rule: str, name: str, bend: Callable[[Json], None]
) -> None:
    body = copy.deepcopy(answers[name].body)
    bend(body)

    found = violations(replace(answers[name], body=body))

    assert rule in {said.split(":")[0] for said in found}


@pytest.mark.parametrize(
    ("hours", "by_day", "fault"),
    [(336, 14, False), (360, 14, True), (504, 14, False), (360, 0, False), (361, 0, True)],
)
def test_a_block_that_nobody_sells_is_noticed(hours: float, by_day: int, fault: bool) -> None:
    option = {
        "id": "block",
        "offer": {"option": "capacity_block", "day_steps_until": by_day},
        "cost": {"lines": [{"name": "paid_hours", "amount": hours}]},
    }
    assert bool(list(faults_of_blocks({"recommended": option, "alternatives": []}))) == fault


def test_a_service_that_breaks_its_promise_is_noticed() -> None:
    answer = _answer("serve-embeddings")
    body = copy.deepcopy(answer.body)
    body["recommended"]["ttft_ms"]["p95"] |= {"expected": 201.0, "high": 300.0}

    assert [said.split(":")[0] for said in violations(replace(answer, body=body))] == ["promises_are_kept"]


def test_each_rule_is_shown_to_bite() -> None:
    assert {rule.__name__ for rule in RULES} == {rule for rule, _, _ in BENT} | {
        "promises_are_kept",
        "blocks_are_paid_as_they_are_sold",
    }


def test_answers_as_they_are_break_no_rule(answers: dict[str, Answer]) -> None:
    assert {name: violations(answer) for name, answer in answers.items()} == {name: [] for name in answers}


def test_a_looser_request_that_is_answered_worse_is_noticed(answers: dict[str, Answer]) -> None:
    answer = answers["train-8b-two-weeks"]
    dearer = copy.deepcopy(answer.body)
    dearer["recommended"]["cost"]["npv_at_confidence"]["amount"] = "1e9"

    found = worsened(answer.spec, lambda _: dearer, answer.body, near_equal=0.02)

    assert [said.split(":")[0] for said in found] == [f"loosened ({name})" for name, _ in loosened(answer.spec)]
    assert found


def test_a_choice_that_is_cheaper_when_it_is_fixed_is_noticed(answers: dict[str, Answer]) -> None:
    answer = answers["train-8b-two-weeks"]
    cheaper = copy.deepcopy(answer.body)
    cheaper["recommended"]["cost"]["npv_at_confidence"]["amount"] = "1.00"

    found = worsened(answer.spec, lambda _: cheaper, answer.body, near_equal=0.02)

    assert [said.split(":")[0] for said in found] == [
        f"held to its choice ({name})" for name, _ in chosen_again(answer.spec, answer.body)
    ]


def test_every_limit_of_a_request_is_loosened() -> None:
    (request,) = requests(market_from_files(), only="train-70b-on-demand-eur")
    limits = Constraints(
        accelerators=("h100-sxm5",), providers=("aws",), regions=("x",), commitments=False, max_accelerators=64
    )
    whole = replace(request.spec, constraints=replace(limits, deadline_days=9.0, budget_usd=5.0, spot=False))

    assert [name for name, _ in loosened(whole)] == [
        "accelerators open",
        "providers open",
        "regions open",
        "spot open",
        "commitments open",
        "max_accelerators × 2",
        "deadline_days × 2",
        "no deadline_days",
        "budget_usd × 2",
        "no budget_usd",
        "half as sure",
    ]


def test_what_a_service_asks_of_its_operation_is_loosened() -> None:
    (request,) = requests(market_from_files(), only="serve-embeddings")
    asked = replace(
        request.spec.operations, availability=0.999, pattern="n+1", keep_capacity=True, security=("gdpr",), hours="24x7"
    )
    names = dict(loosened(replace(request.spec, operations=asked)))
    opened = {
        "availability 0.0": ("availability", 0.0),
        "pattern auto": ("pattern", "auto"),
        "keep_capacity False": ("keep_capacity", False),
        "no rules": ("security", ()),
        "nobody covers hours": ("hours", "unstated"),
    }
    for name, (field, value) in opened.items():
        assert getattr(names[name].operations, field) == value
    assert "no spares asked" not in names, "a pattern says what stands by"
    spares = dict(loosened(replace(request.spec, operations=replace(asked, pattern="spares"))))["no spares asked"]
    assert spares.serving
    assert spares.serving.spare_replicas == 0
    assert names["half as sure"].confidence == Confidence(all=0.5)


def test_the_gallery_differs_in_everything() -> None:
    found = requests(market_from_files())
    specs = [request.spec for request in found]
    training = [spec.training for spec in specs if spec.training]
    serving = [spec.serving for spec in specs if spec.serving]

    assert len(found) >= 40
    assert {item.method for item in training} >= {"pretrain", "continue", "finetune", "lora", "qlora"}
    assert {spec.currency for spec in specs} >= {"USD", "EUR", "GBP", "CHF", "JPY", "INR"}
    assert {spec.objective for spec in specs} == {"cost", "time", "balanced", "carbon"}
    assert sum(bool(item.batch) for item in serving) >= 4
    assert any(not item.ttft_p95_ms and not item.tpot_p95_ms and not item.batch for item in serving)
    assert any(item.input_tokens > 100_000 for item in serving)
    assert any(spec.owned for spec in specs)
    assert any(spec.constraints.residency != "any" for spec in specs)


def test_the_day_of_the_request_is_the_gallerys_own() -> None:
    found: list[Request] = requests(market_from_files())

    assert {request.spec.as_of for request in found} == {DAY}
