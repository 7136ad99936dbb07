"""Whole things that a process keeps for its threads, the least lately used forgotten first: catalogs, markets, plans."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """At most so many things by key. Two threads may make one at the same time; whoever asks gets a whole one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[str, T] = OrderedDict()
        self._lock = Lock()

    def of(self, key: str, make: Callable[[], T]) -> T:
        """The thing of that key, made if it is not there. What is forgotten meanwhile is the asker's all the same."""
        found = self.found(key)
        return self.keep(key, make()) if found is None else found

    def found(self, key: str) -> T | None:
        """The thing of that key if it is there."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
            return self._things.get(key)

    def keep(self, key: str, thing: T) -> T:
        """Keeps that thing, and forgets others if they are too many now."""
        with self._lock:
            self._things[key] = thing
            self._things.move_to_end(key)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        return thing

    def forget(self) -> None:
        """Forgets all of them."""
        with self._lock:
            self._things.clear()
