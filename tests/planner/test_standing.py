"""How a service stands by, through every door: the file, the form, the API, the page, documents and the budget feed."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string

from engine.answer import Standing
from engine.defaults import check_spec
from engine.inputs.spec import Spec, SpecError
from engine.money.second_site import SECOND
from exports.compose import compose
from exports.composing.options import limits_cell
from exports.document import Document, Section, Table
from planner.body import estimate_body
from planner.budgets.focus import Origin, focus_rows
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, body_of, thaw
from planner.market import market_from_files
from planner.presenters import present
from planner.presenters.badge import badge_of
from planner.request.drafts import draft_from
from planner.request.fields import form_for
from planner.request.parse import spec_from
from planner.weight import EVERYTHING
from voice.speech import fault_text

TYPED: dict[str, Any] = {
    "name": "Always there", "workload": "serving", "model": "llama-3.1-8b", "as_of": "2026-11-22", "currency": "EUR",
    "serving": {"requests_per_s": "40", "input_tokens": "1000", "output_tokens": "300", "ttft_p95_ms": "900 ms"},
    "constraints": {"residency": "eu", "providers": ["aws"], "commitments": False},
    "operations": {"availability": "99.99 %", "pattern": "active-active"},
}  # fmt: skip
"""As people write it in a file."""


def asked(**operations: str) -> Spec:
    return spec_from(TYPED | {"operations": TYPED["operations"] | operations}, text=True)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return estimate(asked(), market_from_files())


def standing_of(plan: Plan) -> Standing:
    best = plan.recommendation.recommended
    assert best is not None
    assert best.serving is not None
    assert best.serving.standing is not None
    return best.serving.standing


def test_file_and_form_ask_for_the_same() -> None:
    typed = {
        "name": "Always there", "model": "llama-3.1-8b", "as_of": "2026-11-22", "currency": "EUR", "serving.requests_per_s": "40",
        "serving.input_tokens": "1000", "serving.output_tokens": "300", "serving.ttft_p95_ms": "900 ms",
        "constraints.residency": "eu", "constraints.providers": "aws", "constraints.commitments": "false",
        "operations.availability": "99.99 %", "operations.pattern": "active-active",
    }  # fmt: skip
    draft, faults = draft_from(typed, form_for(Spec), workload="serving")
    assert faults == []
    assert spec_from(draft, text=True).operations == asked().operations
    labels = dict(form_for(Spec)["operations.pattern"].choices[0][1])
    assert labels["active-active"] == "Two sites that both serve"


def test_the_api_has_every_amount_as_one(plan: Plan) -> None:
    body = estimate_body(plan)["recommended"]["standing"]
    assert body["pattern"] == "active-active"
    assert body["availability"] >= body["asked"] == 0.9999
    [mine] = [one for one in body["patterns"] if one["chosen"]]
    assert mine["pattern_cost"] == {"amount": f"{standing_of(plan).patterns[-1].pattern_cost:.2f}", "currency": "EUR"}
    assert body["second"]["region"] != estimate_body(plan)["recommended"]["offer"]["region"]
    assert body["second"]["usd_per_hour"]["currency"] == "USD", "as its seller asks it"


def test_the_page_shows_days_and_patterns(plan: Plan) -> None:
    answer = present(plan)
    page = render_to_string("planner/_standing.html", {"answer": answer})
    assert "A normal day" in page
    assert "The provider is down everywhere" in page
    assert "Two sites that both serve" in page
    patterns = standing_of(plan).patterns
    assert page.count("less than asked") == sum(not one.holds and one.pattern_cost is not None for one in patterns)
    assert page.count("nobody rents it at two sites") == sum(one.pattern_cost is None for one in patterns)
    [hardware] = [figure for figure in answer.figures if figure.key == "hardware"]
    second = standing_of(plan).second
    assert second is not None
    assert any(second.region in note for note in hardware.notes), "both places stand beside the hardware"


def test_documents_print_the_same(plan: Plan) -> None:
    document = compose(plan)
    tables = {table.id: table for table in _tables(document)}
    page = present(plan).standing
    assert page is not None
    assert [row[0].text for row in tables["standing"].rows] == [row.case for row in page.days]
    assert [row[2].text for row in tables["patterns"].rows] == [row.availability for row in page.patterns]
    facts = {fact.key: fact.text for fact in document.decision.facts}
    assert "Two sites that both serve".lower() in facts["standing"]
    second = standing_of(plan).second
    assert second is not None
    assert second.region in facts["recommendation"]


def _tables(document: Document) -> list[Table]:
    def of(section: Section) -> list[Table]:
        found = [block for block in section.blocks if isinstance(block, Table)]
        return found + [table for part in section.sections for table in of(part)]

    return [table for section in document.sections for table in of(section)]


def test_a_frozen_plan_is_read_again_as_it_was(plan: Plan) -> None:
    again = thaw(body_of(plan))
    assert body_of(again) == body_of(plan)
    assert standing_of(again).pattern == "active-active"


def test_budget_rows_of_the_second_site_have_its_region_and_price(plan: Plan) -> None:
    rows = [row for row in focus_rows(plan, Origin()) if row["x_Line"] == SECOND]
    second = standing_of(plan).second
    assert second is not None
    assert rows
    assert {row["SkuPriceId"] for row in rows} == {second.id}
    assert {row["RegionId"] for row in rows} == {second.region}


@pytest.mark.parametrize(
    ("changed", "path", "says"),
    [
        ({"serving": TYPED["serving"] | {"spare_replicas": "3"}}, "serving.spare_replicas", "says itself how many replicas are spare"),
        ({"operations": {"keep_capacity": True}}, "operations.keep_capacity", "is of a load that falls at night"),
        ({"operations": {"pattern": "two"}}, "operations.pattern", "active-active"),
        (
            {"serving": {"batch": {"requests": "1000", "deadline_hours": "5"}}, "operations": {"pattern": "n+n"}},
            "operations.pattern",
            "is of a service that people wait for",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_at_its_field(changed: dict[str, Any], path: str, says: str) -> None:
    with pytest.raises(SpecError) as refused:
        check_spec(spec_from(TYPED | changed, text=True))
    [fault] = refused.value.faults
    assert fault.path == path
    assert says in fault_text(fault)


def test_a_missed_availability_is_no_kept_limit() -> None:
    """Headline, badge and the first sentence of a document said “as promised” of a service that is up for less than is asked."""
    missed = estimate(asked(pattern="spares"), market_from_files())
    best = missed.recommendation.recommended
    assert best
    assert not standing_of(missed).holds
    badge = badge_of(best, missed.spec)
    assert badge.tone == "bad"
    assert "Availability missed: 99.96" in badge.words
    document = compose(missed)
    assert "as promised" not in document.decision.sentence
    assert "availability that is asked is missed" in document.decision.sentence
    assert limits_cell(best).text == "availability missed"
    body = estimate_body(missed, expand=())
    short = {one.id: one for one in missed.recommendation.alternatives if not one.up_enough}
    assert short
    assert body["recommended"]["sure"] is False
    assert {one["id"] for one in body["alternatives"] if one["sure"]}.isdisjoint(short)
    assert "availability" in body["headline"]["text"]


def test_page_and_api_call_the_same_options_sure() -> None:
    """`sure` stayed true beside a badge that said that the availability is missed."""
    for wanted in (asked(pattern="spares"), asked(pattern="auto")):
        plan = estimate(wanted, market_from_files())
        body = estimate_body(plan, expand=EVERYTHING)
        told = {one["id"]: one["sure"] for one in (body["recommended"], *body["alternatives"])}
        options = (plan.recommendation.recommended, *plan.recommendation.alternatives)
        within = {one.id: badge_of(one, plan.spec).tone == "good" for one in options if one and one.meets_budget}
        assert {name: told[name] for name in within} == within
