"""What the tests of signing in share: people with passwords, codes of apps, and the letters that went out."""

from __future__ import annotations

import re
import time
from typing import Any

import pyotp
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core import mail
from django.test import Client

from accounts import authenticator, letters
from accounts.models import User
from jobs.models import Job
from jobs.running import run_job

PASSWORD = "correct horse battery"


class QuickArgon2(Argon2PasswordHasher):
    """The same hash at its smallest cost."""

    time_cost, memory_cost, parallelism = 1, 8, 1


def with_password(user: User, password: str = PASSWORD) -> User:
    """The same person, who can now sign in by form."""
    user.set_password(password)
    user.save()
    return user


def log_in(client: Client, user: User, password: str = PASSWORD, **more: Any) -> Any:
    """The answer to the form of the login page."""
    return client.post("/accounts/login", {"username": user.email, "password": password, **more})


def with_app(user: User) -> str:
    """The secret of an authenticator app that is on; its codes of now and before are not used up."""
    secret = authenticator.offer(user)
    authenticator.confirm(user, pyotp.TOTP(secret).at(time.time() - 30))
    return secret


def code_of(secret: str, steps: int = 0) -> str:
    """The app's code now, or so many steps later."""
    return pyotp.TOTP(secret).at(time.time() + 30 * steps)


def is_in(client: Client) -> bool:
    """Whether somebody is signed in."""
    return "_auth_user_id" in client.session


def proved(client: Client, *, by: str = "password") -> Client:
    """The same client, whose person has just proved who they are."""
    session = client.session
    session["fresh_at"], session["fresh_by"] = time.time(), by
    session.save()
    return client


def sent_letters() -> list[mail.EmailMessage]:
    """All mail so far, after the worker has done what waits."""
    for job in Job.objects.filter(kind=letters.KIND, state="queued").order_by("pk"):
        run_job(job.pk, worker="test")
    return list(mail.outbox)


def link_in(message: mail.EmailMessage) -> str:
    """The path of the first link in a letter."""
    found = re.search(r"https?://[^/\s]+(/\S+)", str(message.body))
    assert found is not None
    return found[1]
