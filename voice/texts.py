"""Every text of the voice, for translators: sentences, names of our own words, numbers and times in words."""

from __future__ import annotations

from voice.glossary import GLOSSARY, WORDS
from voice.sentences import SENTENCES
from voice.terms import OF_YEAR, TERMS
from voice.units import NOUNS
from voice.writing import CHANCES, COUNTED, DURATIONS, LISTS, MONTHS, SCALES


def texts() -> tuple[str, ...]:
    """Each of them once, in the order in which they stand in the code."""
    named = (text for table in TERMS.values() for text in table.values())
    scales = (text for _, text in SCALES)
    every = (
        *SENTENCES.values(),
        *GLOSSARY.values(),
        *(text for one in WORDS for text in (one.word, one.meaning)),
        *named,
        *DURATIONS.values(),
        *COUNTED.values(),
        *scales,
        *LISTS.values(),
        *NOUNS.values(),
        *MONTHS,
        *CHANCES,
        OF_YEAR,
    )
    return tuple(dict.fromkeys(text for text in every if text))
