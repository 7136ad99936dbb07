"""YAML as we accept it: plain data, no duplicate keys, limited in size and depth."""

from __future__ import annotations

from typing import Any

import yaml

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 32


class YamlError(ValueError):
    """The text is not YAML that we accept; the message is a sentence with the line."""


class _Loader(yaml.CSafeLoader):
    """The safe loader, refusing a key that is given twice and a value that is none."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """The value. YamlError names the line of one that looks like a number or a day and is none."""
        try:
            return super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, YamlError):
                raise
            line = node.start_mark.line + 1
            raise YamlError(
                f"the value in line {line} is no number or day that can be read: correct it or put it in quotes."
            ) from error

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """The mapping. YamlError names a key that stands twice."""
        if not isinstance(node, yaml.MappingNode):
            raise YamlError(f"the value in line {node.start_mark.line + 1} is no mapping, though its tag says so.")
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise YamlError(f"the key “{key}” in line {key_node.start_mark.line + 1} is not text.")
            if key in seen:
                raise YamlError(f"“{key}” is given twice, the second time in line {key_node.start_mark.line + 1}.")
            seen.add(key)
        return super().construct_mapping(node, deep)


def load_yaml(text: str) -> Any:
    """The document's data. YamlError when it is not one plain document."""
    if len(text) > MAX_CHARACTERS:
        raise YamlError(f"it is longer than {MAX_CHARACTERS:,} characters.")
    try:
        _check_events(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - derived from the safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise YamlError(f"{getattr(error, 'problem', None) or 'it is malformed'}{where}.") from error
    except RecursionError as error:
        raise YamlError("it is nested too deeply.") from error


def _check_events(text: str) -> None:
    """Refuse deep nesting and aliases: a few bytes of them can unfold to gigabytes."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise YamlError(f"aliases (*name) are not accepted, line {line}.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise YamlError(f"it is nested too deeply in line {line}.")
