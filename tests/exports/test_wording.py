"""Every word of a document goes through the catalog: a language made up for the test leaves no English behind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from string import Formatter

import polib
import pytest
from defusedxml import ElementTree
from django.core.management import call_command
from openpyxl import load_workbook

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumption
from engine.inputs.finding import Finding, Ref, Typed
from engine.inputs.hardware import Offer, System
from exports.brand import Brand, using
from exports.compose import compose
from exports.composing.changes import _flat, _label, _labels, earlier
from exports.composing.context import Release
from exports.cost_values import DISCOUNT
from exports.document import Document
from exports.numbers import plural
from exports.render import render
from exports.text import clean_text, lower_first, percents, upper_first
from exports.texts import messages, template
from exports.wording import speaking, tr, trn
from planner.frozen.snapshot import Plan, plain
from planner.market import market_from_files
from planner.names import SOFTWARE, provider_name
from tests.exports.office import parts_of
from tests.exports.samples import ALL, training_plan
from tests.exports.walking import parts, texts
from voice import catalogs
from voice.catalogs import Catalog, read_catalog
from voice.writing import locale_of

_STRANGE = {code: code + 0xFEE0 for code in (*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1))}
"""Letters at full width: a reader sees English, a search for English finds nothing."""


def strange(message: str) -> str:
    """The message with its letters at full width, its placeholders as they were."""
    parts = []
    for text, name, style, _ in Formatter().parse(message):
        parts.append(text.translate(_STRANGE))
        forms = f":{style.translate(_STRANGE) if '|' in style else style}" if style else ""
        parts += [f"{{{name}{forms}}}"] if name is not None else []
    return "".join(parts)


@cache
def strange_language() -> Catalog:
    """A catalog of every message there is, in a language with one form for all counts."""
    made = {item.one: (strange(item.many or item.one),) for item in messages()}
    return Catalog(language="x-strange", texts=made, form=lambda _count: 0)


# What a reader never sees.
_OF_PROGRAMS = {
    "id",
    "left_out",
    "key",
    "role",
    "tone",
    "align",
    "layout",
    "kind",
    "state",
    "language",
    "file_stem",
    "plan_hash",
    "short_hash",
    "line",
    "price_name",
    "schedule",
    "inert",
    "paid",
    "way",
    "common",
    "booked",
    "expression",
}

# Codes, units and names that are the same in every language.
_PROPER = {
    "USD",
    "GB",
    "TB",
    "MB",
    "kB",
    "Gbit",
    "kWh",
    "CO",
    "ms",
    "TP",
    "PP",
    "CP",
    "EP",
    "DP",
    "ZeRO",
    "BF",
    "FP",
    "KV",
    "MFU",
    "MTBF",
}
_PROPER |= {"TPOT", "TTFT", "SHA", "FTE", "kW", "Sextant", "Megatron", "LM", "vLLM", "PyTorch", "FSDP"}
# Words that formulas compare and addresses name, which stay in English (docs/documents.md).
_COMPARED = {"ok", "changed", "wrong", "yes", "no", "out", "Base", "Low", "High", "cost", "Custom", "see", "Inputs"}


def data_of(plan: Plan) -> list[str]:
    """What documents take as it is: names, and titles of publications that the catalog holds; longest first."""
    said = {*texts(plan), *texts(training_plan()), *_labels().values(), DISCOUNT} - codes_of(plan, training_plan())
    said -= ours(plan, training_plan())
    said |= {provider_name(option.offer.provider) for option in plan.recommendation.alternatives if option.offer}
    said |= {_label(path) for asked in (plan.spec, training_plan().spec) for path, _ in _flat(plain(asked))}
    said |= {device.name for device in market_from_files().devices.values()} | set(SOFTWARE.values())
    # Names of countries are the Unicode CLDR's, which has none in a language that was made up.
    said |= set(locale_of("en_GB").territories.values())
    limits = (40, 44, 60, 80, 120, 160, 200, 300, 600)
    said |= set(quoted(plan))
    said |= {clean_text(text, limit) for text in said for limit in limits}
    said |= {percents(text) for text in said}
    said |= {text.rstrip(".") for text in said}
    said |= {change(text) for text in said for change in (upper_first, lower_first)}
    return sorted((text for text in said if len(text) > 1 and _ENGLISH.search(text)), key=len, reverse=True)


def ours(*plans: Plan) -> set[str]:
    """Sources of plans that are no text of the catalog and were not typed with the request: no word of them may be left in English."""
    read = {*texts(tuple(one.spec for one in plans)), *_texts_of(plain(market_from_files()))}
    named = {
        row.source for plan in plans for row in parts(plan) if isinstance(row, CostInput | Assumption | Offer | System)
    }
    return {source for source in named if isinstance(source, str)} - read


def _texts_of(value: object) -> Iterator[str]:
    """Every text in that JSON."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts_of(item)


