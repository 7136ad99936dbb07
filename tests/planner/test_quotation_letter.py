"""The letter that asks a seller for a price."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from exports.quotation import letter_voice
from planner.presenters.quotation import option_label
from planner.quotation.asks import asks_of
from planner.quotation.comparison import priced_part
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


def test_two_sellers_of_one_service_are_each_asked_for_theirs() -> None:
    """Only the seller of the first site was asked."""
    plan = gallery_plan("serve-two-sites")
    best = plan.recommendation.recommended
    assert best is not None
    assert best.serving is not None
    assert best.serving.standing is not None
    first, second = best.sites
    other = next(name for name in ("lambda", "nebius") if name != first.offer.provider)
    elsewhere = replace(second.offer, provider=other, id=second.offer.id.replace(second.offer.provider, other))
    standing = replace(best.serving.standing, second=elsewhere)
    best = replace(best, serving=replace(best.serving, standing=standing))
    chosen = [
        one
        for one in asks_of(replace(plan, recommendation=replace(plan.recommendation, recommended=best)))
        if one.recommended
    ]
    assert [one.seller for one in chosen] == [first.offer.provider, other]
    assert chosen[1].ident == f"{best.id}@{other}"
    assert chosen[1].item == elsewhere.id.replace("/spot", "/on_demand")
    reply_by, valid_until = usual_days(plan, TODAY)
    terms = Terms(reference="RFQ-1", sent=TODAY, reply_by=reply_by, valid_until=valid_until)
    asked = [dict(letter_of(plan, one, terms, letter_voice(plan)).rows)["Accelerators"] for one in chosen]
    assert [text.split("\u00a0")[0] for text in asked] == [f"{site.count:,}" for site in (first, second)]
    assert option_label(chosen[1]).startswith(f"{second.count:,}\u00a0×")
    parts = [priced_part(one) for one in chosen]
    assert min(parts) > 0
    assert sum(parts) <= best.cost.total.expected * 1.001
