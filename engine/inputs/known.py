"""What a caller wants remembered between calls of the engine, within bounds: searches, by everything that they depend on.

The engine itself keeps nothing. A key holds whole values, never chosen fields of them, and the market's release; so what
is remembered changes no answer, and what came of one team's own entries is found by nobody who has other ones.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar, cast

import numpy as np

T = TypeVar("T")
G = TypeVar("G", bound=Sized)
MOST = 400
"""Results that are kept: a few of each kind for each of the people who type at one process."""
MOST_BYTES = 192 * 2**20
SHARES = {"layouts": 0.2, "tables": 0.2, "pairs": 0.15, "exact": 0.2}
"""Which part of the bytes results of a kind may take: grids of layouts and tables of steps are many and large, and quickly made."""
_SAMPLED = 24
"""Elements of a long sequence that are weighed for all of them."""


class _Key:
    """A key whose hash is worked out once: it holds whole requests and markets, and an ordered mapping asks for it again and again."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Hashable) -> None:
        self.value, self._hash = value, hash(value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._hash == other._hash and self.value == other.value

    @property
    def kind(self) -> str:
        """What sort of result it stands for: its first part."""
        return str(self.value[0]) if isinstance(self.value, tuple) and self.value else ""


class Known:
    """Results by key, the least lately used forgotten first when there are too many of them or they are too large."""

    def __init__(self, *, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._found: OrderedDict[_Key, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._of_kind: dict[str, int] = {}
        """Bytes of each kind that may take a part of all only."""
        self._lock = Lock()

    def remembered(self, key: Hashable, make: Callable[[], T], *, beside: object = None) -> T:
        """The result that belongs to that key, made if it is not known.

        `beside`: a part of it that is kept, and counted, as a result of its own.
        """
        place = _Key(key)
        with self._lock:
            if place in self._found:
                self._found.move_to_end(place)
                return cast(T, self._found[place][0])
        result = make()
        self._keep(place, result, weight_of((key, result), beside=beside))
        return result

    @contextmanager
    def growing(self, key: Hashable, make: Callable[[], G], *, beside: object = None) -> Iterator[G]:
        """The same for a result that may grow while it is in use: if it did, it is weighed again afterwards."""
        result = self.remembered(key, make, beside=beside)
        before = len(result)
        try:
            yield result
        finally:
            if len(result) != before:
                self._keep(_Key(key), result, weight_of((key, result), beside=beside))

    def _keep(self, key: _Key, result: object, weight: int) -> None:
        with self._lock:
            self._drop(key)
            self._found[key] = (result, weight)
            self._count(key, weight)
            self._hold_share(key.kind)
            while self._found and (len(self._found) > self._most or self._bytes > self._most_bytes):
                self._drop(next(iter(self._found)))

    def holds(self, key: Hashable) -> bool:
        """Would `remembered` answer that key without work?"""
        with self._lock:
            return _Key(key) in self._found

    def forget(self) -> None:
        """Forgets everything, for honest timings."""
        with self._lock:
            self._found.clear()
            self._of_kind.clear()
            self._bytes = 0

    @property
    def count(self) -> int:
        """Results that are kept."""
        return len(self._found)

    @property
    def bytes(self) -> int:
        """What they take with their keys, roughly [byte]."""
        return self._bytes

    @property
    def kinds(self) -> set[str]:
        """The first parts of the keys: which kinds of results are kept."""
        with self._lock:
            return {key.kind for key in self._found} - {""}

    def _drop(self, key: _Key) -> None:
        self._count(key, -self._found.pop(key, (None, 0))[1])

    def _count(self, key: _Key, weight: int) -> None:
        self._bytes += weight
        if (kind := key.kind) in SHARES:
            self._of_kind[kind] = self._of_kind.get(kind, 0) + weight

    def _hold_share(self, kind: str) -> None:
        """Forgets the least lately used of a kind while it takes more than its part."""
        most = SHARES.get(kind, 1.0) * self._most_bytes
        if self._of_kind.get(kind, 0) <= most:
            return
        for key in [key for key in self._found if key.kind == kind]:
            if self._of_kind[kind] <= most:
                break
            self._drop(key)


def whole_hash(value: Any) -> int:
    """A hash over every field of a dataclass, for those that hold mappings, which have none of their own."""
    return hash(tuple(_hashable(getattr(value, item.name)) for item in fields(value)))


def _hashable(value: Any) -> Hashable:
    return frozenset(value.items()) if isinstance(value, Mapping) else cast(Hashable, value)


def weight_of(value: object, *, beside: object = None) -> int:
    """Bytes that a value takes with all it holds, roughly: of a long sequence a few elements are weighed for all.

    What is `beside` it is not counted, nor what says of itself that it is `lasting`: nouns of the market and of the
    defaults, which hundreds of results share and others hold anyway.
    """
    return _weight(value, {id(beside)})


_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})


def _weight(value: object, seen: set[int]) -> int:
    if type(value) in _PLAIN:  # nearly everything is: this decides how long weighing takes
        return sys.getsizeof(value)
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    own = sys.getsizeof(value)
    if isinstance(value, Mapping):
        return own + _weight_of_all([*value.keys(), *value.values()], seen)
    if isinstance(value, list | tuple | set | frozenset):
        return own + _weight_of_all(list(value), seen)
    if getattr(value, "lasting", False):
        return 0
    if names := _names(cast(Hashable, type(value))):
        return own + sum([_weight(getattr(value, name), seen) for name in names])
    return own + sum(_weight(part, seen) for part in _attributes(value))


@lru_cache(maxsize=512)
def _names(kind: Hashable) -> tuple[str, ...]:
    """The fields of that class where it is a dataclass; none of another one."""
    return tuple(item.name for item in fields(kind)) if is_dataclass(kind) else ()


def _attributes(value: object) -> Iterable[object]:
    """What an object of a class of its own holds; a plain value holds nothing more."""
    return vars(value).values() if hasattr(value, "__dict__") and not isinstance(value, type) else ()


def _weight_of_all(parts: list[Any], seen: set[int]) -> int:
    if len(parts) <= _SAMPLED:
        return sum([_weight(part, seen) for part in parts])
    step = len(parts) / _SAMPLED
    return int(sum([_weight(parts[int(place * step)], seen) for place in range(_SAMPLED)]) * step)
