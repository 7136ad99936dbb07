"""Scripts that are written from right to left: joined letter forms and visual order, for words of plain text.

The forms come from Unicode's own decompositions, so no shaping library is needed. What is drawn is no longer what was
typed, therefore such words carry their text in ActualText.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_NUMBER = re.compile(r"[0-9A-Za-z\u0660-\u0669\u06f0-\u06f9][0-9A-Za-z.,:%/\u0660-\u0669\u06f0-\u06f9]*")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_LAM = "\u0644"


def is_right_to_left(word: str) -> bool:
    """Whether the word holds Hebrew or Arabic letters."""
    return bool(_RIGHT_TO_LEFT.search(word))


def visual(word: str) -> str:
    """The word as it is drawn from left to right: letters joined, order reversed, numbers kept."""
    turned = _joined(word)[::-1].translate(_MIRRORED)
    return _NUMBER.sub(lambda match: match.group()[::-1], turned)


def _joined(word: str) -> str:
    """Arabic letters in their isolated, initial, medial or final forms."""
    forms = _forms()
    out: list[str] = []
    index = 0
    while index < len(word):
        pair = word[index : index + 2]
        unit = pair if pair in forms and pair[0] == _LAM else word[index]
        before = _reaches(word[:index], forms, "initial", last=True)
        after = _reaches(word[index + len(unit) :], forms, "final", last=False)
        out.append(_form(unit, forms, before=before, after=after))
        index += len(unit)
    return "".join(out)


def _form(unit: str, forms: dict[str, dict[str, str]], *, before: bool, after: bool) -> str:
    own = forms.get(unit)
    if own is None:
        return unit
    after = after and "initial" in own
    name = "medial" if before and after else "final" if before else "initial" if after else "isolated"
    return own.get(name) or own.get("final") or own.get("isolated") or unit


def _reaches(text: str, forms: dict[str, dict[str, str]], side: str, *, last: bool) -> bool:
    """Whether the nearest letter (marks do not count) joins on the side that faces this one."""
    letters = [letter for letter in text if not unicodedata.combining(letter)]
    return bool(letters) and side in forms.get(letters[-1 if last else 0], {})


@cache
def _forms() -> dict[str, dict[str, str]]:
    """Letters (and lam with alef) to their presentation forms."""
    forms: dict[str, dict[str, str]] = {}
    for code in (*range(0xFB50, 0xFBB2), *range(0xFBD3, 0xFC00), *range(0xFE80, 0xFEFD)):
        kind, _, letters = unicodedata.decomposition(chr(code)).partition("> ")
        text = "".join(chr(int(letter, 16)) for letter in letters.split())
        if kind and (len(text) == 1 or text.startswith(_LAM)):
            forms.setdefault(text, {}).setdefault(kind.strip("<"), chr(code))
    return forms
