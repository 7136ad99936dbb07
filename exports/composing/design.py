"""Technical design of a training run: layout, memory, time, network, checkpoints, energy."""

from __future__ import annotations

from engine.answer import Checkpoint, Estimate, Option, Part
from exports.composing.context import Context, figure, framework, number_cell, option_name, servers, text_cell
from exports.composing.finish import all_steps
from exports.composing.hazards import interruptions
from exports.composing.things import ONE, many
from exports.composing.ways import ways_table
from exports.composing.words import named, told, voice
from exports.document import Block, Cell, Column, Figure, Paragraph, Section, Table
from exports.numbers import (
    NBSP,
    aligned,
    band,
    estimate,
    part_share,
    percent,
    percent_band,
    plural,
    scaled,
    scaled_band,
    seconds,
    significant,
    whole,
)
from exports.wording import label, mark, noun, tr
from planner.charting.work import checkpoint_curve, memory, time_budget
from planner.telling import bound_by

_BOTH_GRIDS = "grid.two_sites"
"""Says of emissions that each of two sites counts by its own grid."""
RECOMPUTE = {
    "none": mark("no activations are recomputed"),
    "selective": mark("attention activations are recomputed in the backward pass"),
    "full": mark("all activations are recomputed in the backward pass"),
}
ZERO = {
    1: mark("optimizer states are divided among the data-parallel copies (ZeRO 1)"),
    2: mark("optimizer states and gradients are divided among the data-parallel copies (ZeRO 2)"),
    3: mark("weights, gradients and optimizer states are divided among all copies (ZeRO 3)"),
}


def design(context: Context, best: Option) -> Section:
    """The chapter for a training run."""
    lead = Paragraph(text=_lead(context, best), role="lead")
    sections = (
        _layout(context, best),
        memory_section(best),
        _time(context, best),
        _data(context, best),
        _checkpoints(context, best),
        energy(best),
    )
    return Section(id="design", title=tr("Technical design"), blocks=(lead,), sections=tuple(s for s in sections if s))


def _lead(context: Context, best: Option) -> str:
    model = context.answer.model
    size = tr("{model} has {parameters} parameters", model=context.model, parameters=scaled(model.parameters))
    if model.active_parameters < model.parameters * 0.999:
        size += tr(
            ", of which {active} work on each {thing}",
            active=scaled(model.active_parameters),
            thing=tr(ONE[model.counts]),
        )
    shape = (
        " " + tr("in {layers} of width {hidden}", layers=plural(model.layers, "layer"), hidden=whole(model.hidden))
        if model.layers
        else ""
    )
    return f"{size}{shape}. {_work(context, best)}"


def _work(context: Context, best: Option) -> str:
    training = context.asked_run
    counts = context.answer.model.counts
    pieces = tr("sequences") if counts == "token" else many(counts)
    unit = tr("tokens") if training.tokens else many("sample" if counts == "token" else counts)
    amount = scaled(training.tokens or training.samples * training.epochs)
    steps = (
        " "
        + tr(
            "in {steps} of {global_batch} {pieces}",
            steps=plural(best.steps, "step"),
            global_batch=whole(best.global_batch),
            pieces=pieces,
        )
        if best.steps
        else ""
    )
    pace = tr("{count}\u00a0{unit} per second", count=scaled(best.tokens_per_s.expected), unit=many(best.counts))
    utilisation = tr(
        "{mfu} of the dense peak (80% band {band})",
        mfu=f"{best.mfu.expected:.0%}",
        band=percent_band(best.mfu.low, best.mfu.high),
    )
    return tr(
        "It sees {amount} {unit}{steps}, at {pace}; the accelerators reach {utilisation}.",
        amount=amount,
        unit=unit,
        steps=steps,
        pace=pace,
        utilisation=utilisation,
    )


