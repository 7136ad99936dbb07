"""The formats that a plan is printed in."""

from __future__ import annotations

from exports.cjk_font import cjk_font

MEDIA_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
FORMATS = tuple(MEDIA_TYPES)
PAPERS = ("A4", "Letter")

RENDERER_VERSION = "10"
"""Part of an export's key, and named in a workbook for its way back: raise it when a writer's output changes."""


def renderer() -> str:
    """The version, with a mark where the optional font for Japanese is installed: it changes what a PDF holds."""
    return f"{RENDERER_VERSION}j" if cjk_font() else RENDERER_VERSION
