"""An Office Open XML package in memory: parts, relationships, content types, and one zip with fixed dates.

Equal parts give equal bytes: the order is that of adding, every date is 1980-01-01, and nothing reads the clock.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, field
from posixpath import dirname, relpath, splitext
from xml.sax.saxutils import escape

REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DML = "http://schemas.openxmlformats.org/drawingml/2006"
CHART_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
THEME_TYPE = "application/vnd.openxmlformats-officedocument.theme+xml"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_CORE_REL = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_ZERO_DAY = (1980, 1, 1, 0, 0, 0)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def esc(text: object) -> str:
    """The text safe inside an element or a double-quoted attribute; characters that XML cannot hold are dropped."""
    return escape(_NOT_XML.sub("", str(text)), {'"': "&quot;"})


@dataclass(kw_only=True)
class Package:
    """Parts by name (without a leading slash) and who relates to whom."""

    parts: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    relations: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Source part ("" = the package itself) to (relationship type, target part); the position is the id."""

    def add(self, name: str, content_type: str, data: str | bytes) -> str:
        """Stores one part and returns its name; text gets the XML declaration."""
        self.parts[name] = (_HEAD + data).encode() if isinstance(data, str) else data
        self.types[name] = content_type
        return name

    def relate(self, source: str, kind: str, target: str) -> str:
        """The relationship id with which `source` may name `target`."""
        rows = self.relations.setdefault(source, [])
        kind = kind if "://" in kind else f"{REL}/{kind}"
        if (kind, target) not in rows:
            rows.append((kind, target))
        return f"rId{rows.index((kind, target)) + 1}"

    def to_bytes(self) -> bytes:
        """The package as one deflated zip; the same parts give the same bytes."""
        files = {"[Content_Types].xml": self._content_types()}
        files |= {_rels_name(source): _rels_xml(source, rows) for source, rows in self.relations.items()}
        return zip_bytes(files | self.parts)

    def _content_types(self) -> bytes:
        defaults = {"rels": "application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml"}
        if any(name.endswith(".xlsx") for name in self.parts):
            defaults["xlsx"] = SHEET_TYPE
        rows = [f'<Default Extension="{ext}" ContentType="{kind}"/>' for ext, kind in defaults.items()]
        rows += [
            f'<Override PartName="/{esc(name)}" ContentType="{kind}"/>'
            for name, kind in self.types.items()
            if defaults.get(splitext(name)[1][1:]) != kind
        ]
        space = "http://schemas.openxmlformats.org/package/2006/content-types"
        return f'{_HEAD}<Types xmlns="{space}">{"".join(rows)}</Types>'.encode()


def zip_bytes(files: dict[str, bytes]) -> bytes:
    """Those files as a zip with one fixed date, in the order given."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, _ZERO_DAY)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            info.create_system = 3
            archive.writestr(info, data)
    return buffer.getvalue()


def add_properties(package: Package, *, title: str, author: str, subject: str, language: str, day: str) -> None:
    """Core and extended properties; `day` (YYYY-MM-DD) is the day of the request, never the clock's."""
    stamp = f"{day or '1980-01-01'}T00:00:00Z"
    when = "".join(
        f'<dcterms:{tag} xsi:type="dcterms:W3CDTF">{stamp}</dcterms:{tag}>' for tag in ("created", "modified")
    )
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{esc(title)}</dc:title><dc:subject>{esc(subject)}</dc:subject><dc:creator>{esc(author)}</dc:creator>"
        f"<cp:lastModifiedBy>{esc(author)}</cp:lastModifiedBy>{when}<dc:language>{esc(language)}</dc:language>"
        "</cp:coreProperties>"
    )
    app = (
        '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
        f"<Application>{esc(author)}</Application></Properties>"
    )
    core_name = package.add("docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", core)
    app_name = package.add(
        "docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml", app
    )
    package.relate("", _CORE_REL, core_name)
    package.relate("", "extended-properties", app_name)


def _rels_name(source: str) -> str:
    folder, _, leaf = source.rpartition("/")
    return f"{folder}/_rels/{leaf}.rels" if folder else f"_rels/{leaf}.rels"


def _rels_xml(source: str, rows: list[tuple[str, str]]) -> bytes:
    """Targets relative to the folder of the source, as Office itself writes them."""
    start = dirname(source) or "."
    body = "".join(
        f'<Relationship Id="rId{number}" Type="{kind}" Target="{esc(relpath(target, start))}"/>'
        for number, (kind, target) in enumerate(rows, 1)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'{_HEAD}<Relationships xmlns="{space}">{body}</Relationships>'.encode()
