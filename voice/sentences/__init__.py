"""One template for each code, by what is spoken of; `voice.speech` says what stands in the braces."""

from collections.abc import Mapping

from voice.sentences.advice import ADVICE
from voice.sentences.answer import ANSWER
from voice.sentences.chart import CHART
from voice.sentences.gates import GATES
from voice.sentences.request import FAULTS
from voice.sentences.saving import SAVING
from voice.sentences.standing import STANDING
from voice.sentences.supply import SUPPLY

SENTENCES: Mapping[str, str] = {
    **{f"fault.{code}": text for code, text in FAULTS.items()},
    **ADVICE,
    **ANSWER,
    **CHART,
    **GATES,
    **SAVING,
    **STANDING,
    **SUPPLY,
}
"""How findings are put into words: every code that the engine may answer with has its template here."""
