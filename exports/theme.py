"""Our look: few colours with a meaning each, sizes and fonts, shared by all writers and by the page.

The colours are those of the light page (static/sextant.css). They are six hexadecimal digits without `#`. Text colours
reach a contrast of 4.5 : 1 on white and on `SURFACE`.
"""

from __future__ import annotations

INK = "12222E"
"""Text and headings: near-black blue, as on the page."""
MUTED = "4C5B66"
"""Secondary text: labels, notes, axes."""
ACCENT = "0A5C68"
"""The one accent: the recommendation, links, rules."""
ACCENT_SOFT = "E1EEED"
"""Background of the recommended row and of key figures."""
AMBER = "865700"
"""Warning text."""
AMBER_FILL = "D9A441"
"""Warning marks and limits in charts."""
AMBER_SOFT = "F6EAD0"
GREEN = "17633E"
GREEN_SOFT = "E0EFE3"
RED = "9C2219"
RED_SOFT = "FAE4DF"
SURFACE = "F4F5F3"
"""Header rows, boxes."""
LINE = "D5D9DC"
"""Hairlines and grid."""
WHITE = "FFFFFF"
INPUT_TEXT = "1F3FB0"
INPUT_FILL = "FFF9DB"
"""Blue on pale yellow: a cell that may be edited, as modellers expect."""

SERIES = ("0D6470", "46607F", "D9A441", "7FB0B5", "8A4A5E", "5D7A3C", "6D5F8D", "A9B2C1")
"""Colours of chart series in order; neighbours differ in lightness, so they survive grey printing."""
ROLES = {"main": ACCENT, "highlight": AMBER_FILL, "muted": "A9B2C1", "limit": RED}
"""Colour of a series by its role in `charts.chart.Series`."""
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
