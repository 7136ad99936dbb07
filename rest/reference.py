"""The reference page of the API, made of its own description: no script and nothing from elsewhere."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import yaml
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

from rest.shown import curl, example_text, fields_of, limits_of, python, type_of


class Reference(DocsBase):
    """Every operation by group, with its parameters, body and answers."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        """The page; readable without a login, as the description is."""
        schema = api.get_openapi_schema(path_params=kwargs)
        groups: dict[str, list[dict[str, Any]]] = {}
        for path, methods in schema["paths"].items():
            for method, operation in methods.items():
                row = _row(path, method, operation, schema["components"]["schemas"])
                groups.setdefault(operation["tags"][0], []).append(row)
        told = {tag["name"]: tag["description"] for tag in schema["tags"]}
        context = {
            "groups": [(name, told[name], rows) for name, rows in groups.items()],
            "about": schema["info"]["description"],
            "version": schema["info"]["version"],
        }
        return render(request, "rest/reference.html", context)


@cache
def _as_yaml(api: NinjaAPI) -> bytes:
    """The same description for tools that take YAML; made once, because writing it takes a second."""
    schema = json.loads(json.dumps(api.get_openapi_schema(path_params={})))
    text = yaml.dump(schema, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()


@require_safe
def described_in_yaml(request: HttpRequest, api: NinjaAPI) -> HttpResponse:
    """`openapi.yaml`, readable without a login as `openapi.json` is."""
    return HttpResponse(_as_yaml(api), content_type="application/yaml")


@require_safe
def schemas(request: HttpRequest, api: NinjaAPI) -> HttpResponse:
    """Every schema with its fields, readable without a login as the description is."""
    found = api.get_openapi_schema(path_params={})["components"]["schemas"]
    rows = [
        {"name": name, "description": schema.get("description", ""), "fields": fields_of(schema)}
        for name, schema in found.items()
    ]
    return render(request, "rest/schemas.html", {"schemas": rows})


def _row(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    sent: dict[str, Any] = next(iter(content.values()), {})
    name = str(sent.get("schema", {}).get("$ref", "")).rpartition("/")[2]
    return {
        "fields": fields_of(schemas[name]) if name else [],
        "schema": name,
        "sent": example_text(sent["example"]) if "example" in sent else "",
        "got": _answered(operation["responses"]),
        "curl": curl(method.upper(), path, operation),
        "python": python(operation),
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "description": operation.get("description", ""),
        "scope": operation.get("x-scope", ""),
        "parameters": [
            {**one, "type": type_of(one["schema"]), "limits": limits_of(one["schema"])}
            for one in operation["parameters"]
        ],
        "body": _body(operation.get("requestBody", {}).get("content", {})),
        "answers": [
            (status, response["description"]) for status, response in sorted(operation["responses"].items(), key=str)
        ],
    }


def _answered(responses: dict[Any, Any]) -> list[dict[str, str]]:
    """What comes back when all is well: status, schema and an example."""
    found = []
    for status, response in responses.items():
        content = response.get("content", {}).get("application/json", {})
        if "example" in content:
            kind = type_of(content["schema"])
            found.append({"status": str(status), "kind": kind, "example": example_text(content["example"])})
    return found


def _body(content: dict[str, Any]) -> str:
    """Name of the body's schema, `object` for one without, the media types of files."""
    names = [
        (part["schema"].get("$ref", "").rpartition("/")[2] or "object") if media == "application/json" else media
        for media, part in content.items()
    ]
    return " or ".join(names)
