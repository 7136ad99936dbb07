"""Requests for quotation over the API: letters without secrets, answers that become agreed prices, and who may."""

from __future__ import annotations

import subprocess
from datetime import date, timedelta
from io import BytesIO
from typing import Any

import docx
import pikepdf
import pytest

from accounts.models import AuditEvent, Role
from catalog import clock
from planner.models import PlanVersion, Workload
from planner.quotation_tables import QuotationRequest, Quote
from tests.api.support import TRAINING, Api, pointers, problem
from tests.conftest import People, make_member

SECRET = 4_711_321.0
ASKED: dict[str, Any] = {
    **TRAINING,
    "name": "Project Nightingale",
    "start": (clock.today() + timedelta(days=60)).isoformat(),
    "constraints": {"deadline_days": 60, "budget_usd": SECRET, "spot": False, "accelerators": ["h100-sxm5"]},
    "confidence": {"all": 0.87},
}


@pytest.fixture
def plan(petra: Api) -> str:
    """The id of a plan with one version, made by the engine on the real catalog."""
    made = petra.post("/plans", ASKED)
    assert made.status_code == 201, made.content
    return str(made.json()["id"])


@pytest.fixture
def rfq(petra: Api, plan: str) -> dict[str, Any]:
    """A request for quotation of its first version."""
    sent = petra.post(f"/plans/{plan}/versions/1/quotation-requests", {"contact": "Pat Buyer, pat@example.com"})
    assert sent.status_code == 201, sent.content
    found: dict[str, Any] = sent.json()
    return found


def answered(rfq: dict[str, Any], **changes: Any) -> dict[str, Any]:
    first = rfq["letters"][0]
    plain = {
        "option_id": first["option_id"],
        "unit": "accelerator_hour",
        "amount": "1.25",
        "valid_until": (clock.today() + timedelta(days=90)).isoformat(),
        "reference": "Q-17",
        "conditions": "Paid monthly",
    }
    return {**plain, **changes}


def test_the_recommended_seller_and_its_rivals_are_asked_each_by_a_letter_of_its_own(rfq: dict[str, Any]) -> None:
    letters = rfq["letters"]
    assert [one["recommended"] for one in letters] == [True] + [False] * (len(letters) - 1)
    assert 3 <= len(letters) <= 4
    assert len({one["provider"] for one in letters}) == len(letters)
    assert all(rfq["reference"] in one["subject"] and rfq["reference"] in one["text"] for one in letters)
    assert "H100" in letters[0]["subject"]
    assert "Pat Buyer, pat@example.com" in letters[0]["text"]


def test_a_letter_tells_no_seller_what_the_plan_may_cost_or_who_else_is_asked(petra: Api, rfq: dict[str, Any]) -> None:
    best = PlanVersion.objects.get().head.recommendation.recommended
    assert best
    assert best.offer
    secrets = ["Nightingale", "4,711", "4711", "87%", "0.87", "llama", "Llama", f"{best.offer.usd_per_hour:,.2f}",
               f"{best.cost.total.expected:,.0f}"]  # fmt: skip
    for one in rfq["letters"]:
        texts = [one["subject"], one["text"]]
        for address in one["files"].values():
            file = petra.get(address.removeprefix("/api/v1"))
            assert file.status_code == 200
            texts.append(text_of(file.content))
        others = [other["provider"] for other in rfq["letters"] if other is not one]
        for text in texts:
            assert not [word for word in (*secrets, *others) if word in text]


def text_of(data: bytes) -> str:
    """All text of a Word or PDF file, its properties included."""
    if data[:4] == b"%PDF":
        with pikepdf.open(BytesIO(data)) as pdf:
            about = f"{pdf.docinfo} {pdf.Root.Metadata.read_bytes().decode()}"
        read = subprocess.run(["pdftotext", "-", "-"], input=data, capture_output=True, check=True)
        return about + read.stdout.decode()
    document = docx.Document(BytesIO(data))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    props = document.core_properties
    return " ".join([*(one.text for one in document.paragraphs), *cells, props.title, props.subject, props.author])


