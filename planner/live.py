"""From a draft to its plan while somebody waits: the pages' way into parse → estimate, and the names they offer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from accounts.models import Team
from catalog.kept import Kept
from catalog.presets import architectures
from catalog.store import NoCatalog
from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Fact, Market
from engine.inputs.spec import Spec
from planner.amounts import USD, currency_in, is_amount, with_agreed
from planner.drafts import CONFIG, Draft, typed_from
from planner.estimate import estimate, first_look
from planner.forms import Choices, Field
from planner.market import market_from_files, market_from_rows
from planner.parse import spec_from
from planner.presenters.currency import Currency, currency_for, since
from planner.presenters.glance import GlanceView, present_glance
from planner.presenters.trail import Facts
from planner.quantities import QuantityError, parse_quantity, rounded, show_quantity
from planner.request_day import on_its_day
from planner.searches import SEARCHES
from planner.snapshot import Plan, canonical, plain


def plan_for(draft: Mapping[str, Any], team: Team) -> Plan:
    """The frozen plan for that draft on the team's current market. SpecError lists every fault."""
    market = market_of(team)
    return _plan_on(market, _read(draft, market))


def read(draft: Mapping[str, Any], team: Team) -> Spec:
    """That draft in numbers, its amounts of money at the rates of the team's market. SpecError lists every fault."""
    return _read(draft, market_of(team))


def _read(draft: Mapping[str, Any], market: Market) -> Spec:
    return spec_from(named(draft), text=True, rates=market.fx_usd)


def rates_typed(draft: Mapping[str, Any], market: Market) -> list[str]:
    """“1 EUR = 1.1555 USD, rate of 10 Aug 2026” for each currency of an amount that the plan is not shown in."""
    rates, shown = with_agreed(market.fx_usd, draft), draft.get("currency") or USD
    typed = {currency_in(text) for path, text in typed_from(draft).items() if is_amount(path)}
    return [
        f"1 {code} = {rounded(rates[code][0], 5)} USD, {since(rates[code][1])}"
        for code in sorted(typed - {shown})
        if code in rates and code != USD
    ]


def glance_for(draft: Mapping[str, Any], market: Market, *, settle: bool) -> GlanceView:
    """The live panel for that draft on that market; see `first_look`. SpecError lists every fault."""
    spec = _read(draft, market)
    return present_glance(spec, first_look(spec, market, settle=settle, known=SEARCHES), market)


def plan_of(spec: Spec, team: Team) -> Plan:
    """The frozen plan for that spec on the team's current market. SpecError when it names what the market lacks."""
    return _plan_on(market_of(team), spec)


def _plan_on(market: Market, spec: Spec) -> Plan:
    dated = on_its_day(spec)
    key = f"{canonical(plain(dated))} {market.release}"
    return _recent.of(key, lambda: estimate(dated, market, known=SEARCHES))


_recent: Kept[Plan] = Kept(64)
"""The last plans of this process: the form, its answer and saving it ask for the same one."""


def market_of(team: Team) -> Market:
    """The team's current market; the public one of the program's own files while no release is loaded."""
    try:
        return market_from_rows(team)
    except NoCatalog:
        return market_from_files()


def team_money(team: Team) -> Currency:
    """What a team reads money in, at the rate of its current catalog; the dollar asks for no catalog."""
    return Currency() if team.currency == "USD" else currency_for(team.currency, market_of(team))


def facts_of(plan: Plan, team: Team) -> Facts:
    """The catalog's values behind a plan, by what they are about; none when another release is loaded by now."""
    market = market_of(team)
    if market.release != plan.recommendation.catalog_release:
        return {}
    return _facts.of(market.release, lambda: _by_subject(market.facts))


_facts: Kept[Facts] = Kept(8)


def _by_subject(facts: Iterable[Fact]) -> Facts:
    grouped: dict[str, list[Fact]] = {}
    for fact in facts:
        grouped.setdefault(".".join(fact.id.split(".")[:2]), []).append(fact)
    return grouped


def named(draft: Mapping[str, Any]) -> Draft:
    """The draft with a name that says what it is, where none was typed."""
    return {**draft, "name": str(draft.get("name") or "").strip() or suggested_name(draft)}


def suggested_name(draft: Mapping[str, Any]) -> str:
    """“llama-3.1-70b, 15 B tokens”: the model and the amount of work."""
    model = draft.get("model", "")
    if isinstance(model, Mapping):
        model = model.get("name") or model.get("_name_or_path") or model.get("model_type") or "own model"
    work = _work(draft)
    return f"{str(model)[:80] or 'Workload'}{f', {work}' if work else ''}"


def _work(draft: Mapping[str, Any]) -> str:
    for part, key, unit in (
        ("training", "tokens", "token"),
        ("training", "samples", "sample"),
        ("serving", "requests_per_s", "request/s"),
    ):
        typed = draft.get(part, {})
        value = typed.get(key) if isinstance(typed, Mapping) else None
        try:
            return show_quantity(parse_quantity(str(value), unit), unit) if value else ""
        except QuantityError:
            continue
    return ""


def model_field(typed: Mapping[str, str], error: str = "") -> Field:
    """The choice of a model: presets by family, and the pasted config."""
    return Field(
        path="model",
        label="Model",
        widget="select",
        choices=[("", [("", "Pick a model"), (CONFIG, "Pasted config.json")]), *model_choices()],
        value=typed.get("model", ""),
        error=error,
    )


_FAMILIES = {
    "bert": "BERT", "bloom": "BLOOM", "clip": "CLIP", "coatnet": "CoAtNet", "convnext": "ConvNeXt", "deepseek": "DeepSeek",
    "densenet": "DenseNet", "dit": "DiT", "dlrm": "DLRM", "efficientdet": "EfficientDet", "efficientnet": "EfficientNet",
    "glm": "GLM", "gpt": "GPT", "gpt-oss": "gpt-oss", "internlm": "InternLM", "mask-rcnn": "Mask R-CNN", "maxvit": "MaxViT",
    "minimax": "MiniMax", "mobilenet": "MobileNet", "mpt": "MPT", "qwen2": "Qwen 2", "qwen2.5": "Qwen 2.5",
    "qwen3": "Qwen 3", "qwen3-moe": "Qwen 3 MoE", "regnet": "RegNet", "resnet": "ResNet", "retinanet": "RetinaNet",
    "ssd": "SSD", "u-net": "U-Net", "unet": "U-Net", "vgg": "VGG", "vit": "ViT",
}  # fmt: skip


@cache
def model_choices() -> Choices:
    """All presets as (family, [(slug, name)]), families and names in order."""
    families: dict[str, list[tuple[str, str]]] = {}
    for slug, model in architectures().items():
        family = _FAMILIES.get(model.family, model.family.replace("-", " ").title())
        families.setdefault(family, []).append((slug, _with_size(model)))
    return [
        (family, sorted(found, key=lambda item: item[1].lower()))
        for family, found in sorted(families.items(), key=lambda item: item[0].lower())
    ]


_SIZE = re.compile(r"\d\s?[BMT]\b")


def _with_size(model: Architecture) -> str:
    """“DiT-XL/2, 675 M”: the name, and the size where the name does not say it."""
    return model.name if _SIZE.search(model.name) else f"{model.name}, {show_quantity(model.parameters, '')}".strip()
