"""What a web server loads; `config/gunicorn.py` reads ahead what the first visitor would wait for."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from config.bodies import ReadAhead

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = ReadAhead(get_wsgi_application())
