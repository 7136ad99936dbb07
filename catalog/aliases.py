"""Names that price files and publications use for an accelerator → our slug."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path

from catalog.facts import load
from catalog.yamlfile import Located, read

_FILE = Path(__file__).resolve().parent / "data" / "aliases.yaml"
_NOISE = re.compile(r"[\s\-_()/.]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One line of the table: what it fits, the slug, and the count where price files are wrong or silent."""

    slug: str
    provider: str = ""
    name: str = ""
    instance: re.Pattern[str] | None = None
    memory_gib: float = 0.0
    count: Decimal | None = None

    def fits(self, provider: str, name: str, instance: str, memory_gib: float) -> bool:
        """Does this rule speak about that row?"""
        return (
            self.provider in ("", provider)
            and (not self.name or _plain(self.name) == _plain(name))
            and (self.instance is None or self.instance.fullmatch(instance.strip()) is not None)
            and (not self.memory_gib or abs(self.memory_gib - memory_gib) < 0.07 * self.memory_gib)
        )


@cache
def _table() -> tuple[tuple[Rule, ...], dict[str, str]]:
    root = read(_FILE).mapping("file")
    rules = tuple(_rule(entry) for entry in root["rules"].items("rules"))
    return rules, {key: found.text(f"names.{key}") for key, found in root["names"].mapping("names").items()}


def _rule(entry: Located) -> Rule:
    parts = {key: found.text(f"rules.{key}") for key, found in entry.mapping("rules").items()}
    try:
        return Rule(
            slug=parts["slug"],
            provider=parts.get("provider", ""),
            name=parts.get("name", ""),
            instance=re.compile(parts["instance"]) if "instance" in parts else None,
            memory_gib=float(parts.get("memory_gib", 0)),
            count=Decimal(parts["count"]) if "count" in parts else None,
        )
    except (KeyError, re.error, ArithmeticError, ValueError) as error:
        raise entry.fail("rules", f"is wrong: {error!r}.") from error


def _plain(name: str) -> str:
    return _NOISE.sub("", name).lower()


@lru_cache(maxsize=4096)
def accelerator_slug(name: str, *, provider: str = "", instance: str = "", memory_gib: float = 0.0) -> str | None:
    """Our slug for that name, or None when we do not know it. Slugs are their own aliases."""
    rule = _rule_for(provider, name, instance, memory_gib)
    if rule is not None:
        return rule.slug
    names = _table()[1]
    if name.strip().lower() in _slugs():
        return name.strip().lower()
    return names.get(_plain(name))


@lru_cache(maxsize=4096)
def corrected_count(provider: str, instance: str) -> Decimal | None:
    """The accelerators of that instance type where we know better than price files, else None."""
    rule = _rule_for(provider, "", instance, 0.0)
    return rule.count if rule is not None else None


def _rule_for(provider: str, name: str, instance: str, memory_gib: float) -> Rule | None:
    if not provider:
        return None
    return next((rule for rule in _table()[0] if rule.fits(provider, name, instance, memory_gib)), None)


@cache
def _slugs() -> frozenset[str]:
    return frozenset(record.slug for record in load().of("accelerator"))
