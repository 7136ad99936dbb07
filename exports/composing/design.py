"""Technical design of a training run: layout, memory, time, network, checkpoints, energy."""

from __future__ import annotations

from exports.composing.context import Context, figure, framework, number_cell, option_name, servers, text_cell
from exports.composing.hazards import interruptions
from exports.composing.words import engine_text
from exports.document import Block, Cell, Column, Figure, Paragraph, Section, Table
from exports.numbers import NBSP, Currency, band, days, estimate, percent, plural, scaled, seconds, significant, whole
from exports.text import clean_text
from planner.chart_builders import checkpoint_curve, memory, time_budget
from planner.engine.result import Checkpoint, Estimate, Option, Part

RECOMPUTE = {
    "none": "no activations are recomputed",
    "selective": "attention activations are recomputed in the backward pass",
    "full": "all activations are recomputed in the backward pass",
}
ZERO = {
    1: "optimizer states are divided among the data-parallel copies (ZeRO 1)",
    2: "optimizer states and gradients are divided among the data-parallel copies (ZeRO 2)",
    3: "weights, gradients and optimizer states are divided among all copies (ZeRO 3)",
}


def design(context: Context, best: Option) -> Section:
    """The chapter for a training run."""
    lead = Paragraph(text=_lead(context, best), role="lead")
    sections = (
        _layout(best),
        memory_section(best),
        _time(context, best),
        _data(context, best),
        _checkpoints(best),
        energy(best),
    )
    return Section(id="design", title="Technical design", blocks=(lead,), sections=tuple(s for s in sections if s))


def _lead(context: Context, best: Option) -> str:
    model = context.answer.model
    size = f"{context.model} has {scaled(model.parameters)} parameters"
    if model.active_parameters < model.parameters * 0.999:
        size += f", of which {scaled(model.active_parameters)} work on each token"
    shape = f" in {plural(model.layers, 'layer')} of width {whole(model.hidden)}" if model.layers else ""
    return f"{size}{shape}. {_work(context, best)}"


def _work(context: Context, best: Option) -> str:
    training = context.spec.training
    if training is None:
        return ""
    unit = "tokens" if training.tokens else "samples"
    amount = scaled(training.tokens or training.samples * training.epochs)
    steps = f" in {plural(best.steps, 'step')} of {whole(best.global_batch)} sequences" if best.steps else ""
    pace = f"{scaled(best.tokens_per_s.expected)}{NBSP}{unit} per second"
    utilisation = f"{best.mfu.expected:.0%} of the dense peak (80% band {best.mfu.low:.0%}–{best.mfu.high:.0%})"
    return f"It sees {amount} {unit}{steps}, at {pace}; the accelerators reach {utilisation}."


def _layout(best: Option) -> Section:
    shape = best.parallelism
    used = (
        (shape.tp, "each layer is split over {} accelerators (tensor parallel)"),
        (shape.pp, "the layers form {} pipeline stages"),
        (shape.cp, "each sequence is split over {} accelerators (context parallel)"),
        (shape.ep, "the experts are spread over {} accelerators (expert parallel)"),
        (shape.dp, "{} copies of the model work on different data"),
    )
    parts = [text.format(value) for value, text in used if value > 1]
    if shape.vpp > 1 and shape.pp > 1:
        parts.append(f"every stage holds {shape.vpp} interleaved pieces, which shortens the pipeline bubble")
    if shape.zero_stage in ZERO and shape.dp > 1:
        parts.append(ZERO[shape.zero_stage])
    parts.append(RECOMPUTE.get(best.recompute, ""))
    spread = "; ".join(part for part in parts if part)
    batch = f"Each copy works on {plural(best.micro_batch, 'sequence')} at a time"
    if best.gradient_accumulation > 1:
        batch += (
            f" and adds up the gradients of {whole(best.gradient_accumulation)} such micro-batches before each step"
        )
    text = f"On {option_name(best)} ({servers(best)}) {spread}. {batch}. Arithmetic is done in {best.precision.upper()}"
    tool = f" with {framework(best.framework)}." if best.framework not in {"", "any", "auto"} else "."
    return Section(id="layout", title="Layout", blocks=(Paragraph(text=text + tool),))


def memory_section(best: Option) -> Section:
    """What fills the fullest accelerator."""
    used, room = best.memory.total_gb, best.memory.capacity_gb
    free = room - used.high
    state = (
        f"{significant(free)}{NBSP}GB stay free even at the pessimistic end"
        if free >= 0
        else "the pessimistic end does not fit: keep the next smaller micro-batch ready"
    )
    text = f"The fullest accelerator uses {estimate(used, 'GB')} of {significant(room)}{NBSP}GB; {state}."
    rows = [*best.memory.parts]
    table = parts_table("memory", "Memory on the fullest accelerator, as share of its capacity", rows, room, "GB")
    return Section(
        id="memory", title="Memory", blocks=(Paragraph(text=text), table, *shown(figure(memory(best), Currency())))
    )


def shown(item: Figure | None) -> tuple[Figure, ...]:
    """That figure as blocks."""
    return (item,) if item else ()


