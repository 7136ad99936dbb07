"""A spec in a file: the server reads YAML and quantities, so that equal files give equal plans through every door."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from sextant_client import types as t
from sextant_client.client import Sextant
from sextant_client.errors import ApiProblem

_CONFIG = re.compile(r"\bconfig\s*:\s*(?:\"([^\"]+)\"|'([^']+)'|([^\s\"'{},]+))")
_NEEDED = "/config"


class SpecFileError(Exception):
    """The file cannot be read; the message says why."""


def read_spec_file(api: Sextant, name: str) -> t.Spec:
    """The spec in that file (`-`: standard input), its model's config.json read from beside it if it names one.

    SpecFileError, or ApiProblem with the faults of the spec.
    """
    text = _text(name)
    try:
        return api.read_spec(text)
    except ApiProblem as problem:
        if [fault.pointer for fault in problem.errors] != [_NEEDED]:
            raise
    found = _CONFIG.search(text)
    if found is None:
        raise SpecFileError(f"“{name}” takes its model from a file, but does not name it in one line.")
    path = (Path() if name == "-" else Path(name).parent) / next(part for part in found.groups() if part)
    return api.read_spec(text, config=_config(path))


def _text(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SpecFileError(f"“{name}” cannot be read: {reason}.") from None


def _config(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise SpecFileError(f"“model.config”: {path} is not a readable JSON file.") from None
    if not isinstance(content, dict):
        raise SpecFileError(f"“model.config”: {path} must hold a JSON object.")
    return content
