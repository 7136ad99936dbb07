"""The models one can pick: `catalog/data/models` as engine architectures, found by slug or by the names of others."""

from __future__ import annotations

import difflib
import re
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any

from catalog.yamlfile import Located, read
from engine.inputs.architecture import Architecture, Decoder, Mla, Moe, Ssm, Tables

DATA = Path(__file__).resolve().parent / "data"
_NOISE = re.compile(r"[\s\-_.()/]+")


class UnknownModel(KeyError):
    """No preset has that name; `closest` holds up to three that come near."""

    def __init__(self, name: str, closest: list[str]) -> None:
        hint = f" Did you mean {', '.join(closest)}?" if closest else ""
        self.name, self.closest, self.message = name, closest, f"There is no model “{name[:80]}” in the catalog.{hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


@cache
def architectures() -> dict[str, Architecture]:
    """Every preset by slug. CatalogError names file, line and field of a fault."""
    found: dict[str, Architecture] = {}
    for path in sorted((DATA / "models").glob("*.yaml")):
        root = read(path).mapping("file")
        defaults = root["defaults"].mapping("defaults") if "defaults" in root else {}
        for slug, entry in root["models"].mapping("models").items():
            if slug in found:
                raise entry.fail(slug, "stands in two model files; keep one.")
            found[slug] = _architecture(slug, defaults | entry.mapping(slug), entry)
    return found


@cache
def model_aliases() -> dict[str, str]:
    """Names that publications use, reduced to letters and digits, → slug."""
    entries = read(DATA / "model_aliases.yaml").mapping("file")["aliases"].mapping("aliases")
    named = {plain(arch.name): slug for slug, arch in architectures().items()}
    for name, found in entries.items():
        if found.text(name) not in architectures():
            raise found.fail(name, f"“{found.text(name)}” is not a model of this folder.")
        named[plain(name)] = found.text(name)
    return named | {plain(slug): slug for slug in architectures()}


def plain(name: str) -> str:
    """The name in lower case without blanks, points, hyphens, underscores and brackets."""
    return _NOISE.sub("", name).lower()


def find_model(name: str) -> Architecture:
    """The preset of that slug or alias. UnknownModel names the three closest."""
    slug = model_aliases().get(plain(name))
    if slug is None:
        near = difflib.get_close_matches(plain(name)[:80], model_aliases(), n=6, cutoff=0.5)
        raise UnknownModel(name, list(dict.fromkeys(model_aliases()[key] for key in near))[:3])
    return architectures()[slug]


def _architecture(slug: str, values: dict[str, Located], entry: Located) -> Architecture:
    arch: Architecture = _build(Architecture, {**values, "slug": Located(slug, entry.file, entry.line)}, slug, entry)
    if not arch.source or not arch.source_date:
        raise entry.fail(f"{slug}.source", "is missing; say where the values come from, and their date.")
    return arch


def _build(kind: type[Any], values: dict[str, Located], path: str, entry: Located) -> Any:
    """The dataclass of those values, each turned into the type of its field."""
    hints = typing.get_type_hints(kind)
    parts: dict[str, Any] = {}
    for name, found in values.items():
        if name not in hints:
            raise found.fail(f"{path}.{name}", "is not a field of a model; see engine/inputs/architecture.py.")
        parts[name] = _typed(hints[name], found, f"{path}.{name}")
    try:
        return kind(**parts)
    except TypeError as error:
        raise entry.fail(path, f"is incomplete: {error}.") from error


def _typed(hint: Any, found: Located, path: str) -> Any:
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for kind in (Decoder, Mla, Moe, Ssm, Tables):
        if kind in options:
            return _build(kind, found.mapping(path), path, found)
    text = found.text(path)
    try:
        if hint is bool:
            return {"true": True, "false": False}[text]
        if hint is int:
            return int(text)
        return float(text) if hint is float else text
    except (KeyError, ValueError) as error:
        raise found.fail(path, f"“{text}” must be a {'yes/no value' if hint is bool else 'number'}.") from error
