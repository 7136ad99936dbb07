"""Technical design of a service: topology, latency, memory, scaling, price of a token."""

from __future__ import annotations

from exports.composing.context import Context, figure, framework, number_cell, option_name, text_cell
from exports.composing.design import BINDING, energy, lower_first, memory_section, shown
from exports.composing.words import engine_text
from exports.document import Block, Column, Paragraph, Section, Table
from exports.numbers import (
    Currency,
    band,
    exact,
    percent,
    plural,
    scaled,
    seconds,
    significant,
    spelled,
    verb,
    whole,
)
from exports.text import clean_text
from planner.chart_builders import latency, time_budget
from planner.engine.result import Option, Percentiles, ServingResult


def service(context: Context, best: Option, serving: ServingResult) -> Section:
    """The chapter for a service."""
    lead = Paragraph(text=_lead(context, serving), role="lead")
    sections = (
        _topology(best, serving),
        _latency(context, best, serving),
        memory_section(best),
        _scaling(serving),
        _price(context, serving),
        energy(best),
    )
    return Section(id="design", title="Technical design", blocks=(lead,), sections=sections)


def _lead(context: Context, serving: ServingResult) -> str:
    asked = context.spec.serving
    load = ""
    if asked and asked.requests_per_s:
        lengths = f"{exact(asked.input_tokens)} tokens in and {exact(asked.output_tokens)} out on average"
        load = f"{exact(asked.requests_per_s)} requests per second at the peak, with {lengths}"
    elif asked and asked.batch:
        load = f"{scaled(asked.batch.requests)} requests within {exact(asked.batch.deadline_hours)} hours"
    size = f"{context.model} has {scaled(context.answer.model.parameters)} parameters"
    count = spelled(serving.replicas)
    answer = f"{count[:1].upper()}{count[1:]} {verb(serving.replicas, 'replica answers', 'replicas answer')} {load}."
    return f"{size}. {answer}" if load else f"{size}."


def _topology(best: Option, serving: ServingResult) -> Section:
    each = plural(serving.accelerators_per_replica, "accelerator") + ("" if serving.replicas == 1 else " each")
    every = max(1, best.count // max(1, serving.accelerators_per_replica))
    spare = min(serving.spare_replicas, every - 1)
    if spare:
        one = verb(spare, "One of them is spare", f"{spelled(spare).capitalize()} of them are spare")
        kept = f" {one}, so that the promise holds while {verb(spare, 'one is', 'as many are')} down."
    else:
        kept = " None of them is spare: a failure is felt at the peak."
    engine = framework(serving.engine)
    text = (
        f"{option_name(best)} form {plural(every, 'replica')} of {each}.{kept} Each replica runs {engine} with "
        f"weights in {best.precision.upper()} and the KV cache in {serving.kv_precision.upper()}, and works on "
        f"{significant(serving.batch_at_peak)} requests at once at the peak, of {whole(serving.max_batch)} that fit."
    )
    bound = BINDING.get(serving.bound, lower_first(clean_text(serving.bound, 60)))
    more = f"At the peak the replicas are {percent(serving.utilisation)} busy; what limits them is {bound}."
    return Section(id="topology", title="Serving topology", blocks=(Paragraph(text=text), Paragraph(text=more)))


def _latency(context: Context, best: Option, serving: ServingResult) -> Section:
    asked = context.spec.serving
    rows = (
        ("Time to first token", serving.ttft_ms, asked.ttft_p95_ms if asked else 0.0),
        ("Time per further token", serving.tpot_ms, asked.tpot_p95_ms if asked else 0.0),
        ("Whole answer", serving.e2e_ms, 0.0),
    )
    method = "simulated request by request" if serving.simulated else "computed for the steady state, not simulated"
    table = Table(
        id="latency",
        caption="Latency at the peak, ms",
        columns=(
            Column(title="Measure", share=1.6),
            Column(title="p50", align="right", share=0.7),
            Column(title="p95", align="right", share=0.7),
            Column(title="80% band of p95", align="right", share=1.1),
            Column(title="p99", align="right", share=0.7),
            Column(title="Promised p95", align="right", share=0.9),
        ),
        rows=tuple(_latency_row(name, row, limit) for name, row, limit in rows),
        note=f"Latencies are {method}.",
    )
    charts: list[Block] = []
    for name, limit in (("ttft", rows[0][2]), ("tpot", rows[1][2])):
        charts += shown(figure(latency(best, name, limit), Currency()))
    charts += shown(figure(time_budget(best), Currency()))
    return Section(id="latency", title="Latency", blocks=(table, *charts))


def _latency_row(name: str, row: Percentiles, limit: float) -> tuple:  # type: ignore[type-arg]
    tone = "good" if limit and row.p95.expected <= limit else "bad" if limit else "plain"
    return (
        text_cell(name),
        number_cell(row.p50.expected),
        number_cell(row.p95.expected, tone=tone),  # type: ignore[arg-type]
        text_cell(band(row.p95.low, row.p95.high)),
        number_cell(row.p99.expected),
        text_cell(exact(limit) if limit else "none"),
    )


def _scaling(serving: ServingResult) -> Section:
    scale = serving.autoscale
    warm = f"A new replica answers after {seconds(scale.warmup_s)}"
    if scale.min < scale.max:
        led = clean_text(scale.metric, 80)
        text = f"The fleet follows the load between {whole(scale.min)} and {whole(scale.max)} replicas, led by {led}. "
        text += f"{warm}: scale ahead of the morning rise, not after it."
    else:
        text = f"The fleet stays at {plural(scale.max, 'replica')} all day. {warm}."
    return Section(id="scaling", title="Scaling", blocks=(Paragraph(text=text),))


def _price(context: Context, serving: ServingResult) -> Section:
    money = context.money
    prices = (serving.usd_per_million_input, serving.usd_per_million_output)
    rate = serving.output_tokens_per_s_per_gpu
    text = (
        f"A million input tokens cost {money.price(prices[0].expected)}, a million output tokens {money.price(prices[1].expected)}; "
        f"each accelerator writes {significant(rate.expected)} tokens per second (80% band {band(rate.low, rate.high)}). "
        f"The service costs {money.banded(serving.monthly)} a month."
    )
    blocks: list[Block] = [Paragraph(text=text)]
    if serving.api_break_even:
        blocks.append(Paragraph(text=engine_text(serving.api_break_even, 300)))
    return Section(id="token-price", title="Price of a token", blocks=tuple(blocks))