def test_a_letter_is_one_page_and_equal_requests_give_equal_bytes(petra: Api, rfq: dict[str, Any]) -> None:
    address = rfq["letters"][0]["files"]["pdf"].removeprefix("/api/v1")
    first, again = petra.get(address), petra.get(address)
    assert first.content == again.content
    assert first["ETag"] == again["ETag"]
    with pikepdf.open(BytesIO(first.content)) as pdf:
        assert len(pdf.pages) == 1
    assert petra.get(address, If_None_Match=first["ETag"]).status_code == 304
    problem(petra.get(address.replace("letters/1", "letters/9")), 404)


def test_an_answer_becomes_an_agreed_price_with_its_validity(petra: Api, plan: str, rfq: dict[str, Any]) -> None:
    body = answered(rfq)
    made = petra.post(f"/quotation-requests/{rfq['id']}/quotes", body)
    assert made.status_code == 201, made.content
    quote = made.json()
    assert quote["price"] == {"amount": "1.25", "currency": "USD"}
    assert quote["in_dollars"] == {"amount": "10.00", "currency": "USD"}, "an instance of eight"
    draft = Workload.objects.get().draft
    assert draft["agreed"] == [
        {"item": rfq["letters"][0]["item"], "what": "instance_hour", "usd": 10.0,
         "quoted_on": clock.today().isoformat(), "valid_until": body["valid_until"], "reference": "Q-17"}
    ]  # fmt: skip
    version = petra.post(f"/plans/{plan}/versions")
    assert version.status_code == 201, version.content
    backing = petra.get(f"/plans/{plan}/versions/2").json()["estimate"]["backing"]
    compute = next(part for part in backing["parts"] if part["line"] == "compute")
    assert (compute["standing"], compute["valid_until"]) == ("quoted", body["valid_until"])
    assert backing["shares"]["quoted"] > 0.9
    assert backing["valid_until"] == body["valid_until"]


def test_a_newer_answer_takes_the_place_of_an_older_one_and_is_held_against_the_list(
    petra: Api, rfq: dict[str, Any]
) -> None:
    for amount in ("2.00", "1.00"):
        sent = petra.post(f"/quotation-requests/{rfq['id']}/quotes", answered(rfq, amount=amount))
        assert sent.status_code == 201
    assert [row["usd"] for row in Workload.objects.get().draft["agreed"]] == [8.0]
    now = petra.get(f"/quotation-requests/{rfq['id']}").json()
    first, second = now["comparison"][0], now["comparison"][1]
    assert first["standing"] == "valid"
    assert first["change"] == pytest.approx(8.0 / float(first["listed"]["amount"]) - 1)
    assert float(first["saved"]["amount"]) > 0
    assert (second["standing"], second["quoted"], second["saved"]) == ("open", None, None)
    assert now["quotes"] == 2


def test_a_quote_in_another_currency_is_turned_at_the_rate_of_the_catalog(petra: Api, rfq: dict[str, Any]) -> None:
    made = petra.post(f"/quotation-requests/{rfq['id']}/quotes", answered(rfq, currency="EUR", unit="instance_hour"))
    assert made.status_code == 201
    row = Quote.objects.get()
    assert 1.0 < float(row.usd) / 1.25 < 1.4
    assert row.rate_day


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"option_id": "nothing"}, "/option_id"),
        ({"unit": "server"}, "/unit"),
        ({"unit": "day"}, "/unit"),
        ({"amount": "0"}, "/amount"),
        ({"amount": "-1"}, "/amount"),
        ({"amount": 1.25}, "/amount"),
        ({"currency": "XXX"}, "/currency"),
        ({"quoted_on": "2199-01-01"}, "/quoted_on"),
        ({"valid_until": "2020-01-01"}, "/valid_until"),
        ({"valid_until": None}, "/valid_until"),
        ({"conditions": "x" * 2001}, "/conditions"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_by_field(
    petra: Api, rfq: dict[str, Any], changes: dict[str, Any], place: str
) -> None:
    assert pointers(petra.post(f"/quotation-requests/{rfq['id']}/quotes", answered(rfq, **changes))) == [place]
    assert not Quote.objects.exists()
    assert "agreed" not in Workload.objects.get().draft or not Workload.objects.get().draft["agreed"]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"options": ["nothing"]}, "/options"),
        ({"reply_by": "2020-01-01"}, "/reply_by"),
        ({"reply_by": "2199-01-02", "valid_until": "2199-01-01"}, "/valid_until"),
        ({"note": "x" * 1001}, "/note"),
        ({"budget": 1}, "/budget"),
    ],
)
def test_a_request_that_cannot_be_is_refused_by_field(petra: Api, plan: str, body: dict[str, Any], place: str) -> None:
    assert pointers(petra.post(f"/plans/{plan}/versions/1/quotation-requests", body)) == [place]
    assert not QuotationRequest.objects.exists()


