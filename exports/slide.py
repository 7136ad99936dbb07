"""Where things stand on a slide and what the parts of a presentation are called: ours, and as a team's template has them."""

from __future__ import annotations

from dataclasses import dataclass

from exports.ooxml import DML, REL

PML = "http://schemas.openxmlformats.org/presentationml/2006/main"
TYPE = "application/vnd.openxmlformats-officedocument.presentationml"
SPACES = f'xmlns:a="{DML}/main" xmlns:r="{REL}" xmlns:p="{PML}"'
MAIN, MASTER, NOTES_MASTER = (
    "ppt/presentation.xml",
    "ppt/slideMasters/slideMaster1.xml",
    "ppt/notesMasters/notesMaster1.xml",
)
LAYOUTS = {
    name: f"ppt/slideLayouts/slideLayout{number}.xml" for number, name in enumerate(("cover", "one", "split"), 1)
}
WIDTH, HEIGHT, SIDE = 960.0, 540.0, 48.0
"""The slide and its margin [pt]: 13.33 × 7.5 inches, 16 : 9."""
EMU = 12700
"""English Metric Units in a point."""


@dataclass(frozen=True, kw_only=True)
class Area:
    """A rectangle on the slide [pt]."""

    x: float
    y: float
    width: float
    height: float

    def transform(self, tag: str = "a") -> str:
        """The rectangle as an xfrm element."""
        spot = f'x="{round(self.x * EMU)}" y="{round(self.y * EMU)}"'
        size = f'cx="{round(self.width * EMU)}" cy="{round(self.height * EMU)}"'
        return f"<{tag}:xfrm><a:off {spot}/><a:ext {size}/></{tag}:xfrm>"


TITLE = Area(x=SIDE, y=34, width=WIDTH - 2 * SIDE, height=62)
BODY = Area(x=SIDE, y=112, width=WIDTH - 2 * SIDE, height=376)
COVER_TITLE = Area(x=SIDE + 12, y=150, width=836, height=130)
COVER_TEXT = Area(x=SIDE + 12, y=296, width=836, height=90)
FOOT = Area(x=SIDE, y=504, width=700, height=20)
PAGE = Area(x=WIDTH - SIDE - 90, y=504, width=90, height=20)


def halves(body: Area, left: float) -> tuple[Area, Area]:
    """The body in two, the left one with that share."""
    gap = 28.0
    first = (body.width - gap) * left
    return (
        Area(x=body.x, y=body.y, width=first, height=body.height),
        Area(x=body.x + first + gap, y=body.y, width=body.width - gap - first, height=body.height),
    )


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Where things stand on the slides, ours or a template's: areas, and the indexes of the placeholders they belong to."""

    size: tuple[int, int] = (12192000, 6858000)
    """Of a slide [EMU]."""
    title: Area = TITLE
    body: Area = BODY
    cover_title: Area = COVER_TITLE
    cover_text: Area = COVER_TEXT
    foot: Area = FOOT
    page: Area = PAGE
    cover_index: int = 1
    one_index: int = 1
    split_indexes: tuple[int, int] = (1, 2)
    edge_indexes: tuple[int, int] | None = (11, 12)
    """Of footer and slide number; None where the template has neither: they become plain texts."""
    own: bool = True
    """Ours: its texts carry our colours; a template's carry their own."""


FRAME = Frame()
