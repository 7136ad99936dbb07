"""A stored plan in pieces: its alternatives apart from the rest, so that thousands of them are read one after another.

The text is canonical JSON: keys in order, no spaces. A quotation mark inside a text is always escaped, so the marks below
can only be the structure that they look like. Should one ever be missing, nothing is cut off and the rest is the whole.
"""

from __future__ import annotations

from collections.abc import Iterator

_OPEN = b'"alternatives":['
_CLOSE = b'],"assumptions":'
"""What follows the alternatives in a recommendation: its next key."""
_LONG = {
    _OPEN: (_CLOSE,),
    b'"assumptions":[': (b'],"backing":', b'],"catalog_date":'),
    b'"frontier":[': (b'],"gate":', b'],"headline":'),
}
"""Where each long list begins, and the key that follows it: that of plans made now, then that of earlier ones."""
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
    for opening, closings in _LONG.items():
        start = body.find(opening) + len(opening)
        ends = [end for closing in closings if (end := body.find(closing, start)) >= 0]
        if start >= len(opening) and ends:
            body = body[:start] + body[min(ends) :]
    return body


def _pieces(body: bytes, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        found = body.find(_NEXT, start, end)
        stop = end if found < 0 else found + 1
        yield body[start:stop]
        start = stop + 1
