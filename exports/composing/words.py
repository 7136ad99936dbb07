"""Sentences that the engine wrote, as a document prints them: names as their owners spell them, singular and plural right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date

from exports.brand import in_use
from exports.numbers import NBSP, SHORT_MONTHS, long_date
from exports.text import clean_text, sentences
from planner.names import SOFTWARE, spelled

_ONE = re.compile(
    r"(?<![\d.,])1([ \u00a0-])(day|hour|minute|second|week|month|year|server|accelerator|replica|run|option|candidate|"
    r"failure|provider|price|step|node|GPU)s\b"
)
_CERTAIN = re.compile(r"\b100(?:\.0+)?[ \u00a0]?% (probability|chance)")
_NEVER = re.compile(r"(?<![\d.,])0(?:\.0+)?[ \u00a0]?% (probability|chance)")


_LONGEST = 4000
"""Characters of a text of several sentences before those are chosen that are shown."""
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_SHORT_DAY = re.compile(rf"\b(\d{{1,2}})[ \u00a0]({'|'.join(SHORT_MONTHS)})[ \u00a0](\d{{4}})\b")
_AMOUNT = re.compile(r"(?<![\d.,])(\d[\d,]*(?:\.\d+)?(?:(?: to |–)\d[\d,]*(?:\.\d+)?)?) ([A-Z]{3})\b(?!/)")
_NAMES = {
    **{name: SOFTWARE[name] for name in ("vllm", "sglang", "tensorrt-llm", "tgi", "jetstream", "maxtext", "triton")},
    **{name: name.upper() for name in ("fp4", "fp8", "fp16", "bf16", "fp32", "int4", "int8")},
}
_NAMED = re.compile(rf"(?<![\w.-])({'|'.join(_NAMES)})(?![\w-])")
_COUNT = re.compile(r"(?<![\w.,-])(\d+) × ")
_UNIT = re.compile(
    r"(?<=\d) (?=(?:ms|s|min|h|[kMGT]B(?:/s)?|k?W|kWh|(?:request|token|text|image|recording|sample)s?/s)\b)"
)
_PERCENT = re.compile(r"(?<=\d)[ \u00a0]%")
_TOKENS = re.compile(r"((?<![\d,.])(?!1 )[\d,.]+ token)(?=/s\b)")
_NOUGHT = re.compile(r"(?<![\d.,])(\d[\d,]*)\.0+(?= ?(?:%|days?\b))")


def _long(found: re.Match[str]) -> str:
    """A day as the document writes days; what is no day stays."""
    try:
        return long_date(date.fromisoformat(found[0]))
    except ValueError:
        return found[0]


def _iso(found: re.Match[str]) -> str:
    """“2026-08-22” of “22 Aug 2026”."""
    return f"{found[3]}-{SHORT_MONTHS.index(found[2]) + 1:02d}-{int(found[1]):02d}"


@dataclass(frozen=True)
class _Shown:
    """The currency of a document, and what one unit of the plan's own currency is in it: 1 but where a team's rate shows
    a plan of US dollars."""

    code: str = "USD"
    factor: float = 1.0

    def sentence(self, words: str) -> str:
        """The engine's sentence with providers' own names; at a team's rate with its dollars at that rate."""
        words = spelled(words)
        if self.factor == 1.0:
            return words
        paired = _PAIR.sub(lambda found: f"{self._like(found[1])} to {self._like(found[2])} {self.code}", words)
        return _DOLLARS.sub(lambda found: f"{self._like(found[1])} {self.code}", paired)

    def _like(self, number: str) -> str:
        """That number of US dollars converted, with as many decimals as it was written with."""
        value = float(number.replace(",", "")) * self.factor
        return f"{value:,.{len(number.partition('.')[2])}f}"


_PAIR = re.compile(r"(?<![\d,])(\d[\d,]*(?:\.\d+)?) to (\d[\d,]*(?:\.\d+)?) USD\b")
_DOLLARS = re.compile(r"(?<![\d,])(\d[\d,]*(?:\.\d+)?) USD\b")
_PLAIN = _Shown()
_MONEY: ContextVar[_Shown] = ContextVar("money", default=_PLAIN)


@contextmanager
def in_currency(code: str, factor: float) -> Iterator[None]:
    """Inside, the engine's amounts are shown in that currency, of which one unit of the plan's own is `factor`."""
    token = _MONEY.set(_Shown(code, factor))
    try:
        yield
    finally:
        _MONEY.reset(token)


def engine_text(value: object, limit: int) -> str:
    """That text, clean, as many of its sentences as so many characters hold, its numbers as the team writes them; a model's
    guess is never certain."""
    text = _ONE.sub(r"1\1\2", _MONEY.get().sentence(sentences(clean_text(value, _LONGEST), limit)))
    text = _NEVER.sub(r"under 1% \1", _CERTAIN.sub(r"over 99% \1", text))
    text = _SHORT_DAY.sub(_iso, text)
    text = _DAY.sub(_long, text)
    return in_use().writes.sentence(_as_here(text))


def _as_here(text: str) -> str:
    """The sentence in the documents' style: “USD 1.51”, “54%”, “1,024 × H100” in one piece, products by their names."""
    text = _AMOUNT.sub(_code_first, _NOUGHT.sub(r"\1", text))
    text = _COUNT.sub(lambda found: f"{int(found[1]):,}{NBSP}×{NBSP}", text)
    text = _TOKENS.sub(r"\1s", text.replace(".;", ";"))
    text = _UNIT.sub(NBSP, percents(text))
    return _NAMED.sub(lambda found: _NAMES[found[1]], text)


def _code_first(found: re.Match[str]) -> str:
    """“USD 1.51” of “1.51 USD”; three capitals that are no currency stay: “48 GPU”."""
    return f"{found[2]}{NBSP}{found[1]}" if found[2] in {"USD", _MONEY.get().code} else found[0]


def percents(text: str) -> str:
    """“54%” of “54 %”: one style in all documents, whoever wrote the sentence."""
    return _PERCENT.sub("%", text)
