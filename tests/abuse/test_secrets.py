"""A23: secrets are planted everywhere a person or an operator puts one, and then looked for in all that comes out."""

from __future__ import annotations

import io
import logging
import zipfile
from typing import Any

import pyotp
import pytest
from django.conf import settings
from django.core import mail
from django.core.handlers.base import BaseHandler
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory

from accounts import authenticator, invitations, tokens
from accounts.models import Membership, Role, User
from exports.formats import FORMATS
from jobs.models import Job
from jobs.running import run_job
from planner.models import PlanVersion
from planner.review import sharing
from tests import leaks
from tests.api.support import TRAINING, Api
from tests.conftest import People
from webhooks import endpoints

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
CANARY = "canary-{}-9d1f7c2e5b8a4036"
EMAIL = "canary-mail-5b8a@leaks.example"


class Planted:
    """Every secret by what it is, and everything that came out by where it was seen."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.seen: list[tuple[str, str]] = []

    def put(self, name: str, secret: str = "") -> str:
        """Remembers that secret; without one, a canary of that name."""
        self.secrets[name] = secret or CANARY.format(name.replace(" ", "-"))
        return self.secrets[name]

    def look(self, where: str, response: Any, *, but: str = "") -> Any:
        """Keeps an answer with its headers, but for the one secret that it is made to show."""
        text = b"".join(response.streaming_content) if response.streaming else response.content
        plain = text.decode("utf-8", "replace") + repr(dict(response.headers))
        self.seen.append((where, plain.replace(self.secrets[but], "") if but else plain))
        return response

    def leaks(self) -> list[str]:
        """What stands where it should not."""
        return [
            f"{name} in {where}" for where, text in self.seen for name, secret in self.secrets.items() if secret in text
        ]


@pytest.fixture
def planted(settings: Any, caplog: pytest.LogCaptureFixture) -> Planted:
    """Canaries in the settings, and every log line at its most talkative."""
    found = Planted()
    for name in ("SECRET_KEY", "TOKEN_PEPPER", "EMAIL_HOST_PASSWORD", "EMAIL_HOST_USER"):
        setattr(settings, name, found.put(name) * 2)
    caplog.set_level(logging.DEBUG)
    return found


@pytest.fixture
def ada(people: People, planted: Planted) -> User:
    """An admin with a password, an authenticator app and an address, each a canary."""
    user = User.objects.create_user(EMAIL, planted.put("password"), name="Ada")
    Membership.objects.create(team=people.team, user=user, role=Role.ADMIN)
    return user


def test_the_canaries_sing(planted: Planted) -> None:
    """The search finds what is there: else the other tests would prove nothing."""
    planted.seen.append(("a page", f"... {planted.secrets['SECRET_KEY']} ..."))
    assert planted.leaks() == ["SECRET_KEY in a page"]


def test_signing_in_shows_and_logs_no_secret(ada: User, planted: Planted, caplog: pytest.LogCaptureFixture) -> None:
    visitor, wrong = Client(), planted.put("wrong password")
    for password in (wrong, planted.secrets["password"]):
        planted.look("sign-in", visitor.post("/accounts/login", {"username": EMAIL, "password": password}))
    planted.put("session", visitor.cookies["session"].value)
    secret = planted.put("authenticator", authenticator.offer(ada))
    code = planted.put("one-time code", pyotp.TOTP(secret).now())
    authenticator.confirm(ada, code)
    for at, recovery in enumerate(authenticator.new_recovery_codes(ada)):
        planted.put(f"recovery code {at}", recovery)
    again = Client()
    planted.look("sign-in", again.post("/accounts/login", {"username": EMAIL, "password": planted.secrets["password"]}))
    planted.look("second factor", again.post("/accounts/second", {"code": "000000"}))
    for path in ("/accounts/account", "/accounts/team", "/"):
        page = visitor.get(path)
        planted.seen.append((path, page.content.decode()))
    planted.seen.append(("logs", caplog.text))
    planted.secrets.pop("one-time code")  # six digits stand anywhere
    assert not [leak for leak in planted.leaks() if leak != "session in sign-in"]  # its Set-Cookie header


def test_errors_show_and_log_no_secret(
    ada: User, planted: Planted, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = Api(Membership.objects.get(user=ada))
    token = planted.put("token", api.token)
    local = planted.put("a local variable")

    def breaks(*_: Any, **__: Any) -> None:
        kept = local  # stands in the frame, as a password would
        raise RuntimeError(f"broken after {len(kept)} steps: the inside of the machine")

    visitor = Client(raise_request_exception=False)
    visitor.force_login(ada)
    planted.put("session", visitor.cookies["session"].value)
    monkeypatch.setattr("planner.pages.home.views.render", breaks)
    monkeypatch.setattr("accounts.api.found", breaks)
    page = planted.look("500 page", visitor.get("/"))
    answer = planted.look("500 of the API", api.get("/me"))
    assert (page.status_code, answer.status_code) == (500, 500)
    for response in (page, answer):
        assert "inside of the machine" not in response.content.decode()
        assert "Traceback" not in response.content.decode()
    for path, body in (("/plans", b"{"), ("/plans", b'{"name": 1}'), ("/nothing", None), ("/plans?x=1", b"{}")):
        planted.look(path, api.post(path, body))
    planted.look("a wrong token", Client().get("/api/v1/me", headers={"Authorization": f"Bearer {token}x"}))
    planted.look("a wrong scheme", Client().get("/api/v1/me", headers={"Authorization": f"Basic {token}"}))
    planted.seen.append(("logs", caplog.text))
    assert "RuntimeError" in caplog.text, "the fault itself is logged"
    assert not planted.leaks()


def test_documents_and_mails_hold_no_secret_and_no_address(
    ada: User, people: People, planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    planted.put("address of the author", EMAIL)
    api = Api(Membership.objects.get(user=ada))
    planted.put("token", api.token)
    plan = api.post("/plans", TRAINING).json()["id"]
    version = PlanVersion.objects.get()
    _, secret = sharing.create(api.member, version, days=7)
    planted.put("share link", secret)
    for export in api.post(f"/plans/{plan}/exports", {"formats": list(FORMATS)}).json()["data"]:
        run_job(Job.objects.get(export__public_id=export["id"]).pk, worker="test")
        data = api.get(f"/exports/{export['id']}/file").content
        assert len(data) > 1000
        planted.seen += [(f"{export['format']} file", text) for text in leaks.texts_of(data)]
    visitor = Client()
    visitor.force_login(ada)
    bundle = visitor.get(f"/exports/plans/{version.public_id}/bundle").content
    assert zipfile.ZipFile(io.BytesIO(bundle)).testzip() is None
    planted.seen += [("bundle", text) for text in leaks.texts_of(bundle)]
    planted.look("shared page", Client().get(f"/shared/{secret}"))
    for path in (
        f"/plans/{plan}",
        f"/plans/{plan}/versions/1",
        f"/plans/{plan}/budget-lines",
        "/exports",
        "/audit-events",
    ):
        planted.look(path, api.get(path))
    for job in Job.objects.filter(kind="planner.mail"):
        run_job(job.pk, worker="test")
    assert mail.outbox
    for letter in mail.outbox:
        assert not getattr(letter, "alternatives", []), "plain text only"
        planted.seen.append(("a mail", f"{letter.subject} {letter.body}"))
    planted.seen.append(("logs", caplog.text))
    assert not planted.leaks()


def test_secrets_are_shown_once_and_stored_sealed_or_hashed(
    ada: User, people: People, planted: Planted, caplog: pytest.LogCaptureFixture
) -> None:
    """Of tokens, webhooks, invitations, links and authenticator apps no table holds the secret as it is."""
    member = Membership.objects.get(user=ada)
    row, secret = tokens.issue(people.team, ada, name="x", scopes=tokens.SCOPES)
    planted.put("token", secret)
    planted.put("authenticator", authenticator.offer(ada))
    _, invited = invitations.invite(people.team, "new@north.example", role=Role.VIEWER, actor=ada)
    planted.put("invitation", invited)
    hook, signing = endpoints.create(member, name="x", url="https://hooks.example/in", events=["plan.approved"])
    planted.put("webhook", signing)
    planted.put("webhook without its prefix", signing.removeprefix("whsec_"))
    api = Api(member)
    planted.put("token of the API", api.token)
    for path in ("/tokens", f"/webhooks/{hook.public_id}", "/webhooks", "/audit-events", "/me"):
        planted.look(path, api.get(path))
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - names of our own tables
            planted.seen.append((f"table {table}", repr(cursor.fetchall())))
    planted.seen.append(("logs", caplog.text))
    assert row.public_id
    assert not planted.leaks()


def test_the_watch_over_the_run_sees_what_it_should() -> None:
    """tests/leaks.py, which looks at every log line and every file of a run, finds each kind of secret, packed or not."""
    token = "sxt_" + "a" * 12 + "_" + "B" * 34
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docProps/core.xml", f"<creator>{token}</creator>")
    found = [item for text in leaks.texts_of(content.getvalue()) for item in leaks.secrets_in(text)]
    assert found == ["sxt_aaaaaaaa…"]
    for text in (
        f"Authorization: Bearer {token}",
        "whsec_" + "A" * 32,
        "GET /shared/" + "x" * 32,
        "argon2$argon2id$v=19",
    ):
        assert leaks.secrets_in(text)
    assert not leaks.secrets_in("GET /shared/… 200, sxt_ab12_… of Ada")


def test_the_watch_sees_what_is_answered(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    """A page and a header with a key of the settings are noticed, a page without one is not."""
    watch = leaks.Leaks(pytestconfig)
    answers = iter(
        [HttpResponse(settings.SECRET_KEY), HttpResponse(headers={"X-Key": settings.SECRET_KEY}), HttpResponse("x")]
    )
    monkeypatch.setattr(BaseHandler, "get_response", lambda *_: next(answers))
    with watch.answers():
        for path in ("/page", "/header", "/clean"):
            BaseHandler().get_response(RequestFactory().get(path))
    assert {line.rpartition(" ")[2] for line in watch.found} == {"/page", "/header"}
