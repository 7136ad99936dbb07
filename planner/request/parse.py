"""From what people and programs send to a Spec: the one reader behind the form, the API and the command line.

JSON must carry numbers as numbers. YAML and the form may write quantities as people do (`70B`, `3 weeks`); they are
read by `planner.request.quantities` before the same strict validation. Every fault names its field.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import types
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from catalog.hf_config import parse_config
from catalog.presets import find_model
from engine.defaults import check_spec
from engine.inputs.architecture import Architecture
from engine.inputs.finding import Typed, Value
from engine.inputs.quantity import Q
from engine.inputs.spec import Fault, Spec, SpecError
from planner.request.amounts import Rates, parse_amount, with_agreed
from planner.request.quantities import QuantityError, parse_quantity

T = TypeVar("T")
MOST_FAULTS = 100
"""That are told of one request: nobody reads more."""
MOST_ENTRIES = 1_000
"""Of a list that are looked at; no list of a request may hold so many."""
_PLAIN = {
    "missing", "bool_type", "string_type", "float_type", "int_type", "int_from_float", "finite_number", "tuple_type",
    "dict_type", "dataclass_type", "date_type", "date_parsing", "date_from_datetime_parsing", "string_too_short",
}  # fmt: skip
"""pydantic's codes that say all by themselves."""
_BOUNDS = {
    "greater_than": "gt",
    "greater_than_equal": "ge",
    "less_than": "lt",
    "less_than_equal": "le",
    "string_too_long": "max_length",
    "too_long": "max_length",
}
"""Those with a limit, and what pydantic calls it."""


def spec_from(data: object, *, text: bool = False, rates: Rates | None = None) -> Spec:
    """The Spec described by nested mappings. SpecError lists every fault.

    text: numbers may be written as people write them (YAML, form). rates: of the catalog, for amounts in another
    currency than US dollars, where the request agrees on none of its own; without either such an amount is a fault.
    """
    if not isinstance(data, Mapping):
        raise SpecError(Fault("", "type.request"))
    faults = list(islice(_unknown_keys(Spec, data, ""), MOST_FAULTS))
    data = {key: value if key == "model" else _cut(value) for key, value in data.items()}
    if "confidence" in data and not isinstance(data["confidence"], Mapping):
        data["confidence"] = {"all": data["confidence"]}  # one number says it of all limits together
    body: Any = _read_text(Spec, data, "", _Reader(faults, with_agreed(rates or {}, data))) if text else dict(data)
    model = _model(body.get("model"), faults)
    spec = _validate({**body, "model": ""}, faults)
    if faults or spec is None or model is None:
        raise SpecError(*_unique(faults))
    checked = dataclasses.replace(spec, model=model)
    check_spec(checked)
    return checked


def _cut(value: Any) -> Any:
    """The same with lists that are much too long cut where they still are: each entry may be a fault or two."""
    if isinstance(value, Mapping):
        return {key: _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value[:MOST_ENTRIES]] if isinstance(value, list) else value


def architecture_of(spec: Spec) -> Architecture:
    """The architecture that a spec names or carries. SpecError when there is no such preset."""
    if isinstance(spec.model, Architecture):
        return spec.model
    try:
        return find_model(spec.model)
    except KeyError as error:
        raise SpecError(Fault("model", "unknown.model", {"reason": Typed(str(error.args[0]))})) from error


def _model(value: object, faults: list[Fault]) -> str | Architecture | None:
    """The canonical slug of a preset, or the architecture that was given."""
    try:
        if isinstance(value, str) and value:
            return find_model(value[:200]).slug
        if isinstance(value, Mapping):
            return _architecture(dict(value))
    except KeyError as error:
        faults.append(Fault("model", "unknown.model", {"reason": Typed(str(error.args[0]))}))
        return None
    except SpecError as error:
        faults.extend(error.faults)
        return None
    faults.append(Fault("model", "missing.model" if value in (None, "") else "type.model"))
    return None


