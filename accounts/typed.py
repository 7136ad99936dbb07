"""Names as people type them into forms."""

from __future__ import annotations

import unicodedata

# Turn the direction of all that follows, also of what stands next to the name (Unicode TR 36).
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def one_line(text: str) -> str:
    """The name on one line, without control characters (no database stores a NUL) and marks that turn the direction."""
    kept = (" " if letter.isspace() else letter for letter in text if _harmless(letter))
    return " ".join("".join(kept).split())


def _harmless(letter: str) -> bool:
    return letter.isspace() or (letter not in _TURNING and unicodedata.category(letter) not in ("Cc", "Cs"))
