"""A code and typed values become one sentence, in any language, by one set of rules."""

from __future__ import annotations

import ast
import re
from datetime import date
from pathlib import Path
from string import Formatter

import pytest

from engine.inputs.finding import Finding, Quantity, Ref, Sum, Typed, Value
from engine.inputs.spec import Fault
from voice import speech
from voice.catalogs import Catalog
from voice.sentences import SENTENCES
from voice.speech import Voice, fault_text, say

ROOT = Path(__file__).parents[2]
GERMAN = Voice(locale="de_DE")


def said(monkeypatch: pytest.MonkeyPatch, template: str, voice: Voice = speech.ENGLISH, **values: Value) -> str:
    """What that template becomes with those values."""
    monkeypatch.setattr(speech, "SENTENCES", {"x": template})
    return say(Finding("x", values), voice).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("template", "value", "english", "german"),
    [
        ("{v}", 1234, "1,234", "1.234"),
        ("{v}", 12.3456, "12.3", "12,3"),
        ("{v:0.2}", 1234.5, "1,234.50", "1.234,50"),
        ("{v}", Quantity(0.535, "share"), "54%", "54%"),
        ("{v}", Quantity(96.3e9, "byte"), "96.3 GB", "96,3 GB"),
        ("{v}", Quantity(1.42, "day"), "34.1 hours", "34,1 hours"),
        ("{v}", Quantity(21.4, "day"), "21.4 days", "21,4 days"),
        ("{v}", Quantity(1 / 24, "day"), "60 minutes", "60 minutes"),
        ("{v}", Sum(43271.4, "EUR"), "EUR 43,271", "EUR 43.271"),
        ("{v:about}", Sum(43271.4, "EUR"), "EUR 43,300", "EUR 43.300"),
        ("{v:about}", Sum(15.47, "USD"), "USD 15", "USD 15"),
        ("{v:price}", Sum(2.579, "EUR"), "EUR 2.58", "EUR 2,58"),
        ("{v:price}", Sum(481.7, "JPY"), "JPY 482", "JPY 482"),
        ("{v}", date(2027, 1, 11), "11 January 2027", "11.01.27"),
        ("{v}", (Typed("a"), Typed("b"), Typed("c")), "a, b and c", "a, b and c"),
        ("{v:# card|# cards}", 1, "1 card", "1 card"),
        ("{v:# card|# cards}", 2048, "2,048 cards", "2.048 cards"),
        ("{v}", Ref("accelerator", "h100-sxm5", "NVIDIA H100"), "NVIDIA H100", "NVIDIA H100"),
        ("{v}", Ref("precision", "fp8"), "FP8", "FP8"),
    ],
)
def test_each_type_of_value_is_written_as_the_place_writes_it(
    monkeypatch: pytest.MonkeyPatch, template: str, value: Value, english: str, german: str
) -> None:
    assert said(monkeypatch, template, v=value) == english
    assert said(monkeypatch, template, GERMAN, v=value) == german


def test_a_translation_takes_the_template_and_as_many_plurals_as_its_language_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    template = "{n:# card|# cards}"
    polish = Catalog(language="pl", texts={template: ("{n:# karta|# karty|# kart|# karty}",)})
    voice = Voice(locale="pl_PL", catalog=polish)

    assert [said(monkeypatch, template, voice, n=n) for n in (1, 2, 5)] == ["1 karta", "2 karty", "5 kart"]


def test_amounts_are_told_in_the_currency_that_a_voice_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    voice = Voice(currency="EUR", per_unit=0.5)

    assert said(monkeypatch, "{v}", voice, v=Sum(1000.0)) == "EUR 500"


def test_a_finding_among_the_values_is_said_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "SENTENCES", {"outer": "It fails: {why}.", "inner": "{n:# card|# cards} lack room"})

    assert say(Finding("outer", {"why": Finding("inner", {"n": 2})})) == "It fails: 2 cards lack room."


def test_a_value_without_a_type_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError):
        said(monkeypatch, "{v}", v="text")  # type: ignore[arg-type]


def test_a_fault_names_its_field_or_the_label_of_a_form() -> None:
    fault = Fault("training.tokens", "missing")

    assert fault_text(fault) == "“training.tokens” is missing: give a value."
    assert fault_text(fault, Voice(fields={"training.tokens": "Tokens"})) == "“Tokens” is missing: give a value."


def test_every_code_of_a_fault_in_the_source_has_its_sentence_and_every_sentence_its_code() -> None:
    codes: set[str] = set()
    for room in ("engine", "catalog", "planner", "exports"):
        for path in (ROOT / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "Fault(" in text or "fault(" in text or "conflict." in text:
                codes |= {
                    node.value
                    for node in ast.walk(ast.parse(text))
                    if isinstance(node, ast.Constant) and isinstance(node.value, str)
                }
    raised = {code for room in ("engine", "catalog", "planner", "exports") for code in _raised(ROOT / room)}
    known = {code.removeprefix("fault.") for code in SENTENCES if code.startswith("fault.")}

    assert known - codes == set()
    assert raised - known == set()


def _raised(folder: Path) -> set[str]:
    """The codes in the calls that make faults."""
    calls = [
        node
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and len(node.args) >= 2
    ]
    made = [call for call in calls if _called(call) in {"Fault", "fault"}]
    return {
        part.value
        for call in made
        for part in ast.walk(call.args[1])
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    } - {""}


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def test_templates_name_their_values_and_nothing_else() -> None:
    for code, template in SENTENCES.items():
        for _, name, spec, conversion in Formatter().parse(template):
            assert name is None or re.fullmatch(r"[a-z_0-9]+", name), code
            assert not conversion, code
            assert not spec or re.fullmatch(
                r"0\.\d|\d|about|up|price|or|percent|exact|words|down|;|\^|[^{}]*\|[^{}]*", spec
            ), code


def test_a_chance_beside_a_greater_one_is_rounded_down() -> None:
    asked = Quantity(0.8, "chance")
    text = say(Finding("miss.chance", {"chance": Quantity(0.7996, "chance"), "asked": asked}))
    assert "79%" in text
    assert "80% is asked" in text
