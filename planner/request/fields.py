"""Form fields made from the engine's dataclasses: label, unit, help and choices are read from the annotations.

There is no second list of fields and no second validation: what is typed goes through `planner.request.parse.spec_from`, and
its faults come back to the field with the same dotted path.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Le

from engine.inputs.architecture import Architecture
from engine.inputs.quantity import Q
from engine.inputs.spec import Fault, Spec
from planner.request.quantities import plural, write_quantity
from voice.speech import Voice, fault_text
from voice.terms import SOFTWARE

Widget = Literal["text", "number", "select", "check", "date", "area", "pick"]
Choices = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""Groups of (value, label); a group without a name stands for itself."""

_WORDS = {
    **SOFTWARE,
    "auto": "Chosen by the plan", "any": "Any", "none": "None",
    "pretrain": "Pre-training", "continue": "Continued pre-training", "finetune": "Full fine-tuning",
    "lora": "LoRA", "qlora": "QLoRA", "adamw": "AdamW", "adam8bit": "8-bit Adam", "sgd": "SGD",
    "cost": "Lowest cost", "time": "Earliest finish", "balanced": "Balance of cost and time", "carbon": "Least carbon",
    "us": "United States", "eu": "European Union", "uk": "United Kingdom", "apac": "Asia and Pacific", "ca": "Canada",
    "llama.cpp": "llama.cpp",
    "object": "Object storage", "parallel": "Parallel file system", "nfs": "NFS", "local": "Local disks",
    "instance_hour": "An instance-hour", "server": "A server", "storage_gb_month": "A GB stored for a month",
    "egress_gb": "A GB sent out", "currency": "A unit of a currency",
    "on_demand": "On demand", "spot": "Spot", "commit_1y": "One-year commitment", "commit_3y": "Three-year commitment",
    "capacity_block": "Capacity block", "at_end": "At the end", "hourly": "Hour by hour",
    "gpipe": "GPipe", "1f1b": "1F1B", "zero-bubble": "Zero bubble",
    "tuned": "A vendor's recipe", "documented": "As documented", "own": "A script of our own",
    "newest": "Newest kernels", "flash-2": "FlashAttention 2", "unfused": "Unfused",
    "-1": "Open",
    "unstated": "Not stated", "office": "Office hours", "24x7": "Around the clock", "managed": "Managed",
    "spares": "Spare replicas on other hosts", "n": "N, nothing spare", "n+1": "N+1, one host may fail",
    "n+n": "N+N, everything twice at one site", "active-active": "Two sites that both serve",
    "recovery-full": "A second site at full size", "recovery-half": "A second site at half size",
}  # fmt: skip
_OF_SAMPLES = {"serving.ttft_p95_ms": "Time to the answer, p95"}
"""Labels that speak of tokens, as they read where there are none."""
_LONG_UNIT = 12
"""Letters beside which a hint in an empty field is cut off."""
_UPPER = frozenset(
    ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "mxfp4", "nvfp4", "int8", "int4",
     "usd", "eur", "gbp", "chf", "jpy", "inr")
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Field:
    """One control of the form, ready for the template."""

    path: str
    label: str
    widget: Widget
    unit: str = ""
    help: str = ""
    choices: Choices = ()
    value: str = ""
    placeholder: str = ""
    error: str = ""
    wide: bool = False
    picked: tuple[str, ...] = ()
    """What is chosen of several."""
    of_samples: str = ""
    """What it is called for a model that answers with images, texts or samples instead of tokens; empty = the same."""
    money: bool = False
    """Whether it is an amount: its unit is then the form's currency, or something per that currency."""

    @property
    def ident(self) -> str:
        """The id of the control in the page."""
        return "f-" + self.path.replace(".", "-").replace("_", "-")

    @property
    def picked_names(self) -> str:
        """Names of what is chosen, for the closed picker."""
        names = [label for _, group in self.choices for value, label in group if value in self.picked]
        return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")

    @property
    def described_by(self) -> str:
        """Ids of the texts that belong to the control."""
        known = ((f"{self.ident}-e", self.error), (f"{self.ident}-h", self.help), (f"{self.ident}-u", self.unit))
        return " ".join(ident for ident, words in known if words)


