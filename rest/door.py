"""The API object: django-ninja with our parser, our problems and an OpenAPI file that says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import cache, partial, wraps
from typing import Any, cast

import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.operation import Operation
from ninja.parser import Parser

from rest import openapi, parts
from rest.caps import CapReached
from rest.contract import About
from rest.faults import RETRY_AFTER_S, is_passing, sentence
from rest.problems import Problem, ProblemBody, ProblemItem
from rest.reference import Reference
from rest.strict_json import MAX_BYTES, parse_object

log = structlog.get_logger("sextant.rest")
_MEDIA = re.compile(r"application/json(;\s*charset=\"?utf-8\"?)?", re.IGNORECASE)
_MERGE = re.compile(r"application/merge-patch\+json", re.IGNORECASE)


_model_of_each = Operation._create_response_model


@cache
def _model_of(answer: Any) -> Any:
    return _model_of_each(cast(Operation, None), answer)


def _made_once(self: Operation, response_param: Any) -> Any:
    return _model_of(response_param)


# ninja builds a model for each status of each operation, eight of ten of them for one and the same problem: it took most of
# the time in which a process starts. One for each kind of answer says the same.
Operation._create_response_model = _made_once  # type: ignore[method-assign]


class StrictParser(Parser):
    """Bodies as one strict JSON object."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The body's object. Problem 400, 413 or 415."""
        media = request.headers.get("Content-Type", "").strip()
        patch = request.method == "PATCH" and _MERGE.fullmatch(media)
        if not patch and not _MEDIA.fullmatch(media):
            raise Problem(415, "The body must be JSON in UTF-8: send “Content-Type: application/json”.")
        return parse_object(request.body)


