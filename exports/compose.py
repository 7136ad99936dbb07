"""What a plan says, in which order: from a frozen plan to the one document that all writers print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import get_args

from engine.answer import Option
from engine.inputs.kind import PerKind
from exports.brand import in_use
from exports.composing.book import workbook
from exports.composing.changes import Earlier, since
from exports.composing.context import Context, Release, currency_of, shown_in, state_text
from exports.composing.cost import cost
from exports.composing.decision import decision
from exports.composing.design import design
from exports.composing.evidence import evidence, glossary
from exports.composing.options import options
from exports.composing.proportion import behind, left_out
from exports.composing.risks import operations, risks
from exports.composing.service import service
from exports.composing.slides import slides
from exports.composing.sourcing import sourcing
from exports.document import Decision, Document, Section, State
from exports.numbers import long_date
from exports.text import clean_text, file_name, texts
from exports.wording import mark, spoken, tr
from planner.asked import Issue
from planner.frozen.snapshot import Plan
from planner.levers.weighed import Weighed
from planner.levers.weighed import shown_in as weighed_in

AUTHOR = "Sextant"


def compose(
    plan: Plan,
    *,
    state: State = "draft",
    release: Release | None = None,
    previous: Earlier | None = None,
    issue: Issue | None = None,
    weighed: Weighed | None = None,
    sheets: bool = True,
) -> Document:
    """The whole document of that plan, feasible or not. `release` adds version, person and date to the state;
    `previous` is the version before it, whose differences make a chapter; `issue` names who stands behind it; `weighed` is what could
    cost less, where that was weighed. `sheets` are what only the workbook prints: its list prices every option there is."""
    asked, plan = plan, shown_in(plan, in_use().rate)
    if weighed and plan is not asked:
        weighed = weighed_in(weighed, plan.recommendation.currency)
    if previous:
        previous = replace(previous, plan=shown_in(previous.plan, in_use().rate))
    context = Context(
        plan=plan,
        release=release or Release(state=state),
        money=currency_of(plan),
        issue=issue or Issue(),
        weighed=weighed,
    )
    return _document(context, previous, sheets=sheets)


def _document(context: Context, previous: Earlier | None, *, sheets: bool) -> Document:
    plan = context.plan
    page_one = decision(context)
    kind = tr(_TITLES[context.kind])
    words = state_text(context.release)
    sections = _sections(context, page_one, previous)
    without = left_out(context, sections)
    return Document(
        title=context.name,
        subtitle=tr("{kind} for {model}, {date}", kind=kind, model=context.model, date=long_date(context.issued)),
        plan_hash=plan.sha256,
        short_hash=plan.short_hash,
        state=context.release.state,
        state_text=words,
        feasible=context.best is not None,
        language=spoken().language or in_use().writes.language,
        currency=context.money.code,
        created=context.issued,
        author=AUTHOR,
        subject=tr("{kind} for {model}", kind=kind, model=context.model),
        keywords=(kind.lower(), context.model, clean_text(plan.recommendation.model.slug, 60), plan.short_hash),
        footer=_footer(plan, words if context.release.version else words.lower()),
        file_stem=file_name(plan.name, plan.short_hash),
        decision=page_one,
        sections=sections,
        behind=behind(context, page_one.further, tuple(one for one in sections if one.id in without)),
        left_out=without,
        slides=slides(context, page_one),
        sheets=workbook(context) if sheets else None,
    )


def _footer(plan: Plan, state: str) -> str:
    """The brand's own words, the plan, its state and its hash."""
    parts = (clean_text(in_use().footer, 60), clean_text(plan.name, 60), state, plan.short_hash)
    return " · ".join(part for part in parts if part)


def state_of(text: str) -> State:
    """That word as a state. KeyError when it is none."""
    states: dict[str, State] = {state: state for state in get_args(State)}
    return states[text]


def _sections(context: Context, page_one: Decision, previous: Earlier | None) -> tuple[Section, ...]:
    """The chapters in order; a refusal has no design and no cost."""
    best = context.best
    found: list[Section | None] = [options(context)]
    if best:
        technical = _CHAPTERS[context.kind](context, best)
        found += [cost(context, best), sourcing(context), technical, risks(context, best)]
    found += [operations(context), evidence(context), since(context, previous)]
    chapters = [section for section in found if section]
    words = glossary(context, " ".join(texts((page_one, tuple(chapters)))))
    return (*chapters, words) if words else tuple(chapters)


def _served(context: Context, best: Option) -> Section:
    assert best.serving is not None  # of a service or a batch
    return service(context, best, best.serving)


_TITLES: PerKind[str] = {"run": mark("Training plan"), "service": mark("Serving plan"), "batch": mark("Serving plan")}
_CHAPTERS: PerKind[Callable[[Context, Option], Section]] = {"run": design, "service": _served, "batch": _served}
"""The technical chapter of each kind of work."""
