"""The workbook under construction: formats by role, safe text, formulas with their value, defined names, print setup."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from datetime import datetime, time
from io import BytesIO
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from engine.inputs.currency import DIGITS
from exports import theme
from exports.brand import in_use
from exports.document import Document
from exports.formats import RENDERER_VERSION
from exports.text import shorten
from exports.wording import tr
from exports.writers.look import Look, current
from exports.writers.text_fit import lines

WHOLE_MONEY = "#,##0;[Red]-#,##0"
COUNT = "#,##0"
PERCENT = "0.0%"
DECIMAL = "#,##0.00"
_SIZE, _LINE, _EDGE = 10, 12.75, 2.25
"""Of the text in cells, of one line of it, and what a row has besides [pt]."""
_CHARACTER = 5.25
"""One character of a column's width [pt]: a digit of Arial at that size, 7 pixels."""
_CELL_REFERENCE = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}|[RrCc]|[Rr][0-9]*[Cc][0-9]*")


def base_of(look: Look) -> dict[str, Any]:
    """What every cell has."""
    return {"font_name": look.office_font, "font_size": _SIZE, "font_color": f"#{look.ink}", "valign": "vcenter"}


def styles_of(look: Look) -> dict[str, dict[str, Any]]:
    """What the cells of each role have besides."""
    header = {
        "bold": True,
        "text_wrap": True,
        "bg_color": f"#{look.wash}",
        "bottom": 1,
        "bottom_color": f"#{look.accent}",
        "valign": "bottom",
    }
    return {
        "plain": {},
        "wrap": {"text_wrap": True},
        "muted": {"font_color": f"#{look.muted}", "text_wrap": True, "align": "left", "indent": 1},
        "quiet": {"font_color": f"#{look.muted}"},
        "title": {"font_size": 18, "bold": True},
        "subtitle": {"font_color": f"#{look.muted}"},
        "heading": {"font_size": 12, "bold": True, "font_color": f"#{look.accent}"},
        "header": header,
        "header_right": header | {"align": "right"},
        "header_indented": header | {"align": "left", "indent": 1},
        "strong": {"bold": True},
        "label": {"bold": True, "text_wrap": True},
        "total": {"bold": True, "top": 1, "top_color": f"#{look.ink}"},
        "total_muted": {"font_color": f"#{look.muted}", "text_wrap": True, "align": "left", "indent": 1}
        | {"top": 1, "top_color": f"#{look.ink}"},
        "chosen": {"bg_color": f"#{look.tint}", "text_wrap": True},
        "input": {
            "font_color": f"#{theme.INPUT_TEXT}",
            "bg_color": f"#{theme.INPUT_FILL}",
            "border": 1,
            "border_color": f"#{look.line}",
            "locked": False,
        },
        "big": {"font_size": 16, "bold": True, "shrink": True, "font_color": f"#{look.accent}"},
        "link": {"font_color": f"#{look.accent}", "underline": 1},
    }


