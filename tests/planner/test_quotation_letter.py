"""The letter that asks a seller for a price."""

from __future__ import annotations

from datetime import date

from exports.quotation import letter_voice
from planner.quotation.asks import asks_of
from planner.quotation.letter import Terms, letter_of, usual_days
from tests.exports.real_plans import gallery_plan

TODAY = date(2026, 11, 25)


def test_a_lessor_is_told_to_deliver_to_the_own_site_and_asked_for_no_other_region() -> None:
    """It said “own-site, or another region of yours: please say which”."""
    plan = gallery_plan("serve-leased-servers")
    reply_by, valid_until = usual_days(plan, TODAY)
    terms = Terms(reference="RFQ-1", sent=TODAY, reply_by=reply_by, valid_until=valid_until)
    (ask,) = [one for one in asks_of(plan) if one.option.offer and one.option.offer.option == "lease"]
    letter = letter_of(plan, ask, terms, letter_voice(plan))
    said = [text for row in letter.rows for text in row]
    assert "delivered to our own site" in said
    assert not [text for text in said if "own-site" in text or "another region" in text]
    assert not {"Storage", "Data transfer out"} & set(said)
    asked = " ".join(letter.questions)
    assert "quotas" not in asked
    assert "buying them" in asked


def test_a_service_at_two_sites_asks_for_its_part_at_each() -> None:
    """All of it was asked for in the region of the first site, and a fabric of 0 Gb/s between replicas that exchange nothing."""
    plan = gallery_plan("serve-two-sites")
    best = plan.recommendation.recommended
    assert best is not None
    first, second = best.sites
    assert first.count + second.count == best.count
    reply_by, valid_until = usual_days(plan, TODAY)
    terms = Terms(reference="RFQ-1", sent=TODAY, reply_by=reply_by, valid_until=valid_until)
    letter = letter_of(plan, asks_of(plan)[0], terms, letter_voice(plan))
    rows = dict(letter.rows)
    assert f"{first.instances} instances in {first.offer.region}" in rows["Where"]
    assert f"{second.instances} in {second.offer.region}" in rows["Where"]
    assert rows["Network"] == "none between instances is needed"
    limits = [step for step in plan.recommendation.obtaining if step.code.startswith("obtain.quota")]
    assert {(step.values["region"].id, step.values["count"]) for step in limits} == {
        (site.offer.region, site.count) for site in best.sites
    }
