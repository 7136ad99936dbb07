"""A link that opens a filled form: `/new/serve?model=llama-3.1-70b&people=500&ttft_p95_ms=800`.

A name is that of a field of the request (`serving.ttft_p95_ms`) or its last part where only one field of the form ends so. What
no field is named by is said on the page, never dropped in silence; the form reads the values as if they had been typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from planner.pages.form import load_aids, screens

OTHERS: Final = ("example", "kept")
"""Names of the address that fill no field."""
MOST_CHARACTERS: Final = 400
_LOAD: Final = {"people": "load.people", "sessions": "load.sessions", "turns": "load.turns", "day": load_aids.SHAPE}


def linked(screen: screens.Screen, given: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """What the address fills in, by the path of the field, and the names in it that no field has."""
    names = _names([*screens.fields_of(screen), "model"], _LOAD if screen.kind == "serve" else {})
    typed, unknown = {}, []
    for name, value in given.items():
        if name in OTHERS:
            continue
        path = names.get(name)
        if path is None:
            unknown.append(name[:40])
        else:
            typed[path] = value[:MOST_CHARACTERS]
    return typed, unknown


def _names(paths: Iterable[str], more: Mapping[str, str]) -> dict[str, str]:
    """Paths by themselves and by their last part where it is the only one."""
    whole = {path: path for path in paths}
    short: dict[str, str | None] = {}
    for path in whole:
        last = path.rpartition(".")[2]
        short[last] = None if last in short else path
    return (
        {name: path for name, path in short.items() if path} | {path: path for path in more.values()} | {**more} | whole
    )
