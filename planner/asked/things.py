"""So many of what a model takes or makes, in words."""

from __future__ import annotations

from engine.inputs.architecture import Counts
from planner.asked.voice import Voice


def things(counts: Counts, voice: Voice, count: float) -> str:
    """“2 million images”; of a language model requests."""
    words = {"number": voice.scaled(count)}
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
