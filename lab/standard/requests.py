"""The standard requests, read as the command line reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from engine.inputs.hardware import Market
from engine.inputs.spec import Spec
from planner.request.parse import spec_from
from planner.request.yaml_file import load_yaml

FILE = Path(__file__).parents[1] / "data" / "standard_requests.yaml"


@dataclass(frozen=True, kw_only=True)
class Standard:
    """One of them: its name tells cards, way to buy and kind of work."""

    name: str
    spec: Spec


def standards(market: Market, *, as_of: date, only: str = "") -> list[Standard]:
    """All of them, or those whose name holds `only`. SpecError when one cannot be read."""
    told = load_yaml(FILE.read_text(encoding="utf-8"))
    return [
        Standard(name=name, spec=replace(spec_from(body, text=True, rates=market.fx_usd), as_of=as_of))
        for name, body in _bodies(told)
        if only in name
    ]


def _bodies(told: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in told["requests"]:
        for kind in row["kinds"]:
            name = f"{kind}/{row['way']}/{'+'.join(row['cards']) or 'any'}"
            yield (
                name,
                {
                    **told["kinds"][kind],
                    "name": name.replace("/", ", "),
                    "constraints": {"accelerators": row["cards"], **told["ways"][row["way"]]},
                },
            )
