"""What was asked for, in sentences: the work in its own units, what is promised, the load, the limits, what is owned."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.accelerator_names import accelerator_names
from catalog.providers import certificate_name
from engine.inputs.finding import Ref
from engine.inputs.spec import BudgetBasis, Constraints, Spec
from planner.asked.besides import besides
from planner.asked.kinds import WORK
from planner.asked.voice import Voice
from planner.frozen.snapshot import Plan
from planner.names import provider_name

_OPEN = Constraints()
_MOST = 4
"""Names in one sentence; the request in full has them all."""


def request_text(plan: Plan, voice: Voice) -> str:
    """A few sentences: what is to be done, within which limits, from when."""
    spec = plan.spec
    work = WORK[spec.kind].asked(spec, plan.recommendation.model, voice)
    limits = "; ".join([*_limits(plan, voice), *_around(plan, voice)])
    told = [*work, voice.tr("Limits: {limits}.", limits=limits)]
    more = list(besides(spec, plan.recommendation.currency, voice))
    return " ".join([*told, voice.tr("Set as well: {more}.", more=_listed(more, voice))] if more else told)


def _limits(plan: Plan, voice: Voice) -> list[str]:
    """The limits, time and money first."""
    limits = plan.spec.constraints
    found = []
    if limits.deadline_days:
        found.append(voice.tr("within {days}", days=voice.days(limits.deadline_days)))
    else:
        found += WORK[plan.spec.kind].no_deadline(voice)
    budget = voice.amount(plan.recommendation.currency.of(limits.budget_usd)) if limits.budget_usd else ""
    found.append(_held(limits.budget_basis, budget, voice))
    return [*found, *_where(plan, voice), *_terms(plan.spec, voice)]


def _held(basis: BudgetBasis, budget: str, voice: Voice) -> str:
    """The budget, and what it holds where that is not all that is signed."""
    if basis == "cash":
        return voice.tr("for at most {budget} in cash", budget=budget) if budget else voice.tr("no budget of cash")
    if basis == "allocated" and budget:
        return voice.tr("for at most {budget} of the cost that this work carries", budget=budget)
    if basis == "allocated":
        return voice.tr("no budget for the cost that this work carries")
    return voice.tr("for at most {budget}", budget=budget) if budget else voice.tr("no budget")


def _where(plan: Plan, voice: Voice) -> Iterator[str]:
    limits = plan.spec.constraints
    match limits.residency:
        case "us":
            yield voice.tr("data in the United States only")
        case "eu":
            yield voice.tr("data in the European Union only")
        case "uk":
            yield voice.tr("data in the United Kingdom only")
        case "ca":
            yield voice.tr("data in Canada only")
        case "apac":
            yield voice.tr("data in Asia and the Pacific only")
    if limits.certificates:
        names = [voice.name(certificate_name(slug)) for slug in limits.certificates]
        yield voice.tr("only from providers known to hold {certificates}", certificates=_listed(names, voice))
    if limits.attested:
        yield voice.tr(
            "where {shown} counts as shown to the team",
            shown=_listed([voice.name(one) for one in limits.attested], voice),
        )
    if plan.spec.site.country:
        yield voice.tr("own hardware in {country}", country=voice.thing(Ref("country", plan.spec.site.country)))
    if limits.providers:
        names = [voice.name(provider_name(name)) for name in limits.providers]
        yield voice.tr("only from {providers}", providers=_listed(names, voice))
    if limits.regions:
        yield voice.tr("only in {regions}", regions=_listed([voice.name(name) for name in limits.regions], voice))
    if limits.accelerators:
        yield voice.tr(
            "only on {accelerators}", accelerators=_listed(_accelerators(plan, voice, limits.accelerators), voice)
        )
    if limits.max_accelerators != _OPEN.max_accelerators:
        most = limits.max_accelerators
        yield voice.trn("at most {count} accelerator", "at most {count} accelerators", most, count=voice.number(most))


def _terms(spec: Spec, voice: Voice) -> Iterator[str]:
    limits = spec.constraints
    if spec.air_gapped:
        yield voice.tr("nothing may be rented")
    elif limits.spot and limits.commitments:
        yield voice.tr("spot and commitments allowed")
    elif limits.spot:
        yield voice.tr("spot allowed, commitments not")
    elif limits.commitments:
        yield voice.tr("commitments allowed, spot not")
    else:
        yield voice.tr("neither spot nor commitments")
    if limits.custom_kernels:
        yield voice.tr("custom CUDA kernels must run")


def _around(plan: Plan, voice: Voice) -> Iterator[str]:
    """What is owned, how long demand goes on, when it starts, and when it was asked."""
    spec = plan.spec
    if spec.owned:
        rows = [
            f"{voice.number(item.count)} × {_accelerators(plan, voice, (item.accelerator,))[0]}" for item in spec.owned
        ]
        yield voice.tr("{hardware} owned already", hardware=_listed(rows, voice))
    if spec.horizon_months:
        yield _demand(spec, voice)
    elif (best := plan.recommendation.recommended) and (count := WORK[spec.kind].months(spec, best)):
        months = voice.trn("{number} month", "{number} months", count, number=voice.number(count))
        yield voice.tr("demand for {months} assumed", months=months)
    if spec.start:
        yield voice.tr("start on {day}", day=voice.day(spec.start))
    yield voice.tr("asked on {day}", day=voice.day(plan.as_of))


def _demand(spec: Spec, voice: Voice) -> str:
    months = voice.trn(
        "{number} month", "{number} months", spec.horizon_months, number=voice.number(spec.horizon_months)
    )
    if not spec.utilisation:
        return voice.tr("demand for {months}", months=months)
    share = voice.percent(spec.utilisation)
    return voice.tr("demand for {months}, hardware in use {share} of the time", months=months, share=share)


def _accelerators(plan: Plan, voice: Voice, slugs: tuple[str, ...]) -> list[str]:
    """Those accelerators by the names that the plan's options give them, else our catalog; a team's own of which there is
    no option by what its slug says."""
    answer = plan.recommendation
    options = ((answer.recommended,) if answer.recommended else ()) + answer.alternatives
    known = {option.accelerator: option.accelerator_name for option in options}
    return [
        voice.name(known.get(slug) or accelerator_names().get(slug) or slug.replace("-", " ").upper()) for slug in slugs
    ]


def _listed(names: list[str], voice: Voice) -> str:
    """The first few of them, and how many more."""
    more = len(names) - _MOST
    text = ", ".join(names[:_MOST])
    return text + voice.tr(" and {count} more", count=more) if more > 0 else text
