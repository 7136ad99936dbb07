"""What a rule of advice may look at."""

from __future__ import annotations

from dataclasses import dataclass

from planner.engine.hardware import Device
from planner.engine.result import Advice, Option
from planner.engine.spec import Serving, Spec, Training


@dataclass(frozen=True, kw_only=True)
class Case:
    """One spec and the option that is recommended for it."""

    spec: Spec
    option: Option
    device: Device

    @property
    def training(self) -> Training | None:
        return self.spec.training

    @property
    def serving(self) -> Serving | None:
        return self.spec.serving

    @property
    def spot(self) -> bool:
        """Does the option run on capacity that may be taken away?"""
        return self.option.offer is not None and self.option.offer.option == "spot"

    @property
    def rules(self) -> frozenset[str]:
        """The security rules of the spec, in lower case."""
        return frozenset(rule.strip().lower() for rule in self.spec.operations.security)


def advice(rule: str, topic: str, choice: str, reason: str) -> Advice:
    """One piece of advice."""
    return Advice(topic=topic, choice=choice, reason=reason, rule=rule)
