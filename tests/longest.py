"""The order of files in a run: what takes longest begins first, so that no process ends with it while the others wait.

Each process of a run takes whole files (``--dist loadfile``), in the order in which they were collected. Files that are not
named in ``longest.txt`` follow by their number of tests, most first, as the tool would order them.

A run says at its end which files took longest; ``python -m tests.longest LOG`` writes the table anew from what such a run has
printed, best that of continuous integration, whose machine does nothing else. It takes all files that the log names, and keeps
those of the table that the log does not name, since a log may be of a part of the tests.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

_TESTS = Path(__file__).parent
TABLE = _TESTS / "longest.txt"
"""A line for each file: the seconds of its tests together, and its place below ``tests``; what stands first begins first."""
WORTH_S = 10.0
"""Files that take less may begin whenever they like."""
_LINE = re.compile(r"(\d+) s  (\S+/test_\w+\.py)$", re.MULTILINE)


def read(text: str) -> dict[str, int]:
    """The seconds of each file that such lines name; the last word counts."""
    return {name.removeprefix("tests/"): int(seconds) for seconds, name in _LINE.findall(text)}


def written(seconds: dict[str, int]) -> str:
    """Those lines, the longest first."""
    longest = sorted(seconds, key=lambda name: (-seconds[name], name))
    return "".join(f"{seconds[name]:>4} s  {name}\n" for name in longest)


def longest_first(paths: Iterable[Path]) -> Callable[[pytest.Item], tuple[int, int]]:
    """A key to sort the tests of those files by, which leaves the tests of one file in their order."""
    table = read(TABLE.read_text(encoding="utf-8"))
    places = {_TESTS / name: place for place, name in enumerate(table)}
    counts = Counter(paths)
    return lambda item: (places.get(item.path, len(places)), -counts[item.path])


class Times:
    """Adds up what the tests of each file take, in the process that prints."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Set-up, test and what follows it, all of them; parts of a test are in its own time."""
        if not hasattr(report, "context"):
            self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Names the files that took longest, as `python -m tests.longest` reads them."""
        took = {name: round(seconds) for name, seconds in self.seconds.items() if seconds >= WORTH_S}
        if took:
            terminalreporter.write_line("Files whose tests took longest together (python -m tests.longest):")
            terminalreporter.write(written(took))


def main(logs: list[str]) -> None:
    """Takes what those logs say into the table; files that are gone leave it."""
    table = read(TABLE.read_text(encoding="utf-8"))
    for log in logs:
        table |= read(Path(log).read_text(encoding="utf-8", errors="replace"))
    there = {name: seconds for name, seconds in table.items() if seconds >= WORTH_S and (_TESTS / name).exists()}
    TABLE.write_text(written(there), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
