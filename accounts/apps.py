"""Who is asking, and what they may touch."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who is asking, and what they may touch."""

    name = "accounts"

    def ready(self) -> None:
        """Warns at the start when single sign-on is set up but not installed."""
        from django.core.checks import register

        from accounts.sso import check_installed

        register(check_installed)
