"""What a process keeps for its threads: bounded, and whole for whoever asks."""

from __future__ import annotations

from catalog.kept import Kept


def test_the_least_lately_used_is_forgotten_first() -> None:
    kept: Kept[str] = Kept(2)
    for key in ("a", "b", "a", "c"):
        kept.of(key, key.upper)
    assert (kept.found("a"), kept.found("b"), kept.found("c")) == ("A", None, "C")


def test_what_others_push_out_meanwhile_is_the_askers_all_the_same() -> None:
    """Eight threads share a process: one that reads a market must not be told that there is none."""
    kept: Kept[str] = Kept(1)

    def made() -> str:
        kept.keep("another", "market")
        kept.forget()
        return "mine"

    assert kept.of("mine", made) == "mine"
    assert kept.of("mine", lambda: "made twice") == "mine"
