"""A plan frozen before fields were added reads as it was: the same hash, the new fields at what “not known” means."""

from __future__ import annotations

import gzip
from pathlib import Path

from exports.compose import compose
from planner.snapshot import body_of, thaw

OLD = Path(__file__).parent / "data/plan_of_first_format.json.gz"
SHA256 = "c7fdf00d18abe9e9efb251ba43aaf4721ea5cef5350b26b9d206142ff6eb889a"


def test_a_plan_frozen_before_fields_were_added_opens_with_its_hash_and_composes() -> None:
    body = gzip.decompress(OLD.read_bytes()).decode()
    assert '"ways"' not in body  # it really is from before
    plan = thaw(body)
    best = plan.recommendation.recommended
    assert plan.sha256 == SHA256
    assert best is not None
    assert best.checkpoint is not None
    assert best.offer is not None
    assert (best.checkpoint.ways, best.checkpoint.near_interval_s, best.checkpoint.full_every) == ((), 0.0, 1)
    assert (best.offer.zones, best.offer.on_demand_usd_per_hour) == (0, 0.0)
    assert best.cost.break_even is not None
    assert best.cost.break_even.expected_utilisation == 0.0
    assert plan.spec.utilisation == 0.6
    assert body_of(plan) != body  # new fields are written with a new version only
    assert compose(plan).plan_hash == SHA256
