"""What a model's work is counted in, in words: tokens of a language model; else what it takes or makes, one at a time."""

from __future__ import annotations

from exports.composing.context import Context
from exports.wording import mark, noun, tr
from planner.asked import kinds

ONE = {
    "token": noun("token"),
    "text": noun("text"),
    "image": noun("image"),
    "recording": noun("recording"),
    "sample": noun("sample"),
}
MANY = {
    "token": mark("tokens"),
    "text": mark("texts"),
    "image": mark("images"),
    "recording": mark("recordings"),
    "sample": mark("samples"),
}
PRICE = {
    "token": mark("Price of a token"),
    "text": mark("Price of a text"),
    "image": mark("Price of an image"),
    "recording": mark("Price of a recording"),
    "sample": mark("Price of a sample"),
}
MILLION = {
    "token": mark("Per million output tokens"),
    "text": mark("Per million texts"),
    "image": mark("Per million images"),
    "recording": mark("Per million recordings"),
    "sample": mark("Per million samples"),
}


def many(counts: str) -> str:
    """“images”."""
    return tr(MANY[counts])


def whole_answers(context: Context) -> bool:
    """Does an answer come as a whole, so that it has no first token?"""
    return kinds.whole_answers(context.kind, context.answer)
