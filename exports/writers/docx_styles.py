"""The Word template, built by code: styles, numbering, settings, fonts. No part is taken from another template."""

from __future__ import annotations

from exports.locales import Locale
from exports.ooxml import esc
from exports.writers.look import Look

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BULLET_LIST, ORDERED_LIST, HEADINGS = 1, 2, 3
"""Ids of the abstract numberings; HEADINGS is also the id of its numbering."""
FIRST_LIST = 10
"""Numbering ids of ordered lists start here, one for each list, so that each starts at 1."""


def styles_xml(look: Look, language: str) -> str:
    """The styles part: every look in the document has a name."""
    font = esc(look.office_font)
    return (
        f'<w:styles xmlns:w="{W}"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="{font}" w:hAnsi="{font}" '
        f'w:eastAsia="{font}" w:cs="{font}"/><w:color w:val="{look.ink}"/><w:sz w:val="19"/><w:szCs w:val="19"/>'
        f'<w:lang w:val="{esc(language)}" w:eastAsia="{esc(language)}" w:bidi="ar-SA"/></w:rPr></w:rPrDefault>'
        '<w:pPrDefault><w:pPr><w:spacing w:after="120" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault>'
        f"</w:docDefaults>{''.join(_paragraph_styles(look))}{_table_styles(look)}</w:styles>"
    )


def _paragraph_styles(look: Look) -> list[str]:
    grey, head = look.muted, look.ink
    return [
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>',
        '<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/>'
        '<w:uiPriority w:val="1"/><w:semiHidden/></w:style>',
        '<w:style w:type="numbering" w:default="1" w:styleId="NoList"><w:name w:val="No List"/><w:semiHidden/></w:style>',
        '<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink"/><w:rPr>'
        f'<w:color w:val="{look.accent}"/></w:rPr></w:style>',
        _style("Title", "Title", size=56, colour=head, bold=True, before=0, after=60, line=228, next_="Subtitle"),
        _style("Subtitle", "Subtitle", size=22, colour=grey, after=240, next_="Normal"),
        _heading(1, look, size=34, before=480, after=140),
        _heading(2, look, size=24, before=300, after=90),
        _style("Lead", "Lead", size=24, colour=head, after=180, line=288, extra="<w:keepLines/>"),
        _style("Note", "Note", size=15, colour=grey, before=60, after=240, line=252),
        _style("Caption", "caption", size=18, colour=head, bold=True, before=240, after=90, keep=True),
        _style("FigureBody", "Figure Body", after=60),
        _style("ContentsTitle", "Contents Title", size=34, colour=head, bold=True, after=200, keep=True),
        _toc(1, look, size=20, indent=0, before=140),
        _toc(2, look, size=18, indent=420, before=20),
        _style("Header", "header", size=15, colour=grey, after=0),
        _style("Footer", "footer", size=15, colour=grey, after=0),
        _style("Edge", "Edge", size=15, colour=grey, after=0),
        _style("TableText", "Table Text", size=17, after=0, line=252, align="left"),
        _style("TableNumber", "Table Number", size=17, after=0, line=252, align="right"),
        _style("TableHead", "Table Head", size=16, colour=head, bold=True, after=0, line=252, keep=True),
        _style("TableHeadRight", "Table Head Right", size=16, colour=head, bold=True, after=0, line=252, keep=True, align="right"),
        _style("FactLabel", "Fact Label", size=18, colour=head, bold=True, before=40, after=40, line=252),
        _style("FactText", "Fact Text", size=19, before=40, after=40, line=252),
        _style("KeyLabel", "Key Label", size=17, colour=grey, after=0, line=252, keep=True),
        _style("KeyValue", "Key Value", size=38, colour=head, bold=True, before=20, after=20, line=240, keep=True),
        _style("KeyDetail", "Key Detail", size=17, colour=grey, after=0, line=252),
        _list("ListBullet", "List Bullet", BULLET_LIST),
        _list("ListNumber", "List Number", ORDERED_LIST),
        *(_callout(name, colour, look) for name, colour in callout_colours(look).items()),
    ]  # fmt: skip


def callout_colours(look: Look) -> dict[str, str]:
    """The colour of the bar beside a callout, by tone."""
    return {"info": look.accent, "good": look.tone("good"), "warning": look.highlight}


