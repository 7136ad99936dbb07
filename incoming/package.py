"""Is an uploaded Office file plain, and small when unpacked? Answered before any library that trusts its input opens it.

The directory of the archive is asked first, then every part is unpacked in blocks and counted, then XML is read with
nothing kept. So a hostile file costs what the limits allow and no more, whatever it says of itself.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import IO, Final
from xml.parsers import expat

MIB: Final = 2**20
MOST_RATIO: Final = 200
"""Unpacked over packed size of one part of more than a mebibyte."""
MOST_DEPTH: Final = 100
MOST_TOKEN: Final = MIB
"""Bytes of one tag, comment or declaration: the parser has to hold it whole."""
MOST_TEXT: Final = MIB
"""Characters between two tags; a cell of a spreadsheet holds 32,767."""
_BLOCK: Final = 1 << 16
_XML: Final = (".xml", ".rels", ".vml")
MACROS: Final = (("vbaproject", "macros"), ("vbadata", "macros"), ("macrosheets/", "macros"))
DANGER: Final = (
    *MACROS,
    ("externallinks/", "links to other workbooks"),
    ("activex/", "controls"),
    ("ctrlprops/", "controls"),
    ("connections.xml", "data connections"),
    ("querytables/", "data connections"),
    ("customui", "program extensions"),
    ("webextensions/", "program extensions"),
)
"""Words in the name of a part, and what such a part is."""
TOO_MUCH: Final = "The file takes more memory or time to read than an upload may: leave only what is needed in it and upload it again."
UNREADABLE: Final = "This file is damaged and cannot be read: open it in its program, save it again and upload that."


class Refused(ValueError):
    """The file is not taken; the message says why and what to do, in one sentence."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a file of one kind may hold, and what its sentences call it."""

    what: str
    """“workbook”, “Word template”."""
    save: str
    """What to do with one that cannot be read: “save it again as .xlsx without a password”."""
    packed: int
    """Bytes of the file as it is uploaded."""
    unpacked: int
    parts: int
    elements: int
    """Of XML, in all parts together: an element takes far more memory than its bytes."""
    needs: tuple[str, ...] = ("[Content_Types].xml",)
    danger: tuple[tuple[str, str], ...] = DANGER


@dataclass(kw_only=True)
class Work:
    """What the reading of one file has taken so far: the same on every machine."""

    unpacked: int = 0
    tags: int = 0
    """Signs that begin a tag or give an attribute, counted before the XML is read."""
    elements: int = 0


Look = Callable[[str, str, dict[str, str]], None]
"""Called with the part, and each element's name and attributes; raises Refused."""


def check_package(data: bytes, limits: Limits, *, look: Look | None = None, work: Work | None = None) -> None:
    """Raise Refused unless those bytes are a plain package within the limits. `work` counts what that took."""
    if len(data) > limits.packed:
        most = limits.packed // MIB
        raise Refused(
            f"The {limits.what} has {len(data) / MIB:.1f} MiB, more than {most} MiB: upload one of at most {most} MiB."
        )
    work = work or Work()
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            entries = _entries(package, limits)
            for entry in entries:
                _measure(package, entry, limits, work)
            for entry in entries:
                if entry.filename.lower().endswith(_XML):
                    _read_xml(package, entry, limits, _Reading(entry.filename, limits, look, work))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(f"The {limits.what} cannot be read: {limits.save} and upload that.") from error


def _entries(package: zipfile.ZipFile, limits: Limits) -> list[zipfile.ZipInfo]:
    """The parts that are files, their names and promises looked at."""
    entries = [entry for entry in package.infolist() if not entry.is_dir()]
    names = [entry.filename for entry in entries]
    if len(package.infolist()) > limits.parts or len({name.lower() for name in names}) != len(names):
        raise Refused(f"The {limits.what} has more than {limits.parts} parts or one of them twice: {limits.save}.")
    for name in limits.needs:
        if name not in names:
            raise Refused(
                f"The file is not a {limits.what} that can be read, its part “{name}” is missing: {limits.save}."
            )
    if sum(entry.file_size for entry in entries) > limits.unpacked:
        raise _too_much(limits)
    for entry in entries:
        _check_name(entry, limits)
        if entry.file_size > MIB and entry.file_size > MOST_RATIO * max(1, entry.compress_size):
            raise Refused(
                f"The {limits.what} is packed tighter than any Office program packs (“{entry.filename[:60]}”): {limits.save}."
            )
    return entries


