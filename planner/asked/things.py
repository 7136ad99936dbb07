"""So many of what a model takes or makes, in words."""

from __future__ import annotations

from engine.inputs.architecture import Counts
from planner.asked.voice import Voice

_IN_WORDS = 1e6
"""From here on a number is told in words and rounded; below, people know each digit of what they asked for."""


def things(counts: Counts, voice: Voice, count: float) -> str:
    """“2 million images”, “65,536 samples”; of a language model requests."""
    words = {"number": voice.scaled(count) if count >= _IN_WORDS else voice.number(count)}
    match counts:
        case "image":
            return voice.trn("{number} image", "{number} images", count, **words)
        case "recording":
            return voice.trn("{number} recording", "{number} recordings", count, **words)
        case "text":
            return voice.trn("{number} text", "{number} texts", count, **words)
        case "token":
            return voice.trn("{number} request", "{number} requests", count, **words)
    return voice.trn("{number} sample", "{number} samples", count, **words)
