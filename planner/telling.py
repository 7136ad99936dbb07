"""What the engine found, in the voice of pages, API, mail and the command line: English, days and numbers as there."""

from __future__ import annotations

from collections.abc import Iterable

from engine.answer import Option
from engine.inputs.finding import Finding, Ref
from engine.inputs.origin import Origin
from planner.asked.kinds import WORK
from voice.speech import Voice, say, say_all
from voice.terms import name_of

PAGES = Voice(days="{d} {month} {y}")


def told(found: Finding | Iterable[Finding] | None) -> str:
    """That finding, or several as one paragraph; empty where there is none."""
    if found is None:
        return ""
    return say(found, PAGES) if isinstance(found, Finding) else say_all(found, PAGES)


def sourced(source: Origin) -> str:
    """Whose a number is: a publisher's or a person's words as they stand, ours said."""
    return source if isinstance(source, str) else told(source)


def named(thing: Ref) -> str:
    """What that is called."""
    return name_of(thing, PAGES.catalog, PAGES.fields)


def bound_by(option: Option) -> Ref:
    """What limits that option: the largest part of a step, or what binds a replica."""
    return Ref("word", f"{WORK[option.work].binds}.{option.binding}")
