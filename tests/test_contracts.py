"""Who may import whom, beyond what import-linter can say."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENGINE = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "engine").rglob("*.py")
)
ALLOWED_TO_EXPORTS = (
    "engine.answer",
    "engine.inputs.spec",
    "engine.inputs.finding",
    "engine.inputs.quantity",
    "engine.inputs.currency",
    "engine.inputs.kind",
    "engine.inputs.origin",
    "engine.money.expressions",
)
PACKAGES = {"engine", "engine.inputs", "engine.money"}
"""Named by an import of one of their modules, never for what they export themselves."""
FORBIDDEN_TO_ENGINE = (
    "django",
    "ninja",
    "celery",
    "kombu",
    "pydantic",
    "yaml",
    "structlog",
    "catalog",
    "jobs",
    "accounts",
)

_IMPORT_ALONE = f"""
import sys
for name in {FORBIDDEN_TO_ENGINE!r}:
    sys.modules[name] = None  # importing it raises ImportError
import importlib
for module in {ENGINE!r}:
    importlib.import_module(module)
print("imported", {len(ENGINE)})
"""


def _imports(path: Path) -> set[str]:
    """The modules that the file imports, as dotted names; ``from a import b`` gives a and a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_engine_imports_where_django_cannot_be_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALONE], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["imported", str(len(ENGINE))]


def test_engine_imports_only_what_it_may() -> None:
    allowed = sys.stdlib_module_names | {"numpy", "annotated_types"}
    others = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "engine").rglob("*.py")
        for name in _imports(path)
        if name.split(".")[0] not in allowed | ({"numba"} if path.stem == "simulate" else set())
        and not name.startswith("engine")
    }

    assert others == set()


def test_charts_import_the_standard_library_only() -> None:
    others = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "charts").rglob("*.py")
        for name in _imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"charts"}
    }

    assert others == set()


@pytest.mark.parametrize("path", sorted((ROOT / "exports").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_exports_read_only_the_frozen_shapes_of_the_engine(path: Path) -> None:
    used = {name for name in _imports(path) if name.split(".")[0] == "engine"}

    assert {name for name in used if not name.startswith(ALLOWED_TO_EXPORTS)} <= PACKAGES


@pytest.mark.parametrize("room", ["accounts", "jobs", "catalog", "planner", "exports", "rest", "outgoing", "webhooks"])
def test_only_the_settings_read_the_environment(room: str) -> None:
    readers = [
        str(path.relative_to(ROOT))
        for path in (ROOT / room).rglob("*.py")
        if {"environ", "getenv", "__import__"} & _names(path)
    ]

    assert readers == []


@pytest.mark.parametrize(
    "room", ["accounts", "jobs", "catalog", "planner", "exports", "rest", "outgoing", "webhooks", "config"]
)
def test_no_signals_and_no_star_imports(room: str) -> None:
    faults = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / room).rglob("*.py")
        for name in _imports(path)
        if name.startswith("django.db.models.signals") or name == "django.dispatch" or name.endswith(".*")
    ]

    assert faults == []


WAYS_OUT = (
    "socket", "ssl", "asyncio", "http.client", "urllib.request", "ftplib", "poplib", "imaplib", "smtplib", "telnetlib", "xmlrpc",
    "requests", "httpx", "httpcore", "urllib3", "aiohttp", "pycurl", "websockets", "paramiko",
)  # fmt: skip
# What only asks a server of one's own: the supervisor tries whether its port is free, the crowd plays its visitors, and
# a live estimate looks whether its visitor is still there.
MAY_OPEN_SOCKETS = ("jobs/management/commands/up.py", "lab/crowd/", "planner/pages/form/turns.py")
# authlib speaks through requests, whose only way out is an adapter that calls the guarded client.
SPEAKS_THROUGH_THE_CLIENT = {"accounts/sso.py": "requests", "accounts/sso_transport.py": "requests"}


def test_only_the_guarded_client_reaches_other_servers() -> None:
    rooms = [
        path for path in ROOT.iterdir() if (path / "__init__.py").exists() and path.name not in ("outgoing", "tests")
    ]
    openers = {
        f"{path.relative_to(ROOT)}: {name}"
        for room in rooms
        for path in room.rglob("*.py")
        for name in _imports(path)
        if any(name == way or name.startswith(f"{way}.") for way in WAYS_OUT)
        and not str(path.relative_to(ROOT)).startswith(MAY_OPEN_SOCKETS)
        and SPEAKS_THROUGH_THE_CLIENT.get(str(path.relative_to(ROOT))) != name.split(".")[0]
    }

    assert len(rooms) >= 7
    assert openers == set()


def _names(path: Path) -> set[str]:
    """Every name that the file reads, calls or imports, however it got at it."""
    found = {name.rsplit(".", 1)[-1] for name in _imports(path)}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return found


def test_the_image_holds_every_room() -> None:
    rooms = {str(path.parent.relative_to(ROOT)) for path in ROOT.glob("*/__init__.py")} - {"tests"}
    copied = {
        line.split()[1] for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if line.startswith("COPY ")
    }
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}

    assert rooms - copied == set()
    assert rooms - kept == set()


def test_the_engine_works_alone() -> None:
    done = subprocess.run(
        [sys.executable, "examples/engine_alone.py"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 0, done.stderr
    assert "NVIDIA H100" in done.stdout
    assert "days (" in done.stdout
