"""The letter that asks a seller for a price."""

from __future__ import annotations

from datetime import date

from exports.quotation import letter_voice
from planner.quotation.asks import asks_of
from planner.quotation.letter import Terms, letter_of, usual_days
from tests.exports.real_plans import gallery_plan


def test_a_lessor_is_told_to_deliver_to_the_own_site_and_asked_for_no_other_region() -> None:
    """It said “own-site, or another region of yours: please say which”."""
    plan, today = gallery_plan("serve-leased-servers"), date(2026, 11, 25)
    reply_by, valid_until = usual_days(plan, today)
    terms = Terms(reference="RFQ-1", sent=today, reply_by=reply_by, valid_until=valid_until)
    (ask,) = [one for one in asks_of(plan) if one.option.offer and one.option.offer.option == "lease"]
    letter = letter_of(plan, ask, terms, letter_voice(plan))
    said = [text for row in letter.rows for text in row]
    assert "delivered to our own site" in said
    assert not [text for text in said if "own-site" in text or "another region" in text]
    assert not {"Storage", "Data transfer out"} & set(said)
    asked = " ".join(letter.questions)
    assert "quotas" not in asked
    assert "buying them" in asked
