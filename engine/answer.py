"""What the engine answers: plain frozen dataclasses that are stored, shown, printed and sent as they are.

A number that is not certain is an `Estimate`. Money is in the currency of the answer (`Recommendation.currency`), rounded to
its smallest unit; while an answer is computed that is US dollars (`converted` says how it becomes another). GB here is 10⁹ bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Literal, get_args

from engine.inputs.architecture import Counts
from engine.inputs.assumptions import Assumption
from engine.inputs.currency import DOLLARS, Currency
from engine.inputs.finding import Finding, Value, finding
from engine.inputs.hardware import Offer
from engine.inputs.kind import TIMED, Kind
from engine.inputs.origin import Origin
from engine.inputs.spec import Measurement

OptionKind = Literal["cloud", "on_prem", "owned"]
EvidenceLevel = Literal["measured", "near", "modelled", "assumed", "unknown"]
"""Measured; measured on something like it; reckoned from data sheets; a planning judgement; not known at all."""
BasisOf = Literal["speed", "memory", "price", "failures", "programme", "energy", "emissions"]
EvidenceAbout = Literal["accelerator", "precision", "model", "method"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A number with its 80 % band: P10, the value at the central inputs, P90."""

    low: float
    expected: float
    high: float
    unit: str
    because: tuple[str, ...] = ()
    """Ids of the facts, assumptions and inputs that it follows from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Money:
    """An amount with its 80 % band, whole units of its smallest coin."""

    low: float
    expected: float
    high: float
    currency: str = "USD"


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """How the model is spread over accelerators."""

    tp: int = 1
    pp: int = 1
    vpp: int = 1
    cp: int = 1
    ep: int = 1
    dp: int = 1
    zero_stage: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One piece of a whole: of memory [GB], step time [s], TTFT [ms]. `key` is for programs, `label` is said to people."""

    key: str
    label: Finding
    value: float
    unit: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """Bytes on the fullest accelerator [GB = 10⁹ byte]."""

    parts: tuple[Part, ...]
    total_gb: Estimate
    capacity_gb: float
    probability_fits: float | None = None
    """That the peak stays within the capacity; None for services, and in plans made before it was kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CostInput:
    """One named number of the cost model that finance may change."""

    name: str
    """What formulas, cells and programs know it by."""
    value: float
    unit: str
    low: float
    high: float
    source: Origin
    date: str = ""
    editable: bool = True
    told: Finding | None = None
    """What it is called where its name alone does not say it: of whom, or in which kind of model."""

    @property
    def label(self) -> Finding:
        """What it is called."""
        return self.told or cost_label(self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class CostLine:
    """One named expression over inputs and earlier lines. `amount` is rounded to the smallest unit when the unit is a currency."""

    name: str
    """What later formulas, cells and programs know it by."""
    expression: str
    amount: float
    unit: str = "USD"
    kind: Literal["quantity", "opex", "capex", "total"] = "opex"
    schedule: Literal[
        "run", "upfront", "monthly", "instalments", "term", "held", "used", "end", "settled", "until", "after", "none"
    ] = "run"
    """When it is paid: spread over the run, at the start or the delivery, every month by its days, in equal instalments of a lease
    (`term`: over the months of it, as the books show these), every month in which bought hardware is held,
    while the work runs on it (`used`), at the end of the time it is held, on the last day of a spend commitment, with the instances
    until the end of that day or after it; `none` is no leaf of the total."""
    paid: str = ""
    """Expression of what is paid for it in cash where that is not its amount: the whole of what the total holds a share
    of, or `UNPAID`."""
    told: Finding | None = None
    """What it is called where its name alone does not say it: of what, or in which kind of model."""

    @property
    def label(self) -> Finding:
        """What it is called."""
        return self.told or cost_label(self.name)


@cache
def cost_label(name: str) -> Finding:
    """What an input or a line of that name is called."""
    return finding(f"cost.{name}")


UNPAID = "0"
"""What is paid for a cost that is no payment: the cost of capital."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CashMonth:
    """What is paid in one calendar month, and for which line of the model. A purchase or a commitment is paid whole,
    whatever share of it the total holds; the cost of capital is no payment."""

    month: str
    opex: float
    capex: float
    by_line: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CashYear:
    """What is paid in one calendar year, and what it is worth in the first month at the cost of capital."""

    year: int
    opex: float
    capex: float
    present_value: float


