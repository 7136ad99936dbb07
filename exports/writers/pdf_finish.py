"""What reportlab cannot write: tags, language, XMP, output intent. The result claims PDF/UA-1 and PDF/A-2a."""

from __future__ import annotations

import io
import re
from functools import cache
from xml.sax.saxutils import escape

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import ImageCms

from exports.document import Document
from exports.wording import tr
from exports.writers.pdf_tags import Node, write_tree

_UA = "http://www.aiim.org/pdfua/ns/id/"
_XMP = f"""<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="{_UA}">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">@title</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>@author</rdf:li></rdf:Seq></dc:creator>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">@subject</rdf:li></rdf:Alt></dc:description>
<dc:language><rdf:Bag><rdf:li>@language</rdf:li></rdf:Bag></dc:language>
<pdf:Keywords>@keywords</pdf:Keywords><xmp:CreateDate>@dayT00:00:00Z</xmp:CreateDate>
<pdfaid:part>2</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance><pdfuaid:part>1</pdfuaid:part>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
 xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema><pdfaSchema:namespaceURI>{_UA}</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of PDF/UA that the file conforms to</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>
</rdf:RDF></x:xmpmeta><?xpacket end="w"?>"""


def finish(drawn: bytes, document: Document, root: Node) -> bytes:
    """The drawn pages with everything that makes them accessible and archivable."""
    with pikepdf.open(io.BytesIO(drawn)) as pdf:
        pdf.Root.Lang = String(document.language)
        pdf.Root.MarkInfo = Dictionary(Marked=True)
        pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
        _name_links(pdf)
        write_tree(pdf, root)
        _mend_unicode_maps(pdf)
        _add_output_intent(pdf)
        _add_metadata(pdf, document)
        saved = _saved(pdf, pikepdf.ObjectStreamMode.generate)
    return saved if b"\r\nendstream" not in saved else _with_clear_ends(saved)


def _saved(pdf: Pdf, mode: pikepdf.ObjectStreamMode) -> bytes:
    out = io.BytesIO()
    pdf.save(out, deterministic_id=True, object_stream_mode=mode)
    return out.getvalue()


def _with_clear_ends(saved: bytes) -> bytes:
    """The file without streams that end in a carriage return: validators take it for a part of the line end.

    A deflated stream ends in a checksum, so one more blank at the end of its content changes the last byte.
    """
    with pikepdf.open(io.BytesIO(saved)) as pdf:
        for item in pdf.objects:
            if isinstance(item, pikepdf.Stream) and item.read_raw_bytes().endswith(b"\r"):
                is_font = "/Length1" in item
                content = item.read_bytes() + (b"\0" if is_font else b" ")
                item.write(content)
                if is_font:
                    item.Length1 = len(content)
        return _saved(pdf, pikepdf.ObjectStreamMode.disable)


def _name_links(pdf: Pdf) -> None:
    for page in pdf.pages:
        for note in page.obj.get("/Annots", Array()):
            note.Contents, note.F = String(tr("Go to this section")), 4


def _mend_unicode_maps(pdf: Pdf) -> None:
    """The undefined glyph maps to U+0000, which PDF/UA forbids."""
    for item in pdf.objects:
        if isinstance(item, Dictionary) and item.get("/Type") == Name.Font and "/ToUnicode" in item:
            before = item.ToUnicode.read_bytes()
            after = re.sub(rb"<0000>", b"<FFFD>", before)
            if after != before:
                item.ToUnicode.write(after)


def _add_output_intent(pdf: Pdf) -> None:
    profile = pikepdf.Stream(pdf, _srgb())
    profile.N = 3
    intent = Dictionary(
        Type=Name.OutputIntent,
        S=Name.GTS_PDFA1,
        OutputConditionIdentifier=String("sRGB"),
        Info=String("sRGB"),
        DestOutputProfile=pdf.make_indirect(profile),
    )
    pdf.Root.OutputIntents = Array([intent])


@cache
def _srgb() -> bytes:
    """The sRGB profile without its creation time and id, which differ from run to run."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    profile[24:36] = bytes((7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0))
    profile[84:100] = bytes(16)
    return bytes(profile)


def _add_metadata(pdf: Pdf, document: Document) -> None:
    """XMP alone: the older Info dictionary would have to agree with it to the letter."""
    values = {
        "title": document.title,
        "author": document.author,
        "subject": document.subject,
        "language": document.language,
        "keywords": ", ".join(document.keywords),
        "day": document.created.isoformat(),
    }
    text = re.sub(r"@(title|author|subject|language|keywords|day)", lambda found: escape(values[found[1]]), _XMP)
    stream = pikepdf.Stream(pdf, text.encode())
    stream.Type, stream.Subtype = Name.Metadata, Name.XML
    pdf.Root.Metadata = pdf.make_indirect(stream)
    if "/Info" in pdf.trailer:
        del pdf.trailer["/Info"]
