"""What a plan says, independent of the format: plain frozen dataclasses that the four writers print.

`compose()` makes a `Document`; a writer only knows its format. Every number is already a text here (`Cell.text`,
`KeyFigure.value`, …), formatted once, so that all files print the same digits. Text has passed `clean_text` and holds no
markup of any kind: a writer escapes it for its format and never interprets it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from charts.chart import Chart
from engine.answer import CostInput, CostModel, Driver
from exports.text import shorten
from exports.wording import tr
from planner.money import Ends
from planner.rent_or_own import Way

State = Literal["draft", "submitted", "approved", "returned", "superseded"]
Tone = Literal["plain", "good", "warning", "bad", "muted", "strong"]
Align = Literal["left", "right"]

MAX_TABLE_ROWS = 50
"""Most body rows of a table in Word, PDF and slides; the workbook holds the rest."""
MAX_TITLE = 90
"""Characters of the title on page 1 of Word and PDF, which must hold the decision; a longer one stands whole at the end."""
MAX_HEADLINE = 110
"""Characters of a slide's headline."""
MAX_BOARD = 8
"""Slides of a deck before its appendix: what a board needs to decide."""
MAX_SLIDE_BULLETS = 5
MAX_SLIDE_BULLET = 190
MAX_SLIDE_ROWS = 8
MAX_SLIDE_CELL = 42
WIDE_COLUMNS, WIDE_SLIDE_CELL = 3, 230
"""A slide's table of at most so many columns has cells of so many characters; so has a column that takes half of the width."""
FEW_COLUMNS, LABEL_SLIDE_CELL = 5, 80
"""In a table of at most so many columns a name may have so many characters."""
LONG_SLIDE_CELL = 520
"""Characters of a cell in a table of two columns."""


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """Running text. `lead` opens a section, `note` is small print under a table or figure."""

    text: str
    role: Literal["body", "lead", "note"] = "body"


@dataclass(frozen=True, kw_only=True)
class Bullets:
    """A list; `ordered` when the order carries meaning."""

    items: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its heading with the unit already in it, alignment and share of the table's width."""

    title: str
    align: Align = "left"
    share: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell: the text that every format prints, and the number behind it where there is one."""

    text: str
    value: float | None = None
    tone: Tone = "plain"


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table with one header row. `caption` is without number: the writer counts tables."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: bool = False
    """The last row is a total."""
    highlight: int | None = None
    """The row that holds the recommendation."""
    note: str = ""
    """Small print under the table: sources, rows left out."""


def slide_cell(table: Table, column: int) -> int:
    """Characters that a cell of that column has room for on a slide."""
    if len(table.columns) < WIDE_COLUMNS:
        return LONG_SLIDE_CELL
    half = sum(one.share for one in table.columns) / 2
    wide = len(table.columns) <= WIDE_COLUMNS or table.columns[column].share >= half
    if wide:
        return WIDE_SLIDE_CELL
    return LABEL_SLIDE_CELL if len(table.columns) <= FEW_COLUMNS else MAX_SLIDE_CELL


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A native or vector chart. `caption` (no number) is the finding; `alt` says it with its numbers for those who cannot see it."""

    chart: Chart
    caption: str
    alt: str


@dataclass(frozen=True, kw_only=True)
class KeyFigure:
    """One large number with what it is and how sure it is."""

    label: str
    value: str
    detail: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True, kw_only=True)
class KeyFigures:
    """Two to five key figures side by side."""

    items: tuple[KeyFigure, ...]


@dataclass(frozen=True, kw_only=True)
class Callout:
    """A boxed remark: one title, one or two sentences."""

    title: str
    text: str
    tone: Literal["info", "good", "warning"] = "info"


Block = Paragraph | Bullets | Table | Figure | KeyFigures | Callout