def form_for(
    kind: type, *, path: str = "", values: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> dict[str, Field]:
    """A field for each leaf of that dataclass (nested ones included), by dotted path.

    values: what was typed, by path; a path without a value shows its default. errors: one sentence by path.
    """
    typed, wrong = values or {}, errors or {}
    return {leaf.path: _filled(leaf, typed, wrong) for leaf in _leaves(kind, path)}


def _filled(leaf: Field, typed: Mapping[str, str], wrong: Mapping[str, str]) -> Field:
    value, error = typed.get(leaf.path, leaf.value), wrong.get(leaf.path, "")
    return leaf if (value, error) == (leaf.value, "") else dataclasses.replace(leaf, value=value, error=error)


@cache
def _leaves(kind: type, path: str) -> tuple[Field, ...]:
    return tuple(_leaves_of(kind, path))


def in_currency(field: Field, code: str) -> Field:
    """The field asking in that currency, if it asks for money."""
    unit = field.unit.replace("USD", code) if field.money and code else field.unit
    return field if unit == field.unit else dataclasses.replace(field, unit=unit)


def in_words(fault: Fault, field: Field) -> str:
    """A fault as it stands beside its field, which it calls by its label."""
    said = fault_text(fault, Voice(fields={**_labels(), field.path: field.label}))
    return said.removeprefix(f"“{field.label}”: ") if fault.path == field.path else said


@cache
def _labels() -> dict[str, str]:
    """What the form calls each field of a request."""
    return {path: field.label for path, field in form_for(Spec).items()}


def errors_by_field(faults: Sequence[Fault], paths: Mapping[str, Field]) -> tuple[dict[str, str], list[str]]:
    """Sentences by the field that they belong to (the nearest parent that has one), and those without a field."""
    found: dict[str, str] = {}
    loose: list[str] = []
    for fault in faults:
        home = nearest_field(fault.path, paths)
        if home is None:
            loose.append(fault_text(fault))
        else:
            found.setdefault(home.path, in_words(fault, home))
    return found, loose


def nearest_field(path: str, fields: Mapping[str, Field]) -> Field | None:
    """The field at that dotted path or at its nearest parent that has one."""
    return next((fields[part] for part in _upwards(path) if part in fields), None)


def _upwards(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition(".")[0]


def _leaves_of(kind: type, path: str) -> Iterator[Field]:
    for name, (hint, default) in _members(kind).items():
        where = f"{path}.{name}" if path else name
        inner = _dataclass_in(hint)
        if inner is not None and get_origin(_bare(hint)) is not tuple:
            yield from _leaves_of(inner, where)
        elif inner is None:
            yield _field(where, name, hint, default)


@cache
def _members(kind: type) -> dict[str, tuple[Any, Any]]:
    """Annotation and default of each field of a dataclass."""
    hints = get_type_hints(kind, include_extras=True)
    return {item.name: (hints[item.name], _default(item)) for item in dataclasses.fields(kind)}


def _default(item: dataclasses.Field[Any]) -> Any:
    if item.default is not dataclasses.MISSING:
        return item.default
    return item.default_factory() if item.default_factory is not dataclasses.MISSING else None


def _field(path: str, name: str, hint: Any, default: Any) -> Field:
    """The control of one annotation."""
    about = next((item for item in _metadata(hint) if isinstance(item, Q)), Q())
    widget, choices = _widget(hint)
    label = about.label or name.replace("_", " ").capitalize()
    if path.startswith("owned."):
        label = {"count": "How many", "available_from": "Available from"}.get(name, label)
    unit = plural(about.unit, 2) if widget == "number" else ""
    unit = {"day": "days", "month": "months", "h": "hours"}.get(unit, unit)
    return Field(
        path=path,
        label=label,
        widget=widget,
        unit=unit,
        help=" ".join(part for part in (about.help, _limits(hint, about.unit) if widget == "number" else "") if part),
        choices=choices,
        value=_shown(default, widget, about.unit),
        placeholder=_placeholder(path, default, widget, about.help) if len(unit) <= _LONG_UNIT else "",
        money=about.unit.startswith("USD"),
        of_samples=_OF_SAMPLES.get(path, ""),
    )


def _widget(hint: Any) -> tuple[Widget, Choices]:
    bare = _bare(hint)
    if get_origin(bare) is Literal:
        return "select", [("", [(str(item), choice_label(str(item))) for item in get_args(bare)])]
    if bare is bool:
        return "check", ()
    if bare in (float, int):
        return "number", ()
    if bare is date:
        return "date", ()
    return ("area" if get_origin(bare) is dict else "text"), ()


def choice_label(value: str) -> str:
    """How a choice is called on the page."""
    if value in _UPPER or value.lower() in _UPPER:
        return value.upper()
    return _WORDS.get(value, value[:1].upper() + value[1:])


def is_name(value: str) -> bool:
    """Is that choice called by a name, which keeps its capital inside a sentence?"""
    return value in SOFTWARE or value not in _WORDS


def _shown(default: Any, widget: Widget, unit: str) -> str:
    """The default as text; nothing where zero or emptiness means that there is no value."""
    if widget == "check":
        return "true" if default else "false"
    if widget == "number":
        return write_quantity(default, unit) if default else ""
    return default if isinstance(default, str) else str(default) if isinstance(default, int) else ""


def _placeholder(path: str, default: Any, widget: Widget, words: str) -> str:
    if widget != "number" or default:
        return ""
    if "lets the plan choose" in words:
        return "chosen by the plan"
    by_part = {"constraints": "no limit", "fixed": "open"}
    return by_part.get(path.partition(".")[0], "not set" if default is None else "none")


def _limits(hint: Any, unit: str) -> str:
    """The upper limit in words, where it is one that people meet."""
    for item in _metadata(hint):
        if isinstance(item, Le) and isinstance(item.le, int | float) and item.le <= 1 and unit == "":
            return "A share of one or a percentage."
    return ""


def _metadata(hint: Any) -> tuple[Any, ...]:
    """The annotations of a type, those inside an optional included."""
    if get_origin(hint) is Annotated:
        return (*get_args(hint)[1:], *_metadata(get_args(hint)[0]))
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(item for part in get_args(hint) for item in _metadata(part))
    return ()


def _bare(hint: Any) -> Any:
    """The plain type without annotations and without `None`."""
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        parts = [part for part in get_args(hint) if part is not type(None)]
        return str if Architecture in parts else _bare(parts[0])
    return hint


def _dataclass_in(hint: Any) -> type | None:
    bare = _bare(hint)
    if get_origin(bare) is tuple:
        bare = _bare(get_args(bare)[0])
    return bare if dataclasses.is_dataclass(bare) and isinstance(bare, type) else None
