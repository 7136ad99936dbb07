"""Makes one picture of all pages of each document in a folder: `python -m tests.exports.contact_sheets FOLDER`.

The folder holds one .docx, .xlsx, .pdf and .pptx, as `manage.py plan SPEC.yaml --out FOLDER` writes them. LibreOffice turns
Office files into pages, poppler draws them; the pictures land in docs/images.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

OUT = Path(__file__).parents[2] / "docs/images"
COLUMNS = 4
MOST_PAGES = 12
WIDTH = 360
"""Of one page [pixel]."""
GAP = 14
COLOURS = 64


def main(folder: Path) -> None:
    """One PNG for each document of the folder."""
    OUT.mkdir(exist_ok=True)
    for kind in ("docx", "xlsx", "pdf", "pptx"):
        source = next(folder.glob(f"*.{kind}"))
        with tempfile.TemporaryDirectory() as scratch:
            sheet = _sheet(_pages(source, Path(scratch)))
        sheet.quantize(COLOURS).save(OUT / f"{kind}.png", optimize=True)


def _pages(source: Path, scratch: Path) -> list[Image.Image]:
    """The first pages of that document as pictures of one width."""
    pdf = source
    if source.suffix != ".pdf":
        profile = f"-env:UserInstallation=file://{scratch}/profile"
        command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(scratch), str(source)]
        subprocess.run(command, check=True, capture_output=True)
        pdf = scratch / f"{source.stem}.pdf"
    size = ["-scale-to-x", str(WIDTH), "-scale-to-y", "-1"]
    subprocess.run(["pdftoppm", "-png", *size, "-l", str(MOST_PAGES), str(pdf), str(scratch / "page")], check=True)
    return [Image.open(path).convert("RGB") for path in sorted(scratch.glob("page*.png"))]


def _sheet(pages: list[Image.Image]) -> Image.Image:
    """The pages side by side on grey, row by row."""
    columns = min(COLUMNS, len(pages))
    rows = [pages[first : first + columns] for first in range(0, len(pages), columns)]
    heights = [max(page.height for page in row) for row in rows]
    size = (columns * (WIDTH + GAP) + GAP, sum(heights) + (len(rows) + 1) * GAP)
    sheet, top = Image.new("RGB", size, "#d9dce1"), GAP
    for row, height in zip(rows, heights, strict=True):
        for index, page in enumerate(row):
            sheet.paste(page, (GAP + index * (WIDTH + GAP), top))
        top += height + GAP
    return sheet


if __name__ == "__main__":
    main(Path(sys.argv[1]))
