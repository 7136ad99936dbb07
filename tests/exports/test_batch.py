"""An offline batch has an end: page 1 says when, and speaks of no peak and no promised latency."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.answer import Estimate
from engine.inputs.spec import BatchJob, Serving
from exports.compose import compose
from exports.document import Document, Paragraph, Table
from planner.frozen.snapshot import Plan
from tests.exports.walking import texts
from tests.plans import stored


def batch_plan(*, deadline_hours: float = 72.0, replicas: int = 3) -> Plan:
    """Two million requests on three replicas in 2.22 days."""
    plan = stored("batch")
    best = plan.recommendation.recommended
    assert best
    assert best.serving
    asked = Serving(
        batch=BatchJob(requests=2e6, deadline_hours=deadline_hours),
        requests_per_s=0,
        input_tokens=3000,
        output_tokens=300,
    )
    served = replace(best.serving, replicas=replicas, spare_replicas=0, utilisation=0.98)
    days = Estimate(low=1.718, expected=2.219, high=2.868, unit="day")
    job = replace(best, days=days, finish=plan.start + timedelta(days=3), serving=served)
    slower = replace(job, id="s", days=Estimate(low=2.4, expected=2.9, high=3.8, unit="day"))
    answer = replace(plan.recommendation, recommended=job, alternatives=(slower,))
    return replace(plan, spec=replace(plan.spec, serving=asked), recommendation=answer)


def facts(document: Document) -> dict[str, str]:
    return {fact.key: fact.text.replace("\u00a0", " ") for fact in document.decision.facts}


def test_page_1_says_when_it_ends_and_how_the_deadline_holds() -> None:
    document = compose(batch_plan())

    assert "By 31 January 2027, after 2.22 days (80% band 1.72–2.87 days)" in facts(document)["finish"]
    assert "Deadline 3 days: met, with 3.17 hours to spare even at the pessimistic end" in facts(document)["finish"]
    assert [item.label for item in document.decision.figures.items][:2] == ["Cost", "Time"]
    assert " in 2.22 days on " in document.decision.sentence.replace("\u00a0", " ")


def test_page_1_speaks_of_no_peak_and_no_promise() -> None:
    document = compose(batch_plan())

    assert "room" not in facts(document)
    assert not any("promise" in text or "peak" in text for text in facts(document).values())
    assert "Latency" not in [fact.label for fact in document.decision.facts]


@pytest.mark.parametrize(
    ("replicas", "hours", "said"),
    [
        (3, 90.0, "the batch takes 3.33 days. The deadline still holds by 10.1 hours."),
        (3, 72.0, "the batch takes 3.33 days. The deadline is then missed by 7.88 hours."),
        (1, 72.0, "Should the one replica fail, the batch stands still until it is back."),
    ],
)
def test_a_lost_replica_is_told_in_days_and_held_against_the_deadline(replicas: int, hours: float, said: str) -> None:
    document = compose(batch_plan(deadline_hours=hours, replicas=replicas))
    chapter = [text.replace("\u00a0", " ") for section in document.sections for text in texts(section)]

    assert [text for text in chapter if text.endswith(said)], "page 1 has room for the gravest risks only"


def test_the_pessimistic_end_is_held_against_the_deadline() -> None:
    document = compose(batch_plan(deadline_hours=60))
    chapter = " ".join(text.replace("\u00a0", " ") for section in document.sections for text in texts(section))

    assert "the batch takes 2.87 days instead of 2.22 days; computing alone adds USD " in chapter
    assert "The deadline is then missed by 8.83 hours." in chapter


def test_the_next_best_option_is_compared_by_its_time() -> None:
    assert "slower" in facts(compose(batch_plan()))["rejected"]


def test_the_time_of_options_has_a_unit_in_which_it_reads() -> None:
    plan = batch_plan()
    best = plan.recommendation.recommended
    assert best
    short = replace(best, days=Estimate(low=0.03, expected=0.042, high=0.05, unit="day"))
    document = compose(replace(plan, recommendation=replace(plan.recommendation, recommended=short, alternatives=())))
    shown = next(block for block in document.sections[0].blocks if isinstance(block, Table))

    assert ("Minutes", "60.5") in list(
        zip([c.title for c in shown.columns], [c.text for c in shown.rows[0]], strict=True)
    )


def test_no_price_of_a_month_is_told_of_a_batch_of_days() -> None:
    parts = [part for section in compose(batch_plan()).sections for part in section.sections]
    texts = [block.text for part in parts for block in part.blocks if isinstance(block, Paragraph)]

    assert not any("a month" in text for text in texts)
    assert any("A million input tokens" in text for text in texts)
