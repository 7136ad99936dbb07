"""Which words of the field a plan has to do with: the same for its page and its documents."""

from __future__ import annotations

from typing import Final

from engine.answer import Recommendation
from engine.inputs.kind import Kind
from planner.asked.kinds import whole_answers
from voice.glossary import WORDS, Word

_OF_TOKENS: Final = frozenset({"KV cache", "TPOT", "TTFT"})


def words_for(kind: Kind, answer: Recommendation) -> list[Word]:
    """Those of its kind; without those of tokens where answers are wholes, with the pipeline where an option has one."""
    skip = _OF_TOKENS if whole_answers(kind, answer) else frozenset()
    staged = any(option.parallelism.pp > 1 for option in (answer.recommended, *answer.alternatives) if option)
    return [one for one in WORDS if one.word not in skip and (kind not in one.foreign or (staged and one.word == "PP"))]
