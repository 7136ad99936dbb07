"""The gallery's requests, read as the command line reads them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from django.conf import settings

from engine.inputs.hardware import Market
from engine.inputs.spec import Spec
from planner.request.parse import spec_from
from planner.request.yaml_file import load_yaml

DAY = date(2026, 11, 22)
"""The day on which the gallery is asked, so that two runs of it say the same."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One file of the gallery."""

    name: str
    spec: Spec


def requests(market: Market, *, as_of: date = DAY, only: str = "") -> list[Request]:
    """All of them by name, or those whose name holds `only`. SpecError when one cannot be read."""
    files = sorted((Path(settings.BASE_DIR) / "examples/gallery").glob("*.yaml"))
    return [_read(path, market, as_of) for path in files if only in path.stem]


def _read(path: Path, market: Market, as_of: date) -> Request:
    body = {**load_yaml(path.read_text(encoding="utf-8"))}
    spec = spec_from(body, text=True, rates=market.fx_usd)
    return Request(name=path.stem, spec=replace(spec, as_of=spec.as_of or as_of))
