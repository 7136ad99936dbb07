"""What a user has: every page, operation of the API, command, part of a document and field of a request, by its stable name.

`docs/inventory.md` holds the list as it was before the house was rebuilt. Nothing on it may be lost; what is new may be added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from django.core.management import get_commands
from django.urls import URLPattern, URLResolver, get_resolver
from openpyxl import load_workbook

from engine.inputs.spec import Spec
from exports.compose import compose
from exports.formats import FORMATS
from exports.render import render
from lab.gallery.requests import requests
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.fields import form_for

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/inventory.md"
_ROOMS = {
    "accounts",
    "catalog",
    "config",
    "exports",
    "incoming",
    "jobs",
    "lab",
    "outgoing",
    "planner",
    "rest",
    "webhooks",
}
_METHODS = {"get", "post", "put", "patch", "delete"}
_TOLD = ("buy-forty-runs", "serve-assistant-office-hours", "serve-hosted-api", "refused-budget", "train-moe-deepseek")
"""Requests whose documents hold between them every part that a document can have."""


def inventory() -> dict[str, list[str]]:
    """Names by kind."""
    return {
        "Pages": sorted(set(_routes(get_resolver().url_patterns, ""))),
        "API operations": sorted(_operations()),
        "Commands": sorted(name for name, room in get_commands().items() if room in _ROOMS),
        "Fields of a request": sorted(form_for(Spec)),
        "Parts of documents": sorted(set(_parts())),
    }


def listed() -> dict[str, list[str]]:
    """The list that is kept, by kind."""
    found: dict[str, list[str]] = {}
    kind = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line[3:]
        elif line.startswith("- `"):
            found.setdefault(kind, []).append(line[3:].partition("`")[0])
    return found


def written(names: Mapping[str, list[str]]) -> str:
    """The list as a page."""
    head = (
        "# Inventory\n\nWhat a user has, written by `manage.py inventory --write` before the house was rebuilt. A test holds that "
        "nothing on this list is lost;\nit is written anew only when something is added, or taken away on purpose.\n"
    )
    parts = [f"\n## {kind}\n\n" + "".join(f"- `{name}`\n" for name in rows) for kind, rows in names.items()]
    return head + "".join(parts)


def _routes(patterns: list[Any], before: str) -> Iterator[str]:
    for item in patterns:
        path = f"{before}{item.pattern}"
        if isinstance(item, URLResolver):
            yield from _routes(item.url_patterns, path)
        elif isinstance(item, URLPattern) and not path.startswith("api/v1/"):
            yield f"/{path}"


def _operations() -> Iterator[str]:
    schema = json.loads((ROOT / "docs/openapi.json").read_text(encoding="utf-8"))
    for path, operations in schema["paths"].items():
        yield from (f"{method.upper()} {path}" for method in operations if method in _METHODS)


def _parts() -> Iterator[str]:
    """Sections and slides by id, sheets of the workbook by name."""
    market = market_from_files()
    for request in (one for one in requests(market) if one.name in _TOLD):
        plan = estimate(request.spec, market)
        document = compose(plan)
        yield from (f"section {section.id}" for section in document.sections)
        yield from (f"slide {slide.id}" for slide in document.slides)
        yield from (f"sheet {name}" for name in load_workbook(BytesIO(render(plan, "xlsx")), read_only=True).sheetnames)
    yield from (f"format {name}" for name in FORMATS)
