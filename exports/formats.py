"""The formats that a plan is printed in."""

from __future__ import annotations

MEDIA_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
FORMATS = tuple(MEDIA_TYPES)
PAPERS = ("A4", "Letter")

RENDERER_VERSION = "2"
"""Part of an export's key: raise it when a writer's output changes."""
