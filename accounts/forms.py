"""The login form."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts import known, refusals, throttle


class LoginForm(AuthenticationForm):
    """E-mail address and password; the same answer for an unknown address and a wrong password."""

    error_messages = {
        "invalid_login": _("This e-mail address and password do not belong together; check both and try again."),
        "inactive": _("This e-mail address and password do not belong together; check both and try again."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        self.fields["username"].label = _("E-mail address")
        self.fields["username"].widget.attrs["autocomplete"] = "email"

    def clean(self) -> dict[str, Any]:
        """The cleaned data; ValidationError when it does not fit or was tried too often."""
        email = str(self.cleaned_data.get("username", ""))
        limits = throttle.sign_in(email, self._address(), place=known.place_of(self.request, email))
        if not throttle.take(limits):
            raise ValidationError(_("Too many attempts; wait 15 minutes and try again."), code="paused")
        try:
            cleaned = super().clean()
        except ValidationError:
            refusals.note(email, how="password")
            raise
        if self.get_user() is None:  # a field was left empty: nothing was judged, so no count begins anew
            throttle.give_back(limits)
        else:
            throttle.forget(limits)
        return cleaned

    def _address(self) -> str:
        return throttle.address_of(self.request) if self.request else ""
