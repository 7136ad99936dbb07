"""Requests that are refused, judged by what a person reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.inputs.spec import SpecError
from voice.speech import error_text


@contextmanager
def refused(words: str) -> Iterator[pytest.ExceptionInfo[SpecError]]:
    """What happens inside is refused, in a sentence in which that pattern is found."""
    with pytest.raises(SpecError) as caught:
        yield caught
    assert re.search(words, error_text(caught.value).replace("\u00a0", " "))
