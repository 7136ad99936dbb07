"""The last strokes of the OpenAPI file: problems as such, scopes, keys, and what the rooms add to their schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ninja import NinjaAPI

from rest import contract, parts
from rest.contract import About
from rest.problems import MEDIA_TYPE

Json = dict[str, Any]
Links = Mapping[tuple[str, int], Mapping[str, Mapping[str, str]]]
"""(operation, status) → the operation that can follow → its parameters as runtime expressions."""
_adjustments: list[Callable[[Json], None]] = []
_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A repeated request with the same key does nothing twice and gets the first answer; kept for 24 h.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}


def adjusts(step: Callable[[Json], None]) -> Callable[[Json], None]:
    """Registers a step over `components.schemas`, for answers that differ from the dataclass they are made of."""
    _adjustments.append(step)
    return step


def finished(schema: Json, api: NinjaAPI, *, links: Links, about: About) -> tuple[Json, dict[str, frozenset[str]]]:
    """The description that is served and committed; and for each operation what may be asked of its answer in part."""
    operations = {str(name): found for name, found in _operations(api)}
    for methods in schema["paths"].values():
        for operation in methods.values():
            _finish(operation, operations[operation["operationId"]])
            for status, response in operation["responses"].items():
                _link(response, links.get((operation["operationId"], int(status)), {}))
    for step in _adjustments:
        step(schema["components"]["schemas"])
    schema["components"]["securitySchemes"] = {
        "Bearer": {"type": "http", "scheme": "bearer", "description": "An API token of a team: sxt_…"}
    }
    whole = contract.finish(schema, api, about)
    known = parts.describe(whole, operations)
    whole["components"]["schemas"] = dict(sorted(whole["components"]["schemas"].items()))
    return whole, known


def _link(response: Json, following: Mapping[str, Mapping[str, str]]) -> None:
    if following:
        response["links"] = {
            name: {"operationId": name, "parameters": dict(parameters)} for name, parameters in following.items()
        }


def _operations(api: NinjaAPI) -> Any:
    for router in api._get_bound_routers():
        for path_view in router.path_operations.values():
            for operation in path_view.operations:
                yield api.get_openapi_operation_id(operation), operation


def _finish(shown: Json, operation: Any) -> None:
    scope = getattr(operation.auth_callbacks[0], "scope", "") if operation.auth_callbacks else ""
    shown["security"] = [{"Bearer": []}]
    if scope:
        shown["x-scope"] = scope
        shown["description"] = f"{shown['description']}\n\nScope: `{scope}`."
    else:
        del shown["responses"][403]
    if 428 in shown["responses"] and 201 not in shown["responses"]:  # where nothing can be made, something is changed
        for parameter in shown["parameters"]:
            parameter["required"] |= parameter["name"] == "If-Match"
    if "GET" in operation.methods:  # every answer to one has an ETag: rest.answers.found and exports.download
        shown["responses"].setdefault(304, {"description": "Not Modified"})
    if getattr(operation.view_func, "idempotent", False):
        shown["parameters"].append(_KEY)
    for status, response in shown["responses"].items():
        if int(status) >= 400 and "content" in response:
            response["content"] = {MEDIA_TYPE: response["content"].pop("application/json")}
        if int(status) in (201, 202):
            response["headers"] = {
                "Location": {"description": "Address of what was made.", "schema": {"type": "string"}}
            }
        if int(status) == 429:
            response["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "string"}}}
