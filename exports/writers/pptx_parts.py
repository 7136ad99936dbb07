"""The PowerPoint template, built by code: theme, master, three layouts with placeholders, and the notes master."""

from __future__ import annotations

from exports.brand import in_use
from exports.ooxml import THEME_TYPE, Package, esc
from exports.slide import (
    BODY,
    COVER_TEXT,
    COVER_TITLE,
    FOOT,
    LAYOUTS,
    MASTER,
    PAGE,
    SIDE,
    SPACES,
    TITLE,
    TYPE,
    WIDTH,
    Area,
    Frame,
    halves,
)
from exports.wording import tr
from exports.writers.look import Look
from exports.writers.office_theme import theme_xml


def add_template(package: Package, look: Look) -> None:
    """Adds our theme, master and layouts, with their relations."""
    package.add("ppt/theme/theme1.xml", THEME_TYPE, theme_xml(look))
    logo = brand_picture(package, LAYOUTS["cover"], 31, _PLATE, plate=True)
    layouts = (
        ("cover", "Cover", _cover(look) + logo),
        ("one", "Finding", _one()),
        ("split", "Finding, two parts", _split()),
    )
    for key, name, shapes in layouts:
        ground = _background(look.ink) if key == "cover" else ""
        hide = ' showMasterSp="0"' if key == "cover" else ""
        xml = (
            f'<p:sldLayout {SPACES}{hide} preserve="1" userDrawn="1"><p:cSld name="{name}">{ground}<p:spTree>{GROUP}'
            f"{shapes}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>"
        )
        package.add(LAYOUTS[key], f"{TYPE}.slideLayout+xml", xml)
        package.relate(LAYOUTS[key], "slideMaster", MASTER)
    ids = "".join(
        f'<p:sldLayoutId id="{2147483649 + index}" r:id="{package.relate(MASTER, "slideLayout", part)}"/>'
        for index, part in enumerate(LAYOUTS.values())
    )
    package.add(MASTER, f"{TYPE}.slideMaster+xml", _master(look, ids, brand_picture(package, MASTER, 30, _CORNER)))
    package.relate(MASTER, "theme", "ppt/theme/theme1.xml")


GROUP = (
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/>'
    '<a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'
)
_MAP = " ".join(f'accent{number}="accent{number}"' for number in range(1, 7))
COLOUR_MAP = f'<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" {_MAP} hlink="hlink" folHlink="folHlink"/>'


def _background(colour: str) -> str:
    return f'<p:bg><p:bgPr><a:solidFill><a:srgbClr val="{colour}"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>'


def _master(look: Look, layouts: str, logo: str) -> str:
    bar = _rectangle(20, "Accent bar", Area(x=SIDE, y=22, width=44, height=4), look.accent)
    rule = _rectangle(21, "Foot rule", Area(x=SIDE, y=499, width=WIDTH - 2 * SIDE, height=0.75), look.line)
    shapes = (
        bar
        + rule
        + logo
        + placeholder(2, "Title", "title", TITLE, anchor="t")
        + placeholder(3, "Body", "body", BODY, index=1)
        + placeholder(4, "Footer", "ftr", FOOT, index=11, size="quarter", style=_small(look, "l"))
        + placeholder(5, "Slide number", "sldNum", PAGE, index=12, size="quarter", style=_small(look, "r"), text=NUMBER)
    )
    return (
        f'<p:sldMaster {SPACES}><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg><p:spTree>'
        f'{GROUP}{shapes}</p:spTree></p:cSld>{COLOUR_MAP}<p:sldLayoutIdLst>{layouts}</p:sldLayoutIdLst><p:hf hdr="0" dt="0"/>'
        f"<p:txStyles><p:titleStyle>{level(1, 26, bold=True)}</p:titleStyle><p:bodyStyle>{_levels()}</p:bodyStyle>"
        f"<p:otherStyle>{level(1, 14)}</p:otherStyle></p:txStyles></p:sldMaster>"
    )


_CORNER = Area(x=WIDTH - SIDE - 110, y=10, width=110, height=20)
_PLATE = Area(x=WIDTH - SIDE - 190, y=40, width=190, height=56)
"""Where the brand's logo stands at most: small above the headline, larger on a white plate on the dark cover."""


def brand_picture(package: Package, part: str, number: int, room: Area, *, plate: bool = False) -> str:
    """The brand's logo at the upper right of that room; nothing without one."""
    brand = in_use()
    if not brand.logo.png:
        return ""
    relation = package.relate(part, "image", package.add("ppt/media/logo.png", "image/png", brand.logo.png))
    inset = 10.0 if plate else 0.0
    wide, tall = brand.logo.within(room.width - 2 * inset, room.height - 2 * inset)
    spot = Area(x=room.x + room.width - wide - inset, y=room.y + inset, width=wide, height=tall)
    ground = Area(x=spot.x - inset, y=spot.y - inset, width=wide + 2 * inset, height=tall + 2 * inset)
    alt = esc(brand.logo_alt or tr("Logo"))
    return (_rectangle(number + 10, "Logo ground", ground, "FFFFFF") if plate else "") + (
        f'<p:pic><p:nvPicPr><p:cNvPr id="{number}" name="Logo" descr="{alt}"/><p:cNvPicPr>'
        f'<a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr userDrawn="1"/></p:nvPicPr><p:blipFill><a:blip '
        f'r:embed="{relation}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>{spot.transform()}'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
    )


