"""Coefficients of models that answer a sample at a time: prior, range, source, and the value that fits rows.

Fitted by `python -m lab.validation.samples_fit` with a prior for each; where one publisher alone measured what a
coefficient stands for, its source says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.finding import Finding
from engine.inputs.origin import origin, quoted

_SHARE = Limits(0.01, 1)
_TIMES = Limits(0.1, 100)
_DELAY = Limits(0, 1e7)
_ONE = {publisher: origin(f"moved.{publisher}") for publisher in ("mlperf", "examples", "neuron")}
_MANY = origin("moved")

# name, prior, low, high, limits, unit, source
_TABLE: tuple[tuple[str, float, float, float, Limits, str, Finding], ...] = (
    ("share.fp16", 0.75, 0.5, 0.9, _SHARE, "", _MANY),
    ("share.int8", 0.45, 0.25, 0.6, _SHARE, "", _ONE["mlperf"]),
    ("share.fp8", 0.35, 0.2, 0.5, _SHARE, "", _ONE["mlperf"]),
    ("share.tf32", 0.45, 0.3, 0.7, _SHARE, "", _ONE["examples"]),
    ("share.fp32", 0.8, 0.6, 1.0, _SHARE, "", _ONE["examples"]),
    ("ridge", 1.6, 1.2, 2.5, Limits(1, 10), "", _MANY),
    ("traffic.eager", 7.0, 4.0, 12.0, _TIMES, "", _MANY),
    ("traffic.graph", 7.0, 4.0, 14.0, _TIMES, "", _ONE["examples"]),
    ("traffic.compiled", 4.0, 2.0, 6.0, _TIMES, "", _ONE["neuron"]),
    ("traffic.tensorrt", 2.0, 1.0, 3.0, _TIMES, "", _ONE["mlperf"]),
    ("traffic_plain", 0.7, 0.4, 1.0, _TIMES, "", _MANY),
    ("launch_us.eager", 100.0, 40.0, 200.0, _DELAY, "µs", _MANY),
    ("launch_us.graph", 50.0, 20.0, 100.0, _DELAY, "µs", _ONE["examples"]),
    ("launch_us.compiled", 5.0, 2.0, 15.0, _DELAY, "µs", _ONE["neuron"]),
    ("launch_us.tensorrt", 3.0, 1.0, 8.0, _DELAY, "µs", _ONE["mlperf"]),
    ("batch_us.eager", 1000.0, 200.0, 4000.0, _DELAY, "µs", _MANY),
    ("batch_us.graph", 1000.0, 200.0, 4000.0, _DELAY, "µs", _ONE["examples"]),
    ("batch_us.compiled", 150.0, 50.0, 500.0, _DELAY, "µs", _ONE["neuron"]),
    ("batch_us.tensorrt", 60.0, 20.0, 300.0, _DELAY, "µs", _ONE["mlperf"]),
    ("systolic_convolution", 0.6, 0.3, 1.0, _SHARE, "", _ONE["neuron"]),
    ("cross_share", 0.4, 0.25, 0.6, _SHARE, "", _ONE["mlperf"]),
    ("score_passes", 5.0, 3.0, 8.0, _TIMES, "", _MANY),
    ("token_us", 20.0, 5.0, 60.0, _DELAY, "µs", _ONE["mlperf"]),
    ("host_ms", 15.0, 5.0, 40.0, _DELAY, "ms", _ONE["examples"]),
)  # fmt: skip

FITTED: Mapping[str, float] = {
    "serving.sample_share.fp16": 0.745,
    "serving.sample_share.int8": 0.423,
    "serving.sample_share.fp8": 0.259,
    "serving.sample_share.tf32": 0.403,
    "serving.sample_share.fp32": 0.862,
    "serving.sample_ridge": 1.44,
    "serving.sample_traffic.eager": 7.52,
    "serving.sample_traffic.graph": 16,
    "serving.sample_traffic.compiled": 3.51,
    "serving.sample_traffic.tensorrt": 0.942,
    "serving.sample_traffic_plain": 0.827,
    "serving.sample_launch_us.eager": 132,
    "serving.sample_launch_us.graph": 73.1,
    "serving.sample_launch_us.compiled": 4.53,
    "serving.sample_launch_us.tensorrt": 2.96,
    "serving.sample_batch_us.eager": 1.01e03,
    "serving.sample_batch_us.graph": 988,
    "serving.sample_batch_us.compiled": 167,
    "serving.sample_batch_us.tensorrt": 60.7,
    "serving.sample_systolic_convolution": 0.533,
    "serving.sample_cross_share": 0.403,
    "serving.sample_score_passes": 5.15,
    "serving.sample_token_us": 25,
    "serving.sample_host_ms": 17.5,
}
"""As moved by the measured rows."""


def _entries() -> Iterator[Assumption]:
    for name, value, low, high, limits, unit, source in _TABLE:
        yield Assumption(
            id=f"serving.sample_{name}",
            value=value,
            low=low,
            high=high,
            limits=limits,
            unit=unit,
            source=source,
        )


SAMPLE_PRIORS: Mapping[str, Assumption] = {entry.id: entry for entry in _entries()}


def fitted(entry: Assumption) -> Assumption:
    """The entry at its fitted value, its range moved along."""
    value = FITTED.get(entry.id, entry.value)
    if value == entry.value:
        return entry
    return entry.at(value, origin("from_prior", source=quoted(entry.source), prior=entry.value))
