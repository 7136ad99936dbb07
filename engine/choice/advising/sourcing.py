"""Whether to rent, commit, buy or mix: when to use which."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Advice
from engine.choice.advising.facts import Case, advice
from engine.inputs.names import counted, days_words

_REGULATED = {"hipaa", "air-gapped", "export-control"}
_FRONTIER = 1024
_VARIABLE = 1.5
"""Peak over mean load from which an autoscaled service beats a fixed one."""
_FREQUENT_RUNS = 5
_STEADY_MONTHS = 6.0
_TOPIC = "Rent or buy"
_HOW = "How to rent"
_DELIVERY = "Delivery"


def sourcing_advice(case: Case) -> Iterator[Advice]:
    """Advice on the way to obtain the accelerators."""
    yield from _regulated(case)
    yield from _ownership(case)
    yield from _pattern(case)
    if case.option.kind == "on_prem":
        bridge = next((line.amount for line in case.option.cost.model.lines if line.name == "bridge"), 0.0)
        held = (
            f"the total holds {case.currency.whole(bridge)} for the rental until then"
            if bridge
            else f"{_no_rental(case)}, so the work begins when they are there"
        )
        yield advice(
            "source.lead-time",
            _DELIVERY,
            "Order now and rent until delivery" if bridge else "Order now and begin at delivery",
            f"Servers take 3–6 months, new power 12–36 months; {held}.",
        )


def _no_rental(case: Case) -> str:
    return "nothing may be rented meanwhile" if case.spec.air_gapped else "no rental of this accelerator is known"


def _regulated(case: Case) -> Iterator[Advice]:
    rules = sorted(case.rules & _REGULATED)
    if rules:
        yield advice(
            "source.regulated",
            "Where the data may be",
            "Own hardware" if case.spec.air_gapped else "Own hardware, or one locked region",
            f"{', '.join(rules)} restricts who may process the data.",
        )


def _ownership(case: Case) -> Iterator[Advice]:
    """One verdict, that of the recommendation; what speaks for the other is its reason."""
    point, horizon = case.option.cost.break_even, case.spec.horizon_months
    if case.option.kind == "on_prem":
        yield advice(
            "source.buy",
            _TOPIC,
            f"Buy, for a demand of {horizon:g} months" if horizon else "Buy",
            "Of the options that keep the limits and may be had in time, this ranks first with servers that are bought.",
        )
    elif point is None:
        return
    elif not horizon:
        yield advice("source.no-horizon", _TOPIC, "Rent", point.sentence)
    elif point.owning_pays:
        yield advice("source.quote", _TOPIC, "Rent now, and ask for a quote of servers", point.sentence)
    else:
        yield advice("source.rent", _TOPIC, "Rent", point.sentence)


def _pattern(case: Case) -> Iterator[Advice]:
    """How to rent what the plan rents, in the terms that it recommends."""
    offer, count, days = case.option.offer, case.option.count, case.option.days.expected
    runs = case.training.runs if case.training else 1
    if offer is None:
        return
    if offer.term_months:
        yield advice(
            "source.committed",
            _HOW,
            f"A commitment of {offer.term_months:g} months",
            "All of it is paid, used or not: sign for demand that is sure, and ask what an earlier end costs.",
        )
    elif case.spot:
        yield advice(
            "source.spot",
            _HOW,
            "Spot, with another offer in reserve",
            f"{counted(count, 'accelerator')} for {days_words(days)} may not be there at the listed "
            "price on the day: ask for capacity in several regions, and keep the next alternative ready.",
        )
    elif case.serving is not None:
        yield from _service_pattern(case)
    elif count >= _FRONTIER:
        yield advice(
            "source.frontier",
            _HOW,
            "A dedicated, contracted cluster",
            f"{count:,} accelerators in one fabric are not found on demand: reserve them with a test period.",
        )
    elif runs >= _FREQUENT_RUNS or case.spec.horizon_months >= _STEADY_MONTHS:
        yield advice(
            "source.frequent",
            _HOW,
            "On demand now; ask for a commitment",
            f"{'One run' if runs == 1 else f'{runs:,} runs'} now and demand for {case.spec.horizon_months:g} months: "
            "a commitment pays once it is used for more than 1 minus its discount of the hours; academic teams should ask public "
            "clusters first.",
        )
    elif case.training and case.training.method in ("finetune", "lora", "qlora"):
        yield advice(
            "source.one-off",
            _HOW,
            "On demand, or a managed fine-tuning service",
            "One short run binds no capacity beyond it.",
        )
    else:
        yield advice(
            "source.occasional",
            _HOW,
            "On demand or a capacity block",
            f"{counted(count, 'accelerator')} for {counted(max(days, 1.0), 'day')}: reserve the dates, not the year.",
        )


def _service_pattern(case: Case) -> Iterator[Advice]:
    curve = case.serving.load_curve if case.serving else ()
    mean = sum(curve) / len(curve) if curve else 1.0
    if mean and max(curve, default=1.0) / mean >= _VARIABLE:
        yield advice(
            "source.variable-load",
            _HOW,
            "On demand with the load; commit later to what the night needs",
            f"The peak is {max(curve) / mean:.1f} times the mean load, so capacity fixed at the peak would stand idle.",
        )
    elif not (case.serving and case.serving.batch):
        yield advice(
            "source.steady-load",
            _HOW,
            "On demand first; commit when the load is proven",
            "A flat load around the clock uses a commitment fully; first months on demand show whether it is so.",
        )