def codes_of(*plans: Plan) -> set[str]:
    """By what formulas and programs know lines, inputs and their units: “energy” and “month” are no words that a reader reads."""
    rows = [row for plan in plans for row in parts(plan) if isinstance(row, CostInput | CostLine)]
    return {text for row in rows for text in (row.name, row.unit, row.label.code)}


def quoted(value: object) -> Iterator[str]:
    """What findings of the plan quote and name: words of others, which no language changes."""
    for part in parts(value):
        if isinstance(part, Typed):
            yield part.text
        elif isinstance(part, Ref):
            yield part.name
        elif isinstance(part, Finding):
            yield from quoted(tuple(part.values.values()))


_MODEL = {"model", "discount", "drivers", "alternatives", "beside", "common"}
"""Models as data, which the workbook alone prints, the plan's and those beside it."""
_ENGLISH = re.compile(r"[A-Za-z]{2,}")


def in_the_strange_language(plan: Plan) -> Document:
    release = Release(state="approved", version=3, by="N.", on=date(2027, 1, 11))
    return compose(plan, release=release, previous=earlier(training_plan(), ()))


def english_in(said: Iterable[str], known: list[str]) -> list[tuple[str, str]]:
    """Words of English in those texts that are no data, each with its text."""
    found = []
    for text in said:
        if text.endswith("…") and any(part.startswith(_COUNT.sub("", text[:-1])) for part in known):
            continue  # a name that a column of the deck, wide with long words, has cut
        rest = _HASH.sub(" ", text)
        for part in known:
            rest = rest.replace(part, " ")
        found += [(word, text) for word in _ENGLISH.findall(rest) if word not in _PROPER]
    return found


_COUNT = re.compile(r"^\d+\s×\s")
_HASH = re.compile(r"\b[0-9a-f]{12,64}\b")
SPOKEN = ("training", "serving", "tiny", "infeasible")
"""Plans whose own texts can be told from ours: those of the huge one are the training plan's, the hostile one's are cut."""


@pytest.mark.parametrize("name", SPOKEN)
def test_no_text_of_a_document_is_left_untranslated(name: str) -> None:
    plan = ALL[name]()
    with speaking(strange_language()):
        document = in_the_strange_language(plan)
    assert document.language == "x-strange"
    assert english_in(texts(document, without=_OF_PROGRAMS | _MODEL), data_of(plan)) == []


@pytest.mark.parametrize("format_", ["docx", "xlsx", "pptx"])
def test_writers_add_no_english_of_their_own(format_: str) -> None:
    plan = ALL["training"]()
    with speaking(strange_language()):
        document = in_the_strange_language(plan)
        data = import_module(f"exports.writers.{format_}").write(document)
    book = load_workbook(BytesIO(data)) if format_ == "xlsx" else None
    names = {*book.defined_names, *book.sheetnames} if book else set()
    left = english_in(_printed(data), sorted({*data_of(plan), *names}, key=len, reverse=True))
    assert [found for found in left if found[0] not in _COMPARED] == []


