"""One picture of all pages of each document: `python -m tests.exports.contact_sheets [PLAN …]`.

Five plans in four formats. The training run and the service are those of examples/, planned with today's catalog; the
least, the largest and the hostile plan are those of the tests. LibreOffice turns Office files into pages, poppler draws
them; the pictures land in docs/images/documents.
"""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import django
from django.core.management import call_command
from PIL import Image

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs/images/documents"
EXAMPLES = {"training": "llama-3.1-70b-continued.yaml", "serving": "qwen3-32b-assistant.yaml"}
PLANS = (*EXAMPLES, "tiny", "huge", "hostile")
FORMATS = ("docx", "xlsx", "pdf", "pptx")
COLUMNS = 5
MOST_PAGES = 24
"""Of one document: the sheets of the largest plan print on hundreds."""
WIDTH = 350
"""Of one page [pixel]."""
GAP = 12
MOST_BYTES = 250_000
"""Of one picture; its quality falls until it has no more."""
QUALITIES = (80, 70, 60, 50, 40, 30)


def main(names: list[str]) -> None:
    """The pictures of those plans, one for each format."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    django.setup()
    OUT.mkdir(parents=True, exist_ok=True)
    for name in names or PLANS:
        with TemporaryDirectory() as folder:
            for kind, source in _documents(name, Path(folder)).items():
                pages = _pages(source, Path(folder) / f"pages-{kind}")
                data = _small(_sheet(pages))
                (OUT / f"{name}-{kind}.webp").write_bytes(data)
                sys.stdout.write(f"{name}-{kind}.webp: {len(pages)} pages, {len(data):,} bytes\n")


def _documents(name: str, folder: Path) -> dict[str, Path]:
    """The files of that plan by format."""
    if name in EXAMPLES:
        call_command("plan", str(ROOT / "examples" / EXAMPLES[name]), out=folder, stdout=StringIO(), stderr=StringIO())
        return {path.suffix[1:]: path for path in folder.iterdir() if path.is_file()}
    # Settings have to be there before these are imported.
    from exports.render import render
    from tests.exports.samples import ALL

    found = {kind: folder / f"{name}.{kind}" for kind in FORMATS}
    for kind, path in found.items():
        path.write_bytes(render(ALL[name](), kind))
    return found


def _pages(source: Path, scratch: Path) -> list[Image.Image]:
    """The first pages of that document as pictures of one width."""
    scratch.mkdir()
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


def _small(sheet: Image.Image) -> bytes:
    """The picture as WebP at the best quality that keeps it within its bytes; at the least where none does."""
    data = b""
    for quality in QUALITIES:
        made = BytesIO()
        sheet.save(made, "WEBP", quality=quality, method=6)
        data = made.getvalue()
        if len(data) <= MOST_BYTES:
            break
    return data


if __name__ == "__main__":
    main(sys.argv[1:])
