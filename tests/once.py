"""What a run of the tests makes once, whichever of its processes asks first: answers of the engine take a second each.

Things are kept beside the run's own folders and go with them, so that no answer of an older engine is ever read.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_FOLDER = "SEXTANT_TESTS_MADE_ONCE"
"""Names the folder of a run. Whoever runs without pytest makes everything anew."""


def begin(folder: Path) -> None:
    """In the process that starts a run: names its folder to the workers and processes that it starts."""
    os.environ[_FOLDER] = str(folder)


def once(name: str, make: Callable[[], T]) -> T:
    """The thing of that name, as it was made: who asks while another process makes it waits for that."""
    if _FOLDER not in os.environ:
        return make()
    path = Path(os.environ[_FOLDER]) / hashlib.sha256(name.encode()).hexdigest()
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if stored := file.read():
            found: T = pickle.loads(stored)  # noqa: S301 - written below, in a folder that is this run's own
            return found
        made = make()
        file.write(pickle.dumps(made))
        return made
