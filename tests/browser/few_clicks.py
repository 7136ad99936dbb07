"""The two shortest ways to a plan, gone as a person goes them: each step counted and timed.

``python -m tests.browser.few_clicks`` goes them on an installation of its own that nobody has used; the tests go the same on theirs.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Page, expect, sync_playwright

EXAMPLE = "Llama 3.1 70B on 15 B tokens"
CONFIG = json.dumps(
    {
        "architectures": ["Olmo2ForCausalLM"], "model_type": "olmo2", "hidden_size": 5120, "intermediate_size": 13824,
        "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 40, "vocab_size": 100352,
        "max_position_embeddings": 4096, "tie_word_embeddings": False, "torch_dtype": "float32",
    },
    indent=2,
)  # fmt: skip
"""A model that no preset has."""


@dataclass
class Walk:
    """What was done and what it took until the page had answered."""

    page: Page
    steps: list[tuple[str, float]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    """Every click and every input into a field, as the pages saw them happen."""

    def __post_init__(self) -> None:
        self.page.expose_function("seenHere", lambda kind: self.seen.append(kind))
        self.page.add_init_script(
            "for (const kind of ['click', 'input'])"
            " addEventListener(kind, event => event.isTrusted && window.seenHere(`${kind} ${event.target.name || ''}`), true)"
        )

    @property
    def done(self) -> int:
        """Clicks, and fields that were filled, as the pages saw them: a field tells of each line that is pasted."""
        clicks = [one for one in self.seen if one.startswith("click")]
        return len(clicks) + len({one for one in self.seen if one.startswith("input")})

    def step(self, what: str, do: Callable[[], None], seen: Callable[[], None]) -> None:
        """One thing that a person does, and what they then wait for."""
        began = time.perf_counter()
        do()
        seen()
        self.steps.append((what, time.perf_counter() - began))

    def told(self) -> str:
        """In one line."""
        return f"{len(self.steps)} steps: " + ", ".join(f"{what} {seconds:.1f} s" for what, seconds in self.steps)


def _number_stands(page: Page) -> None:
    expect(page.locator("#live .figure__value").first).to_be_visible()


def _plan_stands(page: Page) -> None:
    expect(page.locator(".asked__signs")).to_be_visible()
    expect(page.locator("#choice")).to_be_visible()


def first_plan(page: Page, address: str) -> Walk:
    """From the start page to a whole plan by a filled example. The start page's link is a button for who is not signed in."""
    walk = Walk(page)
    page.goto(address)
    link = page.locator("a, button").filter(has_text=EXAMPLE).first
    walk.step("a filled example", link.click, lambda: _number_stands(page))
    whole = page.get_by_role("button", name="See the whole plan").first
    walk.step("the whole plan", whole.click, lambda: _plan_stands(page))
    return walk


def from_config(page: Page, address: str) -> Walk:
    """From the start page to a whole plan of a model that is pasted."""
    walk = Walk(page)
    page.goto(address)
    empty, config = page.locator("#start-train ~ ul").get_by_text("Start with an empty form"), page.locator("#f-config")
    walk.step("an empty form", empty.click, lambda: expect(page.locator("#workload")).to_be_visible())
    walk.step("open the fold", page.get_by_text("or paste a config.json").click, lambda: expect(config).to_be_visible())
    read = page.get_by_text("40 layers")
    walk.step("paste the config", lambda: config.fill(CONFIG), lambda: expect(read.first).to_be_visible())
    tokens = page.get_by_label("Training tokens", exact=True)
    walk.step("type the tokens", lambda: tokens.fill("20B"), lambda: _number_stands(page))
    whole = page.get_by_role("button", name="See the whole plan").first
    walk.step("the whole plan", whole.click, lambda: _plan_stands(page))
    return walk


def main() -> int:
    """Goes both ways once, in a browser each, on a fresh installation."""
    import django

    django.setup()
    from lab.crowd.server import running

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    expect.set_options(timeout=30_000)
    with running(8768) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, way in (("first plan", first_plan), ("from a config", from_config)):
            walk = way(browser.new_page(viewport={"width": 1280, "height": 900}), f"http://localhost:{server.port}/")
            print(f"{name}: {walk.told()}")  # noqa: T201 - a command
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
