"""Files that wait for a job: the same bytes sent many times at once are one whole file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from catalog import inbox


def test_the_same_file_sent_many_times_at_once_waits_whole(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path
    files = [bytes([number]) * 2**18 for number in range(3)]
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(inbox.put, files * 60))
    assert len(set(names)) == 3
    assert [inbox.take(name) for name in names[:3]] == files
    assert len(list((tmp_path / "inbox").iterdir())) == 3, "nothing half is left"
