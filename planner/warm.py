"""What a fresh process does once, so that the first visitor does not wait for it."""

from __future__ import annotations

from django.template.loader import get_template

from engine.kinds.service import simulate
from planner.estimate import first_look
from planner.market import market_from_files
from planner.presenters import present_glance
from planner.request.parse import spec_from
from planner.searches import SEARCHES

EXAMPLES = (
    {"workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 1e9}},
    {
        "workload": "serving",
        "model": "llama-3.1-8b",
        "serving": {"requests_per_s": 1.0, "input_tokens": 500, "output_tokens": 100, "ttft_p95_ms": 2000.0},
    },
)
PAGES = (
    "accounts/login.html",
    "planner/home.html",
    "planner/form.html",
    "planner/_field.html",
    "planner/_live.html",
    "planner/answer.html",
)


def warm() -> None:
    """Reads presets, catalog and templates, compiles the simulation (seconds the first time on a machine), and answers
    one small request of each kind. No database is asked: it may not be there yet, and the process may be forked."""
    simulate.warm()
    market = market_from_files()
    for body in EXAMPLES:
        spec = spec_from({"name": "Warm-up", **body})
        for settle in (False, True):
            present_glance(spec, first_look(spec, market, settle=settle, known=SEARCHES), market)
    for page in PAGES:
        get_template(page)
