"""How quickly every screen stands and answers on a throttled laptop: the three figures by which browsers judge a page.

    python -m tests.pictures.vitals            every screen
    python -m tests.pictures.vitals plan start some of them

Largest paint (LCP), what moves while one reads (CLS), and the longest answer to a click or a letter (INP), in Chromium with a
processor four times slower, a line of 10 Mbit/s and 40 ms (the line of Lighthouse's desktop rounds, the processor of its phone).
Green is what web.dev calls good: 2.5 s, 0.1, 200 ms. Ends with 1 where a screen is not green. The server stands on the same machine.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from tests.pictures.team_site import chromium, running, screens, visit

SLOWER = 4
LINE = {"offline": False, "latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
GREEN = {"lcp_ms": 2500.0, "cls": 0.1, "inp_ms": 200.0}
_WATCH = """
window.__seen = {lcp: 0, cls: 0, inp: 0};
new PerformanceObserver(list => list.getEntries().forEach(e => { window.__seen.lcp = e.startTime; }))
  .observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) window.__seen.cls += e.value; }))
  .observe({type: "layout-shift", buffered: true});
new PerformanceObserver(list => list.getEntries().forEach(e => {
  if (e.interactionId) window.__seen.inp = Math.max(window.__seen.inp, e.duration);
})).observe({type: "event", buffered: true, durationThreshold: 16});
"""
_TRIES = 3
"""Things on a screen that are clicked or typed into."""


@dataclass(frozen=True, kw_only=True)
class Vitals:
    """What was seen of one screen."""

    lcp_ms: float
    cls: float
    inp_ms: float
    """0 where nothing could be clicked or took less than a frame."""
    sent_kb: float
    """Bytes of the page and all that it loads."""

    @property
    def red(self) -> list[str]:
        """Which of the three are not green."""
        return [name for name, most in GREEN.items() if getattr(self, name) > most]


def main(only: list[str]) -> int:
    """Prints a line for each screen; 1 where one is not green."""
    from playwright.sync_api import sync_playwright

    red = 0
    with running() as (base, ids), sync_playwright() as tools:
        from tests.browser.support import log_in, session_of  # knows models, so Django must stand

        browser = tools.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        wanted = [(name, address) for name, address in screens(ids) if not only or name in only]
        _say(f"{'screen':<16}{'LCP ms':>8}{'CLS':>8}{'INP ms':>8}{'kB':>8}")
        for name, address in wanted:
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            log_in(context, session_of(ids["alice"], base))
            found = _measured(context, base + address)
            red += bool(found.red)
            figures = f"{found.lcp_ms:>8.0f}{found.cls:>8.3f}{found.inp_ms:>8.0f}{found.sent_kb:>8.0f}"
            _say(f"{name:<16}{figures}  {' '.join(found.red)}")
            context.close()
        browser.close()
    return int(red > 0)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _measured(context: Any, address: str) -> Vitals:
    page = context.new_page()
    visit(page, address)  # what a process reads once is no part of what a person waits for
    page.close()
    page = context.new_page()
    wire = context.new_cdp_session(page)
    sent = [0.0]
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda event: sent.__setitem__(0, sent[0] + event["encodedDataLength"]))
    wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
    wire.send("Network.emulateNetworkConditions", LINE)
    wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.add_init_script(_WATCH)
    visit(page, address)
    page.wait_for_timeout(1500)
    painted = page.evaluate("({...window.__seen})")
    _touched(page)
    seen = page.evaluate("({...window.__seen})")
    page.close()
    return Vitals(lcp_ms=painted["lcp"], cls=painted["cls"], inp_ms=seen["inp"], sent_kb=sent[0] / 1e3)


def _touched(page: Any) -> None:
    """Opens what is closed, and types into the first fields, as a person does."""
    for mark in ("main summary:visible", "main input[type=text]:visible, main input[type=search]:visible"):
        every = page.locator(mark)
        for at in range(min(every.count(), _TRIES)):
            one = every.nth(at)
            one.scroll_into_view_if_needed(timeout=3000)
            one.click(timeout=3000)
            if mark.startswith("main input"):
                one.press_sequentially("12")
            page.wait_for_timeout(400)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