def _style(
    style_id: str, name: str, *, size: int = 19, colour: str = "", bold: bool = False, before: int = 0, after: int = 120,
    line: int = 276, keep: bool = False, align: str = "", next_: str = "", extra: str = "", level: int | None = None,
    indent: int = 0,
) -> str:  # fmt: skip
    """One paragraph style; sizes in half points, spaces in twentieths of a point."""
    then = f'<w:next w:val="{next_}"/>' if next_ else ""
    outline = "" if level is None else f'<w:outlineLvl w:val="{level}"/>'
    jc = f'<w:jc w:val="{align}"/>' if align else ""
    kept = "<w:keepNext/>" if keep else ""
    inset = f'<w:ind w:left="{indent}" w:right="{indent}"/>' if indent else ""
    tint = f'<w:color w:val="{colour}"/>' if colour else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/><w:basedOn w:val="Normal"/>{then}'
        f'<w:qFormat/><w:pPr>{kept}{extra}<w:spacing w:before="{before}" w:after="{after}" w:line="{line}" '
        f'w:lineRule="auto"/>{inset}{jc}{outline}</w:pPr><w:rPr>{"<w:b/><w:bCs/>" if bold else ""}{tint}'
        f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/></w:rPr></w:style>'
    )


def _heading(level: int, look: Look, *, size: int, before: int, after: int) -> str:
    number = f'<w:keepLines/><w:numPr><w:ilvl w:val="{level - 1}"/><w:numId w:val="{HEADINGS}"/></w:numPr>'
    return _style(
        f"Heading{level}", f"heading {level}", size=size, colour=look.ink, bold=True, before=before, after=after,
        line=240, keep=True, next_="Normal", extra=number, level=level - 1,
    )  # fmt: skip


def _toc(level: int, look: Look, *, size: int, indent: int, before: int) -> str:
    spacing = f'<w:spacing w:before="{before}" w:after="40"/><w:ind w:left="{indent}"/>'
    weight = "<w:b/><w:bCs/>" if level == 1 else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="TOC{level}"><w:name w:val="toc {level}"/><w:basedOn w:val="Normal"/>'
        f'<w:next w:val="Normal"/><w:uiPriority w:val="39"/><w:pPr>{spacing}</w:pPr><w:rPr>{weight}'
        f'<w:color w:val="{look.ink}"/><w:sz w:val="{size}"/><w:szCs w:val="{size}"/></w:rPr></w:style>'
    )


def _list(style_id: str, name: str, number: int) -> str:
    numbering = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>'
    return _style(style_id, name, after=60, extra=numbering)


def _callout(tone: str, colour: str, look: Look) -> str:
    """A bar at the left and a pale ground; borders in the colour of the ground give air above and below."""
    left = f'<w:left w:val="single" w:sz="24" w:space="10" w:color="{colour}"/>'
    top, bottom = (
        f'<w:{edge} w:val="single" w:sz="4" w:space="6" w:color="{look.wash}"/>' for edge in ("top", "bottom")
    )
    fill = f'<w:shd w:val="clear" w:color="auto" w:fill="{look.wash}"/>'
    frame = f"<w:keepLines/><w:pBdr>{top}{left}{bottom}</w:pBdr>{fill}"
    name = f"Callout {tone.title()}"
    return _style(name.replace(" ", ""), name, extra=frame, before=280, after=280, indent=240)