def _printed(data: bytes) -> Iterator[str]:
    """Every text that an Office file shows: its paragraphs, cells and charts' titles."""
    for name, body in parts_of(data).items():
        if name.endswith(".xml") and ("sharedStrings" in name or "/document" in name or "/slides/slide" in name):
            for item in ElementTree.fromstring(body).iter():
                if item.tag.endswith("}t") and item.text:
                    yield item.text


def test_the_strange_language_is_read_by_every_format_and_english_returns_afterwards() -> None:
    plan = ALL["serving"]()
    with speaking(strange_language()):
        assert compose(plan).decision.facts[0].label == strange("Ask")
        assert render(plan, "pdf").startswith(b"%PDF-")
    assert compose(plan).decision.facts[0].label == "Ask"


POLISH = """
msgid ""
msgstr ""
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"

#: numbers.py:1
msgid "{count}\u00a0day"
msgid_plural "{count}\u00a0days"
msgstr[0] "{count} dzień"
msgstr[1] "{count} dni"
msgstr[2] "{count} dni razem"

msgid "The largest line is “{label}” with {share} of the total."
msgstr "{share} to „{label}”, "
"najwięcej."

#, python-brace-format, fuzzy
msgid "Ask"
msgstr "?"

msgctxt "a column"
msgid "Date"
msgstr "?"

#~ msgid "Cost"
#~ msgstr "?"
"""


def test_a_catalog_has_the_plural_forms_of_its_language_and_its_own_order_of_words() -> None:
    with speaking(read_catalog(POLISH, "pl")):
        assert [plural(count, "day") for count in (1, 2, 5, 22)] == ["1 dzień", "2 dni", "5 dni razem", "22 dni"]
        assert plural(2.5, "day") == "2.5 dni", "a count that is not whole is one of several"
        text = tr("The largest line is “{label}” with {share} of the total.", label="Power", share="40%")
        assert text == "40% to „Power”, najwięcej."
        assert tr("Ask") == "Ask", "what nobody has confirmed stays English"
        assert tr("Date") == "Date", "a text of another context is another text"
        assert tr("Cost") == "Cost", "what is out of use stays out"


def test_english_counts() -> None:
    assert [trn("{count} is", "{count} are", count) for count in (0, 1, 1.5, 2)] == [
        "0 are",
        "1 is",
        "1.5 are",
        "2 are",
    ]


@pytest.mark.parametrize("wrong", ["Es dauert.", "Es dauert {lange}.", "{days} {secret}"])
def test_a_translation_with_other_placeholders_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="must use the placeholders"):
        read_catalog(f'msgid "It takes {{days}}."\nmsgstr "{wrong}"\n', "de")


def test_a_file_that_is_no_catalog_is_refused_by_its_language() -> None:
    with pytest.raises(ValueError, match="catalog of “de” cannot be read"):
        read_catalog('msgid "Ask"\nnonsense\n', "de")


def test_a_catalog_is_in_use_where_a_team_writes_in_its_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "de.po").write_text('msgid "Ask"\nmsgstr "Antrag"\n', encoding="utf-8")
    monkeypatch.setattr(catalogs, "FOLDER", tmp_path)
    catalogs.catalog_of.cache_clear()
    try:
        with using(Brand(locale="de-CH")):
            document = compose(ALL["tiny"]())
        assert (document.decision.facts[0].label, document.language) == ("Antrag", "de")
        with using(Brand(locale="fr-FR")):
            assert compose(ALL["tiny"]()).language == "en"
    finally:
        catalogs.catalog_of.cache_clear()


def test_the_template_for_translators_reads_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "documents.pot"
    call_command("texts", out=path)
    text = path.read_text(encoding="utf-8")
    assert text == template()
    file = polib.pofile(text)
    for entry in file:
        entry.msgstr = "" if entry.msgid_plural else entry.msgid
        entry.msgstr_plural = {0: entry.msgid, 1: entry.msgid_plural} if entry.msgid_plural else {}
    known = read_catalog(str(file), "en").texts or {}
    assert {item.one: (item.one, item.many) if item.many else (item.one,) for item in messages()} == known
    assert len(known) > 400
