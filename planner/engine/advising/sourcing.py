"""Whether to rent, commit, buy or mix: when to use which."""

from __future__ import annotations

from collections.abc import Iterator

from planner.engine.advising.facts import Case, advice
from planner.engine.result import Advice

_REGULATED = {"hipaa", "air-gapped", "export-control"}
_FRONTIER = 1024
_VARIABLE = 1.5
"""Peak over mean load from which an autoscaled service beats a fixed one."""
_FREQUENT_RUNS = 5
_STEADY_MONTHS = 6.0
_TOPIC = "Rent or buy"


def sourcing_advice(case: Case) -> Iterator[Advice]:
    """Advice on the way to obtain the accelerators."""
    yield from _regulated(case)
    yield from _ownership(case)
    yield from _pattern(case)
    if case.option.kind == "on_prem":
        bridge = next((line.amount for line in case.option.cost.model.lines if line.name == "bridge"), 0.0)
        held = (
            f"the total holds {bridge:,.0f} USD for this work's share of the rental until then"
            if bridge
            else "no rental of this accelerator is known, so the work begins when they are there"
        )
        yield advice(
            "source.lead-time",
            _TOPIC,
            "Order now and rent until delivery" if bridge else "Order now and begin at delivery",
            f"Servers take 3–6 months, new power 12–36 months; {held}.",
        )


def _regulated(case: Case) -> Iterator[Advice]:
    rules = sorted(case.rules & _REGULATED)
    if rules:
        yield advice(
            "source.regulated",
            _TOPIC,
            "Own hardware, or one locked region",
            f"{', '.join(rules)} restricts who may process the data.",
        )


def _ownership(case: Case) -> Iterator[Advice]:
    point, horizon = case.option.cost.break_even, case.spec.horizon_months
    if point is None:
        return
    used = point.expected_utilisation
    if not horizon:
        yield advice(
            "source.no-horizon",
            _TOPIC,
            "Rent",
            f"No demand beyond this work is stated, and one job does not pay for hardware. {point.sentence}",
        )
    elif point.utilisation is None or used < point.utilisation * 0.8:
        yield advice("source.rent", _TOPIC, "Rent", point.sentence)
    elif used < point.utilisation * 1.2:
        yield advice(
            "source.hybrid",
            _TOPIC,
            "Mix: own the base load, rent the peaks",
            f"The expected use of {used:.0%} is near the break-even. {point.sentence}",
        )
    else:
        yield advice("source.buy", _TOPIC, f"Consider buying for a horizon of {horizon:g} months", point.sentence)


def _pattern(case: Case) -> Iterator[Advice]:
    if case.option.kind != "cloud":
        return
    if case.serving is not None:
        yield from _service_pattern(case)
        return
    runs = case.training.runs if case.training else 1
    if case.option.count >= _FRONTIER:
        yield advice(
            "source.frontier",
            _TOPIC,
            "A dedicated, contracted cluster",
            f"{case.option.count:,} accelerators in one fabric are not found on demand: reserve them with a "
            "test period.",
        )
    elif runs >= _FREQUENT_RUNS or case.spec.horizon_months >= _STEADY_MONTHS:
        yield advice(
            "source.frequent",
            _TOPIC,
            "Reserved capacity",
            f"{'One run' if runs == 1 else f'{runs:,} runs'} now and demand for {case.spec.horizon_months:g} months: "
            "a commitment pays once it is used for more than 1 minus its discount of the hours; academic teams should ask public "
            "clusters first.",
        )
    elif case.spot:
        yield advice(
            "source.spot",
            _TOPIC,
            "Spot, with another offer in reserve",
            f"{case.option.count:,} accelerators for {case.option.days.expected:,.1f} days may not be there at the listed "
            "price on the day: ask for capacity in several regions, and keep the next alternative ready.",
        )
    elif case.training and case.training.method in ("finetune", "lora", "qlora"):
        yield advice(
            "source.one-off",
            _TOPIC,
            "Spot, or a managed fine-tuning service",
            f"One run of {case.option.days.expected:,.1f} days binds no capacity beyond it.",
        )
    else:
        yield advice(
            "source.occasional",
            _TOPIC,
            "On demand or a capacity block",
            f"{case.option.count:,} accelerators for {case.option.days.expected:,.0f} days: reserve the "
            "dates, not the year.",
        )


def _service_pattern(case: Case) -> Iterator[Advice]:
    curve = case.serving.load_curve if case.serving else ()
    mean = sum(curve) / len(curve) if curve else 1.0
    if mean and max(curve, default=1.0) / mean >= _VARIABLE:
        yield advice(
            "source.variable-load",
            _TOPIC,
            "Commit to the night, scale the rest on demand",
            f"The peak is {max(curve) / mean:.1f} times the mean load, so fixed capacity would stand idle.",
        )
    elif not (case.serving and case.serving.batch):
        yield advice(
            "source.steady-load",
            _TOPIC,
            "Commit when the load is proven",
            "A flat load around the clock uses a commitment fully; first months on demand show whether it is so.",
        )
