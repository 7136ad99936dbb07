"""What can go wrong, each with one sentence for people. No error ever carries the token."""

from __future__ import annotations

from dataclasses import dataclass


class SextantError(Exception):
    """Anything of this package."""


class Unreachable(SextantError):
    """The server did not answer."""


class DownloadFailed(SextantError):
    """A file came, but not whole or not with its hash."""


class ExportFailed(SextantError):
    """A document was not made; the message says why."""


@dataclass(frozen=True)
class Fault:
    """One thing to change: where in the body, or which parameter."""

    detail: str
    code: str
    pointer: str = ""
    parameter: str = ""

    @property
    def place(self) -> str:
        """The field as people write it: `training.tokens`; empty for the whole."""
        parts = [part.replace("~1", "/").replace("~0", "~") for part in self.pointer.split("/")[1:]]
        return self.parameter or ".".join(parts)


class ApiProblem(SextantError):
    """The server refused (RFC 9457): `status`, `code` (the end of its type), `errors`, `request_id`."""

    def __init__(self, status: int, body: dict[str, object]) -> None:
        super().__init__(str(body.get("detail") or body.get("title") or f"The server answered {status}."))
        self.status = status
        self.code = str(body.get("type") or "").rpartition("/")[2]
        self.request_id = str(body.get("request_id") or "")
        found = body.get("errors")
        self.errors = tuple(_fault(item) for item in found if isinstance(item, dict)) if isinstance(found, list) else ()


def _fault(item: dict[str, object]) -> Fault:
    return Fault(*(str(item.get(name) or "") for name in ("detail", "code", "pointer", "parameter")))
