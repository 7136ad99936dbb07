"""Plans that tests of pages and documents start from: requests in ``asked``, the engine's answers in ``stored``.

``make plans`` (``python -m tests.plans``) answers every request anew. Nobody types an answer: what pages and documents are
tested on has the shape that the engine gives. Figures may be older than the engine, so that a better estimate breaks no test of
a page; ``test_shape.py`` fails when fields, kinds of values or requests are.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from engine.inputs.hardware import Market
from engine.inputs.spec import Spec
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, body_of, canonical, thaw
from planner.request.parse import spec_from
from planner.request.yaml_file import load_yaml

ASKED = Path(__file__).parent / "asked"
STORED = Path(__file__).parent / "stored"
NAMES = tuple(sorted(path.stem for path in ASKED.glob("*.yaml")))


def asked(name: str, market: Market) -> Spec:
    """The request of that name, asked on the day of the catalog."""
    text = (ASKED / f"{name}.yaml").read_text(encoding="utf-8")
    return spec_from({"as_of": market.release_date} | load_yaml(text), text=True, rates=market.fx_usd)


def answered(name: str, market: Market) -> Plan:
    """What the engine says to it now."""
    return estimate(asked(name, market), market)


@cache
def stored_text(name: str) -> str:
    """What the engine said when the plans were last made: the canonical JSON of the plan."""
    return canonical(json.loads((STORED / f"{name}.json").read_text(encoding="utf-8")))


@cache
def stored(name: str) -> Plan:
    """The same, read."""
    return thaw(stored_text(name))


def store(name: str, plan: Plan) -> None:
    """Writes the plan one value a line, so that a difference shows what moved."""
    text = json.dumps(json.loads(body_of(plan)), indent=1, sort_keys=True, ensure_ascii=False)
    (STORED / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _sold() -> str:
    best = stored("training").recommendation.recommended
    assert best is not None
    return best.id


SOLD = _sold()
"""Id of the option that the stored plan of a training run recommends."""
