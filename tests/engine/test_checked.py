"""The choice held against others that are drawn at random: it is told how many, and a better one is found where there is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.choice.checked import DRAWN, drawn_places
from engine.context import Context
from engine.defaults import assumptions_for
from engine.entry import model_of, recommend
from engine.inputs.spec import Constraints, Serving, Spec
from engine.kinds.service import plan as service
from engine.kinds.service.checked import held_against_others as held_service
from engine.kinds.training import plan as training
from engine.kinds.training.checked import held_against_others as held_training
from engine.kinds.training.choice import Costs, best_of, costed_finalists, pace_in, survey
from engine.kinds.training.costed import acceptable
from tests.engine.devices import LLAMA_8B
from tests.engine.small_market import OFFERS, answer, market, spec


def context_of(wanted: Spec) -> Context:
    shop = market(*OFFERS)
    return Context(spec=wanted, arch=model_of(wanted, shop), market=shop, assume=assumptions_for(wanted))


def a_service(**limits: float) -> Spec:
    return Spec(
        name="Service",
        workload="serving",
        model=LLAMA_8B,
        serving=Serving(requests_per_s=20.0, input_tokens=1500.0, output_tokens=300.0),
        constraints=Constraints(max_accelerators=256, **limits),  # type: ignore[arg-type]
        horizon_months=12.0,
    )


def test_draws_follow_from_the_request_and_not_from_its_name() -> None:
    one, same, other = spec(), replace(spec(), name="Another name", currency="EUR"), spec(deadline_days=9.0)
    assert drawn_places(one, 5000).tolist() == drawn_places(same, 5000).tolist()
    assert drawn_places(one, 5000).tolist() != drawn_places(other, 5000).tolist()
    assert len(set(drawn_places(one, 5000).tolist())) == DRAWN
    assert drawn_places(one, 3).tolist() == [0, 1, 2]
    assert len(drawn_places(one, 0)) == 0


def test_the_better_part_is_drawn_more_often_and_all_of_it_can_be() -> None:
    places = np.concatenate([drawn_places(spec(deadline_days=float(days)), 1000) for days in range(1, 200)])
    assert 0.6 < np.mean(places < 500) < 0.8
    assert places.max() > 950


@pytest.mark.parametrize("wanted", [spec(), spec(deadline_days=6.0), spec(budget_usd=40e3), a_service()], ids=str)
def test_every_recommendation_says_how_many_it_was_held_against(wanted: Spec) -> None:
    found = recommend(wanted, market(*OFFERS))
    assert found.recommended is not None
    assert found.checked is not None
    assert 0 <= found.checked.alternatives <= DRAWN
    assert found.checked.better == 0
    assert found == recommend(wanted, market(*OFFERS)), "the same request draws the same"


def test_nothing_is_held_against_others_where_nothing_is_recommended() -> None:
    assert answer(spec(budget_usd=1.0)).checked is None


def test_a_run_that_was_chosen_badly_is_found_out() -> None:
    """The dearest finalist put first, and the others forgotten: some of what is drawn is better, and keeps the limits."""
    context = context_of(spec(deadline_days=30.0))
    field = survey(context)
    ordered = costed_finalists(context, field, pace_in(context, field))
    best = best_of(context, ordered)
    assert best is not None
    worst = max((one for one in ordered if acceptable(one, context)), key=lambda one: one.usd)
    held = held_training(context, field, [worst], worst, pace_in(context, field), Costs())
    assert held.told.better == len(held.better) > 0
    assert all(one.usd < worst.usd and acceptable(one, context) for one in held.better)
    good = held_training(context, field, ordered, best, pace_in(context, field), Costs())
    assert good.told.better == 0


def test_a_better_run_that_is_drawn_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = spec(deadline_days=30.0)
    right = answer(wanted).recommended
    assert right is not None

    def poor(*args: object, **options: object) -> list[object]:
        """A search that has lost all but its dearest finalist."""
        found = costed_finalists(*args, **options)  # type: ignore[arg-type]
        options["costs"].clear()  # type: ignore[attr-defined]
        able = [one for one in found if acceptable(one, args[0])]  # type: ignore[arg-type]
        return [max(able, key=lambda one: one.usd)]

    monkeypatch.setattr(training, "costed_finalists", poor)
    found = recommend(wanted, market(*OFFERS))
    assert found.checked is not None
    assert found.checked.better > 0
    assert found.recommended is not None
    assert found.recommended.cost.total.expected <= right.cost.total.expected * 1.2


def test_a_service_that_was_chosen_badly_is_found_out() -> None:
    context = context_of(a_service())
    surveyed = service.survey(context)
    field, options = surveyed.field, [one for one in surveyed.options if one.keeps_limits]
    best, worst = options[0], max(options, key=lambda one: one.cost.total.expected)
    held = held_service(context, field.work, field.finalists, [worst], worst)
    assert held.told.better == len(held.better) > 0
    assert all(one.keeps_limits and one.cost.total.expected < worst.cost.total.expected for one in held.better)
    assert held_service(context, field.work, field.finalists, options, best).told.better == 0
