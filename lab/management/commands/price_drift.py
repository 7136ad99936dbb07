"""`manage.py price_drift [--days N] [--trend CSV] [--json]`: how far prices move with time, fitted and judged on the shipped history."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from engine.money.drift import MOTIONS
from lab.drift.backtest import Verdict, judged, verdict
from lab.drift.model import Fit, fitted
from lab.drift.moves import moves_of
from lab.drift.readings import shipped
from lab.drift.trend import TrendError, TrendVerdict, judged_trend

SPAN_DAYS = 90
"""Least days of a move: the age at which half of the catalog's prices are used."""


class Command(BaseCommand):
    """Prints the fit of each motion and what its 80 % bands held; needs no database."""

    help = "Fit how far prices move with time, and judge the bands on what happened after each fit."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The span, a history that may judge but not ship, and the form of the output."""
        parser.add_argument("--days", type=int, default=SPAN_DAYS, help="least days of a move (default: %(default)s)")
        parser.add_argument(
            "--trend", type=Path, help="monthly medians (trend_monthly.csv) that judge and are not fitted on"
        )
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, days: int, trend: Path | None, **options: Any) -> None:
        """Fit and judge. CommandError when the span or the file cannot be used."""
        if not 30 <= days <= 365:
            raise CommandError("--days must lie between 30 and 365.")
        moves = moves_of(shipped(), days)
        fits = {motion: fitted(own) for motion in MOTIONS if (own := [move for move in moves if move.motion == motion])}
        verdicts = {motion: verdict(motion, judged(moves, motion)) for motion in fits}
        try:
            outside = judged_trend(trend) if trend else ()
        except TrendError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            found = {
                motion: {"fit": asdict(fit), "back_test": _plain(verdicts[motion])} for motion, fit in fits.items()
            }
            self.stdout.write(
                json.dumps({"days": days, "motions": found, "trend": [asdict(one) for one in outside]}, indent=1)
            )
            return
        for motion, fit in fits.items():
            self.stdout.write(_fit_line(motion, fit))
        for motion, judgement in verdicts.items():
            self.stdout.write(_verdict_line(motion, judgement))
        for one in outside:
            self.stdout.write(_trend_line(one))


def _plain(found: Verdict | None) -> dict[str, Any] | None:
    return None if found is None else {**asdict(found), "holds": found.holds, "central_holds": found.central_holds}


def _fit_line(motion: str, fit: Fit) -> str:
    market, own = (f"{value:.2f} ({low:.2f}–{high:.2f})" for value, low, high in (fit.market, fit.own))
    return (
        f"fit    {motion:10} market {market}  own {own}  drift {fit.drift:+.2f} ± {fit.drift_sigma:.2f} a year; "
        f"{fit.moves} moves of {fit.seasons} quarters, {fit.unmoved:.0%} unmoved"
    )


def _verdict_line(motion: str, found: Verdict | None) -> str:
    if found is None:
        return f"judged {motion:10} nothing: too few moves had ended before another began"
    said = (
        "holds 80 %"
        if found.holds
        else "more than 80 %, as more did not move at all"
        if found.unmoved > 0.8
        else "MISSES 80 %"
    )
    return (
        f"judged {motion:10} {found.coverage:.0%} covered ({found.interval[0]:.0%}–{found.interval[1]:.0%}), {said}; "
        f"constant width {found.constant:.0%}; {found.unmoved:.0%} unmoved, {found.above:.0%} above, {found.below:.0%} below; "
        f"{found.moves} moves of {found.origins} origins; mean error {found.error:.3f}, with the trend {found.error_with_drift:.3f}; "
        f"where it may stay: {found.central:.0%} ({found.central_interval[0]:.0%}–{found.central_interval[1]:.0%}), "
        f"{'holds 80 %' if found.central_holds else 'MISSES 80 %'}"
    )


def _trend_line(one: TrendVerdict) -> str:
    return f"trend  {one.family:10} {one.within} of {one.moves} quarters within the market's band, {one.above} above, {one.below} below"
