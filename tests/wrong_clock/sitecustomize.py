"""For a process under `faketime`: sleeps that libfaketime 0.9.10 leaves alone. It takes the end of Python's own (an absolute time of
the monotonic clock) for a time of day, and each `time.sleep` fails with "Invalid argument"."""

import select
import time


def _sleep(seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    select.select([], [], [], seconds)


time.sleep = _sleep