def _table_styles(look: Look) -> str:
    margins = (
        '<w:tblCellMar><w:top w:w="50" w:type="dxa"/><w:left w:w="80" w:type="dxa"/><w:bottom w:w="50" w:type="dxa"/>'
        '<w:right w:w="80" w:type="dxa"/></w:tblCellMar>'
    )
    edges = (
        f'<w:tblBorders><w:top w:val="single" w:sz="12" w:space="0" w:color="{look.ink}"/><w:bottom w:val="single" '
        f'w:sz="6" w:space="0" w:color="{look.ink}"/><w:insideH w:val="single" w:sz="4" w:space="0" '
        f'w:color="{look.line}"/></w:tblBorders>'
    )
    head = _condition("firstRow", f'<w:bottom w:val="single" w:sz="6" w:space="0" w:color="{look.ink}"/>', look.wash)
    foot = _condition("lastRow", f'<w:top w:val="single" w:sz="6" w:space="0" w:color="{look.ink}"/>', look.wash)
    return (
        '<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:semiHidden/>'
        '<w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:left w:w="108" w:type="dxa"/><w:right w:w="108" '
        'w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>'
        '<w:style w:type="table" w:styleId="PlanTable"><w:name w:val="Plan Table"/><w:basedOn w:val="TableNormal"/>'
        f"<w:tblPr>{edges}{margins}</w:tblPr>{head}{foot}</w:style>"
        '<w:style w:type="table" w:styleId="PlanFigures"><w:name w:val="Plan Figures"/><w:basedOn w:val="TableNormal"/>'
        f"<w:tblPr>{margins.replace('50', '120').replace('80', '140')}</w:tblPr></w:style>"
    )


def _condition(kind: str, border: str, fill: str) -> str:
    return (
        f'<w:tblStylePr w:type="{kind}"><w:rPr><w:b/><w:bCs/></w:rPr><w:tcPr><w:tcBorders>{border}</w:tcBorders>'
        f'<w:shd w:val="clear" w:color="auto" w:fill="{fill}"/></w:tcPr></w:tblStylePr>'
    )


def numbering_xml(look: Look, ordered_lists: int) -> str:
    """Bullets, ordered lists (one numbering each) and the headings 1, 1.1."""
    bullet = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:lvlJc w:val="left"/>'
        f'<w:pPr><w:ind w:left="340" w:hanging="260"/></w:pPr><w:rPr><w:color w:val="{look.accent}"/></w:rPr></w:lvl>'
    )
    ordered = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:lvlJc w:val="left"/>'
        '<w:pPr><w:ind w:left="400" w:hanging="320"/></w:pPr></w:lvl>'
    )
    heads = "".join(
        f'<w:lvl w:ilvl="{index}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Heading{index + 1}"/>'
        f'<w:suff w:val="tab"/><w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/><w:pPr><w:tabs><w:tab w:val="num" '
        f'w:pos="680"/></w:tabs><w:ind w:left="680" w:hanging="680"/></w:pPr></w:lvl>'
        for index, text in enumerate(("%1", "%1.%2"))
    )
    abstract = _abstract(BULLET_LIST, "singleLevel", bullet) + _abstract(ORDERED_LIST, "singleLevel", ordered)
    abstract += _abstract(HEADINGS, "multilevel", heads)
    plain = "".join(_num(number, number) for number in (BULLET_LIST, ORDERED_LIST, HEADINGS))
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    lists = "".join(_num(FIRST_LIST + index, ORDERED_LIST, restart) for index in range(ordered_lists))
    return f'<w:numbering xmlns:w="{W}">{abstract}{plain}{lists}</w:numbering>'


def _abstract(number: int, kind: str, levels: str) -> str:
    return f'<w:abstractNum w:abstractNumId="{number}"><w:multiLevelType w:val="{kind}"/>{levels}</w:abstractNum>'


def _num(number: int, abstract: int, extra: str = "") -> str:
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="{abstract}"/>{extra}</w:num>'


def settings_xml(language: str, writes: Locale) -> str:
    """Word 2013 layout rules; nothing that asks the reader a question on opening."""
    mode = '<w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/>'
    return (
        f'<w:settings xmlns:w="{W}"><w:zoom w:percent="100"/><w:defaultTabStop w:val="720"/><w:characterSpacingControl '
        f'w:val="doNotCompress"/><w:compat>{mode}</w:compat><w:themeFontLang w:val="{esc(language)}"/>'
        f'<w:decimalSymbol w:val="{writes.decimal}"/><w:listSeparator w:val="{";" if writes.decimal == "," else ","}"/></w:settings>'
    )


def font_table_xml(look: Look) -> str:
    """The one font, with what to take where it is missing."""
    return (
        f'<w:fonts xmlns:w="{W}"><w:font w:name="{esc(look.office_font)}"><w:altName w:val="Liberation Sans"/>'
        '<w:charset w:val="00"/><w:family w:val="swiss"/><w:pitch w:val="variable"/></w:font></w:fonts>'
    )
