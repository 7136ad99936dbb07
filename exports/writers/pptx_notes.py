"""What a deck has whatever its template: notes with their master, and the properties of the presentation."""

from __future__ import annotations

from exports.ooxml import DML, THEME_TYPE, Package, esc
from exports.slide import MAIN, NOTES_MASTER, SPACES, TYPE, Area
from exports.writers.look import Look
from exports.writers.office_theme import theme_xml
from exports.writers.pptx_parts import COLOUR_MAP, GROUP, level, ph, placeholder


def add_common(package: Package, look: Look) -> None:
    """Adds what a deck has whatever its template: notes master with its theme, properties of the presentation."""
    package.add("ppt/theme/theme2.xml", THEME_TYPE, theme_xml(look))
    package.add(NOTES_MASTER, f"{TYPE}.notesMaster+xml", _notes_master())
    package.relate(NOTES_MASTER, "theme", "ppt/theme/theme2.xml")
    styles = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"
    for name, xml in (
        ("presProps", f"<p:presentationPr {SPACES}/>"),
        ("viewProps", f"<p:viewPr {SPACES}/>"),
        ("tableStyles", f'<a:tblStyleLst xmlns:a="{DML}/main" def="{styles}"/>'),
    ):
        package.relate(MAIN, name, package.add(f"ppt/{name}.xml", f"{TYPE}.{name}+xml", xml))


def _notes_master() -> str:
    picture = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide image"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" '
        f'noChangeAspect="1"/></p:cNvSpPr><p:nvPr>{ph("sldImg", 2)}</p:nvPr></p:nvSpPr><p:spPr>'
        f"{Area(x=30, y=54, width=480, height=270).transform()}"
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr></p:sp>'
    )
    notes = placeholder(3, "Notes", "body", Area(x=54, y=342, width=432, height=324), index=3, size="quarter")
    return (
        f'<p:notesMaster {SPACES}><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg><p:spTree>'
        f"{GROUP}{picture}{notes}</p:spTree></p:cSld>{COLOUR_MAP}<p:notesStyle>{level(1, 12)}</p:notesStyle></p:notesMaster>"
    )


def notes_xml(text: str) -> str:
    """The notes of one slide."""
    paragraphs = "".join(
        f'<a:p><a:r><a:rPr lang="en-US" sz="1200"/><a:t>{esc(line)}</a:t></a:r></a:p>'
        for line in text.split("\n")
        if line
    )
    image = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide image"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" '
        f'noChangeAspect="1"/></p:cNvSpPr><p:nvPr>{ph("sldImg", 2)}</p:nvPr></p:nvSpPr><p:spPr/></p:sp>'
    )
    body = (
        '<p:sp><p:nvSpPr><p:cNvPr id="3" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>'
        f"<p:nvPr>{ph('body', 3, 'quarter')}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>"
        f"{paragraphs or '<a:p/>'}</p:txBody></p:sp>"
    )
    return (
        f"<p:notes {SPACES}><p:cSld><p:spTree>{GROUP}{image}{body}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/>"
        "</p:clrMapOvr></p:notes>"
    )
