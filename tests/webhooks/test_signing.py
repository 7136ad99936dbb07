"""The example by which the guide lets a receiver be checked: a secret, a message and the signature that they give."""

from __future__ import annotations

import re
from pathlib import Path

from webhooks.signing import signatures

GUIDE = Path(__file__).parents[2] / "docs/api.md"


def test_the_signature_in_the_guide_is_that_of_its_message() -> None:
    said = re.search(
        r"secret `(\S+)`, the id `(\S+)`, the timestamp\s+`(\d+)` and the body `(\S+)` give `(\S+)`",
        GUIDE.read_text(encoding="utf-8"),
    )
    assert said
    secret, message, second, body, signature = said.groups()
    assert signatures([secret], message_id=message, timestamp=int(second), body=body.encode()) == signature
