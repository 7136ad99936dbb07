"""Whole published programmes as requests: what model on how many tokens or samples, on which accelerators.

Where a publication leaves the network, batch or layout out, the usual choice of its year stands, and the engine lays the
run out itself. A row is refused only where model, amount of work or accelerator cannot be told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from catalog.aliases import accelerator_slug
from catalog.presets import UnknownModel, find_model
from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Device, Market, Offer
from engine.inputs.spec import Constraints, FixedLayout, Spec, Training
from lab.validation.row_model import count, number, text_of
from lab.validation.rows import Refusal, Row

_SCALED: tuple[tuple[str, str, float], ...] = (
    (r"clip.*b/32", "clip-vit-b-32", 1.0),
    (r"clip.*b/16\+", "clip-vit-b-32", 4.6),
    (r"clip.*b/16", "clip-vit-b-32", 2.8),
    (r"clip.*l/14", "clip-vit-b-32", 12.0),
    (r"clip.*rn50x64", "clip-vit-b-32", 39.0),
    (r"resnet-?50|rn50", "resnet-50", 1.0),
)
"""Models with the work of another, times over: multiply-adds of picture and text by the papers' tables."""
_USUAL_COUNT = 512
_NODE = 8


@dataclass(frozen=True, kw_only=True)
class WholeRun:
    """One published programme with nothing left open."""

    id: str
    organisation: str
    name: str
    device: Device
    spec: Spec
    hours: float
    """Accelerator-hours as published."""
    apart: str
    row: Row


def whole_runs(rows: Sequence[Row], market: Market) -> tuple[list[WholeRun], list[Refusal]]:
    """Every row as a request, or as a refusal with its reason. A name counts once: the first of its strict rows."""
    good: list[WholeRun] = []
    bad: list[Refusal] = []
    seen: set[str] = set()
    for place, row in enumerate(rows, start=1):
        name = text_of(row, "id") or f"run {place}"
        try:
            found = _run(row, name, market)
        except ValueError as fault:
            bad.append(Refusal(id=name, source=organisation(row), reason=str(fault)))
            continue
        key = _plain_name(found.name)
        twice = not found.apart and key in seen
        good.append(replace(found, apart="name counted already") if twice else found)
        seen |= set() if found.apart else {key}
    return good, bad


def organisation(row: Row) -> str:
    """Who ran it."""
    return text_of(row, "org") or "unnamed"


def _plain_name(name: str) -> str:
    """The run without what tells its rows apart: amount, plan, calendar, number of accelerators."""
    return re.sub(r"[(:,].*| on \d+.*| \d+ [A-Z]+\d+.*", "", name).strip().lower()


def _run(row: Row, name: str, market: Market) -> WholeRun:
    device = _device(row, market.devices)
    hours = number(row, "accelerator_hours")
    if hours <= 0:
        raise ValueError("accelerator_hours must be above 0")
    arch = _model(row)
    use = text_of(row, "hours_test_use")
    return WholeRun(
        id=name,
        organisation=organisation(row),
        name=text_of(row, "name") or name,
        device=device,
        spec=Spec(
            name=name,
            workload="training",
            model=arch,
            start=date(2026, 1, 1),
            as_of=date(2026, 1, 1),
            training=_training(row, arch, device),
            constraints=Constraints(accelerators=(device.slug,)),
            fixed=_layout(row),
        ),
        hours=hours,
        apart="" if use in ("strict", "") else use,
        row=row,
    )


def _device(row: Row, devices: Mapping[str, Device]) -> Device:
    name = text_of(row, "accel_type")
    for text in _names(name):
        slug = accelerator_slug(text)
        if slug and slug in devices:
            known = devices[slug]
            # A chip with software of its own is predicted as if a known framework ran on it.
            runtime = "cuda" if known.runtime == "other" else known.runtime
            return replace(known, plannable=True, trains=True, runtime=runtime)
    raise ValueError(f"accelerator {name or 'unnamed'} is not in the catalog")


def _names(name: str) -> Iterator[str]:
    plain = re.sub(r"\(.*?\)", " ", name)
    yield name
    yield plain
    words = plain.replace("-", " ").replace(",", " ").split()
    yield from (" ".join(words[:length]) for length in range(len(words), 0, -1))
    if "V100" in name:
        yield "v100-sxm2-32" if "32" in name else "v100-sxm2-16"
    if "A100" in name:
        yield "a100-sxm4-80" if "80" in name else "a100-sxm4-40"
    if "H100" in name:
        yield "h100-sxm5"


def _first(text: str) -> float:
    """The first number of a cell that may hold a phrase; 0 where it holds none."""
    found = re.search(r"(\d[\d,]*\.?\d*) ?([KMB]\b)?", text)
    if not found:
        return 0.0
    return float(found.group(1).replace(",", "")) * {"K": 1e3, "M": 1e6, "B": 1e9}.get(found.group(2) or "", 1.0)


def _model(row: Row) -> Architecture:
    """The catalog's model of that name, the stated widths, or a picture model's work."""
    name = text_of(row, "name")
    for pattern, slug, times in _SCALED:
        if re.search(pattern, name.lower()):
            base = find_model(slug)
            return replace(
                base,
                flops_per_sample=base.flops_per_sample * times,
                activation_bytes_per_sample=base.activation_bytes_per_sample * times**0.75,
            )
    plain = re.sub(r"[(:].*| pre-training.*", "", name).strip()
    for text in (plain, plain.replace(" ", "-")):
        try:
            return find_model(text)
        except UnknownModel:
            continue
    return _stated(row, name)


