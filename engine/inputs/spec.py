"""What a team asks for: the one definition of every input.

The same frozen dataclasses are the REST schema, the YAML schema, the form's fields and the stored snapshot. Limits are
`annotated_types`, units and labels are `Q`. Rules across fields live in `spec_rules` and name their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen

from engine.inputs.architecture import Architecture
from engine.inputs.currency import Code
from engine.inputs.finding import Value
from engine.inputs.kind import Kind
from engine.inputs.known import whole_hash
from engine.inputs.quantity import Q
from engine.inputs.terms import Discount, Lease, SpendCommitment

Workload = Literal["training", "serving"]
Method = Literal["pretrain", "continue", "finetune", "lora", "qlora"]
Precision = Literal["auto", "fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"]
ServingPrecision = Literal["auto", "fp16", "bf16", "fp8", "int8", "int4", "nvfp4", "mxfp4"]
Optimizer = Literal["adamw", "adam8bit", "adafactor", "sgd"]
Framework = Literal[
    "auto",
    "any",
    "megatron",
    "fsdp",
    "pytorch",
    "torchrec",
    "deepspeed",
    "maxtext",
    "jax",
    "neuron",
    "vllm",
    "sglang",
    "tensorrt-llm",
]
Recompute = Literal["auto", "none", "selective", "full"]
Stack = Literal["auto", "tuned", "documented", "own"]
AttentionKernel = Literal["auto", "newest", "flash-2", "unfused"]
Objective = Literal["cost", "time", "balanced", "carbon"]
BudgetBasis = Literal["authorisation", "cash", "allocated"]
Priced = Literal["instance_hour", "server", "storage_gb_month", "egress_gb", "currency"]
Scheduler = Literal[
    "auto", "slurm", "kubernetes", "kueue", "volcano", "kubeflow", "managed", "sagemaker", "vertex", "azure-ml"
]
Pattern = Literal["spares", "auto", "n", "n+1", "n+n", "active-active", "recovery-full", "recovery-half"]
Hours = Literal["unstated", "office", "24x7"]
CoveredBy = Literal["auto", "own", "managed"]
AIR_GAPPED = "air-gapped"
"""Rule of security by which work never leaves the house."""
SOURCING_RULES = frozenset((AIR_GAPPED, "gdpr", "hipaa", "export-control"))
"""Rules of security that decide who may supply the accelerators; others only change what is advised."""
LONGEST_DEADLINE = 10_000
"""Days that a deadline may be away."""
LONGEST_BATCH_HOURS = 100_000
"""Hours that a batch may be given."""
MOST_ACCELERATORS = 131_072
"""Accelerators that may be allowed."""
MOST_HINTS = 5
"""Unknown names of one list for which the nearest known one is looked up: comparing takes milliseconds for each."""
Name = Annotated[str, MinLen(1), MaxLen(120), Q(label="Name", help="What people will call this plan.")]
Share = Annotated[float, Ge(0), Le(1)]
_STRICT = {"extra": "forbid"}
"""Read by the doors that are built on pydantic: an unknown key is refused by name."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Where the training data lies and how large it is."""

    __pydantic_config__ = _STRICT

    bytes: Annotated[float, Ge(0), Le(1e19), Q("byte", "Dataset size")] = 0.0
    location: Annotated[Literal["object", "parallel", "nfs", "local"], Q(label="Stored in")] = "object"