class Door(NinjaAPI):
    """The one API; rooms add their routers."""

    def __init__(self, *, links: openapi.Links, about: About, **kwargs: Any) -> None:
        super().__init__(parser=StrictParser(), docs=Reference(), docs_url="/docs", **kwargs)
        self._links, self._about = links, about
        self._described: dict[str, Any] = {}
        self._fields: dict[str, frozenset[str]] = {}
        self.add_decorator(_knows_its_parameters, mode="view")
        for kind, handler in _HANDLERS.items():
            self.add_exception_handler(kind, cast(Any, handler))

    def get_openapi_schema(self, **kwargs: Any) -> Any:
        """The OpenAPI 3.1 description, finished by what the rooms' operations say about themselves.

        Made once: a visitor without an account may ask for it, and making it takes a second.
        """
        asked = repr(sorted(kwargs.items()))
        if asked not in self._described:
            self._described.clear()
            made = deepcopy(super().get_openapi_schema(**kwargs))  # parts of it are the operations' own
            finished, self._fields = openapi.finished(made, self, links=self._links, about=self._about)
            self._described[asked] = finished
        return self._described[asked]

    def fields_of(self, operation: Operation) -> frozenset[str]:
        """What may be asked of the answer of that operation in part."""
        if not self._fields:
            self.get_openapi_schema(path_params={})
        return self._fields.get(self.get_openapi_operation_id(operation), frozenset())

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of the function: operations are named once in the whole API."""
        return str(operation.view_func.__name__)


def answers(*errors: int, **models: Any) -> dict[int, Any]:
    """What an operation may answer: `ok=Body` (200), `created=`, `accepted=`, `nothing=None`, and problems by status.

    Every operation may also say 400, 401, 429 and, where its token needs a scope, 403.
    """
    names = {"ok": 200, "created": 201, "accepted": 202, "nothing": 204}
    good = {names[name]: model for name, model in models.items()}
    return {**good, **dict.fromkeys(sorted({400, 401, 403, 429, *errors}), ProblemBody)}


BODY = (413, 415, 422)
"""What an operation with a body may also say."""


def check_parameters(request: HttpRequest) -> None:
    """Does nothing when every query parameter is known and stands once; else Problem 400. Asked after the token."""
    known: frozenset[str] = getattr(request, "known_parameters", frozenset())
    items = [
        ProblemItem(parameter=name[:80], code="unknown", detail=f"There is no query parameter “{name[:80]}” here: "
                    f"{'choose from ' + ', '.join(sorted(known)) if known else 'leave it out'}.")
        for name in request.GET
        if name not in known
    ] + [
        ProblemItem(parameter=name, code="repeated", detail=f"The query parameter “{name}” stands twice: keep one.")
        for name, values in request.GET.lists()
        if name in known and len(values) > 1 and name != parts.NAME
    ]  # fmt: skip
    if parts.NAME in known and parts.NAME in request.GET:  # who asks for the whole does not wait for the description
        items += parts.faults(request, request.known_fields())  # type: ignore[attr-defined]  # set beside its parameters
    if items:
        raise Problem(400, " ".join(item.detail for item in items[:5]), code="parameter", errors=items)


def _knows_its_parameters(run: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    operation: Operation = run.__self__  # type: ignore[attr-defined]  # ninja hands over the bound method
    in_part = parts.comes_in_part(operation)
    known = frozenset((*_query_names(operation), *([parts.NAME] if in_part else [])))

    @wraps(run)
    def guarded(request: HttpRequest, **values: Any) -> HttpResponse:
        request.known_parameters = known  # type: ignore[attr-defined]  # Django's way to pass a value along
        request.known_fields = partial(operation.api.fields_of, operation)  # type: ignore[attr-defined]  # likewise
        response = run(request, **values)
        return parts.cut(response, parts.asked(request)) if in_part and parts.NAME in request.GET else response

    return guarded


def _query_names(operation: Operation) -> Iterable[str]:
    for model in operation.models:
        if model.__ninja_param_source__ == "query":
            yield from model.__ninja_flatten_map__


def _problem(request: HttpRequest, error: Exception) -> HttpResponse:
    return error.answer(request) if isinstance(error, Problem) else _unexpected(request, error)


def _http_error(request: HttpRequest, error: Exception) -> HttpResponse:
    """ninja wraps what the parser raises: the reason is its cause."""
    cause = error.__cause__
    if isinstance(cause, Problem):
        return cause.answer(request)
    if isinstance(cause, RequestDataTooBig):
        return _too_big(request, cause)
    return Problem(getattr(error, "status_code", 400), str(error)).answer(request)


def _unauthenticated(request: HttpRequest, error: Exception) -> HttpResponse:
    given = bool(request.headers.get("Authorization"))
    reason = ', error="invalid_token"' if given else ""
    return Problem(
        401,
        "This token is not valid: it is wrong, revoked or has expired."
        if given
        else "Send “Authorization: Bearer sxt_…” with a token of your team.",
        headers={"WWW-Authenticate": f'Bearer realm="sextant"{reason}'},
    ).answer(request)


def _not_found(request: HttpRequest, error: Exception) -> HttpResponse:
    return Problem(404, str(error) or "There is nothing here with this id.").answer(request)


def _full(request: HttpRequest, error: Exception) -> HttpResponse:
    return Problem(409, str(error)).answer(request)


def _forbidden(request: HttpRequest, error: Exception) -> HttpResponse:
    return Problem(403, str(error) or "This token may not do that.").answer(request)


def _too_big(request: HttpRequest, error: Exception) -> HttpResponse:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return Problem(
        413, f"The body is too large: send at most {MAX_BYTES:,} bytes, where it is a file {most:,}."
    ).answer(request)


def _unreadable(request: HttpRequest, error: Exception) -> HttpResponse:
    return Problem(400, "The body ended before it was whole.").answer(request)


def _invalid(request: HttpRequest, error: Exception) -> HttpResponse:
    """Faults in query, path and headers, and a missing body; bodies themselves are read by `rest.bodies`."""
    faults = error.errors if isinstance(error, ValidationError) else []
    if any(fault["loc"][0] == "path" for fault in faults):
        return Problem(404, "There is nothing here with this id.").answer(request)
    if any(fault["loc"][0] == "body" for fault in faults):
        return Problem(400, "The body is empty: send a JSON object.").answer(request)
    items = [_parameter_item(fault) for fault in faults]
    return Problem(400, " ".join(item.detail for item in items), code="parameter", errors=items).answer(request)


def _parameter_item(fault: dict[str, Any]) -> ProblemItem:
    name = str(fault["loc"][1]) if len(fault["loc"]) > 1 else "query"
    words = str(fault["msg"]).replace("Input should", "must").replace("String should", "must").replace("Field", "is")
    return ProblemItem(parameter=name, code=str(fault["type"]), detail=f"“{name}” {words[:1].lower()}{words[1:]}.")


def _unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    if is_passing(error):
        log.warning("passing_fault", path=request.path, error=type(error).__name__)
        return Problem(503, sentence(error), headers={"Retry-After": str(RETRY_AFTER_S)}).answer(request)
    log.error("unexpected", path=request.path, exc_info=error)
    return Problem(
        500, "The request could not be answered; nothing was changed. Quote the request_id when you report it."
    ).answer(request)


_HANDLERS: dict[type[Exception], Callable[[HttpRequest, Exception], HttpResponse]] = {
    Problem: _problem,
    Http404: _not_found,
    PermissionDenied: _forbidden,
    CapReached: _full,
    AuthenticationError: _unauthenticated,
    HttpError: _http_error,
    ValidationError: _invalid,
    RequestDataTooBig: _too_big,
    UnreadablePostError: _unreadable,
    Exception: _unexpected,
}
