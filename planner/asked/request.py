"""What was asked for, in sentences: the work in its own units, what is promised, the load, the limits, what is owned."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.accelerator_names import accelerator_names
from engine.answer import ModelSummary
from engine.inputs.spec import BudgetBasis, Constraints, Serving, Spec, Training
from planner.asked.approval import batch_of, covered_months
from planner.asked.besides import besides
from planner.asked.things import things
from planner.asked.voice import Voice
from planner.names import provider_name
from planner.snapshot import Plan

_OPEN = Constraints()
_MOST = 4
"""Names in one sentence; the request in full has them all."""


def request_text(plan: Plan, voice: Voice) -> str:
    """A few sentences: what is to be done, within which limits, from when."""
    spec, model = plan.spec, plan.recommendation.model
    if spec.training is not None and spec.workload == "training":
        work = [_training(spec.training, model, voice)]
    else:
        work = list(_serving(spec.serving, model, voice)) if spec.serving else []
    limits = "; ".join([*_limits(plan, voice), *_around(plan, voice)])
    told = [*work, voice.tr("Limits: {limits}.", limits=limits)]
    more = list(besides(spec, plan.recommendation.currency, voice))
    return " ".join([*told, voice.tr("Set as well: {more}.", more=_listed(more, voice))] if more else told)


def _training(asked: Training, model: ModelSummary, voice: Voice) -> str:
    name, work = voice.name(model.name), _amount(asked, model, voice)
    match asked.method:
        case "pretrain":
            text = voice.tr("Pre-train {model} on {work}", model=name, work=work)
        case "continue":
            text = voice.tr("Continue the pre-training of {model} on {work}", model=name, work=work)
        case "finetune":
            text = voice.tr("Fine-tune all weights of {model} on {work}", model=name, work=work)
        case "lora":
            text = voice.tr(
                "Fine-tune {model} with LoRA of rank {rank} on {work}", model=name, rank=asked.lora_rank, work=work
            )
        case "qlora":
            text = voice.tr(
                "Fine-tune {model} with QLoRA of rank {rank} on {work}", model=name, rank=asked.lora_rank, work=work
            )
    text += _steps(asked, model, voice)
    if asked.runs > 1:
        text += voice.tr(", {runs} times", runs=voice.number(asked.runs))
    if asked.experiment_overhead:
        text += voice.tr(", with {share} on top for experiments", share=voice.percent(asked.experiment_overhead))
    return f"{text}."


def _amount(asked: Training, model: ModelSummary, voice: Voice) -> str:
    """How much of what, in the model's own unit, and how long each piece is where pieces have a length."""
    tokens = model.counts == "token"
    if asked.tokens:
        text = voice.tr("{count} tokens", count=voice.scaled(asked.tokens))
        length = voice.tr("in sequences of {length}", length=voice.number(asked.sequence_length))
        return f"{text} {length}" if tokens else text
    text = things("sample" if tokens else model.counts, voice, asked.samples)
    if asked.epochs != 1:
        text += voice.tr(", each seen {epochs} times", epochs=voice.number(asked.epochs))
    if not tokens:
        return text
    return text + voice.tr(", of {length} tokens each at most", length=voice.number(asked.sequence_length))


def _steps(asked: Training, model: ModelSummary, voice: Voice) -> str:
    """How much one optimizer step takes, where that was set."""
    if asked.global_batch_tokens:
        return voice.tr(", {count} tokens a step", count=voice.scaled(asked.global_batch_tokens))
    if asked.global_batch_size:
        pieces = things("sample" if model.counts == "token" else model.counts, voice, asked.global_batch_size)
        return voice.tr(", {pieces} a step", pieces=pieces)
    return ""


def _serving(asked: Serving, model: ModelSummary, voice: Voice) -> Iterator[str]:
    name, tokens = voice.name(model.name), model.counts == "token"
    batch = asked.batch if not asked.requests_per_s else None
    count = batch.requests if batch else asked.requests_per_s
    work = things(model.counts, voice, count)
    lengths = ""
    if tokens:
        lengths = voice.tr(
            ", on average {input} tokens in and {output} out",
            input=voice.number(asked.input_tokens),
            output=voice.number(asked.output_tokens),
        )
    if batch:
        hours = voice.days(batch.deadline_hours / 24)
        yield voice.tr("Work off {work} with {model} within {time}", work=work, model=name, time=hours) + f"{lengths}."
        return
    yield voice.tr("Serve {model} at {work} a second at the peak", model=name, work=work) + f"{lengths}."
    yield _promise(asked, voice, tokens=tokens)
    yield _load(asked, voice)


def _promise(asked: Serving, voice: Voice, *, tokens: bool) -> str:
    first, each = voice.number(asked.ttft_p95_ms), voice.number(asked.tpot_p95_ms)
    if not tokens and asked.ttft_p95_ms:
        return voice.tr("Promised to 95 of 100: an answer within {limit}\u00a0ms.", limit=first)
    if asked.ttft_p95_ms and asked.tpot_p95_ms:
        return voice.tr(
            "Promised to 95 of 100: the first token within {first}\u00a0ms, each further one within {each}\u00a0ms.",
            first=first,
            each=each,
        )
    if asked.ttft_p95_ms:
        return voice.tr("Promised to 95 of 100: the first token within {first}\u00a0ms.", first=first)
    if asked.tpot_p95_ms and tokens:
        return voice.tr("Promised to 95 of 100: each further token within {each}\u00a0ms.", each=each)
    return voice.tr("No latency is promised.")


def _load(asked: Serving, voice: Voice) -> str:
    curve = asked.load_curve
    if not curve or min(curve) == max(curve):
        return voice.tr("The load is the same at all hours.")
    return voice.tr(
        "Over the day the load falls to {least} of the peak and is {mean} of it on average.",
        least=voice.percent(min(curve)),
        mean=voice.percent(sum(curve) / len(curve)),
    )


def _limits(plan: Plan, voice: Voice) -> list[str]:
    """The limits, time and money first."""
    limits = plan.spec.constraints
    found = []
    if limits.deadline_days:
        found.append(voice.tr("within {days}", days=voice.days(limits.deadline_days)))
    elif plan.spec.training:
        found.append(voice.tr("no deadline"))
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
    elif spec.serving and not batch_of(spec) and plan.recommendation.recommended:
        count = covered_months(spec, plan.recommendation.recommended)
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
