"""An edited workbook comes back in a real Chromium: the differences are read, the new version is accepted."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Page, expect

from exports.render import render
from planner.models import PlanVersion
from tests.browser.support import complaints, saved_plan, sideways
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]


def test_from_the_edited_cell_to_the_new_version(page: Page, live_server: Any, tmp_path: Path) -> None:
    _, plan = saved_plan(page, live_server.url)
    book = openpyxl.load_workbook(BytesIO(render(PlanVersion.objects.get().plan, "xlsx")))
    book["Inputs"][book.defined_names["in_price_per_instance_hour"].attr_text.rpartition("!")[2].replace("$", "")] = (
        19.5
    )
    book["Inputs"][book.defined_names["in_goodput"].attr_text.rpartition("!")[2].replace("$", "")] = 0.9
    book.save(tmp_path / "edited.xlsx")
    page.goto(plan)
    page.get_by_role("link", name="Bring back an edited workbook").click()
    expect(page.get_by_role("heading", name="Bring back an edited workbook")).to_be_visible()
    assert complaints(page) == []
    page.get_by_label("Workbook", exact=True).set_input_files(tmp_path / "edited.xlsx")
    page.get_by_role("button", name="Read and compare").click()
    edits = page.get_by_role("group", name="What the workbook changes")
    expect(edits).to_contain_text("19.5")
    expect(edits).to_contain_text("agreed price")
    expect(edits).to_contain_text("not taken")
    assert complaints(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert not sideways(page)
    page.get_by_role("button", name="Accept as a new version").click()
    expect(page.get_by_text("Accepted as version 2")).to_be_visible()
    newest = PlanVersion.objects.get(number=2)
    assert [price.usd for price in newest.plan.spec.agreed] == [19.5]
