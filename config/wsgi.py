"""What a web server loads."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# Imported here: the apps are ready only now.
from planner.warm import warm_in_background  # noqa: E402

warm_in_background()
