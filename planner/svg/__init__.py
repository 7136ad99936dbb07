"""Charts as accessible SVG, drawn on the server from the same `Chart` block that the documents print.

Colours and line styles are classes of the style sheet, so light, dark and print need no second drawing. Every mark has
a title for hovering, the picture has a title and a description, and `rows_of` gives the same data as a table.
"""

from planner.svg.draw import draw, legend, rows_of
from planner.svg.micro import band

__all__ = ["band", "draw", "legend", "rows_of"]
