"""Working backwards: the largest model, the most tokens or the earliest date that a budget or one's own hardware allows.

A try asks for the head of a plan (with own hardware for all of it), the answer for all; it lies between a try that keeps the limits and
one, at most 3 % larger, that does not. Tokens follow the model's size in a ratio that the asker may change (20 per parameter: Hoffmann et
al. 2022).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from catalog.presets import find_model
from engine.answer import Option, Signed
from engine.inputs.architecture import Architecture
from engine.inputs.currency import Code
from engine.inputs.hardware import Market
from engine.inputs.spec import Confidence, Spec
from planner.estimate import estimate, first_look
from planner.frozen.snapshot import plain
from planner.presenters.currency import Currency, currency_of
from planner.presenters.degrees import Reading, readings
from planner.presenters.signed import beside
from planner.presenters.words import days, percent
from planner.request.parse import spec_from
from planner.request.quantities import compact
from planner.searches import SEARCHES

Question = Literal["model", "tokens", "date"]
TOKENS_PER_PARAMETER = 20.0
TOLERANCE = 0.03
MOST_TRIES = 16
_SMALLEST, _LARGEST = {"model": 5e7, "tokens": 1e6}, {"model": 5e12, "tokens": 1e16}
_START, _POWER = {"model": 8e9, "tokens": 1e10}, {"model": 2.0, "tokens": 1.0}
_WIDTH_PER_LAYER = 110.0
Progress = Callable[[int, str], None]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What is wanted, and within what. 0 or empty = not given."""

    question: Question
    budget_usd: float = 0.0
    currency: Code = "USD"
    """What the answer is in."""
    per_usd: float = 1.0
    """What one US dollar is in it."""
    deadline_days: float = 0.0
    accelerator: str = ""
    """Own hardware: then nothing is rented or bought."""
    count: int = 0
    model: str = ""
    tokens: float = 0.0
    ratio: float = TOKENS_PER_PARAMETER
    sequence_length: int = 4096
    confidence: float = Confidence().all
    """How surely all limits must hold together: what is less sure is no answer."""

    @property
    def budget(self) -> float:
        """The budget in the currency of the answer."""
        return self.budget_usd * self.per_usd


