"""Boxes on pages: a figure that does not fit lets the table behind it go first, and nothing crosses a heading."""

from __future__ import annotations

from dataclasses import dataclass

from exports.document import Cell, Column, Table
from exports.writers.look import LOOK
from exports.writers.pdf_fonts import load
from exports.writers.pdf_layout import Box, paginate
from exports.writers.pdf_pen import Pen
from exports.writers.pdf_table import Shared, TableBox
from exports.writers.pdf_text import Style, text_width


@dataclass(frozen=True, kw_only=True)
class Block:
    """A box of a fixed height that cannot be split."""

    name: str
    tall: float
    before: float = 0.0
    keep: bool = False
    floats: bool = False
    tail: bool = False
    bookmark: tuple[str, int] | None = None

    def height(self, width: float) -> float:
        return self.tall

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        raise AssertionError("nothing is drawn here")

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        return None


TEXT = Block(name="text", tall=60)
CAPTION = Block(name="caption", tall=5, keep=True)
FIGURE = Block(name="figure", tall=50, floats=True)
HEADING = Block(name="heading", tall=5, keep=True, bookmark=("s2", 0))
TABLE = Block(name="table", tall=20)
NOTE = Block(name="note", tall=5, tail=True)


def pages(*boxes: Block) -> list[list[str]]:
    """The names of the boxes on pages 100 high."""
    placed = [[spot.box for spot in page] for page in paginate(boxes, 100.0, 100.0)]
    return [[box.name for box in page if isinstance(box, Block)] for page in placed]


def test_the_table_behind_a_figure_that_does_not_fit_goes_first_with_its_note() -> None:
    assert pages(TEXT, CAPTION, FIGURE, TABLE, NOTE) == [["text", "table", "note"], ["caption", "figure"]]


def test_a_figure_that_fits_stays_where_it_is() -> None:
    small = Block(name="figure", tall=30, floats=True)

    assert pages(TEXT, CAPTION, small, TABLE) == [["text", "caption", "figure"], ["table"]]


def test_nothing_of_the_next_section_is_taken_forward() -> None:
    assert pages(TEXT, CAPTION, FIGURE, HEADING, TABLE) == [["text"], ["caption", "figure", "heading", "table"]]


def test_a_heading_stays_before_its_figure() -> None:
    assert pages(TEXT, HEADING, CAPTION, FIGURE, TABLE) == [["text"], ["heading", "caption", "figure", "table"]]


def test_a_table_that_would_not_fit_either_waits() -> None:
    large = Block(name="table", tall=45)

    assert pages(TEXT, CAPTION, FIGURE, large) == [["text"], ["caption", "figure", "table"]]


def test_no_word_of_a_column_of_words_is_torn() -> None:
    rows = tuple(
        (
            Cell(text="Months of service that a plan is costed for when no horizon is given"),
            Cell(text="month"),
            Cell(text="12"),
        )
        for _ in range(3)
    )
    columns = (
        Column(title="Assumption", share=2.4),
        Column(title="Unit", share=0.7),
        Column(title="Value", align="right"),
    )
    table = Table(id="t", caption="", columns=columns, rows=rows)
    style = Style(size=8.3, leading=11.2, colour="000000")
    load()
    box = TableBox(table=table, look=LOOK, style=style, shared=Shared(), stop=3)

    assert text_width("month", style.size) <= box._rooms(190.0)[1]
