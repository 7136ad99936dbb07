"""What the reference shows of an operation: its fields, an example, and how one sends it with curl and with Python."""

from __future__ import annotations

import json
import shlex
from typing import Any

Json = dict[str, Any]
MOST_CHARACTERS = 4_000
"""Of an example that is shown; the whole stands in the description."""

BYTES = {
    "get_file": 'api.download_export(export, Path("plan.pdf"))',
    "get_quotation_letter": 'api.download_letter("quotation_id", letter, Path("letter.pdf"))',
    "get_bundle": 'api.download_bundle("plan_id", number, Path("plan.zip"))',
}
"""Operations that answer with a file, which the package stores whole and with its hash."""


def fields_of(schema: Json) -> list[Json]:
    """The properties of an object, in order: name, type, whether it is always there, limits and meaning."""
    required = set(schema.get("required", ()))
    return [
        {
            "name": name,
            "type": type_of(field),
            "link": _linked(field),
            "required": name in required,
            "limits": limits_of(field),
            "description": field.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
    ]


def type_of(schema: Json) -> str:
    """The type in a few words: `string`, `list of Part`, `Offer or null`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(type_of(part) for part in schema[key]))
    if "const" in schema:
        return json.dumps(schema["const"])
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def limits_of(schema: Json) -> str:
    """What values it may have, beside its type."""
    parts = [schema, *schema.get("anyOf", ())]
    words = [f"one of {', '.join(map(str, part['enum']))}" for part in parts if "enum" in part]
    for key, said in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<")):
        words += [f"{said} {part[key]:g}" for part in parts if isinstance(part.get(key), int | float)]
    words += [f"at most {part['maxLength']} characters" for part in parts if "maxLength" in part]
    if schema.get("default") not in (None, "", []):
        words.append(f"default {json.dumps(schema['default'])}")
    return "; ".join(words)


def _linked(schema: Json) -> str:
    """The name of the schema that it leads to, if any."""
    text = json.dumps({key: schema[key] for key in ("$ref", "anyOf", "allOf", "items") if key in schema})
    found = text.partition("#/components/schemas/")[2].partition('"')[0]
    return found.rstrip("\\")


def example_text(value: Any) -> str:
    """The example for people, cut where it is long."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n…"


def curl(method: str, path: str, operation: Json) -> str:
    """The request with curl; `SEXTANT_URL` and `SEXTANT_TOKEN` are set."""
    parts = ["curl -s", *([f"-X {method}"] if method != "GET" else []), f'"$SEXTANT_URL{path}"']
    parts.append('-H "Authorization: Bearer $SEXTANT_TOKEN"')
    headers = [item["name"] for item in operation["parameters"] if item["in"] == "header" and item.get("required")]
    parts += [f"""-H '{name}: "…"'""" for name in headers]
    for media, content in list(operation.get("requestBody", {}).get("content", {}).items())[:1]:
        parts.append(f"-H 'Content-Type: {media}'")
        if isinstance(content.get("example"), str):
            parts.append(f"--data-binary {shlex.quote(content['example'])}")
        elif "example" in content:
            parts.append(f"-d {shlex.quote(json.dumps(content['example'], ensure_ascii=False))}")
        else:
            parts.append("--data-binary @file")
    return " \\\n  ".join(parts)


def python(operation: Json) -> str:
    """The same with the package `sextant_client`."""
    given = [f'"{parameter["name"]}"' for parameter in operation["parameters"] if parameter["in"] == "path"]
    given += ["body"] if "requestBody" in operation else []
    given += [
        "if_match=etag(read)" for item in operation["parameters"] if item["name"] == "If-Match" and item["required"]
    ]
    head = "from sextant_client import Sextant\n\napi = Sextant(url, token)\n"
    if operation["operationId"] in BYTES:
        return f"{head}path = {BYTES[operation['operationId']]}"
    return f"{head}answer = api.{operation['operationId']}({', '.join(given)})"
