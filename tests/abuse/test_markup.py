"""A4, A6, A8, A9, A16 and A25: what people type is text in every page and every file, and never runs, fetches or opens."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import openpyxl
import pikepdf
import pytest
from defusedxml import ElementTree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from charts.chart import Chart, Series
from engine.inputs.finding import Typed, finding
from exports.formats import FORMATS
from exports.render import render
from planner.budgets.files import harmless
from planner.frozen.snapshot import Plan
from planner.pages.chart_files import csv_of, svg_of
from tests.exports import samples

ROOT = Path(__file__).parents[2]
PAYLOADS = [
    '<img src="http://127.0.0.1:1/x.png"/>', '<img src="/etc/passwd"/>', '<img src="file:///etc/passwd"/>',
    '<a href="javascript:alert(1)">x</a>', '<a href="http://127.0.0.1:1/">x</a>', "<font color=\"[[]].__class__\">x</font>",
    "a < b & c <b", "</para><para>", "&nope; &#0; &#x110000;", "]]>", "<!DOCTYPE a>", "{{7*7}}{% debug %}", "${7*7}", "%s%n",
    '=HYPERLINK("http://127.0.0.1:1/","x")', "=cmd|' /C calc'!A0", "@SUM(A1)", "+1+1", "-1+1", "=WEBSERVICE(\"http://127.0.0.1:1\")",
]  # fmt: skip
RISKY = ("=", "+", "-", "@", "\t", "\r")


def _plan(text: str) -> Plan:
    """A small plan in which that text stands wherever a person or a feed can put one."""
    plan = samples.tiny_plan()
    answer = replace(plan.recommendation, headline=finding("examples", shown=(Typed(text),)))
    return replace(plan, spec=replace(plan.spec, name=text[:120] or "x"), recommendation=answer)


@cache
def _made(format_: str) -> bytes:
    return render(samples.hostile_plan(), format_)


# --- A6: nothing is fetched and nothing is opened ---------------------------------------------------------------

_WATCHED = """
import sys, os, json
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from exports.formats import FORMATS
from exports.render import render
from tests.abuse.test_markup import PAYLOADS, _plan
from tests.exports import samples
for name in FORMATS:
    render(samples.tiny_plan(), name)  # loads the writers, their fonts and tables
allowed = tuple(json.loads(sys.argv[1]))
def hook(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "urllib.Request"):
        raise RuntimeError(f"FORBIDDEN {event} {args!r}")
    if event == "open" and isinstance(args[0], (str, bytes)):
        path = os.path.abspath(os.fsdecode(args[0]))
        if not path.startswith(allowed):
            raise RuntimeError(f"FORBIDDEN open {path}")
sys.addaudithook(hook)
for text in (" ".join(PAYLOADS), *PAYLOADS[:6]):
    for name in FORMATS:
        assert len(render(_plan(text), name)) > 1000
