"""PowerPoint: one `Document` as a 16 : 9 deck with its own theme and layouts, native charts and notes."""

from __future__ import annotations

from exports.brand import in_use
from exports.branding.deck import add_deck, deck_template
from exports.document import Block, Document, Figure, KeyFigures, Slide, Table
from exports.ooxml import Package, add_properties
from exports.slide import FRAME, LAYOUTS, MAIN, MASTER, NOTES_MASTER, TYPE, Area, Frame, halves
from exports.wording import tr
from exports.writers.look import current
from exports.writers.pptx_notes import add_common, notes_xml
from exports.writers.pptx_parts import add_template, presentation_xml
from exports.writers.pptx_shapes import SlideShapes


def write(document: Document, *, paper: str = "A4") -> bytes:
    """The .pptx file of that document in the brand in use; equal documents and brands give equal bytes.

    `paper` is ignored: a slide is 16 : 9.
    """
    del paper
    package, look = Package(), current()
    template = deck_template(in_use().slides) if in_use().slides else None
    frame = template.frame if template else FRAME
    package.relate("", "officeDocument", MAIN)
    package.add(MAIN, f"{TYPE}.presentation.main+xml", "")
    master = package.relate(MAIN, "slideMaster", MASTER)
    relations = [_slide(package, document, slide, number, frame) for number, slide in enumerate(document.slides, 1)]
    notes_master = package.relate(MAIN, "notesMaster", NOTES_MASTER)
    package.relate(MAIN, "theme", "ppt/theme/theme1.xml")
    if template:
        add_deck(package, template)
    else:
        add_template(package, look)
    add_common(package, look)
    xml = presentation_xml(relations, notes_master, master, frame)
    package.add(MAIN, f"{TYPE}.presentation.main+xml", xml)
    add_properties(
        package,
        title=document.title,
        author=document.author,
        subject=document.subject,
        language=document.language,
        day=document.created.isoformat(),
    )
    return package.to_bytes()


def _slide(package: Package, document: Document, slide: Slide, number: int, frame: Frame) -> str:
    """Adds one slide with its notes and returns the id by which the presentation names it."""
    part = f"ppt/slides/slide{number}.xml"
    package.relate(part, "slideLayout", LAYOUTS[slide.layout])
    shapes = SlideShapes(package=package, part=part, look=current(), language=document.language, frame=frame)
    if slide.layout == "cover":
        shapes.title(slide.headline, frame.cover_title, kind="ctrTitle", sizes=(40, 36, 32, 28, 24, 20))
        shapes.subtitle(
            (document.subtitle, document.state_text, tr("Plan {plan}", plan=document.short_hash)), frame.cover_text
        )
    else:
        shapes.title(slide.headline, frame.title)
        indexes = (frame.one_index,) if slide.layout == "one" else frame.split_indexes
        for index, block, area in zip(indexes, slide.blocks, _areas(slide, frame), strict=False):
            shapes.block(block, area, index)
        shapes.edges(document.footer, frame.foot, frame.page)
    package.add(part, f"{TYPE}.slide+xml", shapes.xml())
    notes = f"ppt/notesSlides/notesSlide{number}.xml"
    package.add(notes, f"{TYPE}.notesSlide+xml", notes_xml(slide.notes))
    package.relate(notes, "notesMaster", NOTES_MASTER)
    package.relate(notes, "slide", part)
    package.relate(part, "notesSlide", notes)
    return package.relate(MAIN, "slide", part)


def _areas(slide: Slide, frame: Frame) -> tuple[Area, ...]:
    """Where the blocks stand: pictures get more room than words beside them."""
    if len(slide.blocks) < 2:
        return (frame.body,) * len(slide.blocks)
    first, second = (_weight(block) for block in slide.blocks)
    return halves(frame.body, first / (first + second))


def _weight(block: Block) -> float:
    if isinstance(block, Figure | Table):
        return 1.7
    return 1.25 if isinstance(block, KeyFigures) else 1.05
