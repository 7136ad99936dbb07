"""What stands beside exact sums is as good as it says: rough sums of whole days and terms, and points of the chart that were not costed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog.facts import released
from engine.answer import Option
from engine.context import Context
from engine.defaults import assumptions_for
from engine.entry import recommend
from engine.inputs.spec import Spec
from engine.kinds.training.best import pace_of
from engine.kinds.training.choice import Field, survey
from engine.kinds.training.costed import Costed, costed, finalist
from planner.market import market
from planner.parse import architecture_of, spec_from

MARKET = market(released())
"""Of the newest release, which has what the one that tests plan on has not: blocks of capacity and old spot prices."""
BLOCKS = {
    "name": "Blocks",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {"method": "continue", "tokens": 2e9, "sequence_length": 8192},
    "constraints": {"deadline_days": 21, "spot": False, "providers": ["aws"], "accelerators": ["h100-sxm5"]},
}
ADAPTERS = {
    "name": "Adapters",
    "workload": "training",
    "model": "llama-3.1-405b",
    "training": {"method": "lora", "lora_rank": 16, "tokens": 2e8, "sequence_length": 4096},
    "constraints": {"deadline_days": 10},
}
SOURCES = ("capacity_block", "commit_3y")


def context_of(spec: Spec) -> Context:
    return Context(spec=spec, arch=architecture_of(spec), market=MARKET, assume=assumptions_for(spec))


def exactly(context: Context, field: Field, index: int) -> Costed:
    pair = finalist(field.supplies, field.search, int(field.pairs.supply[index]), int(field.pairs.row[index]))
    rows, row = field.search.rows, int(field.pairs.row[index])
    pace = pace_of(field.work, pair.cluster, rows, row, context.assume, calibration=field.calibration)
    return costed(context, field.work, pair, pace)


def whole(field: Field, option: str) -> Iterator[int]:
    """A layout of each number of accelerators on the first source of those terms: the one that the search ranks first."""
    source = next(i for i, one in enumerate(field.supplies.supplies) if one.offer and one.offer.option == option)
    best: dict[int, int] = {}
    for index in (field.pairs.supply == source).nonzero()[0].tolist():
        count = int(field.search.rows.count[field.pairs.row[index]])
        if count not in best or field.pairs.days[index] < field.pairs.days[best[count]]:
            best[count] = index
    return iter(best.values())


@pytest.mark.parametrize("option", SOURCES)
def test_whole_days_and_terms_cost_roughly_what_they_cost(option: str) -> None:
    """Blocks were ranked as if sold by the hour: up to 1.7 times too cheap, and terms that a late end doubles up to half."""
    context = context_of(spec_from(BLOCKS))
    field = survey(context)
    sure = context.assume["select.confidence"]
    tried = 0
    for index in whole(field, option):
        if field.search.rows.count[field.pairs.row[index]] > 256:
            continue
        one = exactly(context, field, index)
        tried += 1
        assert field.pairs.usd[index] == pytest.approx(one.usd, rel=0.05), one.id
        assert field.pairs.usd_kept[index] == pytest.approx(one.sure_usd(sure), rel=0.4), one.id
    assert tried >= 5


def test_a_point_that_was_not_costed_is_as_sure_as_its_source() -> None:
    """Rough spreads of old spot prices were too narrow: the plan said that 32 MI300X cost less than what it recommended, and the
    exact sum for them is more."""
    spec = spec_from(ADAPTERS)
    answer = recommend(spec, MARKET)
    best = answer.recommended
    assert best is not None
    options: dict[str, Option] = {one.id: one for one in (best, *answer.alternatives)}
    sources = {key.rsplit(":", 2)[0] for key in options}
    rough = [
        point
        for point in answer.frontier
        if point.option_id not in options and point.option_id.rsplit(":", 2)[0] in sources
        if point.at_confidence < best.cost.at_confidence * 1.2
    ]
    assert len(rough) >= 4
    context = context_of(spec)
    field = survey(context)
    sure = context.assume["select.confidence"]
    for point in rough:
        index = _pair_of(field, point.option_id)
        exact = exactly(context, field, index).sure_usd(sure)
        assert point.at_confidence == pytest.approx(exact, rel=0.06), point.option_id


def _pair_of(field: Field, option: str) -> int:
    source, count, _ = option.rsplit(":", 2)
    places = [
        index
        for index in range(len(field.pairs))
        if field.supplies.supplies[field.pairs.supply[index]].id == source
        and int(field.search.rows.count[field.pairs.row[index]]) == int(count)
    ]
    return min(places, key=lambda index: float(field.pairs.usd[index]))
