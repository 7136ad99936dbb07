"""What a looser promise, a signature, spot capacity or fewer bits would save is what one gets who takes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import Lever, Levers
from engine.choice.loosening import MODEL
from engine.entry import levers, recommend, ways
from engine.inputs.finding import Ref, Sum
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from engine.inputs.spec import BatchJob, Constraints, Operations, Serving, Spec
from tests.engine.devices import LLAMA_8B, LLAMA_70B
from tests.engine.small_market import OFFERS, market, offer
from tests.engine.small_market import spec as run
from tests.told import told
from voice.speech import ENGLISH
from voice.writing import money

CHAT = Serving(requests_per_s=40.0, input_tokens=1500, output_tokens=300, ttft_p95_ms=400.0, tpot_p95_ms=22.0)
MANY = Serving(input_tokens=1500, output_tokens=300, batch=BatchJob(requests=3e6, deadline_hours=6.0))
YEAR = replace(offer("three", "h100-sxm5", 12.0, option="commit_1y"), term_months=12)
SPOT = offer("four", "h100-sxm5", 9.0, option="spot")
WIDE = market(*OFFERS, YEAR, SPOT)


def chat(serving: Serving = CHAT, **limits: object) -> Spec:
    limited = Constraints(**{"max_accelerators": 512, **limits})
    return Spec(
        name="Levers",
        workload="serving",
        model=LLAMA_70B,
        serving=serving,
        constraints=limited,
    )


REQUESTS = {
    "service": chat(),
    "unsigned": chat(commitments=False),
    "three nines": replace(chat(commitments=False), operations=Operations(availability=0.999)),
    "batch": chat(MANY, spot=False),
    "run": run(deadline_days=4.0, spot=False, commitments=False),
    "deepspeed": run(framework="deepspeed", spot=False),
}


def found(spec: Spec, on: Market = WIDE) -> Levers:
    weighed = levers(spec, on)
    assert weighed is not None
    return weighed


@pytest.mark.parametrize("name", REQUESTS)
def test_what_a_lever_is_told_to_save_is_what_is_got(name: str) -> None:
    """By the whole plan of the changed request, to the last cent: and so to every digit that is printed."""
    spec, known = REQUESTS[name], Known()
    base = recommend(spec, WIDE, known=known).recommended
    weighed = levers(spec, WIDE, known=known)
    assert base is not None
    assert weighed is not None
    assert weighed.cost.expected == base.cost.total.expected
    changed = {way.change: way.spec for way in ways(spec, WIDE, known=known)}
    every = (*weighed.levers, *((weighed.signed,) if weighed.signed else ()))
    assert weighed.levers or weighed.idle
    for lever in every:
        got = recommend(changed[lever.changes[0]], WIDE, known=known).recommended
        assert got is not None
        assert got.keeps_limits
        assert (got.accelerator, got.count) == (lever.accelerator, lever.count)
        assert got.cost.total == lever.cost
        saved = base.cost.total.expected - got.cost.total.expected
        assert lever.saving.expected == (saved if lever is not weighed.signed else -saved)
        assert lever.saving.low <= lever.saving.expected <= lever.saving.high
        assert _printed(lever.saving.expected) in told(lever.told)
        assert _printed(got.cost.total.expected) in told(lever.told)


def _printed(amount: float) -> str:
    return money(Sum(amount), "about", ENGLISH.writes).replace("\u00a0", " ")


def test_each_saves_more_than_what_counts_as_equal_and_the_most_comes_first() -> None:
    for spec in REQUESTS.values():
        weighed = found(spec)
        savings = [lever.saving.expected for lever in weighed.levers]
        assert savings == sorted(savings, reverse=True)
        assert all(saving > 0.0 for saving in savings)


def _of(weighed: Levers, key: str) -> list[Lever]:
    return [lever for lever in weighed.levers if lever.key == key]


def test_a_signature_says_what_is_signed_and_its_opposite_what_it_saves() -> None:
    signs = _of(found(chat(commitments=False)), "commitment")[0]
    assert "12-month commitment" in told(signs.told)
    assert signs.needs.code == "needs.signature"
    taken = found(chat())
    assert taken.signed is not None
    assert taken.signed.saving.expected == pytest.approx(signs.saving.expected)
    assert "without a commitment" in told(taken.signed.told)
    assert found(chat(commitments=False)).signed is None


def test_which_promise_buys_the_hardware() -> None:
    """A tight promise of speed does; what saves nothing is said as well."""
    weighed = found(chat())
    named = {lever.changes[0].field for lever in weighed.levers} | {change.field for change in weighed.idle}
    assert named == {
        "serving.ttft_p95_ms", "serving.tpot_p95_ms", "serving.precision", "operations.availability",
    }  # fmt: skip
    assert {"ttft_p95_ms", "tpot_p95_ms"} & {lever.key for lever in weighed.levers}


def test_a_run_is_told_its_deadline_spot_and_eight_bits() -> None:
    weighed = found(REQUESTS["run"])
    tried = {lever.key for lever in weighed.levers} | {change.field.rpartition(".")[2] for change in weighed.idle}
    assert {"spot", "precision"} <= tried
    assert tried & {"deadline", "deadline_days"}
    assert [lever.needs.code for lever in _of(weighed, "spot")] == ["needs.interruptible"]
    assert [lever.needs.code for lever in _of(weighed, "precision")] == ["needs.evaluation.training"]


def test_checkpoints_in_the_background_are_a_lever_where_the_framework_waits() -> None:
    def tried(spec: Spec) -> bool:
        return any(way.key == "background" for way in ways(spec, WIDE))

    assert tried(REQUESTS["deepspeed"])
    assert not tried(REQUESTS["run"])
    assert not tried(replace(REQUESTS["deepspeed"], assumptions={"reliability.asynchronous": 1.0}))


def test_fewer_bits_that_save_no_more_than_a_gentler_format_are_no_lever() -> None:
    formats = _of(found(chat()), "precision")
    savings = [lever.saving.expected for lever in formats]
    assert len(set(savings)) == len(savings)


FAMILY = replace(WIDE, models={one.slug: one for one in (LLAMA_8B, LLAMA_70B)})


def _smaller(spec: Spec, on: Market = FAMILY) -> list[str]:
    needed = [way.change.needed for way in ways(spec, on) if way.key == MODEL]
    return [one.id for one in needed if isinstance(one, Ref)]


def test_a_smaller_model_of_the_family_that_reads_the_same_tokens_is_the_last_lever() -> None:
    named = replace(chat(), model=LLAMA_70B.slug)
    assert _smaller(named) == [LLAMA_8B.slug]
    assert _smaller(chat()) == [], "nobody knows the family of a model that the request brings along"
    assert _smaller(replace(named, model=LLAMA_8B.slug)) == [], "the smallest has none"
    other = replace(LLAMA_8B, vocab=32_000)
    assert _smaller(named, replace(FAMILY, models={one.slug: one for one in (other, LLAMA_70B)})) == []
    *others, last = found(named, FAMILY).levers
    assert last.key == MODEL
    assert all(lever.key != MODEL for lever in others)
    assert "holds no evaluation" in told(last.told)
    got = recommend(replace(named, model=LLAMA_8B.slug), FAMILY).recommended
    assert got
    assert got.cost.total == last.cost


def test_how_likely_the_limits_hold_then_is_told() -> None:
    for lever in found(REQUESTS["run"]).levers:
        assert lever.chance is not None
        assert 0.8 <= lever.chance <= 1.0, "as surely as is asked"


def test_what_is_not_ranked_by_cost_or_not_feasible_has_none() -> None:
    assert levers(replace(chat(), objective="carbon"), WIDE) is None
    assert levers(chat(max_accelerators=1), WIDE) is None


def test_amounts_are_in_the_currency_of_the_plan() -> None:
    euros = replace(WIDE, fx_usd={"EUR": (1.25, "")})
    here, there = found(chat()), found(replace(chat(), currency="EUR"), euros)
    assert there.cost.currency == "EUR"
    assert there.levers[0].saving.expected == pytest.approx(here.levers[0].saving.expected / 1.25, rel=1e-4)
    assert "EUR" in told(there.levers[0].told)
