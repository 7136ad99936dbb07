"""The colours of an Office theme, and the ground of a master that is drawn in them."""

from __future__ import annotations

import re

from lxml import etree

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_HEX = re.compile(r"[0-9A-Fa-f]{6}")
_MAPPED = {"bg1": "lt1", "bg2": "lt2", "tx1": "dk1", "tx2": "dk2"}


def colours_of(theme: etree._Element) -> dict[str, str]:
    """Six hexadecimal digits by name: dk1, lt1, dk2, lt2, accent1 to accent6."""
    scheme = next(theme.iter(f"{{{A}}}clrScheme"), None)
    found = {}
    for row in scheme if scheme is not None else ():
        value = next((child.get("lastClr") or child.get("val") or "" for child in row), "")
        if _HEX.fullmatch(value):
            found[etree.QName(row).localname] = value.upper()
    return found


def ground_of(master: etree._Element, colours: dict[str, str]) -> str:
    """The colour behind everything on a slide; empty for a picture or a gradient, which may be anything."""
    ground = master.find(f"{{{P}}}cSld/{{{P}}}bg")
    if ground is None:
        return colours.get("lt1", "")
    fill = ground.find(f"{{{P}}}bgPr/{{{A}}}solidFill")
    holder = fill if fill is not None else ground.find(f"{{{P}}}bgRef")
    if holder is None or not len(holder):
        return ""
    value = str(holder[0].get("val", ""))
    if _HEX.fullmatch(value):
        return value.upper()
    mapping = master.find(f"{{{P}}}clrMap")
    named = (mapping.get(value) if mapping is not None else None) or _MAPPED.get(value, value)
    return colours.get(str(named), "")
