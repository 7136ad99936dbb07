"""Brands for tests: a logo, and Word and PowerPoint templates as a company would make them in Office."""

from __future__ import annotations

from io import BytesIO

import docx
import pptx
from docx.shared import Cm, RGBColor
from PIL import Image, ImageDraw
from pptx.dml.color import RGBColor as DeckColour
from pptx.oxml.ns import qn
from pptx.util import Emu

from exports.brand import Brand, Rate
from exports.branding.logo import clean_logo


def logo_png(width: int = 480, height: int = 120) -> bytes:
    """A plain logo with a transparent ground."""
    picture = Image.new("RGBA", (width, height), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((4, 4, height - 4, height - 4), fill=(150, 20, 60, 255))
    pen.rectangle((height + 10, height // 3, width - 6, 2 * height // 3), fill=(40, 40, 60, 255))
    out = BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def brand() -> Brand:
    """A brand that changes everything that can be set."""
    return Brand(
        accent="96143C",
        ink="28283C",
        highlight="E0A030",
        font="fira",
        footer="Example AG, confidential",
        paper="Letter",
        locale="de-DE",
        rate=Rate("EUR", 0.9, "2026-11-01", "treasury"),
        logo=clean_logo(logo_png()),
        logo_alt="Logo of Example AG",
    )


def word_template() -> bytes:
    """A letterhead: coloured headings, a picture in the header, a line in the footer."""
    made = docx.Document()
    made.styles["Heading 1"].font.color.rgb = RGBColor(0x96, 0x14, 0x3C)
    made.styles["Heading 1"].font.name = "Georgia"
    made.styles["Normal"].font.name = "Georgia"
    section = made.sections[0]
    section.left_margin = section.right_margin = Cm(2.5)
    section.header.paragraphs[0].add_run().add_picture(BytesIO(logo_png()), height=Cm(1))
    section.footer.paragraphs[0].text = "Example AG · Registered in Bonn"
    made.add_paragraph("Text of the template, which is not taken.")
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def deck_template(*, dark: bool = False, wide: bool = True) -> bytes:
    """The standard layouts at 16 : 9 with a coloured bar and a logo on the master."""
    made = pptx.Presentation()
    if wide:
        old = made.slide_width
        made.slide_width = Emu(12192000)
        factor = 12192000 / old
        for layer in (made.slide_master, *made.slide_layouts):
            for shape in layer.shapes:
                if shape._element.find(f".//{qn('a:xfrm')}") is not None:
                    shape.left, shape.width = Emu(round(shape.left * factor)), Emu(round(shape.width * factor))
    master = made.slide_master
    if dark:
        master.background.fill.solid()
        master.background.fill.fore_color.rgb = DeckColour(0x10, 0x10, 0x30)
    out = BytesIO()
    made.save(out)
    return out.getvalue()
