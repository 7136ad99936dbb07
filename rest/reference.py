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


class Reference(DocsBase):
    """Every operation by group, with its parameters, body and answers."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        """The page; readable without a login, as the description is."""
        schema = api.get_openapi_schema(path_params=kwargs)
        groups: dict[str, list[dict[str, Any]]] = {}
        for path, methods in schema["paths"].items():
            for method, operation in methods.items():
                groups.setdefault(operation["tags"][0], []).append(_row(path, method, operation))
        context = {"groups": groups, "about": schema["info"]["description"], "version": schema["info"]["version"]}
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


def _row(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "description": operation.get("description", ""),
        "scope": next(iter(operation["security"][0]["Bearer"]), ""),
        "parameters": operation["parameters"],
        "body": _body(operation.get("requestBody", {}).get("content", {})),
        "answers": [
            (status, response["description"]) for status, response in sorted(operation["responses"].items(), key=str)
        ],
    }


def _body(content: dict[str, Any]) -> str:
    """Name of the body's schema, `object` for one without, the media types of files."""
    names = [
        (part["schema"].get("$ref", "").rpartition("/")[2] or "object") if media == "application/json" else media
        for media, part in content.items()
    ]
    return " or ".join(names)
