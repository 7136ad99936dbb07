"""The catalog in a real Chromium: accessible, narrow enough for a phone, and the way of a quote from file to plan."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from tests.browser.support import complaints, sideways

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

PAGES = (
    "/catalog/",
    "/catalog/accelerators/h100-sxm5/",
    "/catalog/compare/?a=h100-sxm5&a=mi300x&a=tpu-v6e",
    "/catalog/prices/?provider=oci",
    "/catalog/prices/history/?offer=azure/Standard_NC12s_v3/eastus/on_demand",
    "/catalog/sources/",
    "/catalog/upload/",
    "/catalog/things/link/",
    "/catalog/own/",
    "/catalog/own/holding/?accelerator=h100-sxm5",
    "/catalog/own/accelerator/?slug=h100-sxm5",
)
QUOTE = b"""provider,instance,region,accelerator,count,option,amount,currency,date
aws,p5.48xlarge,us-east-1,h100-sxm5,8,on_demand,41.5,USD,2026-08-20
aws,p5.48xlarge,us-east-1,h100-sxm5,12,on_demand,41.5,USD,2026-08-20
"""


@pytest.fixture
def loaded(transactional_db: None) -> None:
    """The catalog of the files."""
    call_command("load_catalog", stdout=StringIO())


@pytest.mark.usefixtures("loaded")
def test_the_catalog_is_accessible_and_fits_a_phone(page: Page, live_server: Any) -> None:
    for path in PAGES:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(live_server.url + path)
        assert complaints(page) == [], path
        page.set_viewport_size({"width": 360, "height": 740})
        assert sideways(page) <= 0, path


@pytest.mark.usefixtures("loaded")
def test_a_quote_goes_from_file_to_published_and_marks_what_it_overrides(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/catalog/upload/")
    page.get_by_label("CSV or Excel file").set_input_files(
        {"name": "quote.csv", "mimeType": "text/csv", "buffer": QUOTE}
    )
    page.get_by_role("button", name="Read and review").click()
    expect(page.get_by_text("count: p5.48xlarge has 8 accelerators, not 12.")).to_be_visible()
    assert complaints(page) == []
    accept = page.get_by_label("I have looked at these prices; they are right.")
    if accept.count():
        accept.check()
    page.get_by_role("button", name="Publish to my team").click()
    expect(page.get_by_text("Published: new plans use these prices.")).to_be_visible()
    page.goto(f"{live_server.url}/catalog/prices/?accelerator=h100-sxm5&provider=aws&option=on_demand&region=us-east-1")
    expect(page.get_by_text("your own price", exact=True)).to_be_visible()
    expect(page.locator("del").first).to_have_text("55.04 USD")


@pytest.mark.usefixtures("loaded")
def test_hardware_of_ones_own_is_entered_by_hand_and_stands_beside_the_public_value(
    page: Page, live_server: Any
) -> None:
    page.goto(f"{live_server.url}/catalog/accelerators/h100-sxm5/")
    page.get_by_role("link", name="Enter values of your own").click()
    page.get_by_label("Dense BF16").fill("1978.9 TFLOP/s")
    page.get_by_label("Power", exact=True).fill("650 W")
    page.get_by_role("button", name="Save for my team").click()
    expect(page.get_by_role("alert")).to_contain_text("is a sparse figure in the dense field?")
    assert complaints(page) == []
    page.get_by_label("Dense BF16").fill("")
    expect(page.get_by_label("Power", exact=True)).to_have_value("650 W")
    page.get_by_role("button", name="Save for my team").click()
    expect(page.get_by_text("Saved: new plans of your team use these values.")).to_be_visible()
    assert complaints(page) == []
    page.get_by_role("button", name="Use the public values again").click()
    expect(page.get_by_text("Withdrawn: new plans use the public values again.")).to_be_visible()