def _too_much(limits: Limits) -> Refused:
    return Refused(
        f"The {limits.what} unpacks to more than {limits.unpacked // MIB} MiB: remove pictures and other pages or "
        "sheets, and upload it again."
    )


def _check_name(entry: zipfile.ZipInfo, limits: Limits) -> None:
    low = entry.filename.lower()
    if entry.flag_bits & 0x1:
        raise Refused(f"The {limits.what} is encrypted: save it without a password.")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"The {limits.what} is packed in a way that no Office program uses: {limits.save}.")
    if low.startswith("/") or "\\" in low or ".." in low.split("/"):
        raise Refused(
            f"The {limits.what} has a part with a name that leads outside it (“{entry.filename[:60]}”): {limits.save}."
        )
    for word, kind in limits.danger:
        if word in low:
            raise Refused(f"The {limits.what} holds {kind} (“{entry.filename[:60]}”): remove them and save it without.")


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(_BLOCK):
        yield block


def _measure(package: zipfile.ZipFile, entry: zipfile.ZipInfo, limits: Limits, work: Work) -> None:
    """Unpacks the part without keeping it: bytes and tags are counted, its own statement of its size is not trusted."""
    xml, size = entry.filename.lower().endswith(_XML), 0
    with package.open(entry) as stream:
        for block in _blocks(stream):
            size += len(block)
            work.unpacked += len(block)
            if size > entry.file_size or work.unpacked > limits.unpacked:
                raise _too_much(limits)
            if xml:
                work.tags += max(block.count(b"<"), block.count(b"="))
                _check_count(work.tags // 2, limits)  # an element has two tags at most, and an attribute or two


def _check_count(elements: int, limits: Limits) -> None:
    if elements > limits.elements:
        raise Refused(
            f"The {limits.what} has more than {limits.elements:,} elements of XML, too many to read: leave only what is "
            "needed in it and upload it again."
        )


@dataclass
class _Reading:
    """One part while its XML is read: how deep it is, and how long the text is."""

    name: str
    limits: Limits
    look: Look | None
    work: Work
    depth: int = 0
    text: int = 0
    _shown: str = field(init=False)

    def __post_init__(self) -> None:
        self._shown = self.name[:60]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.text = 0
        self.work.elements += 1
        if self.depth > MOST_DEPTH:
            raise Refused(
                f"The {self.limits.what} is nested more than {MOST_DEPTH} levels deep (“{self._shown}”): {self.limits.save}."
            )
        _check_count(self.work.elements, self.limits)
        if self.look:
            self.look(self.name, tag.rpartition(" ")[2], attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.text = 0

    def characters(self, text: str) -> None:
        self.text += len(text)
        if self.text > MOST_TEXT:
            raise self.too_long()

    def doctype(self, *_: object) -> None:
        raise Refused(
            f"The {self.limits.what} declares entities (“{self._shown}”), which no Office program writes: {self.limits.save}."
        )

    def too_long(self) -> Refused:
        return Refused(
            f"The {self.limits.what} has one piece of text or XML of more than {MOST_TEXT // MIB} MiB (“{self._shown}”): "
            "shorten it."
        )


def _read_xml(package: zipfile.ZipFile, entry: zipfile.ZipInfo, limits: Limits, reading: _Reading) -> None:
    """Refused for document types, depth, long pieces, damage, and what `look` refuses. Nothing is kept."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = reading.start, reading.end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = reading.characters, reading.doctype
    fed = 0
    try:
        with package.open(entry) as stream:
            for block in _blocks(stream):
                parser.Parse(block, False)
                fed += len(block)
                if fed - max(0, parser.CurrentByteIndex) > MOST_TOKEN + _BLOCK:
                    raise reading.too_long()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise Refused(
            f"A part of the {limits.what} is damaged (“{entry.filename[:60]}”): {limits.save} and upload that."
        ) from error
