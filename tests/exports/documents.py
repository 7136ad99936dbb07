"""A document with every kind of block and chart, independent of `compose()`: what the writers are tested on."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from charts.chart import Chart, Series
from exports.document import (
    Block,
    Bullets,
    Callout,
    Cell,
    Column,
    Decision,
    Document,
    Fact,
    Figure,
    KeyFigure,
    KeyFigures,
    Paragraph,
    Section,
    Slide,
    Table,
    Workbook,
)
from exports.text import clean_text

HOSTILE = clean_text(
    '=HYPERLINK("http://evil.example","pay") <b>a & b</b> <img src="/etc/passwd"/> {=1} \x00\x01 東京の計画 مرحبا بالعالم '
    "שלום 🚀 क्षेत्र " + "W" * 4000,
    200,
)


def _figure(chart: Chart) -> Figure:
    return Figure(chart=chart, caption=chart.finding, alt=f"{chart.finding} Values: {chart.categories or chart.kind}.")


CHARTS = (
    Chart(
        id="pareto",
        kind="scatter",
        finding="The recommended option is the cheapest that meets the deadline.",
        x_label="Days",
        y_label="Cost, USD",
        series=(
            Series(name="Other options", points=((14.0, 900e3), (22.5, 610e3), (31.0, 480e3)), role="muted"),
            Series(name="Frontier", points=((9.0, 720e3), (12.0, 540e3), (18.5, 395e3), (27.0, 350e3)), role="front"),
            Series(name="Recommended", points=((18.5, 395e3),), labels=("128 × H100",), role="highlight"),
        ),
        limits=(("Budget", 700e3),),
        x_limits=(("Deadline", 21.0),),
    ),
    Chart(
        id="memory",
        kind="stacked_bar",
        finding="Memory fits with 12.4 GB to spare.",
        x_label="",
        y_label="GB per accelerator",
        categories=("Fullest accelerator",),
        series=tuple(
            Series(name=name, values=(value,))
            for name, value in (("Weights", 17.6), ("Gradients", 17.6), ("Optimizer", 13.2), ("Activations", 19.2))
        ),
        limits=(("Capacity", 80.0),),
    ),
    Chart(
        id="cost",
        kind="bar",
        finding="Compute is nine tenths of the cost.",
        x_label="Line",
        y_label="USD",
        categories=("Accelerator hours", "Storage of checkpoints", "Data transfer", "Support"),
        series=(Series(name="Cost", values=(351e3, 21e3, 8.1e3, 15e3)),),
    ),
    Chart(
        id="cash",
        kind="stacked_bar",
        finding="Nearly all cash leaves in the first month.",
        x_label="Month",
        y_label="USD",
        categories=("2027-01", "2027-02", "2027-03"),
        series=(Series(name="Opex", values=(310e3, 80e3, 5e3)), Series(name="Capex", values=(12e3, 0.0, 0.0))),
    ),
    Chart(
        id="checkpoint",
        kind="line",
        finding="Saving every 21 minutes loses the least time.",
        x_label="Interval, s",
        y_label="Time lost, %",
        series=(Series(name="Time lost", points=tuple((60.0 * k, 12 / k + 0.05 * k) for k in range(3, 60, 3))),),
        x_limits=(("Chosen", 1260.0),),
    ),
    Chart(
        id="load",
        kind="line",
        finding="The load peaks at noon.",
        x_label="Hour",
        y_label="Requests per second",
        categories=tuple(str(hour) for hour in range(0, 24, 3)),
        series=(Series(name="Load", values=(8.0, 6.0, 12.0, 30.0, 40.0, 38.0, 25.0, 14.0)),),
        limits=(("Capacity", 48.0),),
    ),
    Chart(
        id="drivers",
        kind="tornado",
        finding="Price per hour moves the total most.",
        x_label="Input",
        y_label="Change of total, USD",
        categories=("Price per accelerator-hour", "MFU", "Restart overhead"),
        series=(
            Series(name="Low value", values=(-39e3, 51e3, -9e3)),
            Series(name="High value", values=(39e3, -31e3, 22e3)),
        ),
    ),
    Chart(
        id="bands",
        kind="interval",
        finding="The bands of the first two options do not overlap.",
        x_label="",
        y_label="Cost, USD",
        categories=("128 × H100, on demand", "96 × H200, reserved", "256 × A100"),
        series=(
            Series(name="P10", values=(361e3, 402e3, 455e3)),
            Series(name="Expected", values=(395e3, 441e3, 520e3)),
            Series(name="P90", values=(448e3, 489e3, 633e3)),
        ),
    ),
)
"""One chart of each kind."""


def a_table(rows: int = 6, *, text: str = "Cloud A, region 1") -> Table:
    """A table with a highlighted row and a total."""
    body = tuple(
        (
            Cell(text=f"{text} {index}"),
            Cell(text=f"{index * 8}", value=index * 8.0),
            Cell(text=f"{index * 12_345:,}", value=index * 12_345.0, tone="bad" if index == 3 else "plain"),
        )
        for index in range(1, rows)
    )
    total = (Cell(text="Total"), Cell(text=""), Cell(text="185,175", value=185_175.0))
    return Table(
        id="options",
        caption="Options by cost",
        columns=(
            Column(title="Option", share=3.0),
            Column(title="Accelerators", align="right", share=1.0),
            Column(title="Cost, USD", align="right", share=1.2),
        ),
        rows=(*body, total),
        total=True,
        highlight=0,
        note="Prices of the catalog of 1 November 2026; cheapest first.",
    )


KEYS = KeyFigures(
    items=(
        KeyFigure(label="Cost", value="395,000 USD", detail="361,000–448,000 with 80 % confidence"),
        KeyFigure(label="Finish", value="18.5 days", detail="16.9–20.8 days; deadline 21 days", tone="good"),
        KeyFigure(label="Accelerators", value="128 × H100", detail="16 nodes, TP 8 × DP 16"),
        KeyFigure(label="Chance in time", value="91 %", detail="and 97 % within budget", tone="warning"),
    )
)


def document(name: str = "Support assistant, continued pre-training", *, rows: int = 6) -> Document:
    """The whole document; `name` reaches every place that a user's text can reach."""
    blocks: tuple[Block, ...] = (
        Paragraph(text="The cheapest option that meets the deadline rents 128 accelerators.", role="lead"),
        Paragraph(text=f"{name}. It costs 395,000 USD, and finishes 2.5 days before the deadline. " * 3),
        Bullets(items=("First point.", f"Second point on {name}.")),
        Bullets(items=("Approve.", "Order.", "Start."), ordered=True),
        a_table(rows, text=name[:60]),
        Paragraph(text="Running text right below a table."),
        KEYS,
        Callout(title="Watch the price", text=f"Two prices are list prices. {name}", tone="warning"),
        Callout(title="Checked", text="The model fits with room to spare.", tone="good"),
    )
    first = Section(
        id="options", title="Options considered", blocks=blocks,
        sections=(Section(id="why", title="Why this one", blocks=(Paragraph(text="Because."),)),),
    )  # fmt: skip
    second = Section(id="charts", title="Charts", blocks=tuple(map(_figure, CHARTS)))
    third = Section(id="last", title=name[:120], blocks=(Paragraph(text="Small print.", role="note"),))
    facts = tuple(
        Fact(key=f"k{index}", label=label, text=f"{text} {name[:80]}", tone="warning" if index == 2 else "plain")
        for index, (label, text) in enumerate(
            (("Ask", "Approve 395,000 USD."), ("Why", "Cheapest in time."), ("Risk", "Price."), ("Drivers", "MFU."))
        )
    )
    return Document(
        title=name, subtitle="Training plan for Llama 3.1 70B", plan_hash="3f2a" * 16, short_hash="3f2a3f2a3f2a",
        state="draft", state_text="Draft, not approved", feasible=True, language="en-GB", currency="USD",
        created=date(2026, 11, 1), author="Sextant", subject="AI infrastructure plan", keywords=("training", "H100"),
        footer=f"{name[:60]} · draft · 3f2a3f2a3f2a", file_stem="plan-3f2a",
        decision=Decision(sentence=f"Approve 395,000 USD for {name[:80]}.", figures=KEYS, facts=facts),
        sections=(first, second, third), slides=_slides(name), sheets=_workbook(),
    )  # fmt: skip


