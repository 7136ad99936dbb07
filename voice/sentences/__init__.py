"""One template for each code, by what is spoken of; `voice.speech` says what stands in the braces."""

from collections.abc import Mapping

from voice.sentences.advice import ADVICE
from voice.sentences.answer import ANSWER
from voice.sentences.assumptions import ASSUMPTIONS
from voice.sentences.chart import CHART
from voice.sentences.coefficients_serving import SERVING
from voice.sentences.coefficients_training import TRAINING
from voice.sentences.cost import COST
from voice.sentences.gates import GATES
from voice.sentences.levers import LEVERS
from voice.sentences.origins import ORIGINS
from voice.sentences.origins_assumed import ASSUMED
from voice.sentences.origins_serving import SERVED
from voice.sentences.origins_training import TRAINED
from voice.sentences.request import FAULTS
from voice.sentences.saving import SAVING
from voice.sentences.standing import STANDING
from voice.sentences.supply import SUPPLY

SENTENCES: Mapping[str, str] = {
    **{f"fault.{code}": text for code, text in FAULTS.items()},
    **ADVICE,
    **ANSWER,
    **ASSUMED,
    **ASSUMPTIONS,
    **CHART,
    **COST,
    **GATES,
    **LEVERS,
    **ORIGINS,
    **SAVING,
    **SERVED,
    **SERVING,
    **STANDING,
    **SUPPLY,
    **TRAINED,
    **TRAINING,
}
"""How findings are put into words: every code that the engine may answer with has its template here."""
