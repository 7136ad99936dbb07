"""What the engine found, said in the voice of the document that is being made: its language, its numbers, its days."""

from __future__ import annotations

from collections.abc import Iterable

from engine.inputs.finding import Finding, Ref, Value
from exports.text import SENTENCE_LIMIT, clean_text, sentences
from exports.wording import spoken
from exports.wording import voice as voice
from voice.speech import say, say_all, write
from voice.terms import name_of

_LONGEST = 4000
"""Characters of a text of several sentences before those are chosen that are shown."""


def told(found: Finding | Iterable[Finding] | None, limit: int = SENTENCE_LIMIT) -> str:
    """That finding, or several as one paragraph, with as many of its sentences as so many characters hold."""
    if found is None:
        return ""
    text = say(found, voice()) if isinstance(found, Finding) else say_all(found, voice())
    return sentences(clean_text(text, _LONGEST), limit)


def written(value: Value, limit: int) -> str:
    """A value by itself, as it was given."""
    return clean_text(write(value, voice()), limit)


def named(thing: Ref) -> str:
    """What that is called."""
    return clean_text(name_of(thing, spoken(), {}), SENTENCE_LIMIT)