@dataclass(frozen=True, kw_only=True)
class Section:
    """A numbered chapter; `sections` are its second level, which has no third."""

    id: str
    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One row of the decision block: what it is, and what it says. `key` is stable."""

    key: str
    label: str
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Page 1: what is asked, what it costs, when it ends, how sure, what else, what could go wrong."""

    sentence: str
    """The whole plan in one or two sentences."""
    figures: KeyFigures
    facts: tuple[Fact, ...]
    first: int | None = None
    """So many of them stand on page 1; None = all. The others open the chapters; the workbook has all of them together."""

    @property
    def memo(self) -> tuple[Fact, ...]:
        """The rows of page 1."""
        return self.facts[: self.first]

    @property
    def further(self) -> tuple[Fact, ...]:
        """Those that page 1 has no room for."""
        return () if self.first is None else self.facts[self.first :]


@dataclass(frozen=True, kw_only=True)
class Slide:
    """One slide: a finding as its headline, at most two blocks, notes for the speaker with the sources.

    `cover` has the plan's title and no blocks; `split` has two blocks side by side (left, right); `one` has one block.
    Texts keep within the MAX_ limits above.
    """

    id: str
    headline: str
    layout: Literal["cover", "one", "split"]
    blocks: tuple[Block, ...] = ()
    notes: str = ""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One row of the workbook's list of options. Physics is frozen; its price may be edited: total = quantity × price + other."""

    id: str
    name: str
    where: str
    """Provider, instance and region, or the system that is bought."""
    terms: str
    """On demand, spot, one-year commitment, owned."""
    layout: str
    accelerators: int
    days: float
    priced: str
    """What the price is of: one accelerator-hour, one server."""
    price_usd: float
    """As the seller asks it; all else is in the currency of the plan."""
    quantity: float
    other: float
    total: float
    in_time: bool
    remark: str
    recommended: bool = False
    least_usd: float = 0.0
    most_usd: float = 0.0
    """Between which prices quantity and other hold: beyond, another part of the cost changes; 0 = no such end."""
    price_name: str = ""
    """Name of that price among the inputs of the option's cost model."""
    needed: float = 0.0
    """What a budget must hold where that is more than the total: all that is signed, of which the total carries a share."""
    needed_quantity: float = 0.0
    """How often that price is in it."""
    sure: float = 0.0
    """What it costs at most, as surely as is asked: what options are ranked by; 0 = the plan does not say."""

    @property
    def ranked(self) -> float:
        """What it is compared by."""
        return self.sure or self.total

    @property
    def sure_ratio(self) -> float:
        """How much more than its total that is: frozen, as the band of the total."""
        return self.ranked / self.total if self.total else 1.0

    @property
    def held(self) -> float:
        """What a budget must hold."""
        return max(self.total, self.needed)


@dataclass(frozen=True, kw_only=True)
class CashColumn:
    """One cost line as the timeline holds it: what is paid for it, when, and over which months the books show it."""

    label: str
    line: str
    paid: str
    """Expression of the amount: the line itself, or the whole of what it is a share of; empty for what is no payment."""
    capex: bool
    schedule: str
    """When it is paid; `none` for what is no payment."""
    booked: str
    """Over which schedule it is an expense; empty for what is none."""


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """The best option of one way of having accelerators, with its own cost model: what is set beside the others live."""

    way: Way
    name: str
    where: str
    terms: str
    accelerator: str
    model: CostModel
    cash: tuple[CashColumn, ...]
    chosen: bool
    """Is it what the plan recommends?"""
    kept: bool
    """Does it keep what was asked?"""
    sure_ratio: float
    """How much more than its total it costs at most, as surely as is asked: frozen, as the band of the total."""
    irr: float | None
    """Where the search for its rate of return begins; None where it has none."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where one value comes from."""

    kind: Literal["price", "input", "assumption", "model", "catalog"]
    what: str
    value: str
    source: str
    date: str = ""


@dataclass(frozen=True, kw_only=True)
class SavingWay:
    """One way to save the run at the interval that is best for it. Physics: frozen."""

    name: str
    interval_s: float
    steps: int
    """Between two saves."""
    lost_share: float
    accelerator_hours: float
    """That one run loses by it."""
    cost: float | None
    """What these hours cost; None where hours have no price of their own."""


