"""How well a first token is known by how much of it is the prompt alone: bands judged on rows that no fit has seen.

`python -m lab.validation.serving_first` prints, for each way of leaving rows out, how often measured first tokens under load
lie within the 80 % band, and below the end that a promise kept with 80 and 90 % rests on. Groups: accelerator × model × engine.
Sources: publishers. Blind: the second wave, by a fit on the first alone. Some ten minutes on two cores.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.odds.normal import upto
from engine.odds.serving import first_sigma, log_sigma, prefill_sigma
from lab.validation.rows import read_csv
from lab.validation.serving import excluded, predictions
from lab.validation.serving_fit import FOLDS, ROWS, assumptions, fit
from lab.validation.serving_rows import Case, cases, measured

BINS = (0.0, 0.1, 0.25, 0.4, 0.6, 0.999, 1.0)
"""Ends of the shares of the prompt by which rows are told."""
JUDGED = frozenset({"closed", "first"})


@dataclass(frozen=True, kw_only=True)
class First:
    """One measured first token that its fit has not seen."""

    error: float
    """ln(measured ÷ predicted)."""
    prompt: float
    """The prompt alone, as a share of what was predicted."""
    sigma: float
    """The standard deviation that a plan reckons with."""


def firsts(unseen: Sequence[Case], seen: Sequence[Case]) -> Iterator[First]:
    """Every first token of the one, by a fit on the other."""
    assume = assumptions(fit(seen))
    able = [case for case in unseen if _counts(case)]
    for case, found in zip(able, predictions(able, assume), strict=True):
        stated, prompt = measured(case.row, "ttft_ms") or 1.0, min(found["prompt_ms"] / found["ttft_ms"], 1.0)
        moe = case.shape.moe
        yield First(
            error=float(np.log(stated / found["ttft_ms"])),
            prompt=prompt,
            sigma=first_sigma(
                prefill_sigma(case.device, case.inputs, moe=moe), log_sigma(case.device, "ttft_tail", moe=moe), prompt
            ),
        )


def _counts(case: Case) -> bool:
    stated = measured(case.row, "ttft_ms") and not excluded(case.row, "ttft_ms")
    return bool(stated) and case.kind in JUDGED and not case.apart and not case.pools


def folds(found: Sequence[Case], name: str) -> Iterator[tuple[list[Case], list[Case]]]:
    """Rows that are left out, and those that are fitted."""
    if name == "blind":
        late = {str(row.get("id")) for row in read_csv([ROWS[-1]])}
        yield [case for case in found if case.id in late], [case for case in found if case.id not in late]
        return
    key: Callable[[Case], str] = (lambda case: case.group) if name == "groups" else (lambda case: case.source)
    names = sorted({key(case) for case in found})
    np.random.default_rng(3).shuffle(names)
    place = {one: number % FOLDS for number, one in enumerate(names)}
    for number in range(FOLDS):
        yield (
            [case for case in found if place[key(case)] == number],
            [case for case in found if place[key(case)] != number],
        )


def table(rows: Sequence[First]) -> Iterator[str]:
    """A line for each share of the prompt: rows, mean width, share within the band and below its upper ends."""
    error, prompt, sigma = (np.array([getattr(row, name) for row in rows]) for name in ("error", "prompt", "sigma"))
    for place, low in enumerate(BINS):
        high = BINS[place + 1] if place + 1 < len(BINS) else np.inf
        at = (prompt >= low) & (prompt < high)
        if not at.any():
            continue
        inside = np.mean(np.abs(error[at]) <= upto(0.9) * sigma[at])
        below = [np.mean(error[at] <= upto(sure) * sigma[at]) for sure in (0.8, 0.9)]
        yield (
            f"from {low:.0%}: n {at.sum()}, sigma {sigma[at].mean():.2f}, within {inside:.0%}, "
            f"below 80 % {below[0]:.0%}, below 90 % {below[1]:.0%}"
        )


def main() -> None:
    """Print the three tables."""
    from planner.market import market_from_files  # a tool: the rest of the module needs no catalog

    found, _ = cases(read_csv(ROWS), market_from_files().devices)
    for name in ("groups", "sources", "blind"):
        rows = [one for unseen, seen in folds(found, name) for one in firsts(unseen, seen)]
        sys.stdout.write("\n".join((name, *table(rows), "")))


if __name__ == "__main__":
    main()
