"""Takes a picture of every screen in light, dark and on a phone, from a database of its own.

    python -m tests.pictures            into docs/images/screens
    python -m tests.pictures FOLDER     elsewhere; more words name the screens that are wanted

Needs Chromium. Database and files are made anew in a folder that is gone afterwards.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from tests.pictures.team_site import ROOT, chromium, running, screens, visit

SIZES = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 780}, "color_scheme": "light", "is_mobile": True},
}
TALLEST = 2000
"""Pixels of a page that a picture shows at most."""
WIDEST = 800
"""Pixels of a picture that is kept."""


def main(words: list[str]) -> None:
    """Takes the pictures that were asked for."""
    target = Path(words[0]) if words else ROOT / "docs" / "images" / "screens"
    target.mkdir(parents=True, exist_ok=True)
    with running() as (base, ids):
        take(base, ids, target, words[1:])


def take(base: str, ids: dict[str, Any], target: Path, only: list[str]) -> None:
    """A picture of each screen in each size."""
    from playwright.sync_api import sync_playwright

    from tests.browser.support import log_in, session_of

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for size, options in SIZES.items():
            context = browser.new_context(**options, reduced_motion="reduce")
            log_in(context, session_of(ids["alice"], base))
            page = context.new_page()
            for name, address in screens(ids):
                if only and name not in only:
                    continue
                visit(page, base + address)
                if name.startswith("request"):
                    page.locator("#live .figure").first.wait_for()
                page.wait_for_timeout(250)
                tall = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
                width = options["viewport"]["width"]
                clip = {"x": 0, "y": 0, "width": width, "height": tall}
                _save(page.screenshot(full_page=True, clip=clip), target / f"{name}-{size}.webp")
            context.close()
        browser.close()


def _save(picture: bytes, path: Path) -> None:
    """Small enough to be kept: at most 800 pixels wide."""
    from PIL import Image

    image = Image.open(BytesIO(picture)).convert("RGB")
    if image.width > WIDEST:
        image = image.resize((WIDEST, round(image.height * WIDEST / image.width)), Image.Resampling.LANCZOS)
    image.save(path, quality=80, method=6)


if __name__ == "__main__":
    main(sys.argv[1:])
