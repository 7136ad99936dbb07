"""Where a team may work, and how days are written there. Texts stay English; digits follow the region (`voice.writing`).

Date orders are those of the Unicode CLDR, version 46. A percent sign follows its number directly, as in the English
sentence around it. Codes of currencies stand before the amount everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from voice import writing

NBSP = "\u00a0"


@dataclass(frozen=True)
class Locale:
    """One way of writing. `day` is a pattern of {d}, {dd}, {mm}, {month} and {y}."""

    code: str
    name: str
    day: str
    paper: str = "A4"
    language: str = "en"
    """Of the texts, for screen readers: they are English everywhere."""

    @property
    def decimal(self) -> str:
        """What separates the whole of a number from its parts."""
        return writing.separators(writing.locale_of(self.code))[1]

    def long_date(self, value: date, month: str) -> str:
        """“11 January 2027”, “January 11, 2027”, “11.01.2027”, “2027-01-11”. `month` is the month's name."""
        return self.day.format(
            d=value.day,
            dd=f"{value.day:02}",
            mm=f"{value.month:02}",
            month=month,
            y=f"{value.year:04}",
        )


LOCALES = {
    row.code: row
    for row in (
        Locale("en-GB", "English (international)", "{d} {month} {y}"),
        Locale("en-US", "English (United States)", "{month} {d}, {y}", "Letter", "en-US"),
        Locale("da-DK", "Danish", "{dd}.{mm}.{y}"),
        Locale("de-CH", "German (Switzerland)", "{dd}.{mm}.{y}"),
        Locale("de-DE", "German", "{dd}.{mm}.{y}"),
        Locale("es-ES", "Spanish", "{d}/{mm}/{y}"),
        Locale("fi-FI", "Finnish", "{dd}.{mm}.{y}"),
        Locale("fr-FR", "French", "{dd}/{mm}/{y}"),
        Locale("it-IT", "Italian", "{dd}/{mm}/{y}"),
        Locale("ja-JP", "Japanese", "{y}/{mm}/{dd}"),
        Locale("ko-KR", "Korean", "{y}. {mm}. {dd}."),
        Locale("nb-NO", "Norwegian", "{dd}.{mm}.{y}"),
        Locale("nl-NL", "Dutch", "{dd}-{mm}-{y}"),
        Locale("pl-PL", "Polish", "{dd}.{mm}.{y}"),
        Locale("pt-BR", "Portuguese (Brazil)", "{dd}/{mm}/{y}"),
        Locale("sv-SE", "Swedish", "{y}-{mm}-{dd}"),
    )
}
DEFAULT = "en-GB"