RATE = "fx_rate"
"""Name of the input that holds units of the model's currency for one US dollar; a model in dollars has none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Signed:
    """What cannot be given back once it is ordered: all of it, the share that the total of this work holds, and the rest,
    which other work must carry."""

    what: Literal["none", "commitment", "lease", "prepayment", "purchase"] = "none"
    total: float = 0.0
    share: float = 0.0
    rest: float = 0.0
    months: float = 0.0
    """For how long it is signed: the terms of a commitment; of bought hardware, the months that it is planned for."""
    drawn: float = 0.0
    """What this work draws of a spend commitment that is signed already: so much less is newly owed and newly paid."""


PURCHASE = "capex"
"""Name of the line that is the whole purchase, before tax."""
ORDERED = "ordered"
"""Name of the line that is the whole purchase with the tax that does not come back; there is none without such tax."""
COMMITTED = "committed"
"""Name of the line that is the whole commitment."""
LEASED = "leased"
"""Name of the line that is all payments of a lease."""
PREPAID = "prepaid"
"""Name of the line that is paid in advance."""
SAVED = "shortfall_saved"
"""Name of the line that is what a spend commitment would have cost unused, and does not because this work draws it."""
FULL_PRICE = "full_price"
"""Name of the line that is paid because the discount of a spend commitment has ended."""
EXCESS = "full_price_excess"
"""Name of the line that is paid because a commitment that lapses by the hour does not reach for all instances of an hour."""
DRAWN = "spend_drawn"
"""Name of the line that is what this work draws of a spend commitment that nobody else would."""
TAXES = (
    "tax_purchase",
    "tax_instances",
    "tax_later",
    "tax_excess",
    "tax_rental",
    "tax_services",
    "tax_managed",
    "tax_operation",
)
"""Names of all lines that are tax."""
NEEDED = "budget_needed"
"""Name of the line that is what a budget must hold; without one, that is the total."""
AUTHORISED = "to_authorise"
"""Name of the line that is what has to be authorised, where a budget must hold something else; without one, that is the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CostModel:
    """Inputs, lines and the name of the line that is the total: the model itself, as data."""

    inputs: tuple[CostInput, ...]
    lines: tuple[CostLine, ...]
    total: str
    cash: tuple[CashMonth, ...]
    years: tuple[CashYear, ...] = ()
    """The same cash by calendar year."""

    @property
    def currency(self) -> str:
        """The currency of its total and of every line that is money."""
        return next((line.unit for line in self.lines if line.name == self.total), DOLLARS.code)

    @property
    def per_usd(self) -> float:
        """What one US dollar of its prices is in that currency."""
        return next((item.value for item in self.inputs if item.name == RATE), 1.0)


def without_rate(expression: str) -> str:
    """The formula of a line for a reader who is told its prices in the currency of the plan already."""
    return expression.replace(f" * {RATE}", "")


