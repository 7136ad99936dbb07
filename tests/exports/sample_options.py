"""Options, cost models and facts from which the sample plans are made."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from engine.answer import (
    Advice,
    Autoscale,
    BreakEven,
    Checkpoint,
    Cost,
    CostInput,
    CostLine,
    CostModel,
    Energy,
    Estimate,
    Evidence,
    Layout,
    Memory,
    ModelSummary,
    Money,
    Option,
    Part,
    Percentiles,
    Rejection,
    ServingResult,
    Way,
    intervals_around,
)
from engine.inputs.assumptions import Assumption
from engine.inputs.hardware import Offer
from engine.money.cash import cash_by_month
from engine.money.expressions import Expression, cents

START = date(2027, 1, 28)
PRICE_DATE = "2026-12-18"


def spread(value: float, unit: str, low: float = 0.9, high: float = 1.15) -> Estimate:
    """An estimate with a band of those ratios."""
    return Estimate(low=value * low, expected=value, high=value * high, unit=unit, because=("compute.mfu",))


def money(value: float, low: float = 0.9, high: float = 1.18) -> Money:
    """An amount with a band of those ratios, in whole cents."""
    return Money(low=cents(value * low), expected=cents(value), high=cents(value * high))


def offer(
    device: str,
    provider: str,
    instance: str,
    price: float,
    devices: int = 8,
    option: str = "on_demand",
    region: str = "us-east-1",
) -> Offer:
    """One rented instance type at a price per accelerator-hour."""
    return Offer(
        id=f"{provider}/{instance}/{region}/{option}",
        provider=provider,
        instance=instance,
        region=region,
        device=device,
        devices=devices,
        option=option,  # type: ignore[arg-type]
        usd_per_hour=price * devices,
        price_date=PRICE_DATE,
        source=f"{provider} price list, read {PRICE_DATE}",
        country="USA",
        scaleout_bandwidth=400e9,
    )


def cost_input(
    name: str,
    label: str,
    value: float,
    unit: str,
    low: float = 0.9,
    high: float = 1.15,
    source: str = "price list",
    editable: bool = True,
) -> CostInput:
    """One input with a range given as ratios."""
    return CostInput(
        name=name,
        label=label,
        value=value,
        unit=unit,
        low=value * low,
        high=value * high,
        source=source,
        date=PRICE_DATE,
        editable=editable,
    )


def dollars(name: str, label: str, expression: str, schedule: str = "run", kind: str = "opex") -> CostLine:
    """A line of money; without a schedule it is a sum for reading."""
    return CostLine(name=name, label=label, expression=expression, amount=0, kind=kind, schedule=schedule)  # type: ignore[arg-type]


def quantity(name: str, label: str, expression: str, unit: str) -> CostLine:
    """A line that is not money."""
    return CostLine(
        name=name, label=label, expression=expression, amount=0, unit=unit, kind="quantity", schedule="none"
    )


def model_of(inputs: tuple[CostInput, ...], drafts: list[CostLine]) -> CostModel:
    """The model with the total of its leaves, every line evaluated, and its cash flow."""
    leaves = " + ".join(line.name for line in drafts if line.schedule != "none")
    values = {item.name: item.value for item in inputs}
    lines = []
    for line in [*drafts, dollars("total", "Total", leaves, "none", "total")]:
        value = Expression(line.expression).evaluate(values)
        values[line.name] = cents(value) if line.unit == "USD" else value
        lines.append(replace(line, amount=values[line.name]))
    model = CostModel(inputs=inputs, lines=tuple(lines), total="total", cash=())
    return replace(model, cash=cash_by_month(model, START))


def training_model(count: int, days: float, price: float, capex: float = 0.0) -> CostModel:
    """The cost of a training run on rented or (capex > 0) bought accelerators."""
    inputs = (
        cost_input("instances", "Servers", count / 8, "", 1, 1, "layout of this plan", editable=False),
        cost_input("devices_per_instance", "Accelerators in one server", 8, "", 1, 1, "catalog", editable=False),
        cost_input("run_hours", "Computing time of one run", days * 24 * 0.965, "h", 0.9, 1.2, "engine"),
        cost_input("goodput", "Share of wall time that is progress", 0.965, "share", 0.975, 1.015, "engine"),
        cost_input("runs", "Runs", 1, "", 1, 1, "request"),
        cost_input("experiment_overhead", "Experiments, as a share of one run", 0.2, "share", 0.5, 2, "request"),
        cost_input("storage_gb", "Checkpoints and data kept", 3480, "GB", 0.9, 1.5, "plan"),
        cost_input("storage_usd_per_gb_month", "Price of storage", 0.023, "USD/(GB month)", 1, 1),
        cost_input("egress_gb", "Data transfer out", 425, "GB", 0.33, 2, "plan"),
        cost_input("egress_usd_per_gb", "Price of data transfer out", 0.09, "USD/GB", 0.9, 1),
    )
    lines = [
        quantity("wall_hours", "Wall time of one run", "run_hours / goodput", "h"),
        quantity("programme_hours", "Wall time of everything", "wall_hours * (runs + experiment_overhead)", "h"),
    ]
    if capex:
        inputs += (
            cost_input("server_usd", "Price of one server", capex / count * 8, "USD", 0.9, 1.2, "vendor quotes"),
            cost_input("resale_share", "Resale value of the servers", 0.25, "share", 0.4, 1.6, "assumption"),
            cost_input("owned_months", "Months of use", 24, "month", 0.8, 1.2, "request"),
            cost_input("power_usd_hour", "Power and space of one server", 1.9, "USD/h", 0.8, 1.5, "assumption"),
        )
        lines += [
            quantity("paid_months", "Months of use", "owned_months", "month"),
            dollars("servers", "Servers bought", "instances * server_usd", "upfront", "capex"),
            dollars("power", "Power and space", "instances * power_usd_hour * owned_months * 730", "monthly"),
            dollars("resale", "Resale at the end", "-servers * resale_share", "end", "capex"),
        ]
    else:
        inputs += (cost_input("price_per_instance_hour", "Price of one server-hour", price * 8, "USD/h", 0.85, 1.1),)
        lines += [
            dollars("compute", "Servers, final run", "instances * wall_hours * price_per_instance_hour"),
            dollars("experiments", "Servers, experiments", "compute * experiment_overhead"),
        ]
    lines += [
        dollars("storage", "Storage", "storage_gb * storage_usd_per_gb_month * wall_hours / 730"),
        dollars("egress", "Data transfer", "egress_gb * egress_usd_per_gb"),
        quantity("accelerator_hours", "Accelerator-hours", "instances * wall_hours * devices_per_instance", "h"),
    ]
    return model_of(inputs, lines)


def serving_model(accelerators: int, price: float) -> CostModel:
    """Twelve months of a service."""
    inputs = (
        cost_input("instances", "Accelerators paid, mean over the day", accelerators * 0.64, "", 0.85, 1.2, "plan"),
        cost_input("price_per_instance_hour", "Price of one accelerator-hour", price, "USD/h", 0.85, 1.1),
        cost_input("months", "Months of service", 12, "month", 1, 1, "request"),
        cost_input("egress_gb_month", "Answers sent out", 210, "GB/month", 0.7, 1.6, "plan"),
        cost_input("egress_usd_per_gb", "Price of data transfer out", 0.09, "USD/GB", 0.9, 1),
        cost_input("operator_share", "Operators", 0.3, "person", 0.5, 2, "assumption"),
        cost_input("operator_usd_month", "One operator", 12500, "USD/month", 0.8, 1.3, "assumption"),
    )
    lines = [
        quantity("paid_months", "Months paid", "months", "month"),
        quantity("accelerator_hours", "Accelerator-hours", "instances * paid_months * 730", "h"),
        dollars("compute", "Accelerators", "accelerator_hours * price_per_instance_hour", "monthly"),
        dollars("egress", "Data transfer", "egress_gb_month * egress_usd_per_gb * months", "monthly"),
        dollars("staff", "Operation", "operator_share * operator_usd_month * months", "monthly"),
    ]
    return model_of(inputs, lines)


BREAK_EVEN = BreakEven(
    utilisation=0.47,
    hours=9870,
    months=28.8,
    cloud_per_accelerator_hour=1.42,
    sentence="Owning costs less than renting once the servers are in use for more than 47% of four years.",
)


def training_option(
    ident: str,
    device: str,
    name: str,
    count: int,
    rent: Offer | None,
    peak: float,
    mfu: float,
    *,
    memory_gb: float,
    capacity_gb: float = 80,
    deadline: float = 21,
) -> Option:
    """One way to train 70.55e9 parameters on 15e9 tokens, all numbers from peak × MFU."""
    step_tokens = 4.19e6
    rate = count * peak * mfu / (6 * 70.55e9)
    step = step_tokens / rate
    days = 15e9 / rate / 86400 / 0.965
    price = rent.usd_per_hour / rent.devices if rent else 1.85
    model = training_model(count, round(days, 4), price, 0 if rent else count / 8 * 320_000)
    total = next(line.amount for line in model.lines if line.name == "total")
    step_parts = (
        ("compute", "Arithmetic", 0.71),
        ("tp", "Tensor-parallel exchange", 0.12),
        ("pp", "Pipeline bubble", 0.08),
        ("dp", "Gradient exchange not hidden", 0.05),
        ("other", "Optimizer and host", 0.04),
    )
    memory_parts = (
        ("weights", "Weights", 0.13),
        ("gradients", "Gradients", 0.26),
        ("optimizer", "Optimizer states", 0.25),
        ("activations", "Activations", 0.29),
        ("overhead", "Buffers and runtime", 0.07),
    )
    return Option(
        id=ident,
        kind="cloud" if rent else "on_prem",
        accelerator=device,
        accelerator_name=name,
        count=count,
        nodes=count // 8,
        offer=rent,
        on_prem="" if rent else "dgx-h100",
        parallelism=Layout(tp=8, pp=2, vpp=4, dp=count // 16, zero_stage=1),
        precision="bf16",
        recompute="selective",
        micro_batch=1,
        gradient_accumulation=512 // (count // 16),
        global_batch=512,
        framework="megatron",
        step_time_s=spread(step, "s"),
        steps=3580,
        tokens_per_s=spread(rate, "token/s"),
        mfu=Estimate(low=mfu * 0.86, expected=mfu, high=mfu * 1.09, unit="", because=("compute.mfu",)),
        days=spread(days, "day", 0.9, 1.2),
        finish=START + timedelta(days=round(days + 0.5)),
        accelerator_hours=spread(count * days * 24, "h", 0.9, 1.2),
        memory=Memory(
            parts=tuple(
                Part(key=key, label=label, value=memory_gb * share, unit="GB") for key, label, share in memory_parts
            ),
            total_gb=spread(memory_gb, "GB", 0.95, 1.06),
            capacity_gb=capacity_gb,
        ),
        time=tuple(Part(key=key, label=label, value=step * share, unit="s") for key, label, share in step_parts),
        cost=Cost(
            total=money(total),
            final_run=money(total),
            cloud=money(total) if rent else money(total * 0.7),
            on_prem=money(total * 11.2),
            break_even=BREAK_EVEN,
            model=model,
            price_per_accelerator_hour=price,
        ),
        checkpoint=Checkpoint(
            interval_s=10_800,
            interval_steps=max(1, round(10_800 / step)),
            size_gb=988,
            write_s=41,
            goodput=Estimate(low=0.94, expected=0.965, high=0.98, unit="share"),
            mtbf_h=412,
            failures_expected=0.41,
            lost_share=0.035,
            storage_gb=2964,
            # To first order, besides 2.76 % for what an interval does not change; least near √(2 × 41 s × 412 h).
            losses=tuple(0.0276 + 41 / x + x / 2 / (412 * 3600) for x in intervals_around(10_800.0, 33)),
            sentence="Saving every 3 hours loses least: oftener costs writing time, seldomer costs repeated work.",
            lost_accelerator_hours=count * days * 24 * 0.035,
            lost_cost=round(count * days * 24 * 0.035 * price, 2),
            ways=(
                Way(
                    key="waiting", label="Training waits for storage", interval_s=10_800, lost_share=0.035, chosen=True
                ),
                Way(
                    key="background",
                    label="Written in the background",
                    interval_s=4_000,
                    lost_share=0.032,
                    chosen=False,
                ),
                Way(
                    key="two_level",
                    label="In the background, and a copy in another node's memory",
                    interval_s=2_700,
                    lost_share=0.0294,
                    chosen=False,
                ),
            ),
        ),
        serving=None,
        energy=Energy(
            kwh=spread(count * days * 24 * 0.95, "kWh"),
            kg_co2e=spread(count * days * 24 * 0.95 * 0.38, "kg"),
            g_per_kwh=380,
            source="grid mean of the region",
        ),
        meets_deadline=days <= deadline,
        meets_budget=True,
        probability_in_time=0.99 if days * 1.2 < deadline else 0.4,
        probability_in_budget=0.97,
        binding="compute",
        reasons=(
            "It is the cheapest layout whose pessimistic end still keeps the deadline.",
            "Tensor-parallel exchange stays inside the server.",
        ),
        warnings=(),
        evidence=Evidence(
            level="measured",
            about="accelerator",
            name=name,
            rows=229,
            median_error=0.043,
            coverage=0.88,
            sentence=f"Speed supported by 229 measured runs on {name}: 4.3% off in the median.",
        ),
    )


def serving_option(ident: str, device: str, name: str, replicas: int, rent: Offer, ttft: float, tpot: float) -> Option:
    """One way to answer 40 requests/s with a 32-billion-parameter model."""
    each = 2
    price = rent.usd_per_hour / rent.devices
    count = replicas * each
    model = serving_model(count, price)
    total = next(line.amount for line in model.lines if line.name == "total")

    def latency(p50: float) -> Percentiles:
        return Percentiles(p50=spread(p50, "ms"), p95=spread(p50 * 2.1, "ms"), p99=spread(p50 * 3.2, "ms", 0.85, 1.4))

    return Option(
        id=ident,
        kind="cloud",
        accelerator=device,
        accelerator_name=name,
        count=count,
        nodes=-(-count // 8),
        offer=rent,
        on_prem="",
        parallelism=Layout(tp=each),
        precision="fp8",
        recompute="none",
        micro_batch=1,
        gradient_accumulation=1,
        global_batch=1,
        framework="vllm",
        step_time_s=None,
        steps=0,
        tokens_per_s=spread(16_000, "token/s"),
        mfu=Estimate(low=0.2, expected=0.24, high=0.27, unit=""),
        days=Estimate(low=365, expected=365, high=365, unit="day"),
        finish=None,
        accelerator_hours=spread(count * 0.64 * 8760, "h"),
        memory=Memory(
            parts=(
                Part(key="weights", label="Weights", value=16.4, unit="GB"),
                Part(key="kv", label="KV cache", value=48.1, unit="GB"),
                Part(key="activations", label="Activations", value=3.2, unit="GB"),
                Part(key="overhead", label="Buffers and runtime", value=4.1, unit="GB"),
            ),
            total_gb=spread(71.8, "GB", 0.96, 1.04),
            capacity_gb=80,
        ),
        time=(
            Part(key="queue", label="Waiting in the queue", value=ttft * 0.25, unit="ms"),
            Part(key="prefill", label="Reading the prompt", value=ttft * 0.65, unit="ms"),
            Part(key="network", label="Network", value=ttft * 0.1, unit="ms"),
        ),
        cost=Cost(
            total=money(total),
            final_run=money(total),
            cloud=money(total),
            on_prem=money(total * 1.3),
            break_even=BREAK_EVEN,
            model=model,
            price_per_accelerator_hour=price,
        ),
        checkpoint=None,
        serving=ServingResult(
            replicas=replicas - 1,
            spare_replicas=1,
            accelerators_per_replica=each,
            engine="vllm",
            kv_precision="fp8",
            max_batch=256,
            batch_at_peak=88.0,
            utilisation=0.72,
            requests_per_s_per_replica=spread(40 / max(1, replicas - 1), "request/s"),
            ttft_ms=latency(ttft),
            tpot_ms=latency(tpot),
            e2e_ms=latency(ttft + 400 * tpot),
            output_tokens_per_s_per_gpu=spread(16_000 / count, "token/s"),
            price_per_million_input=money(0.11),
            price_per_million_output=money(0.43),
            autoscale=Autoscale(min=3, max=replicas, warmup_s=95),
            bound="bandwidth",
            monthly=money(total / 12),
            api_break_even="",
        ),
        energy=Energy(
            kwh=spread(count * 8760 * 0.5, "kWh"),
            kg_co2e=None,
            g_per_kwh=None,
            source="device power only; the region has no published intensity",
        ),
        meets_deadline=True,
        meets_budget=True,
        probability_in_time=None,
        probability_in_budget=None,
        binding="ttft",
        reasons=("It keeps both latency promises at the peak with one replica down.",),
        warnings=("The latency of this engine on this accelerator was not measured; the band is wide.",),
        evidence=Evidence(
            level="measured",
            about="accelerator",
            name=name,
            rows=51,
            median_error=0.091,
            coverage=0.86,
            sentence=f"Speed supported by 51 measured runs on {name}: 9.1% off in the median.",
        ),
    )


ADVICE = (
    Advice(
        topic="Scheduler",
        choice="Slurm",
        reason="One gang-scheduled job uses every server for days.",
        rule="ops.scheduler.gang",
    ),
    Advice(
        topic="Monitoring",
        choice="DCGM exporter with alerts on XID errors and slow ranks",
        reason="One slow accelerator slows them all.",
        rule="ops.observe.straggler",
    ),
    Advice(
        topic="Spare capacity",
        choice="One spare server",
        reason="A failed server is replaced without waiting for the provider.",
        rule="ops.spare.node",
    ),
)
ASSUMPTIONS = (
    Assumption(
        id="compute.mfu_ceiling",
        value=0.72,
        low=0.66,
        high=0.76,
        unit="",
        meaning="Share of the dense peak that large matrix products reach",
        source="fitted on measured runs",
    ),
    Assumption(
        id="network.overlap",
        value=0.8,
        low=0.6,
        high=0.95,
        unit="share",
        meaning="Share of gradient exchange hidden behind arithmetic",
        source="measured runs, Megatron-LM",
    ),
    Assumption(
        id="reliability.mtbf_h",
        value=50_000,
        low=26_000,
        high=110_000,
        unit="h",
        meaning="Mean time between failures of one accelerator with its share of the server",
        source="Llama 3 herd of models, 2024, table 5",
    ),
)
MODEL = ModelSummary(
    slug="llama-3.1-70b",
    name="Llama 3.1 70B",
    parameters=70_553_706_496,
    active_parameters=70_553_706_496,
    layers=80,
    hidden=8192,
    source="published config.json",
)
REJECTED = (
    Rejection(
        code="memory",
        reason="does not fit into the accelerator's memory",
        count=412,
        nearest="8 × H100: needs 96.3 GB of 80 GB per GPU at TP 8",
    ),
    Rejection(
        code="deadline", reason="finishes after the deadline", count=96, nearest="16 × A100: 31.0 days, 10.0 days late"
    ),
    Rejection(
        code="no_network",
        reason="has no known network between servers",
        count=58,
        nearest="2 × 8 × L40S at Example Cloud",
    ),
)
