"""Our look: few colours with a meaning each, sizes and fonts, shared by all writers and by the page.

Colours are six hexadecimal digits without `#`. Text colours reach a contrast of 4.5 : 1 on white and on `SURFACE`.
"""

from __future__ import annotations

INK = "14213D"
"""Text and headings: deep navy."""
MUTED = "5B6478"
"""Secondary text: labels, notes, axes."""
ACCENT = "0F6E84"
"""The one accent: the recommendation, links, rules."""
ACCENT_SOFT = "DCEEF1"
"""Background of the recommended row and of key figures."""
AMBER = "9A5B00"
"""Warning text."""
AMBER_FILL = "E8A33D"
"""Warning marks and limits in charts."""
AMBER_SOFT = "FCF1DE"
GREEN = "2F6B3A"
GREEN_SOFT = "E3F1E5"
RED = "A3262A"
RED_SOFT = "FAE5E5"
SURFACE = "F5F7FA"
"""Header rows, boxes."""
LINE = "D5DAE3"
"""Hairlines and grid."""
WHITE = "FFFFFF"
INPUT_TEXT = "1F3FB0"
INPUT_FILL = "FFF9DB"
"""Blue on pale yellow: a cell that may be edited, as modellers expect."""

SERIES = ("0F6E84", "14213D", "E8A33D", "7A9E9F", "8C6BB1", "B5563C", "5B8DB8", "9AA3B2")
"""Colours of chart series in order; neighbours differ in lightness, so they survive grey printing."""
ROLES = {"main": ACCENT, "highlight": AMBER_FILL, "muted": "A9B2C1", "limit": RED}
"""Colour of a series by its role in `planner.charts.Series`."""
TONES = {"plain": INK, "strong": INK, "good": GREEN, "warning": AMBER, "bad": RED, "muted": MUTED, "info": ACCENT}
"""Text colour by tone."""
FILLS = {"info": ACCENT_SOFT, "good": GREEN_SOFT, "warning": AMBER_SOFT, "bad": RED_SOFT}
"""Background of a callout by tone."""

OFFICE_FONT = "Arial"
"""Font named in Word, Excel and PowerPoint files: present or substituted with equal widths (Liberation Sans) everywhere,
and its widths are the public ones of Helvetica, so slides can be measured without any font file."""
BODY_PT = 10.5
SMALL_PT = 8.5
TITLE_PT = 26.0
HEADING_PT = {1: 16.0, 2: 12.5}
SLIDE_TITLE_PT = 26.0
SLIDE_BODY_PT = 16.0
SLIDE_SMALL_PT = 11.0
MARGIN_MM = 20.0
