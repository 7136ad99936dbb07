"""How numbers and dates are written where a team works. Texts stay English; their digits and dates follow this table.

Separators and date orders are those of the Unicode CLDR, version 46. Two simplifications: groups that CLDR separates by a
narrow space are separated by a no-break space, which every font has, and a percent sign follows its number directly, as in
the English sentence around it. Codes of currencies stand before the amount everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

NBSP = "\u00a0"


@dataclass(frozen=True, kw_only=True)
class Locale:
    """One way of writing numbers and dates. `day` is a pattern of {d}, {dd}, {mm}, {month} and {y}."""

    code: str
    name: str
    group: str
    decimal: str
    day: str
    paper: str = "A4"
    language: str = "en"
    """Of the texts, for screen readers: they are English everywhere."""

    def number(self, english: str) -> str:
        """A number written in English, “1,234.5”, as it is written here."""
        if (self.group, self.decimal) == (",", "."):
            return english
        return english.translate({ord(","): self.group, ord("."): self.decimal})

    def long_date(self, value: date, month: str) -> str:
        """“11 January 2027”, “January 11, 2027”, “11.01.2027”, “2027-01-11”. `month` is the month's name."""
        return self.day.format(
            d=value.day,
            dd=f"{value.day:02}",
            mm=f"{value.month:02}",
            month=month,
            y=f"{value.year:04}",
        )


_ENGLISH, _EUROPEAN, _SPACED = (",", "."), (".", ","), (NBSP, ",")


def _locale(code: str, name: str, signs: tuple[str, str], day: str, paper: str = "A4", language: str = "en") -> Locale:
    return Locale(code=code, name=name, group=signs[0], decimal=signs[1], day=day, paper=paper, language=language)


LOCALES = {
    row.code: row
    for row in (
        _locale("en-GB", "English (international)", _ENGLISH, "{d} {month} {y}"),
        _locale("en-US", "English (United States)", _ENGLISH, "{month} {d}, {y}", "Letter", "en-US"),
        _locale("da-DK", "Danish", _EUROPEAN, "{dd}.{mm}.{y}"),
        _locale("de-CH", "German (Switzerland)", ("’", "."), "{dd}.{mm}.{y}"),
        _locale("de-DE", "German", _EUROPEAN, "{dd}.{mm}.{y}"),
        _locale("es-ES", "Spanish", _EUROPEAN, "{d}/{mm}/{y}"),
        _locale("fi-FI", "Finnish", _SPACED, "{dd}.{mm}.{y}"),
        _locale("fr-FR", "French", _SPACED, "{dd}/{mm}/{y}"),
        _locale("it-IT", "Italian", _EUROPEAN, "{dd}/{mm}/{y}"),
        _locale("ja-JP", "Japanese", _ENGLISH, "{y}/{mm}/{dd}"),
        _locale("ko-KR", "Korean", _ENGLISH, "{y}. {mm}. {dd}."),
        _locale("nb-NO", "Norwegian", _SPACED, "{dd}.{mm}.{y}"),
        _locale("nl-NL", "Dutch", _EUROPEAN, "{dd}-{mm}-{y}"),
        _locale("pl-PL", "Polish", _SPACED, "{dd}.{mm}.{y}"),
        _locale("pt-BR", "Portuguese (Brazil)", _EUROPEAN, "{dd}/{mm}/{y}"),
        _locale("sv-SE", "Swedish", _SPACED, "{y}-{mm}-{dd}"),
    )
}
DEFAULT = "en-GB"
