"""Technical design of a service: topology, latency, memory, scaling, price of a token."""

from __future__ import annotations

from dataclasses import replace

from charts.chart import Chart
from engine.answer import Option, Percentiles, ServingResult
from exports.composing.context import Context, figure, framework, number_cell, option_name, text_cell
from exports.composing.design import energy, memory_section, shown
from exports.composing.kinds import PRINTED
from exports.composing.latencies import latencies
from exports.composing.signed import with_drawn
from exports.composing.standing import standing_section
from exports.composing.things import ONE, PRICE, many, whole_answers
from exports.composing.words import named, told, voice
from exports.document import Block, Column, Paragraph, Section, Table
from exports.numbers import (
    band,
    exact,
    percent,
    plural,
    scaled,
    seconds,
    significant,
    spelled,
    whole,
)
from exports.text import clean_text, upper_first
from exports.wording import tr, trn
from planner.charting.work import latency, time_budget
from planner.telling import bound_by


def service(context: Context, best: Option, serving: ServingResult) -> Section:
    """The chapter for a service."""
    lead = Paragraph(text=_lead(context, serving), role="lead")
    sections = (
        _topology(context, best, serving),
        _latency(context, best, serving),
        *standing_section(context, serving),
        memory_section(best),
        _scaling(context, serving),
        _price(context, serving),
        energy(best),
    )
    return Section(id="design", title=tr("Technical design"), blocks=(lead,), sections=sections)


def _lead(context: Context, serving: ServingResult) -> str:
    load = PRINTED[context.kind].load(context)
    size = tr(
        "{model} has {parameters} parameters", model=context.model, parameters=scaled(context.answer.model.parameters)
    )
    count = upper_first(spelled(serving.replicas))
    answer = trn(
        "{count} replica answers {load}.", "{count} replicas answer {load}.", serving.replicas, count=count, load=load
    )
    return f"{size}. {answer}" if load else f"{size}."


