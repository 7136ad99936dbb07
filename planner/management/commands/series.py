"""``manage.py series``: thousands of plans by as many workers as there are; one bar, cancel, resume, results.

::

    manage.py series scenarios --team north --by ann@north.example --of ver_… grid.yaml
    manage.py series repricing --team north --by ann@north.example
    manage.py series show|watch|cancel|resume ser_… --team north --by ann@north.example
    manage.py series results ser_… --team north --by ann@north.example > rows.jsonl

A grid names fields with their values: ``training.tokens: [1e10, 2e10]``; every combination is planned.
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import yaml
from django.core.exceptions import PermissionDenied
from django.core.management import BaseCommand, CommandError
from django.http import Http404

from accounts import access
from accounts.models import Membership
from engine.inputs.spec import SpecError
from planner.models import PlanVersion
from planner.series import work
from planner.series.grid import changes_of
from planner.tables import Series
from rest.caps import CapReached
from voice.speech import error_text


class Command(BaseCommand):
    """Asks for a series, watches it, ends it, goes on with it, prints what came of it."""

    help = "Many plans at once: scenarios of a version, or the whole portfolio on today's prices."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A step, and what it works on."""
        parser.add_argument("step", choices=("scenarios", "repricing", "show", "watch", "cancel", "resume", "results"))
        parser.add_argument("what", nargs="?", default="", help="the grid as a YAML file, or the id of a series")
        parser.add_argument("--team", required=True, help="slug of the team")
        parser.add_argument("--by", required=True, metavar="EMAIL", help="who asks: a member of the team")
        parser.add_argument(
            "--of", dest="version_id", metavar="VERSION", default="", help="the version that scenarios change"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """One step; CommandError with one sentence when it cannot be."""
        try:
            member = Membership.objects.select_related("team", "user").get(
                team__slug=options["team"], user__email__iexact=options["by"]
            )
            self._step(member, options)
        except Membership.DoesNotExist:
            raise CommandError(f"{options['by']} is no member of a team {options['team']!r}.") from None
        except Http404:
            raise CommandError("The team has nothing with this id.") from None
        except PermissionDenied:
            raise CommandError("Only planners, finance and admins of the team may ask for a series.") from None
        except SpecError as error:
            raise CommandError(error_text(error)) from error
        except (ValueError, CapReached, OSError, yaml.YAMLError) as error:
            raise CommandError(str(error)) from error

    def _step(self, member: Membership, options: dict[str, Any]) -> None:
        step, what = options["step"], options["what"]
        if step == "scenarios":
            version = access.one_of(member.team, PlanVersion, options["version_id"])
            axes = yaml.safe_load(Path(what).read_text(encoding="utf-8"))
            if not isinstance(axes, dict):
                raise ValueError(f"{what} must name fields with lists of values.")
            self._say(work.ask_scenarios(member, version, changes_of(axes)))
        elif step == "repricing":
            self._say(work.ask_repricing(member))
        else:
            self._known(member, step, access.one_of(member.team, Series, what))

    def _known(self, member: Membership, step: str, series: Series) -> None:
        if step == "results":
            for row in work.results(series):
                self.stdout.write(json.dumps(row, ensure_ascii=False))
            return
        if step == "cancel":
            work.cancel(member, series)
        elif step == "resume":
            work.resume(member, series)
        elif step == "watch":
            while not work.progress_of(series).ended:
                self._say(series)
                time.sleep(1)
        self._say(series)

    def _say(self, series: Series) -> None:
        now = work.progress_of(series)
        pieces = ", ".join(f"{count} {state}" for state, count in sorted(now.pieces.items()))
        self.stdout.write(f"{series.public_id}: {now.percent} %, {now.done:,} of {now.items:,} plans; pieces: {pieces}")
