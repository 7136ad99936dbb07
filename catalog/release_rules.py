"""The rules of a release as its file states them: `catalog/data/releases/NAME/rules.yaml`."""

from __future__ import annotations

from pathlib import Path

from catalog.releasing import Rules
from catalog.yamlfile import Located, read


def read_rules(path: Path) -> tuple[Rules, dict[str, str]]:
    """The rules, and how readings name each source → its id. CatalogError names line and field of a fault."""
    top = read(path).mapping("file")
    reasons = _texts(top["reasons"], "reasons")
    patterns = [_texts(item, "left_out") for item in top["left_out"].items("left_out")]
    for item, pattern in zip(top["left_out"].items("left_out"), patterns, strict=True):
        if pattern.get("why") not in reasons:
            raise item.fail("why", "must be one of the reasons of this file.")
    days = {name: int(text) for name, text in _texts(top["oldest_days"], "oldest_days").items()}
    return Rules(oldest_days=days, left_out=patterns, reasons=reasons), _texts(top["sources"], "sources")


def _texts(entry: Located, name: str) -> dict[str, str]:
    return {key: value.text(f"{name}.{key}") for key, value in entry.mapping(name).items()}
