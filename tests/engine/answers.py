"""Answers of the engine, each made once: many tests look at one answer, and an answer takes a tenth of a second or more."""

from __future__ import annotations

from collections import OrderedDict

from engine.answer import Recommendation
from engine.entry import recommend
from engine.inputs.hardware import Market
from engine.inputs.spec import Spec

_MOST = 64
_ANSWERS: OrderedDict[tuple[str, int], tuple[Market, Recommendation]] = OrderedDict()
"""The last ones, by what was asked and of which market; the market is held, so that no other takes its place in memory."""


def answered(spec: Spec, market: Market) -> Recommendation:
    """The answer to that request on that very market. A test that changes the engine asks the engine itself."""
    key = (repr(spec), id(market))
    if key not in _ANSWERS:
        _ANSWERS[key] = market, recommend(spec, market)
    _ANSWERS.move_to_end(key)
    while len(_ANSWERS) > _MOST:
        _ANSWERS.popitem(last=False)
    return _ANSWERS[key][1]
