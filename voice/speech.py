"""Templates filled with typed values.

A template names its values in braces and, after a colon, how each is written:

    {count:# accelerator|# accelerators}   the plural form of the language; # is the number
    {cost}  {cost:about}  {cost:price}     money: whole units, three digits, the smallest unit
    {share}  {time}  {size}                a Quantity as its unit is written: 12%, 1.4 days, 96.3 GB
    {value:0.1}  {value:3}  {value:words}  one decimal; three significant digits; “2.4 billion”
    {names}                                a tuple as a list: “a, b and c”; `:or` for “a, b or c”, `:;` for “a; b; c”
    {days:exact}                           a limit as it was given, all its digits
    {name:^}                               with a capital at its beginning

A finding among the values is said in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from string import Formatter
from typing import Any

from babel import Locale

from engine.inputs.finding import Finding, Quantity, Ref, Sum, Typed, Value
from engine.inputs.spec import Fault, SpecError
from voice import writing
from voice.catalogs import ENGLISH as NO_CATALOG
from voice.catalogs import Catalog
from voice.sentences import SENTENCES
from voice.terms import name_of


@dataclass(frozen=True, kw_only=True)
class Voice:
    """A language, its way of writing, and at which rate amounts of the plan's currency are told (`per_unit` of `currency`)."""

    locale: str = "en_GB"
    catalog: Catalog = NO_CATALOG
    currency: str = ""
    """Empty: every amount in its own currency."""
    per_unit: float = 1.0
    days: str = ""
    """A pattern of {d}, {dd}, {mm}, {month} and {y} for days; empty: as the locale writes them."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What a form calls the fields of a request; others are quoted by their path."""

    @property
    def writes(self) -> Locale:
        """How numbers, days and lists are written."""
        return writing.locale_of(self.locale)

    @property
    def speaks(self) -> Locale:
        """Whose plurals and lists the words follow."""
        return writing.spoken_in(self.catalog)

    def day(self, value: date) -> str:
        """That day, in the order in which its reader is used to it."""
        if not self.days:
            return writing.day(value, self.writes, self.catalog)
        month = self.catalog.one(writing.MONTHS[value.month - 1])
        return self.days.format(d=value.day, dd=f"{value.day:02}", mm=f"{value.month:02}", month=month, y=value.year)

    def shown(self, money: Sum) -> Sum:
        """That amount in the currency that is told."""
        return Sum(money.amount * self.per_unit, self.currency) if self.currency else money


ENGLISH = Voice()


def say(finding: Finding, voice: Voice = ENGLISH) -> str:
    """The finding in one or more whole sentences. KeyError for a code without a template or a value that it lacks."""
    return _Filled(voice).vformat(voice.catalog.one(SENTENCES[finding.code]), (), finding.values)


def say_all(findings: Iterable[Finding], voice: Voice = ENGLISH) -> str:
    """Each of them in their order, as one paragraph."""
    return " ".join(say(finding, voice) for finding in findings)


def write(value: Value, voice: Voice = ENGLISH) -> str:
    """A value by itself, as it was given: “21 days”, “EUR 41,000”, “H100 SXM and H200 SXM”."""
    exact = isinstance(value, Quantity) and value.unit in ("day", "hour")
    return str(_Filled(voice).format_field(value, "exact" if exact else ""))


def fault_text(fault: Fault, voice: Voice = ENGLISH) -> str:
    """What is wrong with the input, where, and what to change, in one sentence."""
    values: Mapping[str, Value] = {"path": Ref("field", fault.path), **fault.values}
    return say(Finding(f"fault.{fault.code}", values), voice)


class _Filled(Formatter):
    """Fills one template for one voice."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Templates know no conversions: one would show how Python writes a value."""
        if conversion:
            raise ValueError(f"“!{conversion}” has no place in a sentence.")
        return value

    def format_field(self, value: Any, format_spec: str) -> str:
        """The value as its type is written."""
        writes = self.voice.writes
        if format_spec == "^":
            text = self.format_field(value, "")
            return text[:1].upper() + text[1:]
        if "|" in format_spec:
            return writing.plural(_number(value), format_spec.split("|"), writes, speaks=self.voice.speaks)
        match value:
            case Finding():
                return say(value, self.voice)
            case Sum():
                return writing.money(self.voice.shown(value), format_spec, writes)
            case Quantity():
                return writing.quantity(value, format_spec, writes, self.voice.catalog)
            case Ref():
                return name_of(value, self.voice.catalog, self.voice.fields)
            case Typed():
                return value.text
            case tuple():
                words = [self.format_field(item, "") for item in value]
                return writing.listed(words, format_spec or "and", self.voice.catalog)
            case date():
                return self.voice.day(value)
            case int() | float() if format_spec == "words":
                return writing.large(float(value), writes, self.voice.catalog)
            case int() | float():
                return writing.number(float(value), format_spec, writes)
        raise TypeError(f"A sentence holds no {type(value).__name__}.")


def error_text(error: Exception, voice: Voice = ENGLISH) -> str:
    """Every fault of a request that cannot be planned; of any other error what it says itself."""
    return " ".join(fault_text(fault, voice) for fault in error.faults) if isinstance(error, SpecError) else str(error)


def _number(value: Any) -> float:
    return float(value.value if isinstance(value, Quantity) else value)