@dataclass(frozen=True, kw_only=True)
class Training:
    """A training run. Either `tokens`, or `samples` with `epochs`, says how much work there is."""

    __pydantic_config__ = _STRICT

    method: Annotated[
        Method, Q(label="Method", help="Pre-training, continued pre-training, full fine-tuning, LoRA or QLoRA.")
    ] = "pretrain"
    tokens: Annotated[
        float, Ge(0), Le(1e17), Q("token", "Training tokens", "All tokens the run sees, repeats included.")
    ] = 0.0
    samples: Annotated[
        float,
        Ge(0),
        Le(1e15),
        Q("sample", "Samples", "For models that count samples instead of tokens, or for fine-tuning sets."),
    ] = 0.0
    epochs: Annotated[float, Ge(1e-6), Le(10000), Q("", "Epochs")] = 1.0
    sequence_length: Annotated[int, Ge(1), Le(10_000_000), Q("token", "Sequence length")] = 4096
    global_batch_tokens: Annotated[
        float, Ge(0), Le(1e10), Q("token", "Global batch", "Tokens in one optimizer step; 0 lets the plan choose.")
    ] = 0.0
    global_batch_size: Annotated[
        int, Ge(0), Le(100_000_000), Q("sample", "Global batch in samples", "Instead of tokens.")
    ] = 0
    precision: Annotated[Precision, Q(label="Precision")] = "auto"
    optimizer: Annotated[Optimizer, Q(label="Optimizer")] = "adamw"
    lora_rank: Annotated[int, Ge(1), Le(4096), Q("", "LoRA rank")] = 16
    runs: Annotated[int, Ge(1), Le(100_000), Q("", "Runs", "How often the whole run is made: sweeps, repeats.")] = 1
    experiment_overhead: Annotated[
        float,
        Ge(0),
        Le(100),
        Q("", "Experiments on top", "Share of the final run spent on ablations and failed attempts; 0.2 = 20 %."),
    ] = 0.0
    dataset: Annotated[Dataset | None, Q(label="Dataset")] = None
    framework: Annotated[Framework, Q(label="Training framework")] = "auto"
    recompute: Annotated[Recompute, Q(label="Activation recomputation")] = "auto"
    stack: Annotated[
        Stack,
        Q(
            label="How tuned the stack is",
            help="A vendor's recipe for that hardware, a maintained framework as its documentation says, or a script of "
            "your own. Automatic = as documented.",
        ),
    ] = "auto"
    attention_kernel: Annotated[
        AttentionKernel, Q(label="Attention kernel", help="Automatic = what the framework and the stack use.")
    ] = "auto"
    compiled: Annotated[
        Literal["auto", "yes", "no"],
        Q(label="Compiled model", help="torch.compile of PyTorch frameworks; automatic = not compiled."),
    ] = "auto"
    checkpoints_kept: Annotated[int, Ge(1), Le(10_000), Q("", "Checkpoints kept")] = 3


@dataclass(frozen=True, kw_only=True)
class BatchJob:
    """Offline inference: so many requests, done by a deadline."""

    __pydantic_config__ = _STRICT

    requests: Annotated[float, Ge(1), Le(1e15), Q("request", "Requests in the batch")]
    deadline_hours: Annotated[float, Ge(0.01), Le(LONGEST_BATCH_HOURS), Q("h", "Batch deadline")]


@dataclass(frozen=True, kw_only=True)
class ApiPrice:
    """A hosted API that the service competes with, as the user read it on that date."""

    __pydantic_config__ = _STRICT

    usd_per_million_input: Annotated[float, Ge(0), Le(1e5), Q("USD/1e6 token", "API price, input")]
    usd_per_million_output: Annotated[float, Ge(0), Le(1e5), Q("USD/1e6 token", "API price, output")]
    date: date
    source: Annotated[str, MaxLen(300)] = ""