def parts_table(name: str, caption: str, parts: list[Part], whole_value: float, unit: str) -> Table:
    """The parts of a whole with their shares."""
    rows = [
        (
            text_cell(part.label),
            number_cell(part.value),
            number_cell(
                part.value / whole_value if whole_value else 0.0,
                percent(part.value / whole_value if whole_value else 0.0),
            ),
        )
        for part in parts
    ]
    total = sum(part.value for part in parts)
    rows.append(
        (
            Cell(text="Together", tone="strong"),
            number_cell(total),
            text_cell(percent(total / whole_value) if whole_value else ""),
        )
    )
    return Table(
        id=name,
        caption=caption,
        columns=(
            Column(title="Part", share=2.2),
            Column(title=unit, align="right", share=0.8),
            Column(title="Share", align="right", share=0.7),
        ),
        rows=tuple(rows),
        total=True,
    )


def _time(context: Context, best: Option) -> Section | None:
    if best.step_time_s is None or not best.time:
        return None
    step = best.step_time_s
    text = (
        f"One optimizer step takes {significant(step.expected)}{NBSP}s (80% band {band(step.low, step.high)}{NBSP}s). "
        f"{plural(best.steps, 'step')} with interruptions and checkpoints make {days(best.days.expected)}."
    )
    if best.binding:
        text += f" What limits the pace is {BINDING.get(best.binding, lower_first(clean_text(best.binding, 80)))}."
    table = parts_table(
        "time", "Where the time of one step goes", list(best.time), sum(p.value for p in best.time), best.time[0].unit
    )
    return Section(
        id="time", title="Time", blocks=(Paragraph(text=text), table, *shown(figure(time_budget(best), context.money)))
    )


BINDING = {
    "compute": "arithmetic",
    "bandwidth": "memory bandwidth",
    "memory": "memory capacity",
    "network": "the network between servers",
    "bubble": "the pipeline bubble",
    "kv": "room for the KV cache",
    "queue": "waiting in the queue",
    "ttft": "the promise on the first token",
    "tpot": "the promise on each further token",
    "deadline": "the deadline",
    "budget": "the budget",
}
"""What binds, in words that finish “what limits the pace is …”."""


def lower_first(text: str) -> str:
    """The text as it continues a sentence: a capital before a small letter becomes small."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _data(context: Context, best: Option) -> Section:
    """Network and storage."""
    offer, parts = best.offer, []
    if best.nodes > 1 and offer and offer.scaleout_bandwidth:
        speed = significant(offer.scaleout_bandwidth * 8 / 1e9)
        parts.append(f"The servers talk over {speed}{NBSP}Gbit/s each way per server.")
    elif best.nodes > 1:
        parts.append("The servers talk over the cluster network of the system that is used.")
    else:
        parts.append("All traffic between accelerators stays inside one server; no cluster network is needed.")
    dataset = context.spec.training.dataset if context.spec.training else None
    if dataset and dataset.bytes:
        parts.append(f"The data set of {scaled(dataset.bytes / 1e9)}{NBSP}GB lies in {STORES[dataset.location]}.")
    if best.checkpoint:
        parts.append(f"Checkpoints take {significant(best.checkpoint.storage_gb)}{NBSP}GB of storage.")
    return Section(id="network", title="Network and storage", blocks=(Paragraph(text=" ".join(parts)),))


STORES = {
    "object": "object storage",
    "parallel": "a parallel file system",
    "nfs": "a shared file server",
    "local": "the servers' own disks",
}


def _checkpoints(best: Option) -> Section | None:
    point = best.checkpoint
    if point is None:
        return None
    blocks: list[Block] = [Paragraph(text=_cadence(point)), Paragraph(text=_failures(point))]
    if point.sentence:
        blocks.append(Paragraph(text=engine_text(point.sentence, 300), role="note"))
    return Section(
        id="checkpoints",
        title="Checkpoints and failures",
        blocks=(*blocks, *shown(figure(checkpoint_curve(best), Currency()))),
    )


def _cadence(point: Checkpoint) -> str:
    return (
        f"The run saves {significant(point.size_gb)}{NBSP}GB every {seconds(point.interval_s)} "
        f"({plural(point.interval_steps, 'step')}); one save takes {seconds(point.write_s)}."
    )


def _failures(point: Checkpoint) -> str:
    return (
        f"A cluster of this size fails every {significant(point.mtbf_h)}{NBSP}hours on average: "
        f"{interruptions(point.failures_expected)}. Saving, repeated work and restarts take "
        f"{percent(point.lost_share)} of the time; {_share(point.goodput)} is progress."
    )


def _share(value: Estimate) -> str:
    return f"{percent(value.expected)} (80% band {percent(value.low)}–{percent(value.high)})"


def energy(best: Option) -> Section:
    """Electricity and emissions."""
    use = best.energy
    text = f"The work takes {scaled(use.kwh.expected)}{NBSP}kWh of electricity (80% band {band(use.kwh.low, use.kwh.high)})."
    if use.kg_co2e and use.g_per_kwh:
        tonnes = use.kg_co2e.expected / 1000
        text += (
            f" At {significant(use.g_per_kwh)}{NBSP}g CO₂e per kWh, the mean of the local grid, that is "
            f"{significant(tonnes)}{NBSP}t CO₂e."
        )
    else:
        text += " No emissions are stated, because the carbon intensity of the place is unknown."
    return Section(
        id="energy",
        title="Energy",
        blocks=(Paragraph(text=text), Paragraph(text=f"Source: {clean_text(use.source, 200)}.", role="note")),
    )
