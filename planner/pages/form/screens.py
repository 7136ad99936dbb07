"""The three ways into a plan: which fields stand in sight, how the rest is folded away, and filled examples.

Every field of the spec that belongs to the workload appears exactly once: what is not named here falls into the fold of
its part of the spec, so a new input needs no change of the page.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from engine.inputs.rules import SERVICE_OPERATIONS, TRAINING_LAYOUT
from engine.inputs.spec import AgreedPrice, Measurement, Owned, Spec
from engine.inputs.terms import Discount, Lease, SpendCommitment
from planner.pages.form.uses import SERVICES, Example
from planner.request.fields import Field, form_for, in_currency

OWNED_ROWS = 2
_FOLDS = (
    ("training", "The run", "Batch, precision, optimizer, data"),
    ("serving", "The service", "Precision, engine, load over the day, caching"),
    ("confidence", "How sure", "Chance that all limits hold, and that it fits into memory"),
    ("constraints", "Where, and on what", "Accelerators, providers, regions, spot"),
    ("owned", "Hardware you own", "Counts as paid for"),
    ("site", "Where your own hardware stands", "Electricity, space and emissions of what you own or would buy"),
    ("agreed", "Prices you have agreed", "In place of the listed ones"),
    ("taxes", "Taxes", "VAT or sales tax on top of prices, duty, what is recovered"),
    ("discounts", "Discounts you have agreed", "A percentage off what is listed"),
    (
        "spend_commitments",
        "Money you have committed",
        "EDP, MACC or savings plan: use draws it down, what is not drawn lapses",
    ),
    ("leases", "Servers you can lease", "A rate a month, over a term"),
    ("measured", "What you have measured", "One step time narrows every range"),
    ("fixed", "Layout already decided", "Parallelism and micro-batch"),
    ("operations", "Operation", "Scheduler, availability, rules"),
    ("", "Name, buying, assumptions", "Start, horizon, changed coefficients"),
)


@dataclass(frozen=True, kw_only=True)
class Screen:
    """One of the three forms."""

    kind: str
    workload: str
    title: str
    about: str
    visible: tuple[str, ...]
    elsewhere: tuple[str, ...]
    """Beginnings of fields that change nothing of its work, or belong to another."""
    defaults: Mapping[str, str]
    examples: tuple[Example, ...]


@dataclass(frozen=True, kw_only=True)
class Fold:
    """Fields that are out of sight until somebody wants them."""

    title: str
    about: str
    fields: tuple[Field, ...]
    open: bool
    rows_of: int = 0
    """How many fields belong together in one row; 0 = they flow."""


_NOT_TRAINED = ("serving.", *(f"operations.{name}" for name in SERVICE_OPERATIONS))
_NOT_SERVED = (
    "training.", "measured", "confidence.memory", "constraints.deadline_days", "constraints.framework",
    *(f"fixed.{name}" for name in TRAINING_LAYOUT),
)  # fmt: skip
TRAIN = Screen(
    kind="train",
    workload="training",
    title="Train",
    about="Pre-training from scratch or continued: so many tokens, by a date, within a budget.",
    visible=(
        "training.tokens", "training.sequence_length", "constraints.deadline_days", "constraints.budget_usd",
        "confidence.all", "constraints.residency", "objective",
    ),
    elsewhere=_NOT_TRAINED,
    defaults={},
    examples=(
        Example(
            slug="llama-70b-15b",
            title="Llama 3.1 70B on 15 B tokens",
            about="Continued pre-training within 21 days",
            values={
                "name": "Support assistant, continued pre-training", "model": "llama-3.1-70b", "training.tokens": "15B",
                "training.method": "continue", "training.sequence_length": "8192",
                "training.global_batch_tokens": "4 M", "constraints.deadline_days": "21",
                "constraints.budget_usd": "400k",
            },
        ),
        Example(
            slug="small-from-scratch",
            title="An 8B model on 1 T tokens",
            about="Pre-training from scratch within 60 days",
            values={
                "name": "Domain model from scratch", "model": "llama-3.1-8b", "training.tokens": "1T",
                "training.sequence_length": "8192", "constraints.deadline_days": "60 days",
            },
        ),
    ),
)  # fmt: skip
FINETUNE = Screen(
    kind="finetune",
    workload="training",
    title="Fine-tune",
    about="Full fine-tuning, LoRA or QLoRA on your own samples.",
    visible=(
        "training.method", "training.samples", "training.epochs", "training.sequence_length",
        "constraints.deadline_days", "constraints.budget_usd", "objective",
    ),
    elsewhere=_NOT_TRAINED,
    defaults={"training.method": "lora"},
    examples=(
        Example(
            slug="lora-8b",
            title="LoRA on an 8B model",
            about="50 k conversations, three epochs, one day",
            values={
                "name": "Tone of voice, LoRA", "model": "llama-3.1-8b", "training.method": "lora",
                "training.samples": "50k", "training.epochs": "3", "training.sequence_length": "4096",
                "constraints.deadline_days": "1 day",
            },
        ),
        Example(
            slug="qlora-70b",
            title="QLoRA on a 70B model",
            about="20 k samples on as few accelerators as possible",
            values={
                "name": "Legal drafting, QLoRA", "model": "llama-3.1-70b", "training.method": "qlora",
                "training.samples": "20k", "training.epochs": "2", "training.sequence_length": "4096",
                "constraints.deadline_days": "3 days", "constraints.budget_usd": "5k",
            },
        ),
    ),
)  # fmt: skip
SERVE = Screen(
    kind="serve",
    workload="serving",
    title="Serve",
    about="Answer so many requests within the latency that you promise.",
    visible=(
        "serving.requests_per_s", "serving.input_tokens", "serving.output_tokens", "serving.ttft_p95_ms",
        "serving.tpot_p95_ms", "constraints.residency", "constraints.budget_usd",
    ),
    elsewhere=_NOT_SERVED,
    defaults={},
    examples=SERVICES,
)  # fmt: skip
_ROWS: tuple[tuple[str, type, int], ...] = (
    ("owned", Owned, OWNED_ROWS), ("measured", Measurement, 1), ("agreed", AgreedPrice, 1),
    ("discounts", Discount, 1), ("spend_commitments", SpendCommitment, 1), ("leases", Lease, 1),
)  # fmt: skip
"""Fields that are rows, and how many are shown at least."""
SCREENS = {screen.kind: screen for screen in (TRAIN, FINETUNE, SERVE)}


def screen_for(draft: Mapping[str, object]) -> Screen:
    """The form that a stored draft belongs to."""
    return _SCREEN_OF.get(str(draft.get("workload")), _of_training)(draft)


def _of_training(draft: Mapping[str, object]) -> Screen:
    training = draft.get("training")
    method = training.get("method", "") if isinstance(training, Mapping) else ""
    return FINETUNE if method in ("finetune", "lora", "qlora") else TRAIN


_SCREEN_OF: Mapping[str, Callable[[Mapping[str, object]], Screen]] = {
    "training": _of_training,
    "serving": lambda _draft: SERVE,
}
"""By the block that a draft fills; a draft may still name none."""


def fields_of(
    screen: Screen, values: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> dict[str, Field]:
    """Every field of that screen by dotted path, with what was typed and what is wrong with it."""
    typed = values or {}
    found = {
        path: field
        for path, field in form_for(Spec, values=typed, errors=errors).items()
        if path not in ("workload", "model") and not path.startswith(screen.elsewhere)
    }
    for path, kind, rows in _ROWS:
        if path.startswith(screen.elsewhere):
            continue
        for index in range(max(rows, 1 + _last_row(typed, path))):
            found |= form_for(kind, path=f"{path}.{index}", values=typed, errors=errors)
    found = {
        path: in_currency(field, typed.get("currency", "")) for path, field in found.items() if ".layout." not in path
    }
    if "training.method" in found and screen.kind == "finetune":
        found["training.method"] = _narrowed(found["training.method"])
    return found


def folds_of(screen: Screen, fields: Mapping[str, Field]) -> list[Fold]:
    """All fields that are not in sight, in their folds; a fold with a fault or a value of its own stands open."""
    fresh = fields_of(screen)
    hidden = [field for path, field in fields.items() if path not in screen.visible]
    folds = []
    for prefix, title, about in _FOLDS:
        inside = tuple(field for field in hidden if _part(field.path) == prefix)
        if inside:
            folds.append(
                Fold(
                    title=title,
                    about=_summary(inside, fresh) or about,
                    fields=inside,
                    open=_wrong(inside),
                    rows_of=3 if prefix == "owned" else 0,
                )
            )
    return folds


def _part(path: str) -> str:
    head, dot, _ = path.partition(".")
    return head if dot else ""


def _wrong(fields: Iterable[Field]) -> bool:
    return any(field.error for field in fields)


def _summary(fields: Iterable[Field], fresh: Mapping[str, Field]) -> str:
    """The values that differ from their defaults, so that a closed fold hides nothing."""
    changed = [
        f"{field.label}: {field.value[:24]}"
        for field in fields
        if field.value and (field.path not in fresh or field.value != fresh[field.path].value)
    ]
    return "; ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")


def _last_row(typed: Mapping[str, str], path: str) -> int:
    numbers = [key.split(".")[1] for key in typed if key.startswith(f"{path}.")]
    return max((int(number) for number in numbers if number.isdigit() and len(number) < 3), default=-1)


def _narrowed(method: Field) -> Field:
    """Only the methods that tune an existing model."""
    wanted = ("lora", "qlora", "finetune", "continue")
    choices = [(value, label) for _, group in method.choices for value, label in group]
    return dataclasses.replace(method, choices=[("", [item for item in choices if item[0] in wanted])])