def _slides(name: str) -> tuple[Slide, ...]:
    notes = f"Source: catalog of 1 November 2026. {name}"
    figures = tuple(map(_figure, CHARTS))
    many = Bullets(items=tuple(f"{name} point {index} ".ljust(150, "x")[:150] for index in range(5)))
    plain = (
        Slide(id="cover", headline=name[:110], layout="cover", notes=notes),
        Slide(id="ask", headline="Approve 395,000 USD for 18.5 days", layout="split", blocks=(KEYS, figures[0]), notes=notes),
        Slide(id="words", headline=f"{name} in words"[:110], layout="split", blocks=(many, figures[2]), notes=notes),
        Slide(id="options", headline="Three options meet the deadline", layout="one", blocks=(a_table(8, text=name[:24]),), notes=notes),
    )  # fmt: skip
    charts = tuple(
        Slide(id=f"c{index}", headline=figure.caption, layout="one", blocks=(figure,), notes=notes)
        for index, figure in enumerate(figures[3:])
    )
    last = Slide(
        id="next",
        headline="Next steps",
        layout="split",
        blocks=(many, Callout(title="Decide by Friday", text=notes)),
        notes=notes,
    )
    return (*plain, *charts, last)


def _workbook() -> Workbook:
    return Workbook(
        model=None, per_usd=1.0, total_label="Total", low_ratio=0.9, high_ratio=1.1, days=18.5, low_days=16.9, high_days=20.8,
        budget=700e3, deadline_days=21.0, near_equal=0.0, discount=None, as_of=date(2026, 11, 22),
        start=date(2026, 11, 22), months_before=0, months=0, cash=(), alternatives=(), beside=(), common=(), joint=None, inert=(),
        candidates=(), drivers=(), ways=(), sources=(), levers=None, charts=(),
    )  # fmt: skip


def hostile() -> Document:
    """The same document about a plan whose name is an attack on every format at once."""
    return replace(document(HOSTILE), title=HOSTILE)
