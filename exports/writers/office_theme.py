"""The DrawingML theme of Word and PowerPoint: our colours and font under the names that Office shows in its pickers."""

from __future__ import annotations

from exports.ooxml import DML, esc
from exports.writers.look import Look


def theme_xml(look: Look) -> str:
    """The theme part."""
    accents = (*look.series, *look.series)[:6]
    colours = {"dk1": look.ink, "lt1": "FFFFFF", "dk2": look.ink, "lt2": look.wash}
    colours |= {f"accent{number}": colour for number, colour in enumerate(accents, 1)}
    colours |= {"hlink": look.accent, "folHlink": look.muted}
    scheme = "".join(f'<a:{name}><a:srgbClr val="{colour}"/></a:{name}>' for name, colour in colours.items())
    font = f'<a:latin typeface="{esc(look.office_font)}"/><a:ea typeface=""/><a:cs typeface=""/>'
    solid = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    line = f'<a:ln w="9525" cap="flat" cmpd="sng" algn="ctr">{solid}<a:prstDash val="solid"/></a:ln>'
    effect = "<a:effectStyle><a:effectLst/></a:effectStyle>"
    return (
        f'<a:theme xmlns:a="{DML}/main" name="Sextant"><a:themeElements><a:clrScheme name="Sextant">{scheme}</a:clrScheme>'
        f'<a:fontScheme name="Sextant"><a:majorFont>{font}</a:majorFont><a:minorFont>{font}</a:minorFont></a:fontScheme>'
        f'<a:fmtScheme name="Sextant"><a:fillStyleLst>{solid * 3}</a:fillStyleLst><a:lnStyleLst>{line * 3}</a:lnStyleLst>'
        f"<a:effectStyleLst>{effect * 3}</a:effectStyleLst><a:bgFillStyleLst>{solid * 3}</a:bgFillStyleLst>"
        "</a:fmtScheme></a:themeElements></a:theme>"
    )