def test_sending_twice_with_a_key_makes_one_and_every_step_is_in_the_audit(petra: Api, plan: str) -> None:
    path = f"/plans/{plan}/versions/1/quotation-requests"
    first, again = (petra.post(path, {}, Idempotency_Key="once").json()["id"] for _ in range(2))
    assert first == again
    assert QuotationRequest.objects.count() == 1
    event = AuditEvent.objects.get(verb="quotation.requested")
    assert (event.token_id, event.data["request"]) == (petra.row.public_id, first)
    rfq = petra.get(f"/quotation-requests/{first}").json()
    for _ in range(2):
        petra.post(f"/quotation-requests/{first}/quotes", answered(rfq), Idempotency_Key="twice")
    assert AuditEvent.objects.filter(verb="quote.recorded").count() == Quote.objects.count() == 1
    assert [one["id"] for one in petra.get(path).json()["data"]] == [first]


def test_finance_may_ask_a_viewer_and_another_team_may_not(
    people: People, petra: Api, bob: Api, charlie: Api, plan: str, rfq: dict[str, Any]
) -> None:
    fiona = Api(make_member(people.team, "Fiona", Role.FINANCE))
    path, quotes = f"/plans/{plan}/versions/1/quotation-requests", f"/quotation-requests/{rfq['id']}/quotes"
    assert fiona.post(path, {}).status_code == 201
    assert fiona.post(quotes, answered(rfq)).status_code == 201
    problem(bob.post(path, {}), 403)
    problem(bob.post(quotes, answered(rfq)), 403)
    assert bob.get(f"/quotation-requests/{rfq['id']}").status_code == 200
    letter = rfq["letters"][0]["files"]["pdf"].removeprefix("/api/v1")
    problem(charlie.post(path, {}), 404)
    problem(charlie.post(quotes, answered(rfq)), 404)
    for address in (path, quotes.removesuffix("/quotes"), letter):
        problem(charlie.get(address), 404)


def test_there_is_nothing_to_ask_where_nothing_is_rented_or_bought(petra: Api) -> None:
    owned = {**ASKED, "name": "Own", "owned": [{"accelerator": "h100-sxm5", "count": 64}]}
    plan = petra.post("/plans", owned).json()["id"]
    said = problem(petra.post(f"/plans/{plan}/versions/1/quotation-requests", {}), 409)
    assert "owns" in said["detail"]


def test_servers_to_buy_are_asked_for_with_delivery_and_acceptance(petra: Api) -> None:
    buying = {
        **ASKED,
        "name": "Buy",
        "horizon_months": 48,
        "utilisation": 0.9,
        "training": {"tokens": 8e12, "sequence_length": 8192},
        "operations": {"security": ["air-gapped"]},
        "constraints": {"accelerators": ["h100-sxm5"]},
    }
    plan = petra.post("/plans", buying).json()["id"]
    made = petra.post(f"/plans/{plan}/versions/1/quotation-requests", {"place": "Hamburg, Germany"})
    assert made.status_code == 201, made.content
    first = made.json()["letters"][0]
    for words in ("Delivery to: Hamburg, Germany", "Acceptance: ", "72 hours", "In operation by", "for one server"):
        assert words in first["text"]
    body = answered(made.json(), unit="server", amount="250000")
    sent = petra.post(f"/quotation-requests/{made.json()['id']}/quotes", body)
    assert sent.status_code == 201, sent.content
    assert Workload.objects.get(name="Buy").draft["agreed"][0]["what"] == "server"


def test_days_are_as_usual_where_nobody_names_them(rfq: dict[str, Any]) -> None:
    today = clock.today()
    assert rfq["reply_by"] == (today + timedelta(days=10)).isoformat()
    assert date.fromisoformat(rfq["valid_until"]) >= today + timedelta(days=60)