@dataclass(frozen=True, kw_only=True, slots=True)
class BreakEven:
    """When owning beats renting: utilisation, hours, months and the cloud price at which both cost the same."""

    utilisation: float | None
    hours: float | None
    months: float | None
    cloud_per_accelerator_hour: float | None
    told: tuple[Finding, ...]
    """What of it is worth saying, in this order."""
    expected_utilisation: float = 0.0
    """The use that it was judged on; 0 in plans made before it was kept."""
    rented_per_accelerator_hour: float = 0.0
    """The rented hour it was held against, without what owning needs as well."""
    owning_pays: bool | None = None
    """Whether the work as a whole costs less on servers bought for it; None where no demand beyond it is stated."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What an option costs. `total` is what the plan asks for; `cloud` and `on_prem` are there to compare."""

    total: Money
    final_run: Money
    """One run of it, without repetitions and experiments; equal to `total` for a single run or a service."""
    cloud: Money | None
    on_prem: Money | None
    break_even: BreakEven | None
    model: CostModel
    price_per_accelerator_hour: float
    signed: Signed = Signed()
    cash_needed: float = 0.0
    """What a budget must hold: all that is signed, and the rest of what this work pays."""
    expected_holds: float | None = None
    """Probability that the total stays within its central value, that of all inputs at theirs: below one half where they may
    rise by more than they may fall. None where it was not drawn."""
    at_confidence: float = 0.0
    """The least total that is not exceeded as surely as is asked; 0 in plans from before it was told."""
    npv: float = 0.0
    """What the cash that this work causes is worth on the day of the request, all inputs at their central values."""
    npv_at_confidence: float = 0.0
    """The same as surely as is asked: what `cost` ranks by; 0 in plans from before options were ranked by it."""

    @property
    def ranked_by(self) -> float:
        """What options are ranked by: that present value, and where a plan does not say it, the total so surely, or what is expected."""
        return self.npv_at_confidence or self.suffices

    @property
    def suffices(self) -> float:
        """What is paid for it at most, as surely as is asked; where a plan does not say it, what is expected."""
        return self.at_confidence or self.total.expected


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """How often to save, and what failures cost."""

    interval_s: float
    interval_steps: int
    size_gb: float
    write_s: float
    goodput: Estimate
    mtbf_h: float
    failures_expected: float
    lost_share: float
    storage_gb: float
    losses: tuple[float, ...] = ()
    """Share of time lost with other intervals, four to the octave, the chosen one in the middle: see `curve`."""
    told: tuple[Finding, ...] = ()
    """What to do, and what it costs."""
    way: str = "waiting"
    """waiting | background: does training stand still until a checkpoint is written?"""
    near_interval_s: float = 0.0
    """Between copies into another node's memory; 0 without them."""
    full_every: int = 1
    """Every how manieth checkpoint is a full one; 1 = all."""
    write_bandwidth: float = 0.0
    """What storage must take in [byte/s]."""
    lost_accelerator_hours: float = 0.0
    """Of one run, to saving, repeated work and restarts."""
    lost_cost: float = 0.0
    """What those hours cost; 0 where hours have no price of their own."""
    ways: tuple[Way, ...] = ()
    """The same job saved in each way, at the best interval of each."""

    @property
    def curve(self) -> tuple[tuple[float, float], ...]:
        """(interval [s], share of time lost): the U-shaped curve, for the chart."""
        spans = intervals_around(self.interval_s, len(self.losses))
        return tuple(zip(spans, self.losses, strict=True))


