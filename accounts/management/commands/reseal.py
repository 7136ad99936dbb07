"""``manage.py reseal``: every stored secret under the newest key, so that an old key can be dropped."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.management import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Model

from accounts.secrets import BrokenSeal, SealedText, reseal


class Command(BaseCommand):
    """Seals anew; running it twice does no harm."""

    help = "Seals every stored secret anew under the first key of SECRETS_KEY, so that the others can be dropped."

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints how many there were, column by column; stops at one that cannot be read."""
        for model in apps.get_models():
            for field in (field for field in model._meta.concrete_fields if isinstance(field, SealedText)):
                count = _reseal(model, field.name)
                self.stdout.write(f"{model._meta.label} {field.name}: {count} sealed anew.")


def _reseal(model: type[Model], column: str) -> int:
    count = 0
    for pk in model._default_manager.values_list("pk", flat=True):
        with transaction.atomic():
            row = model._default_manager.select_for_update().filter(pk=pk).first()
            old = getattr(row, column) if row else ""
            if not old:
                continue
            try:
                new = reseal(old)
            except BrokenSeal as error:
                raise CommandError(f"{model._meta.label} {pk}: {error}") from error
            model._default_manager.filter(pk=pk).update(**{column: new})
            count += 1
    return count