def _architecture(value: dict[str, Any]) -> Architecture:
    """An architecture given field by field, or a Hugging Face config parsed into one."""
    if not {"slug", "family"} <= value.keys():
        return parse_config(value)
    unknown = list(_unknown_keys(Architecture, value, "model"))
    if unknown:
        raise SpecError(*unknown)
    faults: list[Fault] = []
    architecture = _run(Architecture, value, "model", faults)
    if architecture is None:
        raise SpecError(*faults)
    if architecture.parameters <= 0:
        raise SpecError(Fault("model", "empty.model"))
    if lacking := _lacking(architecture):
        raise SpecError(*lacking)
    return architecture


def _lacking(architecture: Architecture) -> list[Fault]:
    """What the physics divides by and the architecture leaves at zero; more experts at work than there are."""
    needed = ["generic_parameters", "flops_per_sample"] if architecture.kind == "generic" else ["layers", "hidden"]
    if architecture.kind == "transformer" and architecture.attention != "none":
        needed += ["heads"] if architecture.mla else ["heads", "kv_heads", "head_dim"]
    faults = [
        Fault(f"model.{name}", "missing.shape", {"kind": Typed(architecture.kind)})
        for name in needed
        if not getattr(architecture, name)
    ]
    if architecture.moe and architecture.moe.top_k > architecture.moe.experts:
        faults.append(Fault("model.moe.top_k", "range.top_k"))
    return faults


def _validate(body: dict[str, Any], faults: list[Fault]) -> Spec | None:
    return _run(Spec, body, "", faults)


def _run(kind: type[T], body: dict[str, Any], prefix: str, faults: list[Fault]) -> T | None:
    """The value in pydantic's strict JSON mode: no digit strings, no booleans as numbers, no unknown keys."""
    try:
        return cast(T, _ADAPTERS[kind].validate_json(json.dumps(body, default=_date, allow_nan=False), strict=True))
    except ValidationError as error:
        known = {fault.path for fault in faults}
        for item in error.errors(include_url=False):
            fault = _fault(item, prefix)
            if fault.path not in known and item["type"] not in {"unexpected_keyword_argument", "extra_forbidden"}:
                faults.append(fault)
    except (ValueError, TypeError, RecursionError):
        faults.append(_not_plain(body, prefix))
    return None


def _not_plain(value: Any, path: str) -> Fault:
    """Names the first value that JSON cannot hold: a number that is not finite, or an object of YAML's own."""
    where = next(_odd(value, path, 0), path)
    return Fault(where, "number")


def _odd(value: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping | list | tuple) and depth < 32:
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in items:
            yield from _odd(item, f"{path}.{key}".lstrip("."), depth + 1)
    elif (isinstance(value, float) and not math.isfinite(value)) or not isinstance(
        value, str | int | float | date | None
    ):
        yield path


def _date(value: object) -> str:
    """YAML dates as JSON text. TypeError for anything else that JSON cannot hold."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise TypeError(type(value).__name__)


def _fault(item: Any, prefix: str) -> Fault:
    """One of pydantic's errors as a fault."""
    parts = [
        str(part)
        for part in item["loc"]
        if not (isinstance(part, str) and part.startswith(("function-", "lax-or", "constrained-")))
    ]
    path = ".".join([prefix, *parts] if prefix else parts)
    code, context = item["type"], item.get("ctx", {})
    if code in _BOUNDS:
        return Fault(path, code, {"limit": _limit(context[_BOUNDS[code]])})
    if code == "literal_error":
        return Fault(path, code, {"choices": Typed(context["expected"].replace(chr(39), ""))})
    if code in _PLAIN:
        return Fault(path, code)
    return Fault(path, "invalid", {"reason": Typed(item["msg"][:1].lower() + item["msg"][1:])})


def _limit(value: Any) -> Value:
    """All digits of a limit that is short, else its power of ten."""
    return int(value) if float(value).is_integer() and abs(value) < 1e9 else Typed(f"{value:g}")


def _unknown_keys(kind: Any, data: Mapping[Any, Any], path: str) -> Iterator[Fault]:
    """A fault for each key that the dataclass does not have, with the nearest name that it has, and for true among numbers."""
    hints = field_types(kind)
    for key, value in data.items():
        name = str(key)[:80]
        where = f"{path}.{name}" if path else name
        if key not in hints:
            near = difflib.get_close_matches(name, hints, n=1)
            yield Fault(where, "unknown.near", {"near": Typed(near[0])}) if near else Fault(where, "unknown")
            continue
        yield from _unknown_inside(hints[key], value, where)


