"""How the web server is started: from the file in the project, forked from one process that is warm."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from gunicorn.app.wsgiapp import WSGIApplication

from config import gunicorn
from jobs.management.commands.up import _children
from planner import warm
from planner.searches import SEARCHES

ROOT = Path(settings.BASE_DIR)


def test_gunicorn_takes_every_setting_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["gunicorn", "--config", "python:config.gunicorn", "--bind", "127.0.0.1:0"])
    taken = WSGIApplication().cfg
    assert taken.preload_app
    assert taken.workers == gunicorn.workers >= 2
    assert taken.keepalive == gunicorn.keepalive > 4
    assert taken.on_starting is gunicorn.on_starting
    assert taken.control_socket_disable


def test_the_application_is_asked_before_the_port_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page without the database, through every middleware: no connection is open then, as after a start."""
    monkeypatch.setattr(connections["default"], "connection", None)  # an earlier test may have left its own
    application = WSGIHandler()
    assert gunicorn.answered(application, "/healthz") == "200 OK"
    assert gunicorn.answered(application, "/no-such-page") == "404 Not Found"


def test_both_ways_to_start_use_that_file() -> None:
    web = next(child.command for child in _children(port=1, workers=1) if child.name == "web")
    assert "python:config.gunicorn" in web
    assert '"python:config.gunicorn"' in (ROOT / "Dockerfile").read_text()


def test_warming_answers_one_of_each_kind_without_a_database() -> None:
    SEARCHES.forget()
    warm.warm()
    assert {"clusters", "prospects", "sized"} <= SEARCHES.kinds
