"""The reference page of the API, made of its own description: no script and nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
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


def _row(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "description": operation.get("description", ""),
        "scope": next(iter(operation["security"][0]["Bearer"]), ""),
        "parameters": operation["parameters"],
        "body": body.get("$ref", "").rpartition("/")[2] or ("object" if body else ""),
        "answers": [
            (status, response["description"]) for status, response in sorted(operation["responses"].items(), key=str)
        ],
    }
