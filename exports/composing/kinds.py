"""What documents say of each kind of work where others say something else: one row for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.answer import Estimate, Option, ServingResult
from engine.inputs.kind import PerKind
from exports.composing.context import Context, replicas, servers
from exports.composing.things import many, whole_answers
from exports.numbers import days, exact, long_date, scaled, significant
from exports.wording import mark, tr
from planner.asked.kinds import served


@dataclass(frozen=True, kw_only=True)
class Printed:
    """One kind of work in a document."""

    speed: Callable[[Option], Estimate]
    """What options are told apart by beside their cost [day or ms]."""
    speed_text: Callable[[Option], str]
    """The same in words, on a slide."""
    speed_title: Callable[[Context], str]
    """Over the column of it, on a slide."""
    speed_column: Callable[[Context, tuple[Option, ...]], tuple[float, str]]
    """By what it is multiplied in the table of those options, and the head of its column."""
    speed_note: Callable[[Context], str]
    """What is said below that table; empty where nothing is."""
    lasting: Callable[[Option], str]
    """“ and 12 days” of a run; empty of what is told by what its cost covers."""
    result: Callable[[Option], Iterator[tuple[str, str]]]
    """Label and text of what comes of it besides the cost, in a table of changes."""

    pace: Callable[[Option, Option], str]
    """How much slower or faster one is than the recommended option; empty of what goes on."""
    takes: Callable[[Option, Option], str]
    """By how much longer it takes than the recommended one; empty where that is alike, and of what goes on."""
    begins: Callable[[float, Mapping[str, str]], str]
    """What comes of servers that are late: when it begins on {day} after {high} months instead of {value}, and the days it then takes."""

    at_peak: Callable[[Option], ServingResult | None]
    """The replicas that a peak loads; None of what has none."""
    load: Callable[[Context], str]
    """What its replicas answer."""
    no_spare: str
    """What follows of a failure where no replica is spare; the texts of replicas are empty of a run."""
    busy: str
    """How busy its replicas are, and what limits them."""
    busy_short: str
    """How busy they are, on a slide."""
    latency: str
    """Over the table of latencies."""
    latency_slide: str
    """Under the chart of them on a slide."""
    stays: str
    """How many replicas there are where that never changes."""
    hardware: Callable[[Option], str]
    """In what its hardware is counted."""
    longest: str
    """How long it takes at the pessimistic end."""
    test: str
    """How a plan is checked before its hardware is had."""
    test_there: str
    """How it is where nothing can be measured before."""
    experiments: bool
    """May experiments belong to it?"""


def _run_result(option: Option) -> Iterator[tuple[str, str]]:
    yield tr("Time to finish"), days(option.days.expected)
    if option.finish:
        yield tr("Finish"), long_date(option.finish)


def _service_result(option: Option) -> Iterator[tuple[str, str]]:
    yield tr("Replicas"), str(served(option).replicas)


def _column_of_days(_context: Context, options: tuple[Option, ...]) -> tuple[float, str]:
    """The unit in which all of them read well, the slowest included: how many make a day, and its name."""
    longest = max(option.days.expected for option in options)
    if longest >= 2:
        return 1.0, tr("Days")
    return (24.0, tr("Hours")) if longest * 24 >= 2 else (1440.0, tr("Minutes"))


def _column_of_latency(context: Context, _options: tuple[Option, ...]) -> tuple[float, str]:
    return 1.0, tr("Answer, ms") if whole_answers(context) else tr("First token, ms")


def _latency_note(context: Context) -> str:
    return tr("Answer: at p95.") if whole_answers(context) else tr("First token: at p95.")


def _latency_title(context: Context) -> str:
    return tr("Answer, p95") if whole_answers(context) else tr("First token, p95")


def _slower(other: Option, best: Option) -> str:
    gap = other.days.expected - best.days.expected
    if abs(gap) < 0.02 * best.days.expected:
        return " " + tr("at the same pace")
    span = days(abs(gap))
    return tr(", {days} slower", days=span) if gap > 0 else tr(", {days} faster", days=span)


def _takes(other: Option, best: Option) -> str:
    later = other.days.expected - best.days.expected
    if abs(later) <= 0.02 * best.days.expected:
        return ""
    span = days(abs(later))
    return " " + (tr("and takes {days} longer", days=span) if later > 0 else tr("and takes {days} less", days=span))


def _work_begins(longest: float, words: Mapping[str, str]) -> str:
    return tr(
        "After {high} months instead of {value}, the work begins on {day} and is done in {longest}.",
        longest=days(longest),
        **words,
    )


def _service_begins(_longest: float, words: Mapping[str, str]) -> str:
    return tr("After {high} months instead of {value}, the service begins on {day}.", **words)


def _answered(context: Context) -> str:
    """What is answered: requests to a language model, else what the model takes or makes."""
    return many(context.answer.model.counts) if whole_answers(context) else tr("requests")


def _peak(context: Context) -> str:
    asked = context.asked_service
    rate = tr(
        "{requests} {things} per second at the peak", requests=exact(asked.requests_per_s), things=_answered(context)
    )
    if whole_answers(context):
        return rate
    lengths = tr(
        "{input_tokens} tokens in and {output_tokens} out on average",
        input_tokens=exact(asked.input_tokens),
        output_tokens=exact(asked.output_tokens),
    )
    return tr("{rate}, with {lengths}", rate=rate, lengths=lengths)


def _job(context: Context) -> str:
    job = context.asked_batch
    return tr(
        "{requests} {things} within {hours} hours",
        requests=scaled(job.requests),
        things=_answered(context),
        hours=exact(job.deadline_hours),
    )


_MEASURE = mark("Engineering: measure one step on the real servers, and plan again with what was measured.")
_RUN: Final = Printed(
    speed=lambda option: option.days,
    speed_text=lambda option: days(option.days.expected),
    speed_title=lambda _context: tr("Time"),
    speed_column=_column_of_days,
    speed_note=lambda _context: "",
    lasting=lambda option: " " + tr("and {days}", days=days(option.days.expected)),
    result=_run_result,
    pace=_slower,
    takes=_takes,
    begins=_work_begins,
    at_peak=lambda _option: None,
    load=lambda _context: "",
    no_spare="",
    busy="",
    busy_short="",
    latency="",
    latency_slide="",
    stays="",
    hardware=servers,
    longest=mark("At the pessimistic end the run takes {longest} instead of {days}"),
    test=_MEASURE,
    test_there=_MEASURE,
    experiments=True,
)
_SERVICE: Final = Printed(
    speed=lambda option: served(option).ttft_ms.p95,
    speed_text=lambda option: f"{significant(served(option).ttft_ms.p95.expected)} ms",
    speed_title=_latency_title,
    speed_column=_column_of_latency,
    speed_note=_latency_note,
    lasting=lambda _option: "",
    result=_service_result,
    pace=lambda _other, _best: "",
    takes=lambda _other, _best: "",
    begins=_service_begins,
    at_peak=served,
    load=_peak,
    no_spare=mark("None of them is spare: a failure is felt at the peak."),
    busy=mark("At the peak the replicas are {utilisation} busy; what limits them is {bound}."),
    busy_short=mark("{share} busy at the peak"),
    latency=mark("Latency at the peak, ms"),
    latency_slide=mark("Latency at the peak."),
    stays=mark("The fleet stays at {replicas} all day. {warm}."),
    hardware=replicas,
    longest="",
    test=mark("Engineering: load-test one replica, and plan again with what was measured."),
    test_there=mark(
        "Engineering: load-test one replica once the servers are there, and plan again with what was measured."
    ),
    experiments=False,
)
_BATCH: Final = replace(
    _RUN,
    lasting=_SERVICE.lasting,
    load=_job,
    no_spare=mark("None of them is spare: a failure makes the batch end later."),
    busy=mark("The replicas are {utilisation} busy throughout; what limits them is {bound}."),
    busy_short=mark("{share} busy throughout"),
    latency=mark("Latency of single requests of the batch, ms"),
    latency_slide=mark("Latency of single requests of the batch."),
    stays=mark("The batch runs on {replicas} throughout. {warm}."),
    hardware=replicas,
    longest=mark("At the pessimistic end the batch takes {longest} instead of {days}"),
    test=_SERVICE.test,
    test_there=_SERVICE.test_there,
    experiments=False,
)
PRINTED: Final[PerKind[Printed]] = {"run": _RUN, "service": _SERVICE, "batch": _BATCH}