@dataclass(frozen=True, kw_only=True)
class Serving:
    """A service: arrival rate, lengths and the latency it promises. Samples instead of tokens for other models."""

    __pydantic_config__ = _STRICT

    requests_per_s: Annotated[float, Ge(0), Le(1e7), Q("request/s", "Peak request rate")] = 0.0
    input_tokens: Annotated[float, Ge(0), Le(1e7), Q("token", "Input length", "Mean tokens in a prompt.")] = 1000.0
    output_tokens: Annotated[float, Ge(0), Le(1e6), Q("token", "Output length", "Mean tokens in an answer.")] = 250.0
    length_spread: Annotated[
        float, Ge(0), Le(5), Q("", "Length spread", "Coefficient of variation of both lengths.")
    ] = 0.5
    burstiness: Annotated[
        float,
        Ge(0.01),
        Le(100),
        Q("", "Burstiness", "Squared coefficient of variation of the time between requests; 1 = Poisson."),
    ] = 1.0
    ttft_p95_ms: Annotated[float, Ge(0), Le(1e7), Q("ms", "Time to first token, p95", "0 = no promise.")] = 0.0
    tpot_p95_ms: Annotated[float, Ge(0), Le(1e7), Q("ms", "Time per output token, p95", "0 = no promise.")] = 0.0
    precision: Annotated[ServingPrecision, Q(label="Weight precision")] = "auto"
    kv_precision: Annotated[Literal["auto", "fp16", "fp8", "int8"], Q(label="KV-cache precision")] = "auto"
    framework: Annotated[
        Literal["auto", "vllm", "sglang", "tensorrt-llm", "tgi", "llama.cpp", "jetstream", "neuron", "triton"],
        Q(label="Serving engine"),
    ] = "auto"
    prefix_hit_share: Annotated[Share, Q("", "Prefix-cache hits", "Share of input tokens found in the cache.")] = 0.0
    speculative_accepted: Annotated[
        float,
        Ge(0),
        Le(16),
        Q("token", "Accepted draft tokens", "Mean tokens accepted for each verification; 0 = no speculative decoding."),
    ] = 0.0
    load_curve: Annotated[
        tuple[Share, ...],
        MaxLen(168),
        Q("", "Load curve", "Share of the peak for each hour of a day; empty = a flat load."),
    ] = ()
    batch: Annotated[
        BatchJob | None,
        Q(label="Offline batch", help="Instead of a request rate and promises: a plan holds one of both."),
    ] = None
    spare_replicas: Annotated[
        int, Ge(0), Le(1000), Q("", "Spare replicas", "Kept so that the promise holds while one replica is down.")
    ] = 1
    network_latency_ms: Annotated[
        float, Ge(0), Le(10_000), Q("ms", "Distance to users", "Round trip between users and the region.")
    ] = 0.0
    api_price: Annotated[ApiPrice | None, Q(label="Hosted API to compare with")] = None

    @property
    def promised(self) -> bool:
        """Is a latency promised? A batch promises none."""
        return bool(self.requests_per_s and (self.ttft_p95_ms or self.tpot_p95_ms))


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """The limits within which a plan must stay; 0 or empty = no limit."""

    __pydantic_config__ = _STRICT

    deadline_days: Annotated[float, Ge(0), Le(10_000), Q("day", "Deadline", "Days from start to finish.")] = 0.0
    budget_usd: Annotated[float, Ge(0), Le(1e12), Q("USD", "Budget")] = 0.0
    budget_basis: Annotated[
        BudgetBasis,
        Q(
            label="Budget holds",
            help="All that is newly signed and what is paid besides until the work is done (authorisation), what leaves the "
            "account less what comes back (cash), or only what this work carries (allocated).",
        ),
    ] = "authorisation"
    accelerators: Annotated[tuple[str, ...], MaxLen(100), Q("", "Accelerators", "Only these; empty = any.")] = ()
    providers: Annotated[tuple[str, ...], MaxLen(100), Q("", "Providers", "Only these; empty = any.")] = ()
    regions: Annotated[tuple[str, ...], MaxLen(200), Q("", "Regions", "Only these; empty = any.")] = ()
    certificates: Annotated[
        tuple[str, ...],
        MaxLen(20),
        Q(
            "",
            "Certificates",
            "Only providers that are known to hold all of these where the work runs; empty = none is asked.",
        ),
    ] = ()
    attested: Annotated[
        tuple[str, ...],
        MaxLen(100),
        Q(
            "",
            "Certificates shown to you",
            "What a provider has shown to you itself, as provider/certificate, such as nebius/iso-27001: it counts as held.",
        ),
    ] = ()
    residency: Annotated[Literal["any", "us", "eu", "uk", "apac", "ca"], Q(label="Data residency")] = "any"
    max_accelerators: Annotated[int, Ge(1), Le(MOST_ACCELERATORS), Q("", "Most accelerators")] = 1024
    spot: Annotated[bool, Q(label="Spot capacity allowed")] = True
    commitments: Annotated[bool, Q(label="One- and three-year commitments allowed")] = True
    framework: Annotated[Framework, Q(label="Framework that must work")] = "any"
    custom_kernels: Annotated[
        bool, Q(label="Needs custom CUDA kernels", help="Excludes hardware that does not run CUDA code.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Owned:
    """Accelerators that the team already has."""

    __pydantic_config__ = _STRICT

    accelerator: str
    count: Annotated[int, Ge(1), Le(131_072), Q("", "Owned accelerators")]
    available_from: date | None = None
    resale_usd: Annotated[
        float, Ge(0), Le(1e6), Q("USD", "What each would sell for", "On the day of the request. 0 = not known.")
    ] = 0.0


@dataclass(frozen=True, kw_only=True)
class OwnSite:
    """Where hardware of one's own stands, or would stand if it were bought or leased."""

    __pydantic_config__ = _STRICT

    country: Annotated[
        str,
        MaxLen(3),
        Q(
            label="Country of your own site",
            help="Three letters (ISO 3166), such as DEU: what electricity and space cost there, and its grid. An entry of your own "
            "hardware that names its country goes before it. Empty = by regions or residency.",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class FixedLayout:
    """Parts of the layout that are already decided; 0 = open."""

    __pydantic_config__ = _STRICT

    count: Annotated[int, Ge(0), Le(131_072), Q("", "Accelerators")] = 0
    tp: Annotated[int, Ge(0), Le(4096), Q("", "Tensor parallel")] = 0
    pp: Annotated[int, Ge(0), Le(4096), Q("", "Pipeline parallel")] = 0
    vpp: Annotated[int, Ge(0), Le(256), Q("", "Virtual pipeline stages")] = 0
    cp: Annotated[int, Ge(0), Le(4096), Q("", "Context parallel")] = 0
    ep: Annotated[int, Ge(0), Le(4096), Q("", "Expert parallel")] = 0
    dp: Annotated[int, Ge(0), Le(131_072), Q("", "Data parallel")] = 0
    zero_stage: Annotated[Literal[-1, 0, 1, 2, 3], Q("", "ZeRO stage", "−1 = open.")] = -1
    micro_batch: Annotated[int, Ge(0), Le(65_536), Q("sample", "Micro-batch")] = 0
    schedule: Annotated[
        Literal["auto", "gpipe", "1f1b", "zero-bubble"],
        Q("", "Pipeline schedule", "Automatic = one forward, one backward; interleaved with virtual stages."),
    ] = "auto"


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A step time that the team measured on its own cluster: narrows the band and shifts the estimate."""

    __pydantic_config__ = _STRICT

    accelerator: str
    count: Annotated[int, Ge(1), Le(131_072)]
    step_time_s: Annotated[float, Ge(1e-6), Le(1e6), Q("s", "Measured step time")]
    layout: FixedLayout = field(default_factory=FixedLayout)
    global_batch_tokens: Annotated[
        float, Ge(0), Le(1e10), Q("token", "Global batch of the measured run", "0 = as planned.")
    ] = 0.0


@dataclass(frozen=True, kw_only=True)
class AgreedPrice:
    """A price that the team has agreed with a seller; it takes the place of the listed one."""

    __pydantic_config__ = _STRICT

    item: Annotated[
        str,
        MaxLen(200),
        Q(
            "",
            "Agreed price of",
            "An offer as provider/instance/region/option, the slug of a server to buy, or the code of a currency.",
        ),
    ]
    what: Annotated[
        Priced,
        Q(
            label="What the price is for",
            help="Storage and egress belong to an offer; of a currency, US dollars for one unit.",
        ),
    ] = "instance_hour"
    usd: Annotated[float, Ge(0), Le(1e9), Q("USD", "Agreed price")]
    quoted_on: Annotated[
        date | None, Q(label="Quoted on", help="Day of the seller's answer; its age counts from it.")
    ] = None
    valid_until: Annotated[
        date | None,
        Q(
            label="Valid until",
            help="Last day on which the seller holds it. A plan made later takes the listed price; without a day nobody can "
            "rely on it.",
        ),
    ] = None
    reference: Annotated[
        str, MaxLen(120), Q(label="Reference", help="Number of the quote or contract, as the seller calls it.")
    ] = ""


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """How sure a plan must be. A request may also give one number, which is `all`."""

    __pydantic_config__ = _STRICT

    all: Annotated[
        float,
        Ge(0.5),
        Le(0.99),
        Q("", "How sure", "Chance that all limits hold together: deadline, budget, promise, load and memory."),
    ] = 0.8
    memory: Annotated[
        float,
        Ge(0.5),
        Le(0.999),
        Q(
            "",
            "How sure that it fits",
            "Chance that a run fits into memory; at least halfway from “how sure” to certain.",
        ),
    ] = 0.97

    @property
    def fits(self) -> float:
        """The chance that is asked of memory: no more than half of what may go wrong is left to it."""
        return max(self.memory, (1.0 + self.all) / 2.0)


@dataclass(frozen=True, kw_only=True)
class Operations:
    """How the thing will be run: who schedules, how available, under which rules."""

    __pydantic_config__ = _STRICT

    scheduler: Annotated[Scheduler, Q(label="Scheduler")] = "auto"
    availability: Annotated[
        float, Ge(0), Le(0.999999), Q("", "Availability", "Share of time the service must answer; 0.999 = three nines.")
    ] = 0.99
    pattern: Annotated[
        Pattern,
        Q(
            label="What stands by",
            help="Spare replicas on other hosts of one site, as many as the availability needs; or N, N+1, N+N on one site, two sites "
            "that both serve (active-active), or a second site that stands by at full or half size. Automatic = the least that "
            "holds the availability.",
        ),
    ] = "spares"
    keep_capacity: Annotated[
        bool,
        Q(
            label="Capacity kept at night",
            help="Pay for the replicas of the peak at all hours, instead of giving them back when the load falls.",
        ),
    ] = False
    security: Annotated[
        tuple[str, ...], MaxLen(20), Q("", "Rules", "gdpr, hipaa, export-control, air-gapped, sso, encryption.")
    ] = ()
    on_call: Annotated[bool, Q(label="Somebody is on call")] = False
    hours: Annotated[
        Hours,
        Q(
            label="Hours covered",
            help="When somebody answers for the service: in office hours or around the clock. What that takes is in the cost then; left "
            "unstated, nobody is counted.",
        ),
    ] = "unstated"
    covered_by: Annotated[
        CoveredBy,
        Q(
            label="Covered by",
            help="Staff of your own, or a managed service for a fee. Automatic = managed where a vendor operates it, else your own.",
        ),
    ] = "auto"
    operator: Annotated[Literal["team", "platform", "vendor"], Q(label="Operated by")] = "team"


@dataclass(frozen=True, kw_only=True)
class Taxes:
    """Taxes that come on top of prices, which are all before tax, and how much of them comes back."""

    __pydantic_config__ = _STRICT

    purchases: Annotated[
        Share,
        Q(
            "",
            "Tax on purchases",
            "VAT, GST or sales tax on hardware that is bought, with its freight, duty and installation.",
        ),
    ] = 0.0
    services: Annotated[
        Share,
        Q(
            "",
            "Tax on services",
            "VAT, GST or sales tax on what is rented, on storage, energy, space, support and licences.",
        ),
    ] = 0.0
    recovered: Annotated[
        Share,
        Q("", "Recovered tax", "Share of these taxes that the tax office gives back as input tax; it is no cost."),
    ] = 0.0
    import_duty: Annotated[
        float, Ge(0), Le(5), Q("", "Import duty", "Share of the price of the hardware; it is never recovered.")
    ] = 0.0

    @property
    def owed_on_purchases(self) -> float:
        """Share of a purchase that is paid as tax and does not come back."""
        return self.purchases * (1.0 - self.recovered)

    @property
    def owed_on_services(self) -> float:
        """The same of what is rented and used."""
        return self.services * (1.0 - self.recovered)


NO_TAX = Taxes()
"""Prices as they are, before tax."""


_KINDS: dict[tuple[str, bool], Kind] = {
    ("training", False): "run",
    ("training", True): "run",  # refused: a batch stands beside the run
    ("serving", False): "service",
    ("serving", True): "batch",
}


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One workload and everything that limits its plan."""

    __pydantic_config__ = _STRICT

    name: Name
    workload: Annotated[Workload, Q(label="Workload")]
    model: Annotated[str | Architecture, Q(label="Model", help="A preset, or the architecture itself.")]
    start: Annotated[date | None, Q(label="Start", help="First day of the work. Default: the day of the request.")] = (
        None
    )
    as_of: Annotated[
        date | None,
        Q(label="Day of the request", help="Orders, cash and the age of prices count from it. Default: today."),
    ] = None
    training: Annotated[Training | None, Q(label="Training")] = None
    serving: Annotated[Serving | None, Q(label="Serving")] = None
    confidence: Annotated[Confidence, Q(label="How sure")] = field(default_factory=Confidence)
    constraints: Constraints = field(default_factory=Constraints)
    owned: Annotated[tuple[Owned, ...], MaxLen(50), Q(label="Owned hardware")] = ()
    site: OwnSite = field(default_factory=OwnSite)
    fixed: FixedLayout = field(default_factory=FixedLayout)
    measured: Annotated[tuple[Measurement, ...], MaxLen(50), Q(label="Own measurements")] = ()
    agreed: Annotated[tuple[AgreedPrice, ...], MaxLen(50), Q(label="Agreed prices")] = ()
    discounts: Annotated[tuple[Discount, ...], MaxLen(50), Q(label="Agreed discounts")] = ()
    spend_commitments: Annotated[tuple[SpendCommitment, ...], MaxLen(20), Q(label="Spend commitments")] = ()
    leases: Annotated[tuple[Lease, ...], MaxLen(20), Q(label="Leased servers")] = ()
    operations: Operations = field(default_factory=Operations)
    horizon_months: Annotated[
        float,
        Ge(0),
        Le(240),
        Q(
            "month",
            "Horizon",
            "How long demand lasts, with or beyond this run: what is bought is kept until then and sold. Other work pays its part only "
            "where the utilisation is stated. 0 = this run only.",
        ),
    ] = 0.0
    utilisation: Annotated[
        float,
        Ge(0),
        Le(1),
        Q(
            "",
            "Utilisation of bought hardware",
            "Share of hours in which this and other work use what is bought or committed over the horizon; other work then "
            "carries its part. 0 = nobody else is said to use it: this work carries all of it.",
        ),
    ] = 0.0
    taxes: Annotated[
        Taxes | None,
        Q(label="Taxes", help="What is owed on top of prices; left out, the plan is before tax and says so."),
    ] = None
    objective: Annotated[Objective, Q(label="Rank by")] = "cost"
    currency: Annotated[Code, Q(label="Shown in")] = "USD"
    cost_centre: Annotated[
        str,
        MaxLen(80),
        Q(label="Cost centre", help="Who carries it in the books; printed, and sent with budget lines."),
    ] = ""
    tags: Annotated[
        dict[Annotated[str, MinLen(1), MaxLen(80)], Annotated[str, MaxLen(200)]],
        MaxLen(50),
        Q(label="Tags", help="Name → value, sent with every budget line."),
    ] = field(default_factory=dict)
    assumptions: Annotated[
        dict[str, float], Q("", "Changed assumptions", "Coefficient id → value, within what the reference allows.")
    ] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """Which kind of work is asked for: the one place that tells them apart."""
        return _KINDS[self.workload, self.batch is not None]

    @property
    def method(self) -> str:
        """How a run trains; empty for a service and a batch."""
        return self.training.method if self.training else ""

    @property
    def batch(self) -> BatchJob | None:
        """The offline job that is asked for; None for a run and a service."""
        return self.serving.batch if self.serving else None

    @property
    def due_days(self) -> float:
        """Days from the start by which a run or a batch must be done; 0 = no deadline, and a service never is."""
        hours = self.batch.deadline_hours if self.batch else 0.0
        return {"run": self.constraints.deadline_days, "batch": hours / 24.0, "service": 0.0}[self.kind]

    @property
    def rules(self) -> frozenset[str]:
        """The rules of security, in lower case."""
        return frozenset(rule.strip().lower() for rule in self.operations.security)

    @property
    def air_gapped(self) -> bool:
        """May the work never leave the house?"""
        return AIR_GAPPED in self.rules

    def __hash__(self) -> int:
        """Over every field, changed assumptions included."""
        return whole_hash(self)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with the input: where (a dotted path), what as a code, and the values that belong to it."""

    path: str
    code: str
    values: Mapping[str, Value] = field(default_factory=dict)


class SpecError(ValueError):
    """The input cannot be planned. `faults` has one entry for each thing to change; `voice.fault_text` words them."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(", ".join(f"{fault.path}: {fault.code}" for fault in faults))
        self.faults = faults

    def __reduce__(self) -> tuple[type[SpecError], tuple[Fault, ...]]:
        """So that one raised in another process arrives."""
        return type(self), self.faults
