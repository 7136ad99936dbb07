"""A request between its three shapes: flat text of a posted form, the nested draft that is stored, and back to a form.

A draft is the body that the API takes, with quantities as they were typed; nothing a person typed is dropped, also when
it cannot be read yet.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.inputs.finding import Typed
from engine.inputs.spec import Fault
from planner.request import amounts
from planner.request.fields import Field
from planner.request.quantities import QuantityError, parse_quantity, write_quantity

Draft = dict[str, Any]
CONFIG = "config"
"""The form's own field for a pasted config.json."""
LONGEST_CONFIG = 200_000
LONGEST_TEXT = 20_000
"""Characters of any other field: three times the longest list that a request may hold."""
_LISTS = frozenset(
    {
        "constraints.accelerators",
        "constraints.providers",
        "constraints.regions",
        "constraints.certificates",
        "constraints.attested",
        "operations.security",
    }
)
_SHARES = "serving.load_curve"
_TAGS = "tags"
_PAIRS = ("assumptions", _TAGS)


def draft_from(typed: Mapping[str, str], fields: Mapping[str, Field], *, workload: str) -> tuple[Draft, list[Fault]]:
    """The nested draft of a posted form and what cannot be read at all; fields left at their default are left out.

    Amounts of money are in the form's currency where they name none; a rate of exchange is in US dollars."""
    faults: list[Fault] = []
    draft: Draft = {"workload": workload, workload: {}}
    home = typed.get("currency") or amounts.USD
    for path, field in fields.items():
        text = typed.get(path, "").strip()
        if len(text) > LONGEST_TEXT:
            faults.append(Fault(path, "string_too_long", {"limit": LONGEST_TEXT}))
        elif text and text != field.value:
            text = (
                amounts.kept(text, amounts.USD if _is_rate(path, typed) else home) if amounts.is_amount(path) else text
            )
            _put(draft, path, _value(path, text, field, faults))
    rows = {key: value if key in _PAIRS else _tidy(value) for key, value in draft.items()}
    return {**rows, "model": _model(typed, faults)}, faults


def typed_from(draft: Mapping[str, Any]) -> dict[str, str]:
    """The draft as flat text for the form's fields, amounts of money as a form of its currency shows them."""
    home = str(draft.get("currency") or amounts.USD)
    typed = {path: amounts.shown(text, home) if amounts.is_amount(path) else text for path, text in _flat(draft, "")}
    model = draft.get("model", "")
    if isinstance(model, Mapping):
        typed[CONFIG], typed["model"] = json.dumps(model, indent=2, ensure_ascii=False), CONFIG
    elif isinstance(model, str) and _looks_like_config(model):
        typed[CONFIG], typed["model"] = model, CONFIG
    return typed


def _is_rate(path: str, typed: Mapping[str, str]) -> bool:
    """Whether that amount is what an agreed price says of a currency: US dollars for one unit of it."""
    row, _, name = path.rpartition(".")
    return name == "usd" and typed.get(f"{row}.what") == "currency"


def revision_of(typed: Mapping[str, str]) -> int | None:
    """The revision that the form was opened at; None without one, and 0, which no row has, for what is no number."""
    text = typed.get("revision", "")
    return (int(text) if text.isdecimal() and len(text) < 10 else 0) if text else None


def _model(typed: Mapping[str, str], faults: list[Fault]) -> Any:
    """The pasted config as an object, which goes before a preset; the text itself, with a fault, when it is not JSON."""
    pasted = typed.get(CONFIG, "").strip()
    if not pasted:
        return typed.get("model", "").replace(CONFIG, "")
    if len(pasted) > LONGEST_CONFIG:
        faults.append(Fault(CONFIG, "too_long.config", {"limit": LONGEST_CONFIG}))
        return pasted[:LONGEST_CONFIG]
    try:
        found = _storable(json.loads(pasted, parse_constant=str, parse_float=_finite))
    except (ValueError, RecursionError) as error:  # ValueError also for a number of thousands of digits
        line = {"line": error.lineno} if isinstance(error, json.JSONDecodeError) else {}
        faults.append(Fault(CONFIG, "json.config_line" if line else "json.config", line))
        return pasted
    if isinstance(found, dict):
        return found
    faults.append(Fault(CONFIG, "type.config_braces"))
    return pasted


def _finite(text: str) -> float | str:
    """The number; one beyond all numbers as text, like `Infinity`: some models say so, and no database stores it."""
    return float(text) if math.isfinite(float(text)) else text


def _storable(value: Any) -> Any:
    """The same without NULs and halves of surrogate pairs, which escapes can write and no database stores."""
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _looks_like_config(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[", '"') or len(text) > 120


def _value(path: str, text: str, field: Field, faults: list[Fault]) -> Any:
    """What the draft holds for that text."""
    if field.widget == "check":
        return text == "true"
    if path in _LISTS:
        return [part for part in re.split(r"[,;\s]+", text) if part]
    if path == _SHARES:
        return _numbers(path, [part for part in re.split(r"[;\s]+|,\s*", text) if part], faults)
    if path in _PAIRS:
        return _pairs(path, text, faults)
    if path.endswith("zero_stage"):
        return int(text) if text in ("-1", "0", "1", "2", "3") else text
    return text


def _numbers(path: str, parts: list[str], faults: list[Fault]) -> list[float | str]:
    return [_number(path, part, faults) for part in parts]


def _number(path: str, text: str, faults: list[Fault]) -> float | str:
    try:
        return parse_quantity(text)
    except QuantityError as error:
        faults.append(Fault(path, "quantity", {"reason": Typed(str(error))}))
        return text


def _pairs(path: str, text: str, faults: list[Fault]) -> dict[str, Any]:
    """Lines of `id = value` as a mapping; a tag is text, the value of an assumption a number."""
    found: dict[str, Any] = {}
    for line in filter(None, (part.strip() for part in text.splitlines())):
        key, sign, value = line.partition("=")
        if not sign:
            faults.append(Fault(path, "pair", {"line": Typed(line[:60])}))
        found[key.strip()] = value.strip() if path == _TAGS or not sign else _number(path, value.strip(), faults)
    return found


def _put(draft: Draft, path: str, value: Any) -> None:
    """Puts the value at that dotted path, making what is missing on the way."""
    *parents, leaf = path.split(".")
    here = draft
    for part in parents:
        here = here.setdefault(part, {})
    here[leaf] = value


def _tidy(value: Any) -> Any:
    """Mappings with only numbers as keys become lists: rows of the form."""
    if not isinstance(value, dict):
        return value
    if value and all(str(key).isdigit() for key in value):
        return [_tidy(value[key]) for key in sorted(value, key=int)]
    return {key: _tidy(item) for key, item in value.items()}


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and path in _PAIRS:
        yield path, "\n".join(f"{key} = {item}" if item != "" else str(key) for key, item in value.items())
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and any(isinstance(item, Mapping) for item in value):
        for index, item in enumerate(value):
            yield from _flat(item, f"{path}.{index}")
    elif isinstance(value, list | tuple):
        yield path, ", ".join(str(item) for item in value)
    elif isinstance(value, bool):
        yield path, "true" if value else "false"
    elif isinstance(value, int | float):
        yield path, write_quantity(value, "byte" if path.endswith("bytes") else "")
    elif value is not None:
        yield path, str(value)
