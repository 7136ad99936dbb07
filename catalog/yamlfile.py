"""YAML read as text with line numbers, so that an error can name file, line and field."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class CatalogError(ValueError):
    """A catalog file is wrong: which file, line and field, and what to change."""

    def __init__(self, file: str, line: int, field: str, message: str) -> None:
        super().__init__(f"{file}, line {line}, {field}: {message}")
        self.file, self.line, self.field, self.message = file, line, field, message

    def __reduce__(self) -> tuple[type[CatalogError], tuple[str, int, str, str]]:
        """So that one raised in another process arrives."""
        return type(self), (self.file, self.line, self.field, self.message)


@dataclass(frozen=True, slots=True)
class Located:
    """One YAML value and the line it stands on; scalars stay text until a schema says what they are."""

    value: str | dict[str, Located] | list[Located] | None
    file: str
    line: int

    def fail(self, field: str, message: str) -> CatalogError:
        """The error to raise about this value."""
        return CatalogError(self.file, self.line, field, message)

    def mapping(self, field: str) -> dict[str, Located]:
        """This value as a mapping. CatalogError when it is something else."""
        if not isinstance(self.value, dict):
            raise self.fail(field, "must be a mapping of names to values.")
        return self.value

    def items(self, field: str) -> list[Located]:
        """This value as a list. CatalogError when it is something else."""
        if not isinstance(self.value, list):
            raise self.fail(field, "must be a list.")
        return self.value

    def text(self, field: str) -> str:
        """This value as text. CatalogError when it is empty, a list or a mapping."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.fail(field, "must be one value and not empty.")
        return self.value.strip()


def read(path: Path) -> Located:
    """The whole file. CatalogError when it is not YAML or repeats a key."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise CatalogError(path.name, line, "file", f"is not YAML: {getattr(error, 'problem', error)}.") from error
    if node is None:
        raise CatalogError(path.name, 1, "file", "is empty.")
    return _located(node, path.name)


def _located(node: yaml.Node, file: str) -> Located:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        return Located(None if node.tag == "tag:yaml.org,2002:null" else node.value, file, line)
    if isinstance(node, yaml.SequenceNode):
        return Located([_located(child, file) for child in node.value], file, line)
    found: dict[str, Located] = {}
    for key, value in node.value:
        if key.value in found:
            raise CatalogError(file, key.start_mark.line + 1, key.value, "stands here twice; keep one.")
        found[key.value] = _located(value, file)
    return Located(found, file, line)
