"""Checks that Word and PowerPoint files have in common; each returns what it found, so that a test says what it wants."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from defusedxml import ElementTree
from openpyxl import load_workbook
from openxml_audit import OpenXmlValidator

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def parts_of(data: bytes) -> dict[str, bytes]:
    """The parts of the package by name, each unpacked and its checksum verified."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def dates_of(data: bytes) -> set[tuple[int, ...]]:
    """All dates in the zip directory."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.date_time for info in archive.infolist()}


def external_targets(parts: dict[str, bytes]) -> list[str]:
    """Relationship parts that point outside the file."""
    return [name for name, body in parts.items() if name.endswith(".rels") and b'TargetMode="External"' in body]


def missing_targets(parts: dict[str, bytes]) -> list[str]:
    """Relationships whose target is not in the package."""
    missing = []
    for name, body in parts.items():
        if not name.endswith(".rels"):
            continue
        base = Path("/") / Path(name).parent.parent
        for target in re.findall(rb'Target="([^"]+)"', body):
            found = (base / target.decode()).as_posix()
            while "/../" in found:
                found = re.sub(r"/[^/]+/\.\./", "/", found, count=1)
            if found.lstrip("/") not in parts:
                missing.append(found)
    return missing


def schema_errors(data: bytes, path: Path) -> list[str]:
    """What the Open XML checker calls an error."""
    path.write_bytes(data)
    return [error.description for error in OpenXmlValidator().validate(str(path)).errors]


def charts_of(parts: dict[str, bytes], folder: str) -> dict[str, bytes]:
    """The chart parts under that folder."""
    return {name: body for name, body in parts.items() if re.fullmatch(rf"{folder}/charts/chart\d+\.xml", name)}


def cached_and_sheet(parts: dict[str, bytes], chart: str) -> list[tuple[list[float], list[float]]]:
    """For each range of numbers in a chart: the values it shows, and those in its workbook."""
    relations = parts[chart.replace("charts/", "charts/_rels/") + ".rels"].decode()
    book = re.search(r"embeddings/[^\"]+", relations)
    assert book, f"{chart} has no workbook"
    sheet = load_workbook(io.BytesIO(parts[f"{chart.split('/')[0]}/{book.group()}"]))["Sheet1"]
    pairs = []
    for found in ElementTree.fromstring(parts[chart]).iter(f"{C}numRef"):
        address = (found.findtext(f"{C}f") or "").split("!")[1].replace("$", "")
        cells = [cell.value for row in sheet[address] for cell in row]
        shown = [float(value.text or "nan") for value in found.iter(f"{C}v")]
        pairs.append((shown, [float(value) for value in cells if value is not None]))
    return pairs
