"""A capacity block is booked for a fixed time: a training run may use it, a service and a batch may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.inputs.spec import BatchJob, Serving, Spec
from engine.supply import supplies_for
from tests.engine.small_market import OFFERS, market, offer, spec

BLOCK = offer("three", "h100-sxm5", 8.0, option="capacity_block")
"""A third of the price of the same on demand, so that only a rule keeps it out."""


def serving(**asked: object) -> Spec:
    wanted = Serving(**{"requests_per_s": 1.0, "input_tokens": 500, "output_tokens": 100, **asked})
    return replace(spec(), workload="serving", training=None, serving=wanted)


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        (spec(), True),
        (serving(), False),
        (serving(requests_per_s=0.0, batch=BatchJob(requests=1e4, deadline_hours=24.0)), False),
    ],
    ids=["training", "service", "batch"],
)
def test_only_work_that_ends_on_a_known_day_is_given_a_block(asked: Spec, taken: bool) -> None:
    found = supplies_for(asked, market(*OFFERS, BLOCK))
    assert (BLOCK.id in {supply.id for supply in found.supplies}) == taken
    assert ("capacity_block" in {refusal.code for refusal in found.rejected}) != taken
    assert {offer.id for offer in OFFERS} <= {supply.id for supply in found.supplies}
