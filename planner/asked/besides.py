"""What a request sets besides its work and its limits: nothing that was typed is left unsaid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.inputs.cover import covered_by
from engine.inputs.currency import Currency
from engine.inputs.spec import AIR_GAPPED, ApiPrice, Confidence, FixedLayout, Operations, Serving, Spec, Training
from planner.asked.kinds import WORK
from planner.asked.taxes import rates_text
from planner.asked.voice import Voice
from planner.frozen.snapshot import plain
from planner.names import provider_name
from planner.request.fields import choice_label, form_for, is_name
from planner.request.quantities import show_quantity

_SAID = frozenset(
    (
        "method", "tokens", "samples", "epochs", "sequence_length", "lora_rank", "runs", "experiment_overhead",
        "global_batch_tokens", "global_batch_size",
        "requests_per_s", "input_tokens", "output_tokens", "ttft_p95_ms", "tpot_p95_ms", "load_curve", "batch", "api_price",
    )
)  # fmt: skip
"""Fields of the work that its own sentences tell, and what has words of its own below."""
RULES = {"gdpr": "GDPR", "hipaa": "HIPAA", "sso": "SSO", "export-control": "export control"}
"""Rules that a request names in small letters, as they are written in a sentence."""


def besides(spec: Spec, money: Currency, voice: Voice) -> Iterator[str]:
    """Each thing that is set otherwise than it is by itself, the rules to be kept first."""
    yield from _rules(spec.operations, voice)
    yield from _order(spec, voice)
    yield from _rows(spec, money, voice)
    if spec.taxes and (rates := rates_text(spec.taxes, voice)):
        yield rates
    if price := WORK[spec.kind].api_price(spec):
        yield _api(price, money, voice)
    for part, path in ((spec.training, "training"), (spec.serving, "serving"), (spec.fixed, "fixed")):
        yield from _fields(part, path, voice)
    if spec.constraints.framework != "any":
        yield voice.tr("with {framework}", framework=choice_label(spec.constraints.framework))


def _is_air_gapped(rule: str) -> bool:
    return rule.strip().lower() == AIR_GAPPED


def _rules(asked: Operations, voice: Voice) -> Iterator[str]:
    usual = Operations()
    if any(_is_air_gapped(rule) for rule in asked.security):
        yield voice.tr("air-gapped")
    if rules := [RULES.get(rule, rule) for rule in asked.security if not _is_air_gapped(rule)]:
        yield voice.tr("under {rules}", rules=voice.name(", ".join(rules)))
    if asked.availability != usual.availability:
        yield voice.tr("available {share} of the time", share=f"{voice.number(asked.availability * 100)}%")
    if asked.pattern == "auto":
        yield voice.tr("how its replicas stand by is chosen by the plan")
    elif asked.pattern != usual.pattern:
        yield voice.tr("stands by: {pattern}", pattern=_inside(choice_label(asked.pattern)))
    if asked.keep_capacity:
        yield voice.tr("capacity kept at night")
    if asked.hours != usual.hours:
        yield _covered(asked, voice)
    if asked.on_call:
        yield voice.tr("somebody on call")
    if asked.operator == "platform":
        yield voice.tr("operated by a platform team")
    if asked.operator == "vendor":
        yield voice.tr("operated by a vendor")
    if asked.scheduler != usual.scheduler:
        yield voice.tr("scheduler {name}", name=choice_label(asked.scheduler))


def _covered(asked: Operations, voice: Voice) -> str:
    """In which hours somebody answers, and who."""
    tr, own = voice.tr, covered_by(asked) == "own"
    if asked.hours == "office":
        return tr("its own staff answers in office hours") if own else tr("a managed service answers in office hours")
    return tr("its own staff answers around the clock") if own else tr("a managed service answers around the clock")


def _order(spec: Spec, voice: Voice) -> Iterator[str]:
    match spec.objective:
        case "time":
            yield voice.tr("ranked by time instead of cost")
        case "balanced":
            yield voice.tr("ranked by cost and time together")
        case "carbon":
            yield voice.tr("ranked by emissions instead of cost")
    asked, usual = spec.confidence, Confidence()
    if asked.all != usual.all:
        yield voice.tr("all limits kept with {share} probability", share=voice.percent(asked.all))
    if asked.memory != usual.memory:
        yield voice.tr("fitting into memory with {share} probability", share=voice.percent(asked.memory))
    if spec.utilisation and not spec.horizon_months:
        yield voice.tr("bought hardware in use {share} of the time", share=voice.percent(spec.utilisation))


def _rows(spec: Spec, money: Currency, voice: Voice) -> Iterator[str]:
    if spec.agreed:
        yield voice.trn("{count} agreed price", "{count} agreed prices", len(spec.agreed))
    if spec.discounts:
        yield voice.trn("{count} agreed discount", "{count} agreed discounts", len(spec.discounts))
    for one in spec.spend_commitments:
        yield voice.tr(
            "a commitment with {provider} of which {left} remain until {day}",
            provider=voice.name(provider_name(one.provider)),
            left=voice.amount(money.of(one.left_usd)),
            day=voice.day(one.until),
        )
    if spec.leases:
        yield voice.trn("{count} kind of leased servers", "{count} kinds of leased servers", len(spec.leases))
    if spec.measured:
        yield voice.trn("{count} own measurement", "{count} own measurements", len(spec.measured))
    if spec.assumptions:
        yield voice.trn("{count} changed assumption", "{count} changed assumptions", len(spec.assumptions))


def _api(price: ApiPrice, money: Currency, voice: Voice) -> str:
    return voice.tr(
        "compared with a hosted API that asks {input} for a million tokens in and {output} for a million out",
        input=voice.amount(money.of(price.usd_per_million_input)),
        output=voice.amount(money.of(price.usd_per_million_output)),
    )


def _fields(part: Training | Serving | FixedLayout | None, path: str, voice: Voice) -> Iterator[str]:
    """The rest by the names that the form gives it."""
    if part is None:
        return
    usual, labels = dict(_flat(plain(type(part)()), path)), form_for(Spec)
    for key, value in _flat(plain(part), path):
        if value is not None and usual.get(key) != value:
            field = labels[key]
            unit = "" if field.unit in field.label.lower() else field.unit
            yield f"{_inside(field.label)} {_value(value, unit, voice)}"


def _inside(label: str) -> str:
    """The label as it stands inside a sentence; names such as ZeRO keep their capitals."""
    first = label.split()[0]
    return label[:1].lower() + label[1:] if first == "A" or first[1:].islower() else label


def _flat(value: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        if key in _SAID:
            continue
        if isinstance(item, Mapping):
            yield from _flat(item, f"{path}.{key}")
        else:
            yield f"{path}.{key}", item


def _value(value: float | str, unit: str, voice: Voice) -> str:
    if isinstance(value, str):
        return choice_label(value) if is_name(value) else _inside(choice_label(value))
    if unit.startswith("byte"):
        return show_quantity(value, "byte")
    one = unit.removesuffix("s") if value == 1 and len(unit) > 2 else unit
    return f"{voice.scaled(value) if abs(value) >= 1e6 else voice.number(value)} {one}".strip()
