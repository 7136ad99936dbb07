#!/usr/bin/env python3
"""Runs a command of the project: ``python manage.py COMMAND``."""

import os
import sys


def main() -> None:
    """Runs the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed for this Python; run `make run` once, then use .venv/bin/python manage.py.")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Sextant cannot start: {error}")


if __name__ == "__main__":
    main()
