"""Watches a whole run of the tests for secrets: what is logged, answered, and written into files for people.

Registered by tests/conftest.py. Every log record is looked at as it would be printed, and every answer, be it a page for
Chromium, a problem of the API or a chart, with its headers; at the end every export that a test has stored is opened,
zipped parts included. A find fails the run and is named. Tests that plant their own secrets
(tests/abuse/test_secrets.py) look further; this looks everywhere.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import zipfile
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

PASSWORDS = ("correct horse battery",)
"""Typed by tests where people type a password."""
_SHAPES = re.compile(
    r"sxt_[a-z0-9]{12}_[A-Za-z0-9]{34}"  # a token of ours
    r"|whsec_[A-Za-z0-9+/=]{24,}"  # the secret of a webhook
    r"|/(?:shared|invitation)/[A-Za-z0-9_-]{32}"  # the address of a link is its key
    r"|argon2\$|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|Authorization['\": ]+Bearer [A-Za-z0-9_]{20}"
)
# Keys that a page shows once, to whom they belong, are no leak there; these are, wherever they stand.
_NEVER_SHOWN = re.compile(r"argon2\$|-----BEGIN [A-Z ]*PRIVATE KEY")
_KEYS = ("SECRET_KEY", "TOKEN_PEPPER", "EMAIL_HOST_PASSWORD", "OIDC_CLIENT_SECRET")
_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_MOST_SHOWN = 20


def secrets_in(text: str, shapes: re.Pattern[str] = _SHAPES) -> list[str]:
    """What stands in that text and should not: a shape, or a key of the settings. Only the beginning of each."""
    keys = [getattr(settings, name, "") for name in _KEYS]
    found = [word for word in (*PASSWORDS, *keys) if word and len(word) > 8 and word in text]
    return [word[:12] + "…" for word in (*found, *shapes.findall(text))]


def secrets_shown(response: HttpResponseBase) -> list[str]:
    """What stands in that answer or its headers and is for nobody's eyes; a stream is a stored file, opened later."""
    content: bytes = getattr(response, "content", b"")
    return secrets_in(content.decode("utf-8", "replace") + repr(dict(response.headers)), _NEVER_SHOWN)


def texts_of(data: bytes) -> Iterator[str]:
    """The bytes as text, and what is packed inside them: parts of a zip, streams of a PDF."""
    yield data.decode("latin-1")
    if data[:4] == b"PK\x03\x04":
        with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield from texts_of(archive.read(name))
    if data[:5] == b"%PDF-":
        for stream in _STREAM.findall(data):
            try:
                yield zlib.decompress(stream).decode("latin-1")
            except zlib.error:
                continue


class Leaks(logging.Handler):
    """The watch over one process of a run."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__()
        self.config, self.found = config, [str(line) for line in ()]
        self.test = ""

    @contextlib.contextmanager
    def answers(self) -> Iterator[None]:
        """Looks at what Django answers in this process, to test clients and to browsers, within the block."""
        usual = BaseHandler.get_response

        def get_response(handler: BaseHandler, request: HttpRequest) -> HttpResponseBase:
            response = usual(handler, request)
            self.found += [f"{self.test}: {item} in the answer to {request.path}" for item in secrets_shown(response)]
            return response

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(BaseHandler, "get_response", get_response)
            yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Watches the answers of all tests."""
        with self.answers():
            return (yield)

    def emit(self, record: logging.LogRecord) -> None:
        """Looks at one log record as it would be printed, its traceback included."""
        try:
            words = self.format(record) + repr(record.__dict__.get("msg", ""))
        except Exception:  # a broken record is for the logging module to report
            return
        self.found += [f"{self.test}: {item} in a log line of {record.name}" for item in secrets_in(words)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Notes the test, and looks on even where a test has set up logging anew."""
        self.test = item.nodeid
        root = logging.getLogger()
        if self not in root.handlers:
            root.addHandler(self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Opens the stored exports; hands over to the process that prints, or fails the run."""
        logging.getLogger().removeHandler(self)
        factory: Any = getattr(session.config, "_tmp_path_factory", None)
        base = getattr(factory, "_basetemp", None)
        for path in Path(base).rglob("exports/*/*") if base else ():
            if path.is_file() and path.stat().st_size < 20_000_000:
                finds = {item for text in texts_of(path.read_bytes()) for item in secrets_in(text)}
                self.found += [f"{path}: {item} in a stored file" for item in sorted(finds)]
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["leaks"] = self.found
        elif self.found:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Takes over what a worker of xdist has found."""
        self.found += getattr(node, "workeroutput", {}).get("leaks", [])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Names what was found."""
        for line in self.found[:_MOST_SHOWN]:
            terminalreporter.write_line(f"A SECRET LEAKED: {line}", red=True)