@dataclass(frozen=True, kw_only=True)
class Workbook:
    """What the Excel file needs beside the text: the model itself, as data. `model` is None when nothing is feasible."""

    model: CostModel | None
    per_usd: float
    """What one US dollar of a price is in the currency of the plan."""
    total_label: str
    low_ratio: float
    """P10 of the total ÷ its expected value, frozen; likewise high."""
    high_ratio: float
    days: float | None
    low_days: float | None
    high_days: float | None
    budget: float
    """0 = no limit."""
    deadline_days: float
    """0 = no limit."""
    near_equal: float | None
    """Difference in cost [share] below which two count as equal; None where options are not ranked by cost."""
    discount: CostInput | None
    """The rate of present values where the model has none of its own: the plan's cost of capital."""
    as_of: date
    """The day of the request, on which present values stand."""
    start: date
    """The day on which the work begins: hour 0 of every schedule."""
    months_before: int
    """Calendar months before that of the start in which anything is paid, of the plan or of a way beside it."""
    months: int
    """Calendar months from that of the start, or of a payment before, to the last in which anything is paid; 0 beyond the calendar."""
    cash: tuple[CashColumn, ...]
    alternatives: tuple[Alternative, ...]
    """One for each way there is, the recommended among them; none where there is only one."""
    beside: tuple[CostInput, ...]
    """Inputs of the other ways that are common to all, where the plan's own model has none of that name."""
    common: tuple[str, ...]
    """Inputs that are one number in all models: fields of the request and assumptions."""
    joint: Ends | None
    """Inputs with which the total is its P10 and its P90: what the scenarios set; None where no inputs reach them."""
    inert: tuple[str, ...]
    """Inputs whose change by a tenth moves no line at the plan's values."""
    candidates: tuple[Candidate, ...]
    drivers: tuple[Driver, ...]
    ways: tuple[SavingWay, ...]
    """None for a service."""
    sources: tuple[Source, ...]
    levers: Table | None
    """What could be given up, signed or brought along for less money, frozen; None where that was not weighed, or is nothing."""
    charts: tuple[Figure, ...]
    """Figures whose data lie on no other sheet: Pareto, memory, time, checkpoint or latency."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """One plan, wholly said."""

    title: str
    subtitle: str
    plan_hash: str
    short_hash: str
    state: State
    state_text: str
    """“Draft, not approved”, “Version 3, approved by N. on 11 January 2027”."""
    feasible: bool
    language: str
    currency: str
    created: date
    """Day of the request, on which the document is issued: the only date that a file carries, so that equal plans give equal bytes."""
    author: str
    subject: str
    keywords: tuple[str, ...]
    footer: str
    """“Plan name · draft · 3f2a…”, without the page number."""
    file_stem: str
    """Safe file name without extension."""
    decision: Decision
    sections: tuple[Section, ...]
    slides: tuple[Slide, ...]
    sheets: Workbook | None
    """What only the workbook holds; None where it was not composed."""
    behind: Section | None = None
    """The first chapter of Word and PDF: what page 1 has no room for, and what they leave out; None where that is nothing."""
    left_out: tuple[str, ...] = ()
    """Ids of chapters that Word and PDF leave out, since the sum is small."""
    letter: tuple[Block, ...] = ()
    """The whole text of a letter, which has no decision, no contents and no hash; empty for a plan."""

    @property
    def workbook(self) -> Workbook:
        """What only the workbook holds. ValueError for a document that was composed without it."""
        if self.sheets is None:
            raise ValueError("This document was composed without its workbook.")
        return self.sheets

    @property
    def chapters(self) -> tuple[Section, ...]:
        """What Word and PDF print behind page 1."""
        printed = tuple(section for section in self.sections if section.id not in self.left_out)
        return (self.behind, *printed) if self.behind else printed

    @property
    def heading(self) -> str:
        """The title as page 1 has room for it."""
        return shorten(self.title, MAX_TITLE)

    @property
    def colophon(self) -> tuple[str, ...]:
        """The last lines: the title where page 1 had to shorten it, and the whole hash; none of a letter."""
        if self.letter:
            return ()
        named = () if self.heading == self.title else (tr("Full title: {title}", title=self.title),)
        return (*named, tr("Plan hash (SHA-256): {hash}", hash=self.plan_hash))
