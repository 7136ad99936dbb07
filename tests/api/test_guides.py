"""The guides beside the reference, `llms.txt`, and links that open a filled form."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve

from planner.pages.form import screens
from planner.pages.form.links import linked
from rest.guides import FILES
from tests.api.described import OPERATIONS
from tests.conftest import People

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", FILES)
def test_a_guide_is_a_page_that_everyone_may_read(client: Client, name: str) -> None:
    page = client.get(f"/api/v1/guides/{name}")
    text = page.content.decode()
    assert page.status_code == 200
    assert text.count("<h1") == 1
    article = text.split('<article class="guide">')[1].split("</article>")[0]
    for raw in ("](", "| ---", "|---|", "```", "<p>|"):
        assert raw not in article, "Markdown reached the reader"
    for target in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{target}"' in text, target


def test_links_of_a_guide_lead_somewhere(client: Client) -> None:
    for name in FILES:
        article = client.get(f"/api/v1/guides/{name}").content.decode().split('<article class="guide">')[1]
        for target in re.findall(r'href="(/[^"#]*)', article.split("</article>")[0]):
            assert client.get(target).status_code == 200, target


def test_a_guide_that_there_is_not_is_not_found(client: Client) -> None:
    assert client.get("/api/v1/guides/settings").status_code == 404


def test_the_reference_leads_to_the_guides(client: Client) -> None:
    assert 'href="/api/v1/guides/api"' in client.get("/api/v1/docs").content.decode()


def test_llms_txt_names_what_answers(client: Client, settings: Any) -> None:
    settings.SITE_URL = "https://plans.example.org"
    answer = client.get("/llms.txt")
    assert answer["Content-Type"].startswith("text/plain")
    text = answer.content.decode()
    assert text.startswith("# Sextant\n")
    for address in re.findall(r"\]\(https://plans\.example\.org(/[^)]*)\)", text):
        assert client.get(address).status_code == 200, address
    paths = {(method, f"/api/v1{path}") for method, path, _ in OPERATIONS.values()}
    for method, path in re.findall(r"- (GET|POST) https://plans\.example\.org(/\S+):", text):
        assert (method, path) in paths
    assert resolve("/new/serve").url_name == "new"


@pytest.fixture
def alice(people: People, client: Client) -> Client:
    """Her browser."""
    client.force_login(people.alice)
    return client


def test_a_link_fills_the_form(alice: Client) -> None:
    page = alice.get(
        "/new/serve?model=llama-3.1-70b&people=500&ttft_p95_ms=800&serving.input_tokens=1500"
    ).content.decode()
    for name, value in (("load.people", "500"), ("serving.ttft_p95_ms", "800"), ("serving.input_tokens", "1500")):
        box = re.search(rf'<input[^>]*name="{re.escape(name)}"[^>]*>', page)
        assert box is not None, name
        assert f'value="{value}"' in box[0]
    assert "llama-3.1-70b" in page
    assert "which this form does not have" not in page


def test_a_name_that_no_field_has_is_said_and_never_echoed_as_html(alice: Client) -> None:
    page = alice.get("/new/train?tokens=15B&<b>colour</b>=red").content.decode()
    assert "&lt;b&gt;colour&lt;/b&gt;" in page
    assert "<b>colour</b>" not in page
    assert 'value="15B"' in page


def test_a_short_name_is_that_of_one_field_only() -> None:
    for screen in screens.SCREENS.values():
        fields = [*screens.fields_of(screen), "model"]
        for path in fields:
            typed, unknown = linked(screen, {path: "1"})
            assert (typed, unknown) == ({path: "1"}, [])
        lasts = [path.rpartition(".")[2] for path in fields]
        for last in {last for last in lasts if lasts.count(last) > 1 and last not in fields}:
            if not (screen.kind == "serve" and last in ("people", "sessions", "turns", "day")):
                assert linked(screen, {last: "1"}) == ({}, [last])
