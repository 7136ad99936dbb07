"""Hands each request of authlib to the guarded client. Imported only with the extra ``sso``."""

from __future__ import annotations

from typing import Any

import requests
from requests.adapters import BaseAdapter

from outgoing import client
from outgoing.faults import OutgoingFault


class Guarded(BaseAdapter):
    """The way out of a requests session: no redirect, bounded time and size, checked addresses."""

    def __init__(self, limits: client.Limits) -> None:
        super().__init__()
        self.limits = limits

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """The answer; requests.ConnectionError when the guarded client gives none."""
        body = request.body.encode() if isinstance(request.body, str) else request.body
        try:
            answer = client.ask(
                request.method or "GET",
                request.url or "",
                headers={name: str(value) for name, value in request.headers.items()},
                body=body,  # type: ignore[arg-type]  # authlib sends forms, never streams
                limits=self.limits,
            )
        except OutgoingFault as fault:
            raise requests.ConnectionError(str(fault)) from fault
        response = requests.Response()
        response.status_code, response._content, response.url = answer.status, answer.body, request.url or ""
        response.headers.update(answer.headers)
        response.request = request
        return response

    def close(self) -> None:
        """Nothing is kept open."""
