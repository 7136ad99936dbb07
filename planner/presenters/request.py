"""A request in words, field by field, so that two can be compared: labels as on the form, values exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.inputs.spec import Spec
from planner.asked.kinds import WORK
from planner.frozen.snapshot import Plan, plain
from planner.presenters.currency import Currency, currency_of
from planner.request.fields import Field, choice_label, form_for, in_currency
from planner.request.quantities import write_quantity

_ROWS = {
    "owned": ("Owned {accelerator}", "{count}", (("from", "available_from"),)),
    "agreed": ("Agreed price of {item}", "{code} {usd}", (("per", "what"),)),
    "discounts": ("Discount at {at}", "{share}", (("when had", "option"),)),
    "spend_commitments": (
        "Commitment with {provider}",
        "{code} {left_usd} until {until}",
        (
            ("others a month", "others_usd_month"),
            ("discount", "discount"),
            ("when had", "option"),
            ("lapses", "lapses"),
        ),
    ),
    "leases": ("Leased {system}", "{servers} at {code} {usd_month} a month, {months} months", (("from", "lessor"),)),
    "measured": ("Measured step time of {accelerator}", "{step_time_s} s", (("on", "count"),)),
}
"""How a row of a list is told: its label, its value, and what follows it where it is known."""
_UNITS = {
    "instance_hour": "instance-hour",
    "server": "server",
    "storage_gb_month": "GB and month",
    "egress_gb": "GB sent out",
    "any": "in any way",
    "at_end": "at the end",
    "hourly": "hour by hour",
}
_MONEY = frozenset({"usd", "left_usd", "others_usd_month", "usd_month"})
_LABELS = {"model": "Model", "workload": "Workload"}


def request_words(plan: Plan, beside: Plan | None = None) -> dict[str, str]:
    """Label → value of every field of the plan's request that is set, amounts of money in the plan's currency.

    beside: the plan that it is compared with. The same dollars are told as they are there, whatever the rates were.
    """
    found = _told(plan, currency_of(plan))
    if beside is None:
        return found
    money = currency_of(beside)
    theirs, same = _told(beside, money), _told(plan, money)
    return {key: theirs[key] if key in theirs and theirs[key] == same[key] else text for key, text in found.items()}


def changed_inputs(plan: Plan) -> dict[str, str]:
    """Label → value of every field of the plan's request that was set otherwise than it is by itself."""
    spec, money = plan.spec, currency_of(plan)
    usual = _of(WORK[spec.kind].blank, money)
    return {key: text for key, text in _of(spec, money).items() if key in _LABELS.values() or usual.get(key) != text}


def _told(plan: Plan, money: Currency) -> dict[str, str]:
    return _of(plan.spec, money)


def _of(spec: Spec, money: Currency) -> dict[str, str]:
    fields = {path: in_currency(field, money.code) for path, field in form_for(Spec).items()}
    return dict(_words(plain(spec), "", fields, money))


def _words(value: Any, path: str, fields: Mapping[str, Field], money: Currency) -> Iterator[tuple[str, str]]:
    if path == "assumptions":
        yield from ((f"Assumption {key}", write_quantity(item)) for key, item in value.items())
    elif path == "tags":
        yield from ((f"Tag {key}", item) for key, item in value.items())
    elif path == "model" and isinstance(value, dict):
        yield "Model", f"{value.get('name') or value.get('slug') or 'own model'}"
        yield from ((f"Model, {key}", str(item)) for key, item in value.items() if key not in ("name", "slug"))
    elif path in _ROWS and isinstance(value, list):
        yield from (_row(path, item, money) for item in value)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _words(item, f"{path}.{key}" if path else str(key), fields, money)
    elif value is not None:
        yield _label(path, fields), _value(value, fields.get(path), money)


def _row(path: str, item: Mapping[str, Any], money: Currency) -> tuple[str, str]:
    label, text, more = _ROWS[path]
    if path == "agreed" and item["what"] == "currency":
        return f"Agreed rate of {item['item']}", f"1 {item['item']} = {write_quantity(item['usd'])} USD"
    known = {
        key: write_quantity(_converted(part, money) if key in _MONEY else part)
        if isinstance(part, int | float)
        else part
        for key, part in item.items()
    }
    extra = "".join(f" {word} {_UNITS.get(known[key], known[key])}" for word, key in more if known.get(key))
    if "accelerator" in known:
        known["accelerator"] = known["accelerator"].replace("-", " ").upper()
    return label.format(**known), text.format(**known, code=money.code) + extra


def _unit(number: float, unit: str) -> str:
    """“hour” beside a one where the form's unit is “hours”."""
    return unit[:-1] if number == 1 and unit in ("days", "hours", "months") else unit


def _converted(usd: float, money: Currency) -> float:
    """The amount as it was typed: to the cent, which is all that a rate there and back leaves in doubt."""
    return usd if money.code == "USD" else round(money.of(usd), 2)


def _label(path: str, fields: Mapping[str, Field]) -> str:
    if path in _LABELS:
        return _LABELS[path]
    if path in fields:
        return fields[path].label
    return path.replace("_", " ").replace(".", ", ").capitalize()


def _value(value: Any, field: Field | None, money: Currency) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "any"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        number = _converted(value, money) if field and field.money else value
        return f"{write_quantity(number)} {_unit(number, field.unit if field else '')}".strip()
    return choice_label(str(value)) if field and field.widget == "select" else str(value)