NUMBER = '<a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:rPr lang="en-US" sz="900"/><a:t>‹#›</a:t></a:fld>'


def _small(look: Look, align: str) -> str:
    colour = f'<a:solidFill><a:srgbClr val="{look.muted}"/></a:solidFill>'
    return f'<a:lvl1pPr algn="{align}"><a:defRPr sz="900">{colour}</a:defRPr></a:lvl1pPr>'


def level(level: int, size: float, *, bold: bool = False, bullet: str = "<a:buNone/>", indent: int = 0) -> str:
    return (
        f'<a:lvl{level}pPr marL="{indent}" indent="{-indent}" algn="l" defTabSz="914400" rtl="0" eaLnBrk="1" '
        f'latinLnBrk="0" hangingPunct="1"><a:lnSpc><a:spcPct val="100000"/></a:lnSpc><a:spcBef><a:spcPts val="0"/>'
        f'</a:spcBef>{bullet}<a:defRPr sz="{round(size * 100)}" b="{int(bold)}" kern="1200"><a:solidFill><a:schemeClr '
        'val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/><a:ea typeface="+mn-ea"/><a:cs typeface="+mn-cs"/>'
        f"</a:defRPr></a:lvl{level}pPr>"
    )


def _levels() -> str:
    mark = '<a:buClr><a:schemeClr val="accent1"/></a:buClr><a:buFont typeface="Arial"/><a:buChar char="•"/>'
    return level(1, 16, bullet=mark, indent=228600) + level(2, 14, bullet=mark, indent=457200)


def _rectangle(number: int, name: str, area: Area, colour: str) -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr/><p:nvPr userDrawn="1"/></p:nvSpPr><p:spPr>'
        f'{area.transform()}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val="{colour}"/>'
        "</a:solidFill><a:ln><a:noFill/></a:ln></p:spPr></p:sp>"
    )


def placeholder(
    number: int, name: str, kind: str, area: Area, *, index: int = 0, size: str = "", style: str = "", text: str = "",
    anchor: str = "t",
) -> str:  # fmt: skip
    """A placeholder of a master or layout; `text` is what it shows there."""
    body = text or f'<a:r><a:rPr lang="en-US"/><a:t>{name}</a:t></a:r>'
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr>'
        f"{ph(kind, index, size)}</p:nvPr></p:nvSpPr><p:spPr>{area.transform()}"
        f'<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr lIns="0" tIns="0" rIns="0" bIns="0" '
        f'anchor="{anchor}"><a:normAutofit/></a:bodyPr><a:lstStyle>{style}</a:lstStyle><a:p>{body}</a:p></p:txBody></p:sp>'
    )


def ph(kind: str, index: int = 0, size: str = "") -> str:
    """The element that makes a shape a placeholder."""
    parts = [f'type="{kind}"'] if kind else []
    parts += [f'sz="{size}"'] if size else []
    parts += [f'idx="{index}"'] if index else []
    return f"<p:ph {' '.join(parts)}/>"


def _cover(look: Look) -> str:
    white = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'
    pale = f'<a:solidFill><a:srgbClr val="{look.tint}"/></a:solidFill>'
    title = f'<a:lvl1pPr><a:defRPr sz="4000" b="1">{white}</a:defRPr></a:lvl1pPr>'
    text = f'<a:lvl1pPr marL="0" indent="0"><a:buNone/><a:defRPr sz="1800">{pale}</a:defRPr></a:lvl1pPr>'
    bar = _rectangle(20, "Accent bar", Area(x=SIDE + 12, y=118, width=64, height=5), look.highlight)
    return (
        bar
        + placeholder(2, "Title", "ctrTitle", COVER_TITLE, style=title, anchor="b")
        + placeholder(3, "Subtitle", "subTitle", COVER_TEXT, index=1, style=text)
    )


def _edges() -> str:
    return placeholder(8, "Footer", "ftr", FOOT, index=11, size="quarter") + placeholder(
        9, "Slide number", "sldNum", PAGE, index=12, size="quarter", text=NUMBER
    )


def _one() -> str:
    return placeholder(2, "Title", "title", TITLE) + placeholder(3, "Content", "", BODY, index=1) + _edges()


def _split() -> str:
    left, right = halves(BODY, 0.5)
    return (
        placeholder(2, "Title", "title", TITLE)
        + placeholder(3, "Left content", "", left, index=1, size="half")
        + placeholder(4, "Right content", "", right, index=2, size="half")
        + _edges()
    )


def presentation_xml(slides: list[str], notes_master: str, master: str, frame: Frame) -> str:
    """The presentation part; the arguments are relationship ids."""
    rows = "".join(f'<p:sldId id="{256 + index}" r:id="{relation}"/>' for index, relation in enumerate(slides))
    return (
        f'<p:presentation {SPACES} saveSubsetFonts="1"><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="{master}"/>'
        f'</p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="{notes_master}"/></p:notesMasterIdLst><p:sldIdLst>'
        f'{rows}</p:sldIdLst><p:sldSz cx="{frame.size[0]}" cy="{frame.size[1]}"/><p:notesSz cx="6858000" cy="9144000"/>'
        f"<p:defaultTextStyle>{level(1, 14)}</p:defaultTextStyle></p:presentation>"
    )