def _unknown_inside(hint: Any, value: object, path: str) -> Iterator[Fault]:
    inner = _dataclass_in(hint)
    if isinstance(value, bool) and (choices := _numbers_to_choose(hint)):
        yield Fault(path, "literal_error", {"choices": Typed(_listed(choices))})  # pydantic reads it as 0 or 1
    if inner is None or inner is Architecture:
        return
    if isinstance(value, Mapping):
        yield from _unknown_keys(inner, value, path)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield from _unknown_keys(inner, item, f"{path}.{index}")


@dataclasses.dataclass(frozen=True)
class _Reader:
    """Where faults are gathered while a text is read, and the rates for its amounts of money."""

    faults: list[Fault]
    rates: Rates


def _read_text(kind: Any, data: Mapping[Any, Any], path: str, reader: _Reader) -> dict[str, Any]:
    """The mapping with each written quantity as a number; faults name what cannot be read."""
    hints = field_types(kind)
    return {
        key: _read_value(hints[key], value, f"{path}.{key}" if path else str(key), reader)
        for key, value in data.items()
        if key in hints
    }


def _read_value(hint: Any, value: Any, path: str, reader: _Reader) -> Any:
    inner = _dataclass_in(hint)
    if inner is not None and inner is not Architecture:
        if isinstance(value, Mapping):
            return _read_text(inner, value, path, reader)
        if isinstance(value, list | tuple):
            return [_read_value(hint, item, f"{path}.{index}", reader) for index, item in enumerate(value)]
        return value
    numbers = {float, int} & _scalars(hint)
    if isinstance(value, str) and numbers:
        return _quantity(value, _unit(hint), whole=float not in numbers, path=path, reader=reader)
    if isinstance(value, list | tuple) and _scalars(hint) == {str}:
        return [str(item) for item in value]
    if isinstance(value, float) and numbers == {int} and value.is_integer():
        return int(value)
    return value


def _quantity(value: str, unit: str, *, whole: bool, path: str, reader: _Reader) -> float | int | None:
    try:
        number = parse_amount(value, unit, reader.rates) if unit.startswith("USD") else parse_quantity(value, unit)
    except QuantityError as error:
        reader.faults.append(Fault(path, "quantity", {"reason": Typed(str(error))}))
        return None
    return int(number) if whole and float(number).is_integer() else number


@cache
def field_types(kind: Any) -> dict[str, Any]:
    """Each field of a dataclass with its whole annotation."""
    hints = get_type_hints(kind, include_extras=True)
    return {item.name: hints[item.name] for item in dataclasses.fields(kind)}


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (Spec, Architecture)}


def _leaves(hint: Any) -> Iterator[Any]:
    """All plain types inside Annotated, unions and tuples."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _leaves(get_args(hint)[0])
    elif origin in (Union, types.UnionType, tuple):
        for item in get_args(hint):
            yield from _leaves(item)
    else:
        yield hint


def _dataclass_in(hint: Any) -> Any:
    return next((leaf for leaf in _leaves(hint) if dataclasses.is_dataclass(leaf)), None)


def _scalars(hint: Any) -> set[Any]:
    return {leaf for leaf in _leaves(hint) if leaf in (float, int, str, bool)}


def _numbers_to_choose(hint: Any) -> tuple[Any, ...]:
    """The choices of a field that is one of some whole numbers, else none."""
    choices = next((get_args(leaf) for leaf in _leaves(hint) if get_origin(leaf) is Literal), ())
    return choices if all(type(choice) is int for choice in choices) else ()


def _listed(choices: tuple[Any, ...]) -> str:
    *first, last = map(str, choices)
    return f"{', '.join(first)} or {last}" if first else last


def _unit(hint: Any) -> str:
    """The unit that the field's `Q` states, wherever in the annotation it stands."""
    if get_origin(hint) is Annotated:
        for item in get_args(hint)[1:]:
            if isinstance(item, Q):
                return item.unit
        return _unit(get_args(hint)[0])
    return ""


def _unique(faults: list[Fault]) -> list[Fault]:
    return list({(fault.path, fault.code): fault for fault in faults}.values())