print("rendered")
"""


def test_rendering_opens_no_file_and_no_connection_that_a_text_names(tmp_path: Path) -> None:
    """Under an audit hook of the interpreter that fails on any file outside the program and on any connection."""
    allowed = [str(ROOT), sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1] / "lib"),
               str(Path(json.__file__).resolve().parents[1]), str(tmp_path)]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, json.dumps([path for path in allowed if path not in ("/", "/usr")])],
        cwd=ROOT, env={"PATH": "/usr/bin:/bin", "SEXTANT_VAR": str(tmp_path / "var"), "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert "rendered" in done.stdout, done.stderr[-2000:]


# --- A8 and A16: markup and odd characters break no file --------------------------------------------------------


@pytest.mark.parametrize("format_", FORMATS)
def test_markup_is_text(format_: str) -> None:
    data = render(_plan(" ".join(PAYLOADS)), format_)
    if format_ == "pdf":
        with pikepdf.open(io.BytesIO(data)) as pdf:
            assert len(pdf.pages) > 0
        return
    for name, part in _parts(data).items():
        if name.endswith((".xml", ".rels")):
            ElementTree.fromstring(part, forbid_dtd=True)


@given(text=some.text(some.characters(codec=None), max_size=60))
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
def test_any_name_makes_four_files(text: str) -> None:
    for format_ in FORMATS:
        assert len(render(_plan(text), format_)) > 1000


# --- A9: no text becomes a formula ------------------------------------------------------------------------------


def test_no_cell_of_a_workbook_is_a_formula_or_a_link_of_somebody_s() -> None:
    book = openpyxl.load_workbook(io.BytesIO(_made("xlsx")))
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    assert not re.search(r"WEBSERVICE|HYPERLINK|DDE|evil|cmd\|", str(cell.value), re.IGNORECASE), (
                        cell.coordinate
                    )
                elif isinstance(cell.value, str) and cell.value.startswith(RISKY):
                    assert cell.quotePrefix or re.fullmatch(r"-?[\d.,]+ .*|[-+–−].*", cell.value), (
                        f"{cell.coordinate}: {cell.value[:40]}"
                    )
                assert cell.hyperlink is None or (cell.hyperlink.target or "") == "", cell.coordinate


@pytest.mark.parametrize("text", [text for text in PAYLOADS if text.startswith(RISKY)] + ["\t=1", "\r=1", "-x", "=-1"])
def test_no_cell_of_a_list_is_a_formula(text: str) -> None:
    assert not harmless(text).startswith(RISKY)
    chart = Chart(id="c", kind="bar", finding=text, x_label=text, y_label=text, categories=(text,),
                  series=(Series(name=text, values=(1.0,)),))  # fmt: skip
    for row in csv.reader(io.StringIO(csv_of(chart))):
        assert not [cell for cell in row if cell.startswith(RISKY)]


def test_numbers_stay_numbers() -> None:
    assert [harmless(cell) for cell in ("-1.50", "+2", "3")] == ["-1.50", "+2", "3"]


# --- A4: pages and pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", PAYLOADS)
def test_a_chart_is_a_picture_without_a_script_or_a_link(text: str) -> None:
    chart = Chart(id="c", kind="bar", finding=text, x_label=text, y_label=text, categories=(text, "b"),
                  series=(Series(name=text, values=(1.0, 2.0), labels=(text, text)),))  # fmt: skip
    drawn = ElementTree.fromstring(svg_of(chart), forbid_dtd=True)
    tags = {node.tag.rpartition("}")[2] for node in drawn.iter()}
    assert not tags & {"script", "foreignObject", "image", "img", "a", "iframe", "use", "font", "para"}
    assert not [name for node in drawn.iter() for name in node.attrib if name.lower().startswith("on")]


def test_no_template_turns_escaping_off() -> None:
    """One slip here and every other promise is void; so the words that could do it stand nowhere."""
    bad = re.compile(
        r"\|\s*safe(seq)?\b|autoescape\s+off|\|\s*escapejs\b|<script(?![^>]*\bsrc=)[^>]*>|\son[a-z]+=|\bstyle=|javascript:"
    )
    for path in [*(ROOT / "templates").rglob("*.html"), *(ROOT / "templates").rglob("*.txt")]:
        found = bad.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(ROOT)}: {found[0] if found else ''}"


def test_what_is_called_safe_is_drawn_from_numbers_or_escaped_by_the_drawer() -> None:
    """`mark_safe` stands on lines that say why, and in the modules that hand over our own drawings only."""
    places = set()
    for path in ROOT.rglob("*.py"):
        if not {".venv", "tests", "build", "var"} & set(path.relative_to(ROOT).parts):
            for line in path.read_text(encoding="utf-8").splitlines():
                if re.search(r"mark_safe\(|SafeString\((?!\"\"\))|format_html", line):
                    assert re.search(r"# noqa: S308 \W \w", line), f"{path.relative_to(ROOT)}: {line.strip()}"
                    places.add(path.relative_to(ROOT).as_posix())
    assert places <= {
        "catalog/history_charts.py",
        "catalog/price_tables.py",
        "rest/guides.py",  # our own pages of docs/, through a parser that lets no HTML in
        *(f"planner/presenters/{name}.py" for name in ("figures", "glance", "views")),
    }


# --- A25: nothing in our files can run --------------------------------------------------------------------------


def _parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("format_", [name for name in FORMATS if name != "pdf"])
def test_an_office_file_holds_nothing_active_and_nothing_from_outside(format_: str) -> None:
    for name, part in _parts(_made(format_)).items():
        low = name.lower()
        assert not re.search(
            r"vba|macro|activex|oleobject|externallink|connections|querytable|customui|webextension", low
        ), name
        assert not low.endswith((".bin", ".exe", ".js", ".vbs", ".html")), name
        if low.endswith((".rels", ".xml")):
            assert b'TargetMode="External"' not in part, name
            assert b"macroEnabled" not in part, name
            assert not re.search(rb"<(\w+:)?(oleObj|oleObject|control|ddeLink|altChunk|attachedTemplate)\b", part), name
            assert not re.search(
                rb"instrText[^>]*>[^<]*\b(DDE|DDEAUTO|INCLUDETEXT|INCLUDEPICTURE|MACROBUTTON)\b", part
            ), name
            assert b'action="ppaction://' not in part.replace(b"ppaction://hlinksldjump", b"").replace(
                b"ppaction://hlinkshowjump", b""
            )


def test_a_pdf_holds_nothing_active() -> None:
    with pikepdf.open(io.BytesIO(_made("pdf"))) as pdf:
        keys = {key for item in pdf.objects if isinstance(item, pikepdf.Dictionary | pikepdf.Stream) for key in item}
        kinds = {str(item.get("/S")) for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and "/S" in item}
        assert not keys & {"/JS", "/JavaScript", "/AA", "/EmbeddedFile", "/RichMedia", "/XFA", "/Launch", "/SubmitForm"}
        assert not kinds & {"/JavaScript", "/Launch", "/URI", "/SubmitForm", "/ImportData", "/GoToR", "/GoToE"}
        assert "/OpenAction" not in pdf.Root or not isinstance(pdf.Root.OpenAction, pikepdf.Dictionary)
        assert len(pdf.attachments) == 0
