"""The small workbook behind a native chart, so that its data can be edited in Word and PowerPoint."""

from __future__ import annotations

from collections.abc import Sequence

from exports.ooxml import SHEET_TYPE, Package, esc

Cell = str | float | None
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="1"><font><sz val="11"/><name val="Arial"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def column(index: int) -> str:
    """The letters of the column with that index, from zero."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def workbook(rows: Sequence[Sequence[Cell]]) -> bytes:
    """One sheet named Sheet1 with those rows; text is never a formula."""
    package = Package()
    texts: dict[str, int] = {}
    body = "".join(_row(number, row, texts) for number, row in enumerate(rows, 1))
    last = f"{column(max(map(len, rows)) - 1)}{len(rows)}"
    sheet = f'<worksheet xmlns="{_MAIN}"><dimension ref="A1:{last}"/><sheetData>{body}</sheetData></worksheet>'
    book = (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_REL}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/>'
        "</sheets></workbook>"
    )
    spread = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    package.add("xl/workbook.xml", f"{SHEET_TYPE}.main+xml", book)
    package.add("xl/worksheets/sheet1.xml", f"{spread}.worksheet+xml", sheet)
    package.add("xl/styles.xml", f"{spread}.styles+xml", _STYLES)
    package.add("xl/sharedStrings.xml", f"{spread}.sharedStrings+xml", _strings(texts))
    package.relate("", "officeDocument", "xl/workbook.xml")
    for kind, part in (("worksheet", "worksheets/sheet1"), ("styles", "styles"), ("sharedStrings", "sharedStrings")):
        package.relate("xl/workbook.xml", kind, f"xl/{part}.xml")
    return package.to_bytes()


def _row(number: int, row: Sequence[Cell], texts: dict[str, int]) -> str:
    cells = "".join(_cell(f"{column(index)}{number}", value, texts) for index, value in enumerate(row))
    return f'<row r="{number}">{cells}</row>'


def _cell(address: str, value: Cell, texts: dict[str, int]) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{address}" t="s"><v>{texts.setdefault(value, len(texts))}</v></c>'
    return f'<c r="{address}"><v>{value:.12g}</v></c>'


def _strings(texts: dict[str, int]) -> str:
    items = "".join(f'<si><t xml:space="preserve">{esc(text)}</t></si>' for text in texts)
    return f'<sst xmlns="{_MAIN}" count="{len(texts)}" uniqueCount="{len(texts)}">{items}</sst>'