def _stated(row: Row, name: str) -> Architecture:
    if not (text_of(row, "layers") and text_of(row, "hidden")):
        return _usual(row, name)
    layers, hidden = round(_first(text_of(row, "layers"))), round(_first(text_of(row, "hidden")))
    if min(layers, hidden) < 1:
        raise ValueError("architecture not stated")
    heads = round(_first(text_of(row, "heads"))) or max(1, hidden // 128)
    ffn = round(_first(text_of(row, "ffn"))) or 4 * hidden
    vocab = count(row, "vocab", 50257)
    arch = Architecture(
        slug="published",
        name=name,
        family="",
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=min(heads, round(_first(text_of(row, "kv_heads"))) or heads),
        head_dim=max(1, hidden // heads),
        ffn=ffn,
        gated=False,
        vocab=vocab,
        tied=True,
        max_sequence=65_536,
    )
    total = number(row, "params_total_b", arch.parameters / 1e9) * 1e9
    gated = replace(arch, gated=True)
    return min((arch, gated), key=lambda one: abs(one.parameters - total))


def _usual(row: Row, name: str) -> Architecture:
    """A decoder of that many parameters with the usual proportion of width to depth: 128 to one."""
    if not text_of(row, "domain").startswith(("LLM", "encoder", "RL")):
        raise ValueError("architecture not stated")
    active = number(row, "params_active_b", number(row, "params_total_b", 0.0)) * 1e9
    if active <= 0:
        raise ValueError("architecture not stated")
    layers = max(2, round((active / (12 * 128**2)) ** (1 / 3)))
    hidden = 128 * max(1, round((active / (12 * layers)) ** 0.5 / 128))
    heads = max(1, hidden // 128)
    return Architecture(
        slug="published",
        name=name,
        family="",
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=128,
        ffn=4 * hidden,
        gated=False,
        vocab=32_000,
        tied=True,
        max_sequence=65_536,
    )


def _training(row: Row, arch: Architecture, device: Device) -> Training:
    """Tokens as stated; samples of models that take none."""
    precision = next((word for word in ("fp8", "bf16", "fp16") if word in text_of(row, "precision")), "bf16")
    precision = precision if precision in device.dense_flops else "fp16" if "fp16" in device.dense_flops else "bf16"
    if arch.kind == "generic":
        found = re.search(r"= ([\d.]+)B samples|(\d+) epochs x ~?(\d+)M", text_of(row, "samples_or_steps"))
        if not found:
            raise ValueError("number of samples not stated")
        samples = float(found.group(1)) * 1e9 if found.group(1) else float(found.group(2)) * float(found.group(3)) * 1e6
        batch = round(_first(text_of(row, "global_batch"))) or 1024
        return Training(method="pretrain", samples=samples, global_batch_size=batch, precision=precision)  # type: ignore[arg-type]
    tokens = number(row, "tokens_b") * 1e9
    sequence = round(_first(text_of(row, "seq_len"))) or 2048
    return Training(
        method="pretrain",
        tokens=tokens,
        sequence_length=sequence,
        global_batch_size=_batch(row, sequence),
        precision=precision,  # type: ignore[arg-type]
    )


def _batch(row: Row, sequence: int) -> int:
    """Sequences of a step: the largest that is stated, else 4 million tokens, and never fewer than two an accelerator;
    a power of two where it was not stated, so that layouts divide it."""
    found = _largest(text_of(row, "global_batch_tokens")) or _largest(text_of(row, "global_batch"))
    stated = found / sequence if found > 1e5 else found
    if stated >= 4:
        return round(stated)
    least = max(4e6 / sequence, 2.0 * _first(text_of(row, "accel_count")))
    return int(2 ** math.ceil(math.log2(least)))


def _largest(text: str) -> float:
    """The largest number of a cell such as `512-2048 seqs (1M-4M tokens)`, before what stands in brackets."""
    plain = re.sub(r"\(.*?\)", "", text)
    return max((_first(part) for part in re.split(r"->|-|to|then", plain)), default=0.0)


def _layout(row: Row) -> FixedLayout:
    """The number of accelerators in whole nodes, where it is stated; the layout stays open."""
    stated = round(_first(text_of(row, "accel_count"))) or _USUAL_COUNT
    return FixedLayout(count=stated if stated < _NODE else max(_NODE, stated // _NODE * _NODE))


def market_for(run: WholeRun, market: Market) -> Market:
    """A market of one offer: nodes of that accelerator at a price of one, with the usual network."""
    device = run.device
    node = min(_NODE, run.spec.fixed.count)
    offer = Offer(
        id=f"published/{device.slug}/here/on_demand",
        provider="published",
        instance=device.slug,
        region="here",
        device=device.slug,
        devices=node,
        option="on_demand",
        usd_per_hour=float(node),
        price_date="2026-01-01",
        source="none: hours alone are asked",
        country="USA",
        scaleout_bandwidth=node * (device.nic_bandwidth or 12.5e9),
    )
    return replace(market, devices={device.slug: device}, systems=(), offers=(offer,), holdings=())