def intervals_around(interval_s: float, count: int) -> tuple[float, ...]:
    """So many intervals [s], four to the octave, with that one in the middle."""
    return tuple(interval_s * 2.0 ** ((step - count // 2) / 4.0) for step in range(count))


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """One way to save a job's state, and what it would lose."""

    key: str
    interval_s: float
    lost_share: float
    chosen: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Percentiles:
    """A latency distribution [ms]: each percentile with its band."""

    p50: Estimate
    p95: Estimate
    p99: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Autoscale:
    """Replicas at the quietest and busiest hour, and how long a new one takes to answer [s]."""

    min: int
    max: int
    warmup_s: float
    metric: str = "requests_in_flight_per_replica"
    """What leads them, as a code; in plans from before it was one the same in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lost:
    """One cause for which not all of the load is served."""

    cause: str
    """hosts | site | provider | mornings."""
    hours_per_year: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingCase:
    """What is served on one kind of day."""

    case: str
    """normal | host | maintenance | morning | site | provider."""
    per_year: float | None
    """How often it happens; None of the normal day."""
    lasts_h: float | None
    """How long it lasts on average [h]; None of the normal day."""
    carries: float
    """What the replicas that are left carry, over the peak of the load."""
    served: float
    """Share of the peak that is served, once traffic has gone where replicas are left."""
    gap_s: float
    """Until it has [s]."""
    full_s: float | None
    """Until all of the peak is served again, if the capacity for it can be had [s]; None = not before it is over."""
    full_chance: float = 1.0
    """That it can be had."""
    ttft_p95_ms: float | None = None
    """p95 time to the first token (or answer) meanwhile; None where it is that of the table of latencies, or not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PatternCost:
    """One pattern on the same hardware: how available it keeps the service, and what it costs."""

    pattern: str
    accelerators: int
    availability: float
    pattern_cost: float | None
    """None where it cannot be had there: no second region rents that accelerator, or too many would be needed."""
    holds: bool
    """Does it keep the service up as long as is asked?"""
    chosen: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """How replicas stand by, for how much of the time all of the load is served, and what is left of it on the worst day."""

    pattern: str
    asked: float
    """Share of time for which the service is to answer."""
    availability: float
    """Share of time for which all of its load is served."""
    ceiling: float
    """The most that this pattern can hold, however many spare replicas there were."""
    lost: tuple[Lost, ...]
    cases: tuple[StandingCase, ...]
    second: Offer | None = None
    """What is rented at the second site; None without one."""
    second_replicas: int = 0
    patterns: tuple[PatternCost, ...] = ()
    """All of them, of the recommended hardware."""
    keep_cost: float | None = None
    """What it costs more to keep the replicas of the peak at all hours; None where nothing is given back."""

    @property
    def holds(self) -> bool:
        """Is the service up for as long as is asked?"""
        return self.availability >= self.asked

    @property
    def on_one_host(self) -> bool:
        """Is nothing served while a host is down, because all replicas stand on it?"""
        return any(one.case == "host" and one.served <= 0.0 for one in self.cases)


@dataclass(frozen=True, kw_only=True, slots=True)
class ServingResult:
    """What a service of this shape does at its peak."""

    replicas: int
    spare_replicas: int
    accelerators_per_replica: int
    engine: str
    kv_precision: str
    max_batch: int
    batch_at_peak: float
    utilisation: float
    requests_per_s_per_replica: Estimate
    ttft_ms: Percentiles
    tpot_ms: Percentiles
    e2e_ms: Percentiles
    output_tokens_per_s_per_gpu: Estimate
    price_per_million_input: Money
    price_per_million_output: Money
    autoscale: Autoscale
    bound: str
    """compute | bandwidth | kv | network | queue."""
    monthly: Money | None = None
    """None for a batch."""
    simulated: bool = True
    api_break_even: Finding | None = None
    """The same tokens on the hosted API that the request names; None where it names none."""
    standing: Standing | None = None
    """How it stands while hosts and sites fail; None for a batch, and in plans from before it was kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Energy:
    """Energy and location-based emissions."""

    kwh: Estimate
    kg_co2e: Estimate | None
    g_per_kwh: float | None
    grid: Finding
    """Whose grid it is, or that its intensity is not known."""
    embodied_kg: float | None = None
    """Part of the emissions of making the accelerators, spread over their life [kg CO2e]."""
    water_l: float | None = None
    """Water used on site for cooling [litre]."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DataPath:
    """What the input pipeline of a training run needs and gets [byte/s for all nodes together]."""

    read_bandwidth: float
    """Mean need."""
    tier: str
    """Tier that the plan uses: object, nfs, parallel or local."""
    tier_bandwidth: float
    workers_per_node: int
    cost_per_month: float
    """Storage of the dataset on that tier and, if cached, its origin."""
    starves: bool
    """Would accelerators wait for data where it lies now?"""
    told: tuple[Finding, ...]
    warning: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """How far measurements support the speed of an option."""

    level: EvidenceLevel
    """Rows of this accelerator and precision; rows that are like it; no row of this kind of model, generation or
    precision."""
    about: EvidenceAbout
    """What the figures are of, or what no measured row has: the weakest of them."""
    name: str
    """The same as people call it."""
    rows: int = 0
    """Measured rows of that group; 0 = none."""
    median_error: float | None = None
    """Median absolute error of predictions on them [fraction]; None without rows."""
    coverage: float | None = None
    """Share of them that the 80 % band held."""
    weak: bool = False
    """Does the page on accuracy show that group as weak?"""
    told: Finding | None = None
    """All of it in one sentence."""

    @property
    def doubtful(self) -> bool:
        """Is it to be said with emphasis: nothing was measured, or estimates were far off?"""
        return self.weak or self.level == "modelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What one figure of an option rests on."""

    of: BasisOf
    level: EvidenceLevel
    told: Finding
    rows: tuple[Finding, ...] = ()
    """The measurements that come nearest, nearest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chance:
    """How likely an option keeps what limits it: all of it together in the same draw, and each alone. None where that
    limit is not set, or is none of this kind of work."""

    all: float
    """All limits that there are hold together, in the same draws."""
    deadline: float | None = None
    """It is done by the deadline."""
    budget: float | None = None
    """The budget holds all that is signed and paid."""
    promise: float | None = None
    """The promised latencies, at the peak that is stated."""
    memory: float | None = None
    """The peak of a run fits into its accelerators."""
    capacity: float | None = None
    """The replicas carry the peak load."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Certainty:
    """What it takes to be so sure: the option that would be recommended if this confidence were asked for."""

    confidence: float
    """The chance that all limits hold together, 0 to 1."""
    cost: float | None
    """What it then costs at most with that confidence, in the currency of the answer; None where no option is so sure."""
    days: float | None
    """Days in which it is then done with that confidence; None likewise, and for a service, which goes on."""
    authorised: float | None = None
    """What has to be authorised for it: all that is newly signed, and what is paid besides with that confidence. None like the
    cost, and in plans from before it was kept."""
    option_id: str = ""
    asked: bool = False
    """Is this what the request asks for?"""
    extrapolated: bool = False
    """Does it lie beyond what measured errors support?"""
    change: tuple[Finding, ...] = ()
    """What buys the step from the row of the table before; empty between the rows of the table."""
    hardware: Finding | None = None
    """What it would run on, and where that is had; None where no option is so sure, and in plans from before it was kept."""
    chance: float | None = None
    """How likely that option keeps all limits together, in the same draws; None likewise."""
    between: bool = False
    """A step of the slider between the rows that tables show."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What came of holding the choice against others that were drawn at random."""

    alternatives: int
    """Other combinations of source, layout and number of accelerators that were drawn and costed exactly."""
    better: int
    """Those of them that were better by what was asked to be least, and kept all limits: the best of them was taken."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a gate does with one range of what is measured."""

    does: Literal["release", "take", "stop"]
    """Go on as planned; take another option instead; stop, because nothing would keep the limits as surely as is asked."""
    low: float | None
    """From here on, in the gate's unit; None = whatever is less."""
    high: float | None
    """Up to here; None = whatever is more."""
    option_id: str
    """What is released or taken; empty where work stops."""
    authorised: float
    """What is authorised for it at the gate at most, as surely as is asked, in the currency of the answer; 0 where work stops."""
    chance: float
    """How likely that range is measured."""
    told: Finding
    """The same in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """A measurement before the money: what it costs, what each result releases, and what that is worth.

    Without outcomes there is nothing to measure first, and `told` says why. The worth is the expected cost of deciding now less that
    of measuring and deciding then, from the same draws; work that breaks a limit counts as lost with what was spent on it.
    """

    measures: Literal["step_time", "rate"]
    """The time of one step [s], or the requests that one replica carries [request/s]."""
    unit: str
    told: tuple[Finding, ...]
    """What is approved now, and whether that is worth it; what follows from what is measured stands in the outcomes."""
    accelerator: str = ""
    count: int = 0
    """Accelerators that are measured on."""
    steps: int = 0
    """Steps that are timed; 0 of a load test."""
    hours: float = 0.0
    """Hours that are paid for them."""
    fee: float = 0.0
    """What measuring costs at most, which is all that can be lost, in the currency of the answer."""
    delay_days: float = 0.0
    """Days by which the work begins later."""
    left_days: float = 0.0
    """What is left of the deadline then [day]; 0 where there is none."""
    left_budget: float = 0.0
    """What is left of the budget then, in the currency of the answer; 0 where there is none."""
    expected: float = 0.0
    """What is predicted to be measured."""
    measurement: Measurement | None = None
    """Of a run, what to add to `measured` of the request, with the measured step time in place of the predicted one."""
    outcomes: tuple[Outcome, ...] = ()
    """By what is measured, the least first."""
    worth: float = 0.0
    """In the currency of the answer; where it is not above zero, deciding now is no worse."""
    least: float = 0.0
    """What it must be worth to be proposed: a second decision takes time too."""
    ceiling: float = 0.0
    """What knowing the result for nothing, and every other error with it, would be worth: no measurement is worth more."""

    @property
    def ordered(self) -> tuple[Outcome, ...]:
        """The outcomes as they are told, the best result first: the shortest step, the greatest rate."""
        return self.outcomes if self.measures == "step_time" else self.outcomes[::-1]

    @property
    def then(self) -> Finding:
        """What follows from what is measured, as one finding."""
        return finding("gate.then", outcomes=tuple(one.told for one in self.ordered))

    @property
    def said(self) -> tuple[Finding, ...]:
        """All of it, one sentence after another."""
        return (self.told[0], self.then, *self.told[1:]) if self.pays else self.told

    @property
    def pays(self) -> bool:
        """Is measuring first worth what it costs?"""
        return bool(self.outcomes) and self.worth > self.least


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """What is rented at one site."""

    offer: Offer
    count: int
    """Accelerators."""

    @property
    def instances(self) -> int:
        """Instances that hold them."""
        return -(-self.count // self.offer.devices)


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One way to do the work, wholly described."""

    id: str
    kind: OptionKind
    accelerator: str
    accelerator_name: str
    count: int
    nodes: int
    offer: Offer | None
    on_prem: str
    """Slug of the system that is bought or owned, for programs; people read its name."""
    """System slug when the option is bought or owned, else empty."""
    parallelism: Layout
    precision: str
    recompute: str
    micro_batch: int
    gradient_accumulation: int
    global_batch: int
    """Sequences (or samples) in one optimizer step."""
    framework: str
    step_time_s: Estimate | None
    steps: int
    tokens_per_s: Estimate
    mfu: Estimate
    days: Estimate
    finish: date | None
    accelerator_hours: Estimate
    memory: Memory
    time: tuple[Part, ...]
    """Where one step's (or one request's) time goes."""
    cost: Cost
    checkpoint: Checkpoint | None
    serving: ServingResult | None
    energy: Energy
    meets_deadline: bool
    meets_budget: bool
    probability_in_time: float | None
    probability_in_budget: float | None
    binding: str
    """What limits it: the key of the largest part of a step besides the arithmetic, or what binds a replica."""
    reasons: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    data_path: DataPath | None = None
    """How training data reaches the accelerators; None for a service."""
    probability_of_both: float | None = None
    """Of being in time and within the budget in the same draw; None unless both limits are set."""
    too_long: TooLong | None = None
    """Which assumption on the length of runs keeps it from being recommended; None where none does."""
    evidence: Evidence | None = None
    """What stands behind its speed; None in plans made before it was kept."""
    basis: tuple[Basis, ...] = ()
    """What each of its figures rests on, of the recommended option alone."""

    chance: Chance | None = None
    """How likely it keeps its limits; None in plans made before that was kept."""
    sure: bool = True
    """Does it keep all of these together as surely as was asked? Its availability is no chance: `kept` says both."""

    system_name: str = ""
    """Name of the system that is bought or owned; empty for a rental."""
    porting: Finding | None = None
    """What it takes that its accelerators do not run CUDA, also among the warnings; None where they do or are owned."""

    @property
    def counts(self) -> Counts:
        """What its pace is counted in; samples in plans made before it was told more closely."""
        unit = self.tokens_per_s.unit.removesuffix("/s")
        return next((one for one in get_args(Counts) if one == unit), "token")

    @property
    def ends(self) -> bool:
        """Is it done some day, as a run or a batch? A service goes on."""
        return TIMED[self.work]

    @property
    def work(self) -> Kind:
        """The kind of work that it does."""
        if self.serving is None:
            return "run"
        return "batch" if self.serving.monthly is None else "service"

    @property
    def joined(self) -> int:
        """Accelerators that exchange with one another: all of a run, those of one replica of a service or batch."""
        return self.serving.accelerators_per_replica if self.serving else self.count

    @property
    def standing(self) -> Standing | None:
        """How a service stands while hosts and sites fail; None of other work, and in plans from before that was kept."""
        return self.serving.standing if self.serving else None

    @property
    def sites(self) -> tuple[Site, ...]:
        """What is rented where: at the first site and, of a service at two, at the second; nothing of hardware that is not rented."""
        if self.offer is None:
            return ()
        if self.standing is None or self.standing.second is None:
            return (Site(offer=self.offer, count=self.count),)
        there = self.standing.second_replicas * self.joined
        return Site(offer=self.offer, count=self.count - there), Site(offer=self.standing.second, count=there)

    @property
    def up_enough(self) -> bool:
        """Is it up for as long as is asked, where that is asked of it?"""
        return self.standing is None or self.standing.holds

    @property
    def kept(self) -> bool:
        """Does it keep all that was asked as surely as was asked, and is it up for as long? What page, documents and API call sure."""
        return self.sure and self.up_enough

    @property
    def keeps_limits(self) -> bool:
        """Could it be recommended, if need be with an availability that is missed: in time, within the budget, as surely as was asked,
        and not too long?"""
        return self.meets_deadline and self.meets_budget and self.sure and self.too_long is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """One option of the cost–time chart."""

    option_id: str
    label: Finding
    days: float | None = None
    """Days to finish; None for a service, which has no end."""
    ttft_p95_ms: float | None = None
    """p95 time to the first token of a service [ms]; None for work that ends."""
    cost: float
    at_confidence: float = 0.0
    """What it costs at most, as surely as is asked; of points that were not costed exactly about that. 0 in older plans."""
    npv_at_confidence: float = 0.0
    """What the cash that it causes is worth on the day of the request, likewise: what `cost` ranks by. 0 in older plans."""
    on_frontier: bool
    feasible: bool
    reason: Finding | None = None
    """Which limit it misses, and by how much; None where it keeps all."""
    ported: bool = False
    """Would the team first have to bring its work to the software of another vendor? That counts in the ranking and is in no cost."""

    @property
    def ranked_by(self) -> float:
        """What it is ranked by; in older plans what it costs at most, or what is expected."""
        return self.npv_at_confidence or self.at_confidence or self.cost

    @property
    def pace(self) -> float:
        """What is weighed against the cost: the one of the two that there is."""
        return (self.ttft_p95_ms if self.days is None else self.days) or 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Rejection:
    """Why a group of candidates was left out, and how near the nearest came."""

    code: str
    reason: Finding
    count: int
    nearest: Finding | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TooLong:
    """A run, or all runs of a programme, that lasts longer than the named assumption allows."""

    assumption: str
    """select.patience: one run; select.programme: all of them together."""
    days: float
    most: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One field of a request (or an assumption): what it is, and what it would have to be; None where it is left out."""

    field: str
    now: Value | None
    needed: Value | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Nearest:
    """A change of the request that would make it feasible, of one field or of several together."""

    changes: tuple[Change, ...]
    told: tuple[Finding, ...]
    """What to change, and what comes of it."""

    @property
    def field(self) -> str:
        """The fields that it changes."""
        return ", ".join(change.field for change in self.changes)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lever:
    """A change of the request that costs less and needs something first that the plan does not take for granted."""

    key: str
    """precision: fewer bits than the publisher's, or than 16 of a run; commitment, ttft_p95_ms, tpot_p95_ms, availability, deadline,
    spot, background, model: what is given up, signed or brought along."""
    changes: tuple[Change, ...]
    hardware: Finding
    """What would do the work then, and where that is had."""
    accelerator: str
    count: int
    cost: Money
    """What it then costs, as the recommended option's total."""
    saving: Money
    """By how much that is less: the ends of the band are those of the two totals, compared one by one."""
    needs: Finding
    """What must be done before it is used."""
    told: Finding
    """All of it in one sentence or two."""
    chance: float | None = None
    """How likely all limits that are left hold together then, in the same draws; None in plans from before that was told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Levers:
    """Everything that a team could give up, sign or bring along for less money, worked out when it is asked for."""

    cost: Money
    """Total of what is recommended: what each saving is counted from."""
    levers: tuple[Lever, ...]
    """What saves more than what counts as equal, the most first; another model last, since its answers are others."""
    idle: tuple[Change, ...]
    """What was tried and saves nothing, or no more than that."""
    signed: Lever | None = None
    """What the commitment of the plan saves: `cost` is the least without one, `saving` what is lost by it. None where it has none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Driver:
    """How far the total moves when one input moves over its range: a bar of the tornado."""

    name: str
    label: Finding
    low_value: float
    high_value: float
    unit: str
    low_change: float
    high_change: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Flip:
    """The value of one input at which the recommendation changes."""

    name: str
    label: Finding
    now: float
    threshold: float
    unit: str
    then: Finding
    """What is recommended from there on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """One operational choice with the rule that made it."""

    rule: str
    topic: str
    """What it is about, by its code; `voice.terms` names it."""
    choice: Finding
    reason: tuple[Finding, ...]


PriceStanding = Literal["quoted", "public", "indicative"]
"""quoted: offered to this team, and still held on the day on which it is needed; public: a list price that anybody can buy
at; indicative: anything less, such as spot, a comparison of prices, an old price, a range or an assumption."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backing:
    """What stands behind the price of one part of what is paid."""

    line: str
    """Name of the line of the cost model."""
    label: Finding
    amount: float
    """What is paid for it, in the currency of the answer: of a purchase or a commitment all of it."""
    standing: PriceStanding
    told: Finding
    valid_until: date | None = None
    """Last day on which a quote holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Certified:
    """A certificate that was asked for, and the statement by which one provider of the recommended option holds it."""

    certificate: str
    """Its slug."""
    name: str
    provider: str
    """Slug; empty for hardware in rooms of the team's own, of which no provider's certificate speaks."""
    seller: str
    """The provider's own spelling of its name; empty likewise."""
    by: Literal["catalog", "request", "own_site"]
    """catalog: a statement in the catalog. request: the request says that the provider has shown it. own_site: nobody's; the team's own
    certificate has to cover its rooms."""
    stated: str = ""
    """Slug of the certificate that is stated, where another one includes what was asked; else the same."""
    scope: str = ""
    """What is covered, as far as the source says."""
    source: str = ""
    date: str = ""
    """Day of the statement (YYYY-MM-DD)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSummary:
    """The model that was planned for, in numbers."""

    slug: str
    name: str
    parameters: float
    active_parameters: float
    layers: int
    hidden: int
    source: str
    counts: Counts = "token"
    """What its work is counted in: tokens of a language model; else what it takes or makes, one at a time."""


@dataclass(frozen=True, kw_only=True, slots=True, weakref_slot=True)
class Recommendation:
    """The engine's whole answer to one spec on one market."""

    feasible: bool
    headline: Finding
    model: ModelSummary
    recommended: Option | None
    alternatives: tuple[Option, ...]
    """Best option for each accelerator and offer, best first; the recommended one is not repeated."""
    frontier: tuple[Point, ...]
    """Points of the cost–time chart, the Pareto front marked."""
    rejected: tuple[Rejection, ...]
    nearest: tuple[Nearest, ...]
    drivers: tuple[Driver, ...]
    flips: tuple[Flip, ...]
    advice: tuple[Advice, ...]
    assumptions: tuple[Assumption, ...]
    searched: int
    """Candidates whose memory and time were computed."""
    catalog_release: str
    catalog_date: str
    engine_version: str
    warnings: tuple[Finding, ...] = field(default=())
    currency: Currency = DOLLARS
    """The currency of every amount, with the rate that turned the dollars of price lists into it."""
    certainty: tuple[Certainty, ...] = ()
    """What other degrees of confidence would cost, the least sure first; empty where nothing is recommended."""
    gate: Gate | None = None
    """The measurement that may come before the money; None where nothing is recommended, where another objective than cost
    decides, and in plans from before it was kept."""
    backing: tuple[Backing, ...] = ()
    """What stands behind the prices of the recommended option, part by part, the largest first; empty in plans made before
    that was kept."""
    obtaining: tuple[Finding, ...] = ()
    """What to ask the seller for to have its hardware, each with the day by which to ask, the earliest first; likewise."""
    certificates: tuple[Certified, ...] = ()
    """On which statements it rests that the recommended option has the certificates that were asked for; empty where none was."""
    checked: Checked | None = None
    """The choice held against others drawn at random; None where nothing is recommended, and in plans from before that was done."""
    levers: tuple[Lever, ...] = ()
    """What would cost less and needs something first, the gentlest change first; empty in plans from before that was told."""


@dataclass(frozen=True, kw_only=True)
class Glance:
    """The head of a recommendation. Its numbers are those of the whole answer to the same spec."""

    headline: Finding
    best: Option | None
    """Without cash flow and without the comparison with bought hardware; None when nothing is feasible."""
    nearest: tuple[Nearest, ...]
    searched: int
    settled: bool = True
    """False for a first number: of a service in steady state, before the simulation of arrivals has judged the tails; of
    a training run on the likeliest accelerators, before all the others are searched."""
    currency: Currency = DOLLARS
    """The currency of its amounts."""


def scaled(value: Estimate, factor: float) -> Estimate:
    """So many times that estimate."""
    return replace(value, low=value.low * factor, expected=value.expected * factor, high=value.high * factor)


def saved(cost: float, beside: float) -> float:
    """Share of that other cost which this one saves, below zero where it is dearer; none against what costs nothing."""
    return 1.0 - cost / beside if beside > 0 else 0.0
