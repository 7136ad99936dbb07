"""A11: names that there are not, by the thousand: each is refused, and the nearest known one is looked up for few."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from engine.defaults import assumptions_for
from engine.inputs.finding import Typed
from engine.inputs.spec import MOST_HINTS, Spec, SpecError, Training
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import MOST_ENTRIES, MOST_FAULTS, spec_from
from tests.api.support import TRAINING, Api, petra

__all__ = ["petra"]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that were compared with all that there are, which takes milliseconds for each."""
    names: list[str] = []
    compare = difflib.get_close_matches

    def counted(name: str, *given: Any, **said: Any) -> list[str]:
        names.append(name)
        return compare(name, *given, **said)

    monkeypatch.setattr(difflib, "get_close_matches", counted)
    return names


def test_names_of_the_market(compared: list[str]) -> None:
    names = [f"h100-sxm{number}x" for number in range(100)]
    limits = {"accelerators": names, "providers": names, "regions": names}
    agreed = [{"item": f"aws/p5.48xlarge/us-east-{number}x/on_demand", "usd": 5} for number in range(50)]
    spec = spec_from(TRAINING | {"constraints": limits, "agreed": agreed})
    with pytest.raises(SpecError) as caught:
        estimate(spec, market_from_files())
    assert len(caught.value.faults) == 350
    assert len(compared) == 4 * MOST_HINTS
    found = caught.value.faults
    assert found[0].values["near"] == Typed("h100-sxm5, h200-sxm, h800-sxm5")
    assert {fault.code for fault in found[MOST_HINTS:100]} == {"unknown.not_in_catalog"}


def test_names_of_assumptions(compared: list[str]) -> None:
    many = {f"reliability.mtbf{number}": 1.0 for number in range(10_000)}
    spec = Spec(name="x", workload="training", model="llama-3.1-8b", training=Training(tokens=1e9), assumptions=many)
    with pytest.raises(SpecError) as caught:
        assumptions_for(spec)
    assert len(caught.value.faults) == 10_000
    assert len(compared) == MOST_HINTS


def test_names_of_fields(compared: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        spec_from(TRAINING | {f"trainin{number}": 1 for number in range(10_000)})
    assert len(caught.value.faults) == len(compared) == MOST_FAULTS


def test_a_list_that_is_much_too_long_is_not_read_to_its_end() -> None:
    for name in ("owned", "measured", "agreed"):
        with pytest.raises(SpecError) as caught:
            spec_from(TRAINING | {name: [{}] * 80_000}, text=True)
        assert len(caught.value.faults) < 5 * MOST_ENTRIES
    with pytest.raises(SpecError) as caught:
        spec_from(TRAINING | {"constraints": {"regions": ["x"] * 80_000}})
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [("constraints.regions", "too_long")]


@pytest.mark.django_db
def test_an_unknown_assumption_is_pointed_at_where_it_stands(petra: Api) -> None:
    """Its name holds dots, which are no levels of the body."""
    answer = petra.post("/estimates", TRAINING | {"assumptions": {"nope.x": 1}})
    assert answer.json()["errors"][0]["pointer"] == "/assumptions/nope.x"
