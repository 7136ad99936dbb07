"""Files that wait for a job: each belongs to one, however often the same bytes are sent."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from catalog import inbox


def test_the_same_file_sent_many_times_at_once_is_whole_for_each(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path
    files = [bytes([number]) * 2**18 for number in range(3)]
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(inbox.put, files * 20))
    assert len(set(names)) == 60
    for name, data in zip(names, files * 20, strict=True):
        assert inbox.digest_of(name) == hashlib.sha256(data).hexdigest()
        assert inbox.take(name) == data
        inbox.drop(name)  # takes nothing away from the others
    assert not list((tmp_path / "inbox").iterdir())


@pytest.mark.parametrize("name", ["../" + "a" * 61, "a" * 63, "a" * 64 + ".x", "a" * 64 + "/../x", ""])
def test_no_name_leads_elsewhere(tmp_path: Path, settings: Any, name: str) -> None:
    settings.MEDIA_ROOT = tmp_path
    for step in (inbox.take, inbox.drop):
        with pytest.raises(FileNotFoundError):
            step(name)