class Book:
    """One XlsxWriter workbook in memory. Text goes in as text only; nothing is guessed from its first character."""

    def __init__(self, document: Document, paper: str) -> None:
        self.document = document
        self.money, self.digits = money_format(document.currency), DIGITS[document.currency]
        self._buffer = BytesIO()
        options = {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
            # Columns are as wide as so many digits of this font: one that every reader's machine has or replaces alike.
            "default_format_properties": {"font_name": theme.OFFICE_FONT, "font_size": _SIZE},
            "default_row_height": 17,
        }
        self.file = xlsxwriter.Workbook(self._buffer, options)
        self.look = current()
        self._base, self._styles = base_of(self.look), styles_of(self.look)
        self._formats: dict[tuple[str, str, bool], Format] = {}
        self._counts: dict[tuple[str, float, bool], int] = {}
        self._paper = 1 if paper.lower() == "letter" else 9
        self.names: set[str] = set()
        created = datetime.combine(document.created, time())
        self.file.set_properties(
            {
                "title": document.title,
                "subject": document.subject,
                "author": document.author,
                "keywords": ", ".join(document.keywords),
                "comments": f"{document.state_text}. {tr('Plan {plan}', plan=document.plan_hash)}",
                "created": created,
            }
        )
        self.file.set_custom_property("Plan", document.plan_hash)
        self.file.set_custom_property("Renderer", RENDERER_VERSION)
        if in_use().sha256:
            self.file.set_custom_property("Look", in_use().sha256)
        self.file.set_size(2400, 1500)

    def close(self) -> bytes:
        """The finished file."""
        self.file.close()
        return self._buffer.getvalue()

    def style(self, style: str = "plain", number: str = "", *, quoted: bool = False) -> Format:
        """The format of that role and number format, made once."""
        key = (style, number, quoted)
        if key not in self._formats:
            extra: dict[str, Any] = {"num_format": number} if number else {}
            if quoted:
                extra["quote_prefix"] = True
            self._formats[key] = self.file.add_format(self._base | self._styles[style] | extra)
        return self._formats[key]

    def sheet(self, title: str, *, landscape: bool = True) -> Worksheet:
        """A new sheet, protected without password, with our print setup."""
        sheet = self.file.add_worksheet(title)
        sheet.hide_gridlines(2)
        sheet.set_default_row(_LINE + _EDGE)
        sheet.set_paper(self._paper)
        if landscape:
            sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.set_margins(left=0.5, right=0.5, top=0.75, bottom=0.75)
        sheet.set_header(f"&L{_small(shorten(self.document.title, 80))}&R{_small(self.document.state_text)}")
        plan = tr("Plan {plan}", plan=self.document.short_hash)
        page = tr("Page {number} of {total}", number="&P", total="&N")
        sheet.set_footer(f"&L{_small(plan)}&C&9&A&R&9{page}")
        sheet.protect("", {"format_columns": True, "format_rows": True, "autofilter": True, "sort": True})
        return sheet

    def text(self, sheet: Worksheet, row: int, column: int, value: str, style: str = "plain") -> None:
        """A text cell; one that could be read as a formula carries Excel's text mark."""
        quoted = value[:1] in {"=", "+", "-", "@", "'"}
        sheet.write_string(row, column, value, self.style(style, "", quoted=quoted))

    def number(self, sheet: Worksheet, row: int, column: int, value: float, number: str, style: str = "plain") -> None:
        """A constant."""
        sheet.write_number(row, column, value, self.style(style, number))

    def formula(
        self,
        sheet: Worksheet,
        row: int,
        column: int,
        formula: str,
        value: float | str,
        number: str = "",
        style: str = "plain",
    ) -> None:
        """A live formula with the value it has now, for viewers that do not calculate."""
        sheet.write_formula(row, column, f"={formula}", self.style(style, number), value)

    def header(
        self,
        sheet: Worksheet,
        row: int,
        titles: tuple[str, ...],
        numbers: Container[int] = (),
        widths: Sequence[float] = (),
        muted: Container[int] = (),
    ) -> None:
        """A header row; headings stand as their cells do, on the right for numbers, indented for muted text. With widths
        [characters] it sets them, a little wider where headings on the right would touch, and is as high as they need."""
        for index, title in enumerate(titles):
            style = "header_right" if index in numbers else "header_indented" if index in muted else "header"
            self.text(sheet, row, index, title, style)
        heads = dict(enumerate(titles))
        rooms = [
            self._roomy(heads[index], width) if index in heads and index in numbers else width
            for index, width in enumerate(widths)
        ]
        for index, width in enumerate(rooms):
            sheet.set_column(index, index, width)
        if rooms:
            self.high(sheet, row, *((title, room - 1) for title, room in zip(titles, rooms, strict=False)), bold=True)

    def show_parts(self, sheet: Worksheet, row: int, first: int, last: int) -> None:
        """Lets cells that count show decimals once they hold any: a share typed over a 0 must not read 0."""
        parts = self.file.add_format({"num_format": "#,##0.0##"})
        here = cell(row, first, fixed=False)
        rule = {"type": "formula", "criteria": f"={here}<>INT({here})", "format": parts}
        sheet.conditional_format(row, first, row, last, rule)

    def title(self, sheet: Worksheet, title: str, words: str) -> None:
        """The sheet's title in its first row and what it is for in the second."""
        sheet.set_row(0, 26)
        self.text(sheet, 0, 0, title, "title")
        self.text(sheet, 1, 0, words, "subtitle")

    def high(self, sheet: Worksheet, row: int, *texts: tuple[str, float], bold: bool = False) -> None:
        """Makes the row high enough for wrapped texts, each given with the room that its column has, in characters."""
        count = max(self._lines(text, width, bold=bold) for text, width in texts)
        if count > 1:
            sheet.set_row(row, _LINE * count + _EDGE)

    def _lines(self, text: str, width: float, *, bold: bool) -> int:
        """Lines that the text takes in so many characters of a column."""
        key = (text, width, bold)
        if key not in self._counts:
            self._counts[key] = sum(lines(part, _SIZE, width * _CHARACTER, bold=bold) for part in text.split("\n"))
        return self._counts[key]

    def _roomy(self, title: str, width: float) -> float:
        """The column's width at which no line of its heading reaches the heading on its left; no wider than need be."""
        tried = (width + step / 2 for step in range(13))
        clear = (
            room for room in tried if self._lines(title, room - 2.5, bold=True) == self._lines(title, room, bold=True)
        )
        return next(clear, width)

    def define(self, name: str, sheet: Worksheet, row: int, column: int) -> str:
        """Gives the cell a name that Excel accepts and nothing else has; returns it."""
        clean = excel_name(name)
        while clean.lower() in self.names:
            clean += "_"
        self.names.add(clean.lower())
        self.file.define_name(clean, f"={place(sheet, row, column)}")
        return clean


