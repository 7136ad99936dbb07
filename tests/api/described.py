"""What the committed description says of each operation, and which operation an answer came from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from django.urls import Resolver404

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/openapi.json").read_text(encoding="utf-8"))
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method.upper(), path.removeprefix("/api/v1"), operation)
    for path, methods in SCHEMA["paths"].items()
    for method, operation in methods.items()
}
"""Method, path below /api/v1 and description by the operation's name."""
DESCRIBED = {(name, int(status)) for name, (_, _, operation) in OPERATIONS.items() for status in operation["responses"]}
_BY_ROUTE = {(method, path): name for name, (method, path, _) in OPERATIONS.items()}


def breaks(schema: Any, value: Any) -> list[str]:
    """What that value breaks of that schema, each with its path. Every process of a run reads this file, few of them check a
    shape, and the validator takes three seconds to import: it builds forty parsers."""
    from openapi_schema_validator import OAS31Validator

    return [f"{error.json_path}: {error.message[:200]}" for error in OAS31Validator(schema).iter_errors(value)]


def operation_of(response: Any) -> str | None:
    """The name of the operation that gave this answer, by the route that Django took; None for a path that is none."""
    try:  # looked up when it is read
        route = response.resolver_match.route
    except Resolver404:
        return None
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", f"/{route}").removeprefix("/api/v1")
    return _BY_ROUTE.get((response.wsgi_request.method, path))
