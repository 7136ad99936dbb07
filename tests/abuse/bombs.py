"""Files made to swell, to nest or to break whoever reads them, made when a test asks: small on the way in, each."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import cache, partial
from random import Random

from tests.exports.brands import deck_template, word_template

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
Make = Callable[[], bytes]


@cache
def package(kind: str) -> dict[str, bytes]:
    """The parts of a plain file of that kind."""
    made = {"xlsx": _workbook, "docx": word_template, "pptx": deck_template}[kind]()
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _workbook() -> bytes:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    book.active.append(["provider", "instance"])  # type: ignore[union-attr]
    book.save(out)
    return out.getvalue()


def zipped(parts: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A package of those parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return out.getvalue()


def noise(*pieces: bytes, count: int) -> bytes:
    """Those pieces in no order that packs well."""
    return b"".join(Random(7).choices(pieces, k=count))


def _sheet(body: bytes) -> bytes:
    return f'<worksheet xmlns="{SHEET}">'.encode() + body + b"</worksheet>"


@cache
def _lies(kind: str) -> bytes:
    """An archive whose directory understates the size of a part, for which no ratio looks odd."""
    body = b"<x>" + noise(b"<a/>", b"<b/>", b" ", count=9_000_000) + b"</x>"
    data = bytearray(zipped(package(kind) | {"custom.xml": body}))
    size = len(body).to_bytes(4, "little")
    while (found := data.find(size)) >= 0:
        data[found : found + 4] = (1000).to_bytes(4, "little")
    return bytes(data)


PARTS: dict[str, Callable[[], dict[str, bytes]]] = {
    "many elements": lambda: {"custom.xml": b"<x>" + noise(b"<a/>", b"<b/>", count=9_000_000) + b"</x>"},
    "many attributes": lambda: {
        "custom.xml": b"<x " + b" ".join(b'a%d="%d"' % (n, n % 7) for n in range(2_500_000)) + b"/>"
    },
    "deep nesting": lambda: {"custom.xml": b"<a>" * 150_000 + noise(b" ", b"\n", count=400_000) + b"</a>" * 150_000},
    "one long text": lambda: {"custom.xml": b"<x>" + noise(b"a", b"b", b"c", count=9_000_000) + b"</x>"},
    "one long comment": lambda: {"custom.xml": b"<x><!--" + noise(b"a", b"b", b"c", count=9_000_000) + b"--></x>"},
    "entities": lambda: {"custom.xml": _laughs()},
    "outside entity": lambda: {"custom.xml": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'},
    "ratio": lambda: {"custom.xml": b"<x>" + b" " * 30_000_000 + b"</x>"},
    "much of everything": lambda: {f"part{n}.bin": b"\0" * 1_000_000 for n in range(60)},
    "many parts": lambda: {f"custom/{n}.xml": b"<a/>" for n in range(2_000)},
    "half an element": lambda: {"custom.xml": b"<x><y"},
}
"""Parts that no file of any kind may have."""
WORKBOOK_PARTS: dict[str, Callable[[], dict[str, bytes]]] = {
    "huge shared strings": lambda: {
        "xl/sharedStrings.xml": b"<sst>" + noise(b"<si/>", b"<t/>", count=4_000_000) + b"</sst>"
    },
    "a far cell": lambda: {
        "xl/worksheets/sheet1.xml": _sheet(
            b'<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
        )
    },
    "a far row": lambda: {"xl/worksheets/sheet1.xml": _sheet(b'<sheetData><row r="1048576"/></sheetData>')},
    "many merged cells": lambda: {
        "xl/worksheets/sheet1.xml": _sheet(b'<sheetData/><mergeCells><mergeCell ref="A1:CV20000"/></mergeCells>')
    },
    "many sheets": lambda: {f"xl/worksheets/sheet{n}.xml": _sheet(b"<sheetData/>") for n in range(1, 1_000)},
    "many styles": lambda: {
        "xl/styles.xml": f'<styleSheet xmlns="{SHEET}"><cellXfs>'.encode()
        + noise(b'<xf fontId="0"/>', b'<xf fillId="0"/>', count=300_000)
        + b"</cellXfs></styleSheet>"
    },
    "no sheet": lambda: {"xl/workbook.xml": f'<workbook xmlns="{SHEET}"/>'.encode()},
    "a broken workbook": lambda: {"xl/workbook.xml": b"<broken"},
}


def _laughs() -> bytes:
    lines = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{lines}]><x>&a9;</x>'.encode()


def office(kind: str) -> dict[str, Make]:
    """Hostile files that look like that kind."""
    own = PARTS | (WORKBOOK_PARTS if kind == "xlsx" else {})
    found = {name: partial(_with_parts, kind, name) for name in own}
    more: dict[str, Make] = {
        "a lying directory": lambda: _lies(kind),
        "nested archives": lambda: _nested(kind),
        "no main part": lambda: zipped({"[Content_Types].xml": package(kind)["[Content_Types].xml"]}),
        "an unusual packing": lambda: zipped(package(kind), method=zipfile.ZIP_LZMA),
        "no archive behind its signature": lambda: b"PK\x03\x04" + b"\x00" * 5_000,
        "half an archive": lambda: zipped(package(kind))[:-300],
        "nothing": lambda: b"\0",
    }
    return {**found, **more}


@cache
def _nested(kind: str) -> bytes:
    inner = zipped({"a": zipped({"b": b"\0" * 50_000_000})})
    return zipped(package(kind) | {f"{n}.zip": inner for n in range(700)})


@cache
def _with_parts(kind: str, name: str) -> bytes:
    return zipped(package(kind) | (PARTS | WORKBOOK_PARTS)[name]())


HEAD = b"provider,instance,region,accelerator,count,option,amount,currency,date\n"
TEXTS: dict[str, Make] = {
    "one long line": lambda: HEAD + b"a" * 4_500_000,
    "a million columns": lambda: b"," * 1_000_000,
    "a million lines": lambda: HEAD + b"\n" * 4_500_000,
    "a million lines of blanks": lambda: HEAD + b" ,\n" * 1_500_000,
    "NULs": lambda: HEAD + b"\0" * 1_000_000,
    "only quotes": lambda: b'"' * 4_000_001,
    "an open quote": lambda: HEAD + b'"' + b"a\n" * 1_000_000,
    "more rows than a list has": lambda: HEAD + b"aws\n" * 300_000,
    "not text": lambda: bytes(range(256)) * 1_000,
}
JSONS: dict[str, Make] = {
    "deep": lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep lists": lambda: b'{"a":' + b"[" * 300_000 + b"]" * 300_000 + b"}",
    "many empty lists": lambda: b'{"a":[' + b"[]," * 300_000 + b"[]]}",
    "many numbers": lambda: b'{"a":[' + b"1," * 500_000 + b"1]}",
    "many unknown keys": lambda: json.dumps({f"key{n}": n for n in range(45_000)}).encode(),
    "one long key": lambda: json.dumps({"k" * 1_000_000: 1}).encode(),
    "a long number": lambda: b'{"a":' + b"9" * 1_000_000 + b"}",
    "too large a body": lambda: b'{"a":"' + b"a" * 6_000_000 + b'"}',
}


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(width: int, height: int, *chunks: bytes) -> bytes:
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + b"".join(chunks)
        + _chunk(b"IDAT", zlib.compress(b"\0" * 9))
        + _chunk(b"IEND", b"")
    )


PICTURES: dict[str, Make] = {
    "many pixels": lambda: _png(60_000, 60_000),
    "a thin one": lambda: _png(2_000_000, 16),
    "a text that swells": lambda: _png(200, 100, _chunk(b"zTXt", b"a\0\0" + zlib.compress(b"a" * 90_000_000, 9))),
    "many chunks": lambda: _png(200, 100, *[_chunk(b"tEXt", b"a\0b")] * 60_000),
    "no pixels": lambda: _png(200, 100),
    "a program": lambda: b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>',
}
