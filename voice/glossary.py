"""What our words mean, for whoever meets them for the first time: those at the head of a number, and the field's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.inputs.kind import Kind

GLOSSARY: Mapping[str, str] = {
    "figure.cost": "What this work costs until its end, or over the months that it is planned for; of what is signed only the share "
    "that it uses.",
    "figure.time": "From the first day until the last result, with failures, restarts and the hours that saving takes.",
    "figure.hardware": "Which accelerators, how many, and from whom. An accelerator is one graphics or AI processor with its own memory.",
    "figure.mfu": "Useful arithmetic as a share of what the accelerators could do at their dense peak in that precision.",
    "figure.ttft": "How long 19 of 20 people wait at most until the answer begins.",
    "figure.tpot": "How long 19 of 20 people wait at most between two tokens of an answer. A token is a "
    "short word, or a piece of a longer one.",
    "figure.promise": "How likely the latency that was promised is kept, given how wrong such estimates have been against measurements.",
    "figure.price": "The cost of the service divided by what it answers with, at the load that was planned.",
}
"""By what they stand at."""


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word of the field, and what it means in a sentence."""

    word: str
    meaning: str
    foreign: frozenset[Kind] = frozenset()
    """Kinds of work that it has nothing to do with."""


_WHAT_IS_SERVED: Final = frozenset[Kind]({"service", "batch"})
_RUNS: Final = frozenset[Kind]({"run"})
WORDS: Final = (
    Word(word="80% band", meaning="The range from P10 to P90: in eight of ten cases the outcome should lie inside."),
    Word(word="Accelerator-hour", meaning="One accelerator for one hour."),
    Word(
        word="Checkpoint",
        meaning="The state of a run as it is saved, from which it goes on after a failure.",
        foreign=_WHAT_IS_SERVED,
    ),
    Word(
        word="Commitment",
        meaning="Hours or money promised to a seller for a term, and paid whether they are used or not.",
    ),
    Word(word="CP", meaning="Context parallel: one sequence is split over several accelerators."),
    Word(word="DP", meaning="Data parallel: copies of the model work on different data.", foreign=_WHAT_IS_SERVED),
    Word(
        word="EP", meaning="Expert parallel: the experts of a mixture-of-experts model lie on different accelerators."
    ),
    Word(word="GB", meaning="10⁹ bytes."),
    Word(
        word="Goodput",
        meaning="Share of wall time in which the run makes progress that is kept.",
        foreign=_WHAT_IS_SERVED,
    ),
    Word(
        word="KV cache",
        meaning="Keys and values of the tokens so far, kept in memory while an answer is written.",
        foreign=_RUNS,
    ),
    Word(
        word="MFU",
        meaning="Model FLOPs utilisation: the arithmetic the model needs over what the hardware could do at its dense peak in "
        "that precision.",
        foreign=_WHAT_IS_SERVED,
    ),
    Word(word="Micro-batch", meaning="The samples that one accelerator works on at once.", foreign=_WHAT_IS_SERVED),
    Word(word="MTBF", meaning="Mean time between failures.", foreign=_WHAT_IS_SERVED),
    Word(word="P10, P90", meaning="One outcome in ten lies below P10, one in ten above P90."),
    Word(word="Pareto front", meaning="Options of which none is beaten by another in both time, or latency, and cost."),
    Word(
        word="PP",
        meaning="Pipeline parallel: the layers are split into stages on different accelerators.",
        foreign=_WHAT_IS_SERVED,
    ),
    Word(word="Present value", meaning="Later payments at what they are worth on the day of the decision."),
    Word(word="Replica", meaning="One complete copy of the served model that answers requests.", foreign=_RUNS),
    Word(word="Spot", meaning="Spare capacity at a lower price, which its seller may take back at short notice."),
    Word(word="TP", meaning="Tensor parallel: each layer is split over several accelerators."),
    Word(word="TPOT", meaning="Time per output token after the first.", foreign=_RUNS),
    Word(word="TTFT", meaning="Time to first token, from request to the first word of the answer.", foreign=_RUNS),
    Word(
        word="ZeRO",
        meaning="Optimizer states, gradients or weights divided among the copies of the model to save memory.",
        foreign=_WHAT_IS_SERVED,
    ),
)
"""In the order of the alphabet."""
