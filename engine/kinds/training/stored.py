"""What keeping the training data adds to the sums by which pairs are ranked: little beside a long run, most of the money of a short one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.choice.select import Floats, Pairs
from engine.context import Context
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.training.best import TrainingWork
from engine.kinds.training.data import Dataset, dataset_of
from engine.kinds.training.rough import each
from engine.money.decision import decision_of
from engine.odds.normal import P90, upto
from engine.supply import Supplies

_UPLOAD, _KEPT = "data.upload_bytes_per_s", "data.kept_days"


def with_data(context: Context, work: TrainingWork, supplies: Supplies, pairs: Pairs) -> Pairs:
    """Those pairs with what rented hardware's data cost where they lie, from their upload to their removal. To which tier they are copied
    is in the exact sums alone. Hardware of one's own has its storage in its own sums."""
    rented = each(supplies, lambda source: float(source.offer is not None))[pairs.supply]
    hours = (pairs.days - pairs.wait) * 24.0
    usd, least = (rented * _usd(context, work, span) for span in (hours, hours * pairs.kept))
    decision = decision_of(context)
    billed = np.divide(pairs.usd, pairs.usd + usd, out=np.ones(len(pairs)), where=usd > 0.0)
    return replace(
        pairs,
        usd=pairs.usd + usd,
        cash=pairs.cash + usd,
        worth=pairs.worth + usd * decision.spread(hours),
        # A spend commitment may pay for the data as well.
        least=np.where(pairs.least > 0.0, pairs.least + least * decision.spread(hours), pairs.least),
        usd_sigma=np.hypot(pairs.usd_sigma * billed, _sigmas(context, work, hours) * (1.0 - billed)),
    )


def _usd(context: Context, work: TrainingWork, programme_hours: Floats) -> Floats:
    """Of a programme of so many hours, tax included [USD]."""
    dataset = _rented(context, work)
    if dataset is None:
        return np.zeros(len(programme_hours))
    price = context.assume[_price(dataset)] * (1.0 + context.taxes.owed_on_services)
    found: Floats = dataset.bytes / 1e12 * price / HOURS_PER_MONTH * (programme_hours + sum(_beside(context, dataset)))
    return found


def _beside(context: Context, dataset: Dataset) -> tuple[float, float]:
    """The hours beside those of the work: of the upload, during which half of it lies there on average, and of checking and keeping."""
    assume = context.assume
    return dataset.bytes / assume[_UPLOAD] / 3600.0 / 2.0, assume[_KEPT] * 24.0


def _sigmas(context: Context, work: TrainingWork, programme_hours: Floats) -> Floats:
    """Spread of the log of what the data cost: of the price, and of the hours, each as it moves them at the asked confidence."""
    dataset, level = _rented(context, work), upto(context.assume["select.confidence"])
    if dataset is None or level <= 0.0:
        return np.zeros(len(programme_hours))
    total = programme_hours + sum(_beside(context, dataset))
    moved = [
        np.log1p(hours * math.expm1(level * sigma) / total) / level
        for hours, sigma in zip(_beside(context, dataset), _spreads(context), strict=True)
    ]
    found: Floats = np.hypot(_log_sigma(context, _price(dataset)), np.hypot(*moved))
    return found


def _spreads(context: Context) -> tuple[float, float]:
    """Of the logs of the time of an upload, and of the days beside it."""
    upload = context.assume.get(_UPLOAD)
    return math.log(upload.value / upload.low) / P90, _log_sigma(context, _KEPT)


def _log_sigma(context: Context, name: str) -> float:
    item = context.assume.get(name)
    return math.log(max(item.high / item.value, 1.0)) / P90 if item.value > 0.0 else 0.0


def _rented(context: Context, work: TrainingWork) -> Dataset | None:
    """The data of the request, where they lie on storage that is paid by the month."""
    training = context.spec.training
    dataset = dataset_of(training, work, context.assume) if training else None
    return None if dataset is None or dataset.location == "local" else dataset


def _price(dataset: Dataset) -> str:
    return f"data.{dataset.location}_usd_per_tb_month"
