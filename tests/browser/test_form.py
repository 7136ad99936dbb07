"""The form in a real Chromium: a model found by typing, what it was read as, the hours of a day, fields that mean something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.support import SERVING, Session, open_context
from tests.planner.page_support import quick_engine
from tests.planner.test_model_read import OLMO

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]


def test_a_model_is_found_by_typing_and_the_last_ones_stand_first(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/new/train")
    field, choices = page.get_by_role("combobox", name="Model"), page.locator("#f-model-list [role=option]")
    field.fill("qwen 32")
    expect(choices).to_have_text(["Qwen2.5 32B", "Qwen3 32B"])
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("Qwen3 32B")
    expect(page.locator("#model-read")).to_contain_text("64 layers")
    expect(page.locator("#f-model-choice")).to_have_value("qwen3-32b")
    field.fill("no such thing")
    expect(page.get_by_role("listbox")).to_contain_text("paste its config.json")
    field.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_have_value("Qwen3 32B")
    page.goto(f"{live_server.url}/new/train")
    field.click()
    expect(choices.first).to_have_text("Qwen3 32B")


def test_without_scripts_the_model_is_a_list(chromium: Browser, session: Session, live_server: Any) -> None:
    context = open_context(chromium, session, java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{live_server.url}/new/train")
    plain.get_by_label("Model", exact=True).select_option("llama-3.1-8b")
    plain.get_by_label("Training tokens", exact=True).fill("15B")
    plain.get_by_role("button", name="See the whole plan").first.click()
    expect(plain.get_by_role("heading", name="Why this one")).to_be_visible()
    context.close()


def test_a_pasted_config_is_acknowledged_before_anything_is_sent(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/new/train")
    page.get_by_text("or paste a config.json").click()
    page.get_by_label("config.json", exact=True).fill(json.dumps(OLMO))
    expect(page.locator("#model-read")).to_contain_text("40 layers")


def test_what_answers_with_images_is_not_asked_for_tokens(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/new/serve")
    expect(page.get_by_label("Input length")).to_be_visible()
    page.get_by_role("combobox", name="Model").fill("sdxl")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Input length")).to_be_hidden()
    expect(page.get_by_label("Time to the answer, p95")).to_be_visible()
    page.get_by_role("combobox", name="Model").fill("llama 3.1 8b")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Input length")).to_be_visible()
    expect(page.get_by_label("Time to first token, p95")).to_be_visible()


def test_what_learns_from_images_is_asked_how_many(page: Page, live_server: Any) -> None:
    """A vision model was asked for training tokens; how many images there are stood in a closed fold."""
    page.goto(f"{live_server.url}/new/train")
    tokens, samples = page.get_by_label("Training tokens", exact=True), page.get_by_label("Samples", exact=True)
    field = page.get_by_role("combobox", name="Model")
    expect(tokens).to_be_visible()
    expect(samples).to_be_hidden()
    for name, counted in (("ResNet-50", False), ("Qwen3 32B", True), ("ResNet-50", False)):
        field.fill(name)
        field.press("Enter")
        (expect(tokens).to_be_visible if counted else expect(tokens).to_be_hidden)()
        (expect(samples).to_be_hidden if counted else expect(samples).to_be_visible)()
    samples.fill("1281167")
    page.get_by_label("Epochs", exact=True).fill("90")
    order = page.locator("[data-field]").evaluate_all("all => all.map(one => one.dataset.field)")
    at = order.index("f-training-tokens")
    assert order[at + 1 : at + 3] == ["f-training-samples", "f-training-epochs"]
    page.get_by_role("button", name="See the whole plan").first.click()
    expect(page.get_by_role("heading", name="Why this one")).to_be_visible()


def test_hours_come_from_a_shape_or_from_a_file_that_was_counted(page: Page, live_server: Any, tmp_path: Path) -> None:
    page.goto(live_server.url + SERVING)
    curve = page.locator("#f-serving-load-curve")
    page.get_by_role("radio", name="Consumer evenings").check()
    assert len(curve.input_value().split(", ")) == 24
    counted = tmp_path / "counted.csv"
    counted.write_text("\n".join(f"2026-11-0{day} {hour}:00,{hour + 1}" for day in (1, 2) for hour in range(24)))
    page.get_by_label("A file with 24 or 168 numbers").set_input_files(counted)
    expect(page.get_by_role("radio", name="Counted")).to_be_checked()
    shares = [float(share) for share in curve.input_value().split(", ")]
    assert shares == [pytest.approx((hour + 1) / 24, abs=1e-3) for hour in range(24)]
