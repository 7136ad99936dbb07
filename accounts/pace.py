"""How often one person may send a file through a page: reading one keeps a core busy for a moment."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from accounts import signin
from rest.limits import counted


def too_many_uploads(request: HttpRequest) -> str:
    """Empty when the person behind the request may send another file, else a sentence that says when."""
    sent, next_s = counted(f"uploads:{signin.user_of(request).public_id}")
    if sent <= settings.UPLOADS_PER_MINUTE:
        return ""
    return f"You have sent {settings.UPLOADS_PER_MINUTE} files in this minute: send the next in {next_s} seconds."
