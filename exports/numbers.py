"""Every number of a document becomes text here, once, so that all formats print the same digits.

Estimates carry three significant digits, money whole units (prices per hour and per million tokens cents), counts all
digits. Units are words where a sentence is read and symbols in tables; singular and plural are right. Separators and dates are
those of the brand in use (`exports.brand`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from babel import Locale

from engine.answer import Estimate, Money
from engine.inputs.currency import DIGITS
from engine.inputs.finding import Quantity
from exports.brand import in_use
from exports.locales import NBSP as NBSP
from exports.wording import mark, spoken, tr, trn
from planner.request.quantities import whole_units
from voice import writing
from voice.units import unit_in

_SMALL = (
    mark("no"),
    mark("one"),
    mark("two"),
    mark("three"),
    mark("four"),
    mark("five"),
    mark("six"),
    mark("seven"),
    mark("eight"),
    mark("nine"),
    mark("ten"),
    mark("eleven"),
    mark("twelve"),
)
SHORT_MONTHS = (
    mark("Jan"),
    mark("Feb"),
    mark("Mar"),
    mark("Apr"),
    mark("May"),
    mark("Jun"),
    mark("Jul"),
    mark("Aug"),
    mark("Sep"),
    mark("Oct"),
    mark("Nov"),
    mark("Dec"),
)


def significant(value: float, digits: int = 3) -> str:
    """The number with at most that many significant digits, thousands separated, no trailing zeros, no exponent."""
    return writing.significant(value, digits, _writes())


def _writes() -> Locale:
    """The region whose digits are in use here."""
    return writing.locale_of(in_use().writes.code)


def band(low: float, high: float, digits: int = 3) -> str:
    """“11.0–14.1”: both ends with that many significant digits, one text when they print alike."""
    first, last = significant(low, digits), significant(high, digits)
    return first if first == last else f"{first}–{last}"


def whole(value: float) -> str:
    """A count with all its digits: 48,211."""
    return local(f"{round(value):,}")


def local(english: str) -> str:
    """That number as it is written where the team works: “1.234,5” of “1,234.5”."""
    return writing.local(english, _writes())


def exact(value: float) -> str:
    """An input as it was given: up to six significant digits, no trailing zeros."""
    if value and (abs(value) >= 1e15 or abs(value) < 1e-4):
        return local(f"{value:.4g}")
    text = f"{value:,.{max(0, 6 - len(str(int(abs(value)))))}f}"
    return local(text.rstrip("0").rstrip(".") if "." in text else text)


def scaled(value: float) -> str:
    """“15 billion”, “70.6 billion”, “4,200”: large numbers in words of the short scale."""
    if abs(value) >= writing.LARGE:
        return writing.large(value, _writes(), spoken())
    return significant(value, 4 if abs(value) >= 1000 else 3)


def scaled_band(low: float, high: float) -> str:
    """“15–34.4 million”: both ends in the same words as a single number."""
    first, last = scaled(low), scaled(high)
    word = last.partition(NBSP)[2]
    if word and first.endswith(f"{NBSP}{word}"):
        first = first.removesuffix(f"{NBSP}{word}")
    return first if first == last else f"{first}–{last}"


def input_value(value: float, unit: str, *, computed: bool = False) -> str:
    """An input of the cost model: a share as a percentage, a price with its cents, everything else as it was given.

    A `computed` value that is neither share nor price has three significant digits.
    """
    if unit in _BYTES:
        return _bytes(value, unit)
    if _is_share(unit):
        return percent(value)
    if _is_rate(unit):
        return exact(value)
    if abs(value) >= 10 and DIGITS.get(unit[:3]) == 0:
        return whole(value)
    if _is_price(value, unit):
        return _cents(value)
    return significant(value) if computed else exact(value)


def input_band(low: float, high: float, unit: str) -> str:
    """The range of such an input, both ends alike."""
    if unit in _BYTES:
        return "–".join(_bytes(end, unit) for end in (low, high))
    if _is_share(unit):
        return percent_band(low, high)
    if not _is_price(high, unit):
        return band(low, high)
    # An end below ten cents keeps the digits that move an amount: 0.01 for 0.0147 is a third off.
    first, last = _cents(low) if low == 0 or _is_price(low, unit) else significant(low), _cents(high)
    return first if first == last else f"{first}–{last}"


def measured_band(low: float, high: float, unit: str) -> str:
    """The range of an input with its unit: “7–30 days”, “12.5 MB/s–1.25 GB/s”."""
    if unit in ("day", "month", "year"):
        return _counted(band(low, high), max(high, 2.0), unit)
    return measured(input_band(low, high, unit), unit)


def measured(text: str, unit: str) -> str:
    """The number with its unit; a percentage has it already."""
    return f"{text} {unit_of(unit)}".rstrip()


def unit_of(unit: str) -> str:
    """The unit as it is printed behind such a number: nothing behind a percentage or bytes, which have theirs; “per year” behind one of
    a year."""
    if unit in _BYTES:
        return ""
    if _is_share(unit):
        return unit_in(unit.removeprefix("share"), spoken()).replace("/", tr("per") + " ")
    return unit_in(unit, spoken()).replace("CO2e", "CO₂e")


_BYTES = ("byte", "byte/s")


def _bytes(value: float, unit: str) -> str:
    """“12.5 MB/s”: nobody reads 12,500,000."""
    return writing.quantity(Quantity(value, unit), "", _writes(), spoken())


def _is_share(unit: str) -> bool:
    return unit.partition("/")[0] == "share"


def _is_price(value: float, unit: str) -> bool:
    """Whether that is an amount of money for one of something, of the size that is told in cents."""
    return "/" in unit and unit[:3].isupper() and 0.1 <= value < 100


def _is_rate(unit: str) -> bool:
    """Of two currencies: every digit of it moves every amount."""
    return set(unit.split("/")) <= set(DIGITS) and "/" in unit


def _cents(value: float) -> str:
    return local(f"{value:,.2f}")


def percent(share: float) -> str:
    """“96%”, “0.35%”: a share of one as a percentage; small and nearly whole shares keep a digit that tells."""
    return writing.percent(share, _writes())


def part_share(share: float) -> str:
    """A share in a column of shares, with one decimal throughout so that the column can be added up."""
    if 0 < share < 0.0005:
        return tr("under {least}", least=local("0.1%"))
    return local(f"{share * 100:.1f}%").replace("-", "−")


def aligned(value: float, total: float) -> str:
    """A part of that total, with as many decimals as give the total three digits, one at least: points stand in line."""
    places = max(1, 2 - math.floor(math.log10(total))) if total > 0 else 1
    least = 10.0**-places
    if 0 < value < least / 2:
        return tr("under {least}", least=local(f"{least:.{places}f}"))
    return local(f"{value:,.{places}f}")


def percent_band(low: float, high: float) -> str:
    """“5–50%”: a band of shares."""
    first, last = percent(low), percent(high)
    return first if first == last else f"{first.removesuffix('%')}–{last}"


def chance(probability: float, *, down: bool = False) -> str:
    """A probability as words that fit its value: never 0% or 100% of a model's guess. `down`: beside a greater one that is asked
    for, so that 79.6% is not told as 80%."""
    return writing.chance(probability, _writes(), spoken(), down=down)


def plural(count: float, noun: str, many: str = "") -> str:
    """“1 server”, “4 servers”, “2.5 months”: the count in digits with its noun."""
    number = significant(count) if isinstance(count, float) and not count.is_integer() else whole(count)
    return _counted(number, count, noun, many)


def _counted(number: str, count: float, noun: str, many: str = "") -> str:
    """That number, already in digits, with the form of the noun that agrees with it."""
    one, several = (f"{{count}}{NBSP}{word}" for word in (noun, many or f"{noun}s"))
    return trn(one, several, 1 if number == "1" else max(count, 2), count=number)


def spelled(count: int) -> str:
    """Whole numbers to twelve as words, others as digits: for running text."""
    return tr(_SMALL[count]) if 0 <= count <= 12 else whole(count)


def days(value: float) -> str:
    """A stretch of days in the unit that reads best: “5.9 days”, “18.2 hours”, “34 minutes”."""
    return seconds(value * writing.DAY_S)


def day_band(value: Estimate) -> str:
    """“5.04–6.72 days”, “16–20.5 hours”: both ends in the unit in which `days` tells the expected value."""
    low, high, expected = (end * writing.DAY_S for end in (value.low, value.high, value.expected))
    return writing.span_band(low, high, expected, _writes(), spoken())


def seconds(value: float) -> str:
    """A stretch of time in the unit that reads best, three significant digits."""
    return writing.span(value, _writes(), spoken())


def long_date(value: date) -> str:
    """“11 January 2027”, or in the order that the team is used to."""
    return in_use().writes.long_date(value, tr(writing.MONTHS[value.month - 1]))


def month(text: str, names: tuple[str, ...] = writing.MONTHS) -> str:
    """“January 2027” of “2027-01”, “Jan 2027” with the short names; the text itself when it is not a month."""
    year, _, number = text.partition("-")
    if len(year) == 4 and year.isdigit() and number.isdigit() and 1 <= int(number) <= 12:
        return f"{tr(names[int(number) - 1])} {year}"
    return text


def estimate(value: Estimate, unit: str = "") -> str:
    """“5.6 days (80% band 5.04–6.72)”; without a band when both ends print alike."""
    shown = f"{significant(value.expected)}{NBSP}{unit}".rstrip()
    ends = band(value.low, value.high)
    if ends == significant(value.expected) or value.low == value.high:
        return shown
    return tr("{value} (80% band {band})", value=shown, band=ends)


@dataclass(frozen=True)
class Currency:
    """How a document writes amounts of its currency; of prices in US dollars it knows the rate."""

    code: str = "USD"
    per_usd: float = 1.0

    def of(self, usd: float) -> float:
        """What a seller asks, or a request says, in US dollars in this currency."""
        return usd * self.per_usd

    def amount(self, value: float) -> str:
        """“USD 23,719”: whole units; below ten, cents."""
        sign = "−" if value < 0 else ""
        digits = f"{abs(value):,.2f}" if 0 < abs(value) < 9.995 else whole_units(abs(value))
        return f"{sign}{self.code}{NBSP}{local(digits)}"

    def price(self, value: float) -> str:
        """A price with cents, or three significant digits below ten cents; whole units where there are no cents."""
        if abs(value) >= 10 and not DIGITS[self.code]:
            return f"{self.code}{NBSP}{whole(value)}"
        return f"{self.code}{NBSP}{significant(value) if 0 < abs(value) < 0.1 else local(f'{value:,.2f}')}"

    def rounded(self, value: float) -> str:
        """About that much, three significant digits: the end of a band, a difference."""
        size = abs(value)
        text = significant(size) if size >= 100 else f"{size:.0f}" if size >= 9.995 else local(f"{size:.2f}")
        return f"{'−' if value < 0 else ''}{self.code}{NBSP}{text}"

    def range(self, money: Money) -> str:
        """“USD 21,300–28,000”: the band's ends, three significant digits each."""
        low, high = self.rounded(money.low), self.rounded(money.high).removeprefix(f"{self.code}{NBSP}")
        return low if low.endswith(f"{NBSP}{high}") else f"{low}–{high}"

    def banded(self, money: Money) -> str:
        """“USD 23,719 (80% band USD 21,300–28,000)”."""
        if round(money.low, 2) == round(money.high, 2):
            return self.amount(money.expected)
        return tr("{value} (80% band {band})", value=self.amount(money.expected), band=self.range(money))

    def bare(self, value: float) -> str:
        """The amount without the code, for a column that names it: whole units, cents below ten as in a sentence."""
        size = round(abs(value), 4)
        digits = f"{size:,.2f}" if 0.005 <= size < 9.995 else whole_units(size)
        return f"{'−' if value < 0 and digits != '0' else ''}{local(digits)}"

    def cents(self, value: float) -> str:
        """The amount without the code, all its digits."""
        digits = f"{abs(value):,.{DIGITS[self.code]}f}"
        return f"{'−' if value < 0 else ''}{local(digits)}"

    def bare_range(self, money: Money) -> str:
        """The band without the code."""
        return self.range(money).replace(f"{self.code}{NBSP}", "")
