"""Where the request that is being answered came from, for the audit trail: whoever writes an event need not hand it down."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from accounts import throttle

_address: ContextVar[str] = ContextVar("address", default="")


def address() -> str:
    """The visitor's address; empty in a command or a worker, which nobody visits."""
    return _address.get()


class Origin:
    """Keeps the visitor's address while a request is answered; the next one of the same thread begins without it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        kept = _address.set(throttle.address_of(request))
        try:
            return self.get_response(request)
        finally:
            _address.reset(kept)
