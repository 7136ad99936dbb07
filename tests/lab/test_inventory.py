"""Nothing that a user had is lost."""

from __future__ import annotations

from lab.inventory import inventory, listed


def test_everything_on_the_kept_list_is_there() -> None:
    found, kept = inventory(), listed()

    assert {kind: set(names) - set(found[kind]) for kind, names in kept.items()} == {kind: set() for kind in kept}
    assert min(map(len, kept.values())) > 10
