"""What a rule of advice may look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.answer import Advice, Option, ServingResult
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Sum, Value, finding
from engine.inputs.hardware import Device
from engine.inputs.kind import Kind, PerKind
from engine.inputs.spec import Serving, Spec, Training


@dataclass(frozen=True, kw_only=True)
class Case:
    """One spec and the option that is recommended for it. Amounts are US dollars."""

    spec: Spec
    option: Option
    device: Device
    assume: Assumptions

    @property
    def training(self) -> Training:
        """Of a run only."""
        assert self.spec.training is not None
        return self.spec.training

    @property
    def serving(self) -> Serving:
        """Of a service or a batch only."""
        assert self.spec.serving is not None
        return self.spec.serving

    @property
    def served(self) -> ServingResult:
        """What comes of it, likewise."""
        assert self.option.serving is not None
        return self.option.serving

    @property
    def kind(self) -> Kind:
        """The kind of work."""
        return self.spec.kind

    @property
    def spot(self) -> bool:
        """Does the option run on capacity that may be taken away?"""
        return self.option.offer is not None and self.option.offer.option == "spot"

    def held(self, *lines: str) -> tuple[Finding, ...]:
        """What those lines of the cost model come to, in a month of a service; nothing where there are none."""
        amounts = {line.name: line.amount for line in self.option.cost.model.lines}
        months = next((item.value for item in self.option.cost.model.inputs if item.name == "months"), 0.0)
        total = sum(amounts.get(name, 0.0) for name in lines)
        return _HELD[self.kind](total, months) if total else ()

    @property
    def rules(self) -> frozenset[str]:
        """The security rules of the spec, in lower case."""
        return self.spec.rules


def _by_month(total: float, months: float) -> tuple[Finding, ...]:
    return (finding("advice.held.monthly", cost=Sum(total / months)),) if months else ()


_HELD: Final[PerKind[Callable[[float, float], tuple[Finding, ...]]]] = {
    "run": _by_month,
    "service": _by_month,
    "batch": lambda total, _months: (finding("advice.held", cost=Sum(total)),),
}


def advice(rule: str, topic: str, *also: Finding, why: str = "", **values: Value) -> Advice:
    """One piece of advice: the choice and its reason share their values; `why` tells reasons of one rule apart; what is
    to be said besides comes after the reason."""
    reason = f"advice.{rule}.why.{why}" if why else f"advice.{rule}.why"
    return Advice(
        rule=rule, topic=topic, choice=Finding(f"advice.{rule}", values), reason=(Finding(reason, values), *also)
    )