@dataclass(frozen=True, kw_only=True)
class Try:
    """One estimate on the way: the size that was tried, and whether it keeps every limit."""

    size: float
    keeps: bool
    cost: float | None
    days: float | None
    hardware: str
    needed: float | None = None
    """What the budget must hold for it: all that is signed and the rest of what this work pays."""
    signed: Signed = field(default_factory=Signed)
    """What is signed as a whole; `cost` holds this work's share of it."""
    degrees: tuple[Reading, ...] = ()
    """What the same work comes to at other degrees of confidence; empty where the limits are not kept."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """The answer: its sentence, the request that leads to it (None when there is none), and all tries."""

    sentence: str
    draft: dict[str, Any] | None
    tries: tuple[Try, ...]


def solve(ask: Ask, market: Market, progress: Progress) -> Found:
    """The answer to that question. SpecError when the request itself cannot be planned."""
    if ask.question == "date":
        return _earliest(ask, market, progress)
    tries: list[Try] = []
    drafts: dict[float, dict[str, Any]] = {}
    for size in _sizes(ask, tries):
        progress(min(95, 5 + 90 * len(tries) // 10), f"Trying {_size_words(ask, size)}")
        drafts[size] = draft_of(ask, size)
        tries.append(_tried(ask, drafts[size], size, market)[0])
    best = max((item for item in tries if item.keeps), key=lambda item: item.size, default=None)
    if best is None:
        return Found(sentence=_nothing(ask), draft=None, tries=tuple(tries))
    progress(96, "Looking at other degrees of confidence")
    told = _with_degrees(ask, best, drafts[best.size], market)
    return Found(
        sentence=_sentence(ask, best),
        draft=drafts[best.size],
        tries=tuple(told if item is best else item for item in tries),
    )


def _earliest(ask: Ask, market: Market, progress: Progress) -> Found:
    progress(30, "Looking for the fastest option within the limits")
    draft = draft_of(ask, ask.tokens)
    found, best = _tried(ask, draft, ask.tokens, market)
    if not found.keeps or found.days is None:
        return Found(sentence=_nothing(ask), draft=None, tries=(found,))
    told = _with_degrees(ask, found, draft, market)
    finish = f", on {best.finish.day} {best.finish:%B %Y}" if best and best.finish else ""
    after = f"{days(found.days)}{finish}, with {found.hardware}"
    sentence = f"The earliest finish is after {after}{_cost(ask, found)}{_sure(ask)}."
    return Found(sentence=sentence, draft=draft, tries=(told,))


def _sizes(ask: Ask, tries: list[Try]) -> Iterator[float]:
    """Sizes to try next, until the largest that keeps the limits is known well enough."""
    low, high, power = _SMALLEST[ask.question], _LARGEST[ask.question], _POWER[ask.question]
    size = _START[ask.question]
    for _ in range(MOST_TRIES):
        yield size
        good = max((item.size for item in tries if item.keeps), default=None)
        bad = min((item.size for item in tries if not item.keeps and item.size > (good or 0)), default=None)
        if good and bad and bad / good <= 1 + TOLERANCE:
            return
        if good and bad:
            size = math.sqrt(good * bad)
        elif (good or low) >= high or (bad or high) <= low:
            return
        else:
            size = _leap(ask, tries[-1], power)
        size = min(max(size, low), high)


def _leap(ask: Ask, last: Try, power: float) -> float:
    """Where the limit would be met if cost and time grew as a power of the size, a little beyond it."""
    loads = [
        value / limit for value, limit in ((last.needed, ask.budget), (last.days, ask.deadline_days)) if value and limit
    ]
    if not loads:
        return last.size * (8 if last.keeps else 1 / 8)
    factor = math.pow(max(loads), -1 / power)
    return last.size * (max(factor * 1.03, 1.1) if last.keeps else min(factor * 0.97, 0.9))


def _tried(ask: Ask, draft: Mapping[str, Any], size: float, market: Market) -> tuple[Try, Option | None]:
    option, feasible = _option(ask, spec_of(draft), market)
    return (
        Try(
            size=size,
            keeps=feasible and option is not None and option.keeps_limits,
            cost=option.cost.total.expected if option else None,
            days=option.days.expected if option else None,
            hardware=f"{option.count} × {option.accelerator_name}" if option else "",
            needed=option.cost.cash_needed or option.cost.total.expected if option else None,
            signed=option.cost.signed if option else Signed(),
        ),
        option,
    )


def _option(ask: Ask, spec: Spec, market: Market) -> tuple[Option | None, bool]:
    """The recommended option, of which the head of a plan says enough; with own hardware only, the best that uses nothing else, for which
    all options are asked. And whether anything is feasible at all."""
    if not ask.accelerator:
        best = first_look(spec, market, known=SEARCHES).best
        return best, best is not None
    found = estimate(spec, market, known=SEARCHES).recommendation
    options = ((found.recommended,) if found.recommended else ()) + found.alternatives
    return next((option for option in options if option.kind == "owned"), None), found.feasible


def _with_degrees(ask: Ask, found: Try, draft: Mapping[str, Any], market: Market) -> Try:
    """The answer with the slider of its plan; without where another option than the recommended one is the answer."""
    plan = estimate(spec_of(draft), market, known=SEARCHES)
    best = plan.recommendation.recommended
    if best is None or (ask.accelerator and best.kind != "owned"):
        return found
    return replace(found, degrees=tuple(readings(plan, currency_of(plan))))


def spec_of(draft: Mapping[str, Any]) -> Spec:
    """The spec of such a draft. SpecError lists its faults."""
    return spec_from(draft, text=True)


def draft_of(ask: Ask, size: float) -> dict[str, Any]:
    """The request that tries that size: parameters for a model, tokens otherwise."""
    model: Any = ask.model
    tokens = size
    if ask.question == "model":
        shape = dense(size)
        model, tokens = _plain_model(shape), ask.ratio * shape.parameters
    limits: dict[str, Any] = {}
    if ask.budget_usd:
        limits["budget_usd"] = ask.budget_usd
    if ask.deadline_days:
        limits["deadline_days"] = ask.deadline_days
    draft: dict[str, Any] = {
        "name": _name(ask, size),
        "workload": "training",
        "model": model,
        "training": {"tokens": tokens, "sequence_length": ask.sequence_length},
        "constraints": limits,
        "confidence": ask.confidence,
        "currency": ask.currency,
        "objective": "time" if ask.question == "date" or ask.accelerator else "cost",
    }
    if ask.accelerator:
        limits |= {"accelerators": [ask.accelerator], "max_accelerators": ask.count}
        draft["owned"] = [{"accelerator": ask.accelerator, "count": ask.count}]
    return draft


def _plain_model(shape: Architecture) -> dict[str, Any]:
    """The architecture field by field, without what is at its default."""
    bare = plain(Architecture(slug="", name="", family=""))
    return {key: value for key, value in plain(shape).items() if value != bare[key] or key in ("slug", "family")}


def dense(parameters: float) -> Architecture:
    """A dense decoder of about that size in the proportions of Llama 3: heads of 128, 8 key-value heads, FFN 3.5 × width."""
    base = find_model("llama-3.1-8b")
    step = 1024 if parameters > 5e9 else 256
    width = max(step, round((parameters * _WIDTH_PER_LAYER / 13) ** (1 / 3) / step) * step)
    tied = parameters < 4e9
    vocab = base.vocab if parameters > 1e9 else 32_000  # a large vocabulary would be most of a small model
    embedding = vocab * width * (1 if tied else 2)
    layers = max(4, 4 * round((parameters - embedding) / (13 * width**2) / 4))
    heads = width // 128
    shape = replace(
        base,
        layers=layers,
        hidden=width,
        heads=heads,
        kv_heads=math.gcd(8, heads),
        ffn=width * 7 // 2,
        vocab=vocab,
        tied=tied,
        published_parameters=0,
        source="proportions of Llama 3",
        source_date="",
    )
    words = f"{compact(shape.parameters)}".replace(" ", "")
    return replace(shape, slug=f"dense-{words.lower()}", name=f"Dense model, {words}")


def _name(ask: Ask, size: float) -> str:
    limit = f"{ask.currency} {ask.budget:,.0f}" if ask.budget_usd else f"{ask.count} × {ask.accelerator}"
    words = {"model": "Largest model", "tokens": "Most tokens", "date": "Earliest date"}[ask.question]
    return f"{words} for {limit}"


def _size_words(ask: Ask, size: float) -> str:
    return f"{compact(size)} {'parameters' if ask.question == 'model' else 'tokens'}"


def _sentence(ask: Ask, best: Try) -> str:
    size = dense(best.size).parameters if ask.question == "model" else best.size
    subject = {"model": "The largest model has about", "tokens": "You get about"}[ask.question]
    more = f", trained on {compact(ask.ratio * size)} tokens" if ask.question == "model" else ""
    time = f" in {days(best.days)}" if best.days else ""
    return f"{subject} {_size_words(ask, size)}{more}{time}, with {best.hardware}{_cost(ask, best)}{_sure(ask)}."


def _sure(ask: Ask) -> str:
    return f", {percent(ask.confidence)} sure"


def _cost(ask: Ask, found: Try) -> str:
    words = beside(found.signed, Currency(code=ask.currency, per_usd=ask.per_usd))
    return f", for {ask.currency} {found.cost:,.0f}{words}" if found.cost else ""


def _nothing(ask: Ask) -> str:
    what = {"model": "model", "tokens": "amount of tokens", "date": "option"}[ask.question]
    sure = percent(ask.confidence)
    return f"No {what} keeps these limits {sure} sure: raise the budget, allow more time or more hardware, or be less sure."


def as_json(found: Found) -> dict[str, Any]:
    """What is stored of an answer; the degrees of the largest try that keeps the limits, which is the answer."""
    tries = [asdict(item) for item in found.tries]
    degrees = {item["size"]: item.pop("degrees") for item in tries}
    best = max((item["size"] for item in tries if item["keeps"]), default=0.0)
    return {"sentence": found.sentence, "draft": found.draft, "tries": tries, "degrees": degrees.get(best, ())}