def _layout(context: Context, best: Option) -> Section:
    shape = best.parallelism
    used = (
        (shape.tp, mark("each layer is split over {count} accelerators (tensor parallel)")),
        (shape.pp, mark("the layers form {count} pipeline stages")),
        (shape.cp, mark("each sequence is split over {count} accelerators (context parallel)")),
        (shape.ep, mark("the experts are spread over {count} accelerators (expert parallel)")),
        (shape.dp, mark("{count} copies of the model work on different data")),
    )
    parts = [tr(text, count=value) for value, text in used if value > 1]
    if shape.vpp > 1 and shape.pp > 1:
        parts.append(
            tr("every stage holds {count} interleaved pieces, which shortens the pipeline bubble", count=shape.vpp)
        )
    if shape.zero_stage in ZERO and shape.dp > 1:
        parts.append(tr(ZERO[shape.zero_stage]))
    parts.append(tr(RECOMPUTE.get(best.recompute, "")))
    spread = "; ".join(part for part in parts if part)
    counts = context.answer.model.counts
    piece = noun("sequence") if counts == "token" else ONE[counts]
    batch = tr("Each copy works on {sequences} at a time", sequences=plural(best.micro_batch, piece))
    if best.gradient_accumulation > 1:
        batch += " " + tr(
            "and adds up the gradients of {count} such micro-batches before each step",
            count=whole(best.gradient_accumulation),
        )
    text = tr(
        "On {option} ({servers}) {spread}. {batch}. Arithmetic is done in {precision}",
        option=option_name(best),
        servers=servers(best),
        spread=spread,
        batch=batch,
        precision=best.precision.upper(),
    )
    tool = (
        " " + tr("with {framework}.", framework=framework(best.framework))
        if best.framework not in {"", "any", "auto"}
        else "."
    )
    return Section(id="layout", title=tr("Layout"), blocks=(Paragraph(text=text + tool),))


def memory_section(best: Option) -> Section:
    """What fills the fullest accelerator."""
    used, room = best.memory.total_gb, best.memory.capacity_gb
    free = room - used.high
    state = tr(
        mark("{free}\u00a0GB stay free even at the pessimistic end")
        if free > 0.01 * room
        else mark("the pessimistic end just fits")
        if free >= 0
        else mark("at the pessimistic end {free}\u00a0GB are missing: keep the next smaller micro-batch ready"),
        free=significant(abs(free)),
    )
    text = tr(
        "The fullest accelerator uses {used} of {room}\u00a0GB; {state}.",
        used=estimate(used, "GB"),
        room=significant(room),
        state=state,
    )
    rows = [*best.memory.parts]
    table = parts_table("memory", tr("Memory on the fullest accelerator, as share of its capacity"), rows, room, "GB")
    return Section(
        id="memory", title=tr("Memory"), blocks=(Paragraph(text=text), table, *shown(figure(memory(best, voice()))))
    )


def shown(item: Figure | None) -> tuple[Figure, ...]:
    """That figure as blocks."""
    return (item,) if item else ()


def parts_table(name: str, caption: str, parts: list[Part], whole_value: float, unit: str) -> Table:
    """The parts of a whole with their shares."""
    total = sum(item.value for item in parts)
    full = whole_value or 1.0
    rows = [
        (
            text_cell(label(item.label)),
            number_cell(item.value, aligned(item.value, total)),
            number_cell(item.value / full, part_share(item.value / full)),
        )
        for item in parts
    ]
    last = tr("Capacity") if name == "memory" and total > 0.995 * full else tr("Together")
    rows.append(
        (Cell(text=last, tone="strong"), number_cell(total, aligned(total, total)), text_cell(part_share(total / full)))
    )
    return Table(
        id=name,
        caption=caption,
        columns=(
            Column(title=tr("Part"), share=2.2),
            Column(title=tr("Seconds") if unit == "s" else unit, align="right", share=0.8),
            Column(title=tr("Share"), align="right", share=0.7),
        ),
        rows=tuple(rows),
        total=True,
    )


def _time(context: Context, best: Option) -> Section | None:
    if best.step_time_s is None or not best.time:
        return None
    step = best.step_time_s
    text = tr(
        "One optimizer step takes {step}\u00a0s (80% band {band}\u00a0s).",
        step=significant(step.expected),
        band=band(step.low, step.high),
    )
    text += " " + all_steps(context, best)
    if best.binding:
        text += " " + tr(
            "The largest part of a step goes into {limit}.",
            limit=named(bound_by(best)),
        )
    table = parts_table(
        "time",
        tr("Where the time of one step goes"),
        list(best.time),
        sum(p.value for p in best.time),
        best.time[0].unit,
    )
    return Section(
        id="time",
        title=tr("Time"),
        blocks=(Paragraph(text=text), table, *shown(figure(time_budget(best, voice())))),
    )