def _topology(context: Context, best: Option, serving: ServingResult) -> Section:
    each = plural(serving.accelerators_per_replica, "accelerator")
    if serving.replicas > 1:
        each = tr("{accelerators} each", accelerators=each)
    every = max(1, best.count // max(1, serving.accelerators_per_replica))
    spare = min(serving.spare_replicas, every - 1)
    second = serving.standing.second if serving.standing else None
    if second:
        kept = " " + _second(serving.standing.second_replicas if serving.standing else 0, second.region)
    elif spare:
        kept = " " + _spare(context, spare)
    else:
        kept = " " + tr(PRINTED[context.kind].no_spare)
    form = tr(
        "{option} form {replicas} of {each}.{kept}",
        option=option_name(best),
        replicas=plural(every, "replica"),
        each=each,
        kept=kept,
    )
    text = f"{form} {_works(context, best, serving)}"
    bound = named(bound_by(best))
    more = tr(
        PRINTED[context.kind].busy,
        utilisation=percent(serving.utilisation),
        bound=bound,
    )
    return Section(id="topology", title=tr("Serving topology"), blocks=(Paragraph(text=text), Paragraph(text=more)))


def _second(replicas: int, region: str) -> str:
    return trn(
        "{count} of them stands at a second site, in {region}.",
        "{count} of them stand at a second site, in {region}.",
        replicas,
        count=upper_first(spelled(replicas)),
        region=clean_text(region, 40),
    )


def _spare(context: Context, spare: int) -> str:
    count = upper_first(spelled(spare))
    if not context.promised:
        return trn(
            "{count} of them is spare, so that the others carry the peak while one is down.",
            "{count} of them are spare, so that the others carry the peak while as many are down.",
            spare,
            count=count,
        )
    return trn(
        "{count} of them is spare, so that the promise holds while one is down.",
        "{count} of them are spare, so that the promise holds while as many are down.",
        spare,
        count=count,
    )


def _works(context: Context, best: Option, serving: ServingResult) -> str:
    """What each replica runs, and on how much at once."""
    engine, precision = framework(serving.engine), best.precision.upper()
    if whole_answers(context):
        return tr(
            "Each replica runs {engine} with weights in {precision}, and takes up to {batch} in one batch.",
            engine=engine,
            precision=precision,
            batch=plural(serving.max_batch, ONE[context.answer.model.counts]),
        )
    return tr(
        "Each replica runs {engine} with weights in {precision} and the KV cache in {kv_precision}, and works on {batch} "
        "requests at once, of {max_batch} that fit.",
        engine=engine,
        precision=precision,
        kv_precision=serving.kv_precision.upper(),
        batch=significant(serving.batch_at_peak),
        max_batch=whole(serving.max_batch),
    )


def _latency(context: Context, best: Option, serving: ServingResult) -> Section:
    told = latencies(context, best)
    rows = [row[1:] for row in told]
    if not whole_answers(context):
        rows.append((tr("Whole answer"), serving.e2e_ms, 0.0))
    method = (
        tr("Latencies are simulated request by request.")
        if serving.simulated
        else tr("Latencies are computed for the steady state, not simulated.")
    )
    table = Table(
        id="latency",
        caption=tr(PRINTED[context.kind].latency),
        columns=(
            Column(title=tr("Measure"), share=1.6),
            Column(title="p50", align="right", share=0.7),
            Column(title="p95", align="right", share=0.7),
            Column(title=tr("80% band of p95"), align="right", share=1.1),
            Column(title="p99", align="right", share=0.7),
            Column(title=tr("Promised p95"), align="right", share=0.9),
        ),
        rows=tuple(_latency_row(name, row, limit) for name, row, limit in rows),
        note=method,
    )
    charts: list[Block] = []
    for name, _, _, limit in told:
        charts += shown(figure(latency(best, name, limit, voice())))
    charts += shown(figure(_first_token(best, serving)))
    return Section(id="latency", title=tr("Latency"), blocks=(table, *charts))


def _first_token(best: Option, serving: ServingResult) -> Chart | None:
    """Where the mean time to the first token goes, with what that mean is beside the percentiles of the table."""
    chart, value = time_budget(best, voice()), serving.ttft_ms
    if chart is None:
        return None
    note = tr(
        "The mean over all requests, {mean}\u00a0ms; half of them wait {median}\u00a0ms at most.",
        mean=significant(sum(part.value for part in best.time)),
        median=significant(value.p50.expected),
    )
    return replace(chart, note=note)


def _latency_row(name: str, row: Percentiles, limit: float) -> tuple:  # type: ignore[type-arg]
    tone = "good" if limit and row.p95.expected <= limit else "bad" if limit else "plain"
    return (
        text_cell(name),
        number_cell(row.p50.expected),
        number_cell(row.p95.expected, tone=tone),  # type: ignore[arg-type]
        text_cell(band(row.p95.low, row.p95.high)),
        number_cell(row.p99.expected),
        text_cell(exact(limit) if limit else tr("none")),
    )


def _scaling(context: Context, serving: ServingResult) -> Section:
    scale = serving.autoscale
    warm = tr("A new replica answers after {time}", time=seconds(scale.warmup_s))
    if scale.min < scale.max:
        text = tr(
            "The fleet follows the load between {least} and {most} replicas, led by requests in flight per replica.",
            least=whole(scale.min),
            most=whole(scale.max),
        )
        text += " " + tr("{warm}: scale ahead of the morning rise, not after it.", warm=warm)
    else:
        text = tr(
            PRINTED[context.kind].stays,
            replicas=plural(scale.max, "replica"),
            warm=warm,
        )
    return Section(id="scaling", title=tr("Scaling"), blocks=(Paragraph(text=text),))


def _price(context: Context, serving: ServingResult) -> Section:
    money = context.money
    counts = context.answer.model.counts
    outgoing = money.price(serving.price_per_million_output.expected)
    rate = serving.output_tokens_per_s_per_gpu
    pace = {"rate": significant(rate.expected), "band": band(rate.low, rate.high)}
    if whole_answers(context):
        text = tr(
            "A million {things} cost {price}; each busy accelerator answers {rate} per second (80% band {band}).",
            things=many(counts),
            price=outgoing,
            **pace,
        )
    else:
        text = tr(
            "A million input tokens cost {incoming}, a million output tokens {outgoing}; each busy accelerator writes "
            "{rate} tokens per second (80% band {band}).",
            incoming=money.price(serving.price_per_million_input.expected),
            outgoing=outgoing,
            **pace,
        )
    if serving.monthly:
        text += " " + tr("The service costs {cost} a month.", cost=money.banded(serving.monthly))
    text += with_drawn(context, context.best) if context.best else ""
    blocks: list[Block] = [Paragraph(text=text)]
    if serving.api_break_even:
        blocks.append(Paragraph(text=told(serving.api_break_even, 300)))
    return Section(id="token-price", title=tr(PRICE[counts]), blocks=tuple(blocks))
