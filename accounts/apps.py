"""Who is asking, and what they may touch."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who is asking, and what they may touch."""

    name = "accounts"