def _data(context: Context, best: Option) -> Section:
    """Network and storage."""
    offer, parts = best.offer, []
    if best.nodes > 1 and offer and offer.scaleout_bandwidth:
        speed = significant(offer.scaleout_bandwidth * 8 / 1e9)
        parts.append(tr("The servers talk over {speed}\u00a0Gbit/s each way per server.", speed=speed))
    elif best.nodes > 1:
        parts.append(tr("The servers talk over the cluster network of the system that is used."))
    elif best.count > 1:
        parts.append(tr("All traffic between accelerators stays inside one server; no cluster network is needed."))
    else:
        parts.append(tr("One accelerator works alone; no cluster network is needed."))
    dataset = context.asked_run.dataset
    if dataset and dataset.bytes:
        parts.append(
            tr(
                "The data set of {size}\u00a0GB lies in {place}.",
                size=scaled(dataset.bytes / 1e9),
                place=tr(STORES[dataset.location]),
            )
        )
    if best.checkpoint:
        parts.append(tr("Checkpoints take {size}\u00a0GB of storage.", size=significant(best.checkpoint.storage_gb)))
    return Section(id="network", title=tr("Network and storage"), blocks=(Paragraph(text=" ".join(parts)),))


STORES = {
    "object": mark("object storage"),
    "parallel": mark("a parallel file system"),
    "nfs": mark("a shared file server"),
    "local": mark("the servers' own disks"),
}


def _checkpoints(context: Context, best: Option) -> Section | None:
    point = best.checkpoint
    if point is None:
        return None
    blocks: list[Block] = [Paragraph(text=_cadence(best, point)), Paragraph(text=_failures(context, point))]
    return Section(
        id="checkpoints",
        title=tr("Checkpoints and failures"),
        blocks=(*blocks, *ways_table(context, best), *shown(figure(checkpoint_curve(best, voice())))),
    )


def _cadence(best: Option, point: Checkpoint) -> str:
    if point.interval_steps >= best.steps:
        return tr(
            "The run saves {size}\u00a0GB once, at its end; one save takes {time}.",
            size=significant(point.size_gb),
            time=seconds(point.write_s),
        )
    return tr(
        "The run saves {size}\u00a0GB every {interval} ({steps}); one save takes {time}.",
        size=significant(point.size_gb),
        interval=seconds(point.interval_s),
        steps=plural(point.interval_steps, "step"),
        time=seconds(point.write_s),
    )


def _failures(context: Context, point: Checkpoint) -> str:
    return tr(
        "A cluster of this size fails every {mtbf} on average: {interruptions}. Saving, repeated "
        "work and restarts take {lost} of the time; {share} is progress.",
        mtbf=seconds(point.mtbf_h * 3600),
        interruptions=interruptions(point.failures_expected, each=context.several_runs),
        lost=percent(point.lost_share),
        share=_share(point.goodput),
    )


def _share(value: Estimate) -> str:
    return tr(
        "{value} (80% band {band})",
        value=percent(value.expected),
        band=percent_band(value.low, value.high),
    )


def energy(best: Option) -> Section:
    """Electricity and emissions."""
    use = best.energy
    text = tr(
        "The work takes {energy}\u00a0kWh of electricity (80% band {energy_band}).",
        energy=scaled(use.kwh.expected),
        energy_band=scaled_band(use.kwh.low, use.kwh.high),
    )
    if use.kg_co2e and use.g_per_kwh:
        kilograms = use.kg_co2e.expected
        tonnes = kilograms >= 1000
        mass = f"{significant(kilograms / 1000)}{NBSP}t" if tonnes else f"{significant(kilograms)}{NBSP}kg"
        said = (
            mark(
                "At {g_per_kwh}\u00a0g CO₂e per kWh, the mean of both grids by what stands on each, that is {mass} CO₂e."
            )
            if use.grid.code == _BOTH_GRIDS
            else mark("At {g_per_kwh}\u00a0g CO₂e per kWh, the mean of the local grid, that is {mass} CO₂e.")
        )
        text += " " + tr(said, g_per_kwh=significant(use.g_per_kwh), mass=mass)
    else:
        text += " " + tr("No emissions are stated, because the carbon intensity of the place is unknown.")
    said = tr("Source: {source}.", source=told(use.grid))
    if len({site.offer.region for site in best.sites}) > 1 and use.grid.code != _BOTH_GRIDS:
        said += " " + tr(
            "The electricity of both sites is reckoned with that grid; what the other one emits is not known here."
        )
    source = Paragraph(text=said, role="note")
    return Section(
        id="energy",
        title=tr("Energy"),
        blocks=(Paragraph(text=text), *([source] if use.g_per_kwh else [])),
    )
