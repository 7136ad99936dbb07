"""What differs between the kinds of work in what planner asks and tells: one row for each kind.

A kind that is added gets its row here; whoever needs to know what a kind does asks its row and no part of the request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.answer import Estimate, ModelSummary, Money, Option, Percentiles, Recommendation, Rejection, ServingResult
from engine.inputs.finding import Finding, finding
from engine.inputs.kind import Kind, PerKind
from engine.inputs.spec import ApiPrice, Serving, Spec, Training
from engine.odds import chances
from planner.asked.things import things
from planner.asked.voice import Voice
from planner.asked.work_texts import asked_of_batch, asked_of_run, asked_of_service

Json = dict[str, Any]
Words = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Work:
    """One kind of work, told to those who approve it and read from what was answered. An option is always one of that kind."""

    blank: Spec
    """The request of that kind in which nothing is set."""
    asked: Callable[[Spec, ModelSummary, Voice], Iterator[str]]
    """The sentences that say what is to be done."""
    no_deadline: Callable[[Voice], tuple[str, ...]]
    """What is said where no deadline was set."""
    approve: Callable[[Spec, Option, Voice, Words], str]
    """The sentence that asks for money to rent it, or to use what is owned, with the words of it that are alike for all kinds."""
    awaited: Callable[[Voice, Words], str]
    """That it begins when servers come, on {day}."""
    accepted: Callable[[Voice, Words], str]
    """That it begins when servers that come on {come} are tested, on {day}."""
    share: Callable[[Spec, Option, str, Voice], str]
    """What it costs at central values."""
    covers: Callable[[Spec, Option, Voice], str]
    """“ over 12 months”, “ for 1 million requests”: what its cost covers; empty of a run, of which `goes_on` says that."""
    months: Callable[[Spec, Option], float]
    """Months that its cost covers; 0 of what ends."""

    answers: bool
    """Does it answer requests?"""
    limited: Callable[[Spec], bool]
    """Is something promised of it besides the budget?"""
    limit: Callable[[Spec], tuple[str, float]]
    """What limits its pace on the chart of all options: how that is called, and the limit [day or ms]; 0 = none."""
    pace: str
    """What cost is weighed against there."""
    axis: Callable[[str, float], tuple[float, str]]
    """By what is counted and the longest pace [day]: what a pace is multiplied by there, and the axis."""
    timed: Callable[[Option], str]
    """What the parts of its time are parts of."""
    binds: str
    """What says what limits an option: the part of a step, or what binds a replica."""
    searched: str
    """The code of how many layouts were looked at."""
    unfit: Callable[[Iterable[Rejection]], int]
    """Layouts among those left out that were looked at and are counted nowhere else."""

    duration: Callable[[Option], Estimate | None]
    """The days of a run; None of what is told by its replicas."""
    replicas: Callable[[Option], Finding | None]
    """The replicas of a service, which stand in place of days; None of what ends."""
    latencies: Callable[[Option], Mapping[str, Percentiles]]
    """Its latencies by name, `ttft` and `tpot`; an answer that comes as a whole has no further tokens."""
    promised: Callable[[Spec], tuple[tuple[str, float], ...]]
    """Latencies that may be promised at p95, each with the promise [ms]; 0 = none."""
    promise: Callable[[Option, Spec], float | None]
    """Probability that promised latencies are kept; None where none can be, or none is."""
    rate: Callable[[Option], float]
    """What one accelerator delivers, where that is what its size follows from [1/s]; else 0."""
    tokens: Callable[[Spec], float]
    """Tokens that are trained on; 0 where none are, or they follow from samples."""
    several_runs: Callable[[Spec], bool]
    """Does it hold more than the final run? Its days and money are then those of all, one after the other."""
    price: Callable[[Option], Money | None]
    """What a million of its answers, or of their tokens, cost; None of what answers nothing."""
    monthly: Callable[[Option], Money | None]
    """What it costs a month; None of what ends."""
    hosted: Callable[[Option], Finding | None]
    """How it compares with a hosted API; None where it was not compared."""
    api_price: Callable[[Spec], ApiPrice | None]
    """The price of a hosted API that does the same, where the request names one."""
    result: Callable[[Option, Callable[[ServingResult], Json]], Json]
    """What the API tells of it besides what all kinds have, the result of its replicas written by the second."""


def served(option: Option) -> ServingResult:
    """What comes of the replicas of a service or batch; a run has none, and is not asked."""
    assert option.serving is not None
    return option.serving


def _serving(spec: Spec) -> Serving:
    assert spec.serving is not None  # a request of that kind has it
    return spec.serving


def _training(spec: Spec) -> Training:
    assert spec.training is not None  # likewise
    return spec.training


def covered_months(spec: Spec, best: Option) -> float:
    """How many months the cost of a service covers."""
    held = [item.value for item in best.cost.model.inputs if item.name == "months"]
    return held[0] if held else spec.horizon_months or 1.0


def goes_on(spec: Spec, best: Option, voice: Voice) -> str:
    """What takes that time: the run, or all runs and experiments, which follow one another."""
    asked, time = _training(spec), voice.days(best.days.expected)
    if asked.runs == 1 and not asked.experiment_overhead:
        return voice.tr("a run of {days}", days=time)
    if not asked.experiment_overhead:
        return voice.tr("{count} runs, {days} in all", count=asked.runs, days=time)
    if asked.runs == 1:
        return voice.tr("a run and its experiments, {days} in all", days=time)
    return voice.tr("{count} runs and their experiments, {days} in all", count=asked.runs, days=time)


def _over_months(spec: Spec, best: Option, voice: Voice) -> str:
    count = covered_months(spec, best)
    months = voice.trn("{number} month", "{number} months", count, number=voice.number(round(count, 2)))
    return " " + voice.tr("over {months}", months=months)


def _for_requests(spec: Spec, best: Option, voice: Voice) -> str:
    assert spec.batch is not None  # a request of that kind has it
    return " " + voice.tr("for {work}", work=things(best.counts, voice, spec.batch.requests))


def _approve_run(spec: Spec, best: Option, voice: Voice, words: Words) -> str:
    work = goes_on(spec, best, voice)
    if best.kind == "owned":
        return voice.tr("Approve {cost} to use {option} {terms} for {work}, from {start}.", work=work, **words)
    return voice.tr("Approve {cost} to rent {option} {terms} for {work}, from {start}.", work=work, **words)


def _approve_replicas(spec: Spec, best: Option, voice: Voice, words: Words) -> str:
    term = WORK[spec.kind].covers(spec, best, voice)
    if best.kind == "owned":
        return voice.tr("Approve {cost}{term} to use {option} {terms}, from {start}.", term=term, **words)
    return voice.tr("Approve {cost}{term} to rent {option} {terms}, from {start}.", term=term, **words)


def _share_of_run(spec: Spec, best: Option, cost: str, voice: Voice) -> str:
    return voice.tr("At central values this work, {work}, costs {cost}", cost=cost, work=goes_on(spec, best, voice))


def _share_of_service(spec: Spec, best: Option, cost: str, voice: Voice) -> str:
    term = _over_months(spec, best, voice)
    return voice.tr("At central values this service costs {cost}{term}", cost=cost, term=term)


def _share_of_batch(spec: Spec, best: Option, cost: str, voice: Voice) -> str:
    term = _for_requests(spec, best, voice)
    return voice.tr("At central values this batch costs {cost}{term}", cost=cost, term=term)


def _work_awaited(voice: Voice, words: Words) -> str:
    return voice.tr("They are expected on {day}, when the work begins.", **words)


def _work_accepted(voice: Voice, words: Words) -> str:
    return voice.tr("They are expected on {come} and accepted on {day}, when the work begins.", **words)


def _service_awaited(voice: Voice, words: Words) -> str:
    return voice.tr("They are expected on {day}, when the service begins.", **words)


def _service_accepted(voice: Voice, words: Words) -> str:
    return voice.tr("They are expected on {come} and accepted on {day}, when the service begins.", **words)


def _axis_of_days(_counts: str, longest: float) -> tuple[float, str]:
    """Days of short runs are hours or minutes, as in the table beside it."""
    if longest >= 2:
        return 1.0, "days"
    return (24.0, "hours") if longest * 24 >= 2 else (1440.0, "minutes")


def _latencies(option: Option) -> Mapping[str, Percentiles]:
    found = served(option)
    return {"ttft": found.ttft_ms} | ({"tpot": found.tpot_ms} if option.counts == "token" else {})


def _promised(spec: Spec) -> tuple[tuple[str, float], ...]:
    asked = _serving(spec)
    return ("ttft", asked.ttft_p95_ms), ("tpot", asked.tpot_p95_ms)


def _result(option: Option, write: Callable[[ServingResult], Json]) -> Json:
    return {"mfu": None, **write(served(option))}


_RUN: Final = Work(
    blank=Spec(name="", workload="training", model="", training=Training()),
    asked=lambda spec, model, voice: asked_of_run(_training(spec), model, voice),
    no_deadline=lambda voice: (voice.tr("no deadline"),),
    approve=_approve_run,
    awaited=_work_awaited,
    accepted=_work_accepted,
    share=_share_of_run,
    covers=lambda _spec, _best, _voice: "",
    months=lambda _spec, _best: 0.0,
    answers=False,
    limited=lambda spec: bool(spec.due_days),
    limit=lambda spec: ("deadline", spec.due_days),
    pace="pace",
    axis=_axis_of_days,
    timed=lambda _option: "step",
    binds="time",
    searched="searched.timed",
    unfit=lambda rejected: sum(item.count for item in rejected if item.code == "memory"),
    duration=lambda option: option.days,
    replicas=lambda _option: None,
    latencies=lambda _option: {},
    promised=lambda _spec: (),
    promise=lambda _option, _spec: None,
    rate=lambda _option: 0.0,
    tokens=lambda spec: _training(spec).tokens,
    several_runs=lambda spec: _training(spec).runs > 1 or _training(spec).experiment_overhead > 0,
    price=lambda _option: None,
    monthly=lambda _option: None,
    hosted=lambda _option: None,
    api_price=lambda _spec: None,
    result=lambda _option, _write: {},
)
_SERVICE: Final = Work(
    blank=Spec(name="", workload="serving", model="", serving=Serving()),
    asked=lambda spec, model, voice: asked_of_service(_serving(spec), model, voice),
    no_deadline=lambda _voice: (),
    approve=_approve_replicas,
    awaited=_service_awaited,
    accepted=_service_accepted,
    share=_share_of_service,
    covers=_over_months,
    months=covered_months,
    answers=True,
    limited=lambda _spec: True,
    limit=lambda spec: ("promise", _serving(spec).ttft_p95_ms),
    pace="latency",
    axis=lambda counts, _longest: (1.0, "to_first" if counts == "token" else "to_answer"),
    timed=lambda option: "time_to_first" if option.counts == "token" else "time_to_answer",
    binds="bound",
    searched="searched.computed",
    unfit=lambda _rejected: 0,
    duration=lambda _option: None,
    replicas=lambda option: finding("counted.replica", count=served(option).replicas),
    latencies=_latencies,
    promised=_promised,
    promise=lambda option, spec: chances.promise_chance(served(option), spec.serving),
    rate=lambda option: served(option).output_tokens_per_s_per_gpu.expected,
    tokens=lambda _spec: 0.0,
    several_runs=lambda _spec: False,
    price=lambda option: served(option).price_per_million_output,
    monthly=lambda option: served(option).monthly,
    hosted=lambda option: served(option).api_break_even,
    api_price=lambda spec: _serving(spec).api_price,
    result=_result,
)
_BATCH: Final = replace(
    _SERVICE,
    asked=lambda spec, model, voice: asked_of_batch(_serving(spec), model, voice),
    awaited=_work_awaited,
    accepted=_work_accepted,
    share=_share_of_batch,
    covers=_for_requests,
    months=lambda _spec, _best: 0.0,
    limit=lambda spec: ("deadline", spec.due_days),
    pace="pace",
    axis=_axis_of_days,
    replicas=lambda _option: None,
    promised=lambda _spec: (),
)
WORK: Final[PerKind[Work]] = {"run": _RUN, "service": _SERVICE, "batch": _BATCH}


def whole_answers(kind: Kind, answer: Recommendation) -> bool:
    """Does an answer come as a whole, so that it has no first token?"""
    return WORK[kind].answers and answer.model.counts != "token"
