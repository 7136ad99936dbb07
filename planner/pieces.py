"""A stored plan in pieces: its alternatives apart from the rest, so that thousands of them are read one after another.

The text is canonical JSON: keys in order, no spaces. A quotation mark inside a text is always escaped, so the marks below
can only be the structure that they look like. Should one ever be missing, nothing is cut off and the rest is the whole.
"""

from __future__ import annotations

from collections.abc import Iterator

_OPEN = b'"alternatives":['
_CLOSE = b'],"assumptions":'
"""What follows the alternatives in a recommendation: its next key."""
_NEXT = b'},{"accelerator":'
"""From one option to the next: nothing inside an option is a list of what begins with this key."""


def apart(body: bytes) -> tuple[bytes, Iterator[bytes]]:
    """The plan's text with an empty list of alternatives, and the text of each alternative."""
    found = body.find(_OPEN)
    start = found + len(_OPEN)
    end = body.find(_CLOSE, start) if found >= 0 else -1
    if end < 0:
        return body, iter(())
    return body[:start] + body[end:], _pieces(body, start, end)


def lean(body: bytes) -> bytes:
    """The plan's text with its three long lists empty: what was asked, what is recommended and what it costs remain."""
    for opening, closing in (
        (_OPEN, _CLOSE),
        (b'"assumptions":[', b'],"catalog_date":'),
        (b'"frontier":[', b'],"headline":'),
    ):
        start = body.find(opening) + len(opening)
        end = body.find(closing, start)
        if start >= len(opening) and end >= 0:
            body = body[:start] + body[end:]
    return body


def _pieces(body: bytes, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        found = body.find(_NEXT, start, end)
        stop = end if found < 0 else found + 1
        yield body[start:stop]
        start = stop + 1