def _small(text: str) -> str:
    """The text at 9 points in a header or footer: a digit right after the code would be read as part of the size."""
    return f"&9{' ' if text[:1].isdigit() else ''}{text.replace('&', '&&')}"


def excel_name(text: str) -> str:
    """A defined name that is neither a cell reference nor holds a character that Excel refuses."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)[:200]
    if not name or not (name[0].isalpha() or name[0] == "_"):
        name = f"_{name}"
    return f"{name}_" if _CELL_REFERENCE.fullmatch(name) else name


def place(sheet: Worksheet, row: int, column: int) -> str:
    """'Cost model'!$B$4."""
    return f"'{sheet.get_name()}'!{cell(row, column)}"


def cell(row: int, column: int, *, fixed: bool = True) -> str:
    """$B$4, or B4."""
    return str(xl_rowcol_to_cell(row, column, row_abs=fixed, col_abs=fixed))


def span(sheet: Worksheet, first: int, last: int, column: int) -> str:
    """'Cash flow'!$B$6:$B$17."""
    return f"{place(sheet, first, column)}:{cell(last, column)}"


def money_format(code: str) -> str:
    """How an amount of that currency is shown, to its smallest unit."""
    places = "." + "0" * DIGITS[code] if DIGITS[code] else ""
    return f"#,##0{places};[Red]-#,##0{places}"


def number_format(value: float, unit: str, *others: float) -> str:
    """How an input or quantity of that unit is shown, which may take those other values too."""
    if unit in DIGITS:
        return money_format(unit)
    if unit.partition("/")[0] == "share":
        return "0.0##%" if value and abs(value) < 0.01 else PERCENT
    if unit[:3] in DIGITS:
        return "#,##0.00##"
    if all(float(number).is_integer() for number in (value, *others)):
        return COUNT
    return "#,##0.00##" if abs(value) < 10 else DECIMAL


def base_values(values: Mapping[str, float], names: tuple[str, ...], digits: int) -> float:
    """Sum of those named values, rounded to so many decimals as the sheet does."""
    return round(sum(values[name] for name in names), digits)
