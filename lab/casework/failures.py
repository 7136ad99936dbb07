"""Cases of failures, checkpoints and spot capacity, each answered by the engine's own functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.reliability import formulas as fm
from engine.reliability.checkpoints import RELIABILITY_ASSUMPTIONS
from lab.casework.quantities import GPUS, Answer, Inputs

_DAY = 86_400.0
_HOUR = 3600.0
_WRITE = (
    "checkpoint_write",
    "checkpoint_blocking",
    "checkpoint_write_blocking",
    "blocking_snapshot",
    "write",
    "checkpoint",
    "checkpoint_time",
    "write_time",
    "delta",
    "snapshot",
)
_RESTART = ("restart", "restart_overhead", "restart_time", "recovery")
_MTBF = ("mtbf", "job_mtbf", "mttf", "mtti", "mean_time_between_failures", "m")
_GPU_MTBF = ("per_gpu_mtbf", "gpu_mtbf", "mtbf_per_gpu", "device_mtbf", "per_device_mtbf", "per_chip_mtbf")
_EVENTS = (
    "unexpected_interruptions",
    "interruptions",
    "unexpected",
    "events",
    "failures",
    "failures_total",
    "restarts",
)
_RSC1_JOB_HAZARD_PER_H = 1.0 / 7.9 - 1.0 / 28.846
"""What RSC-1 measured at 1,024 GPUs beyond its node rate (Kokolis et al., HPCA 2025)."""


def daly_higher_order(given: Inputs) -> Answer:
    """Optimum intervals by Daly, Young and the exact model, and goodput at Daly's."""
    write, mtbf, restart = (
        given.seconds(*_WRITE),
        given.seconds(*_MTBF),
        given.seconds(*_RESTART, default=0.0),
    )
    interval = fm.daly(write, mtbf)
    share = fm.goodput(interval, write=write, mtbf=mtbf, restart=restart)
    times = {
        "tau_opt": interval,
        "tau_daly": interval,
        "tau_young": fm.young(write, mtbf),
        "tau_exact_lambert": fm.exact_optimum(write, mtbf),
        "tau_exact": fm.exact_optimum(write, mtbf),
        "wall_time": given.seconds("solve_time", default=0.0) / share if share else 0.0,
    }
    return Answer(
        times=times, numbers={"goodput_at_tau_opt": share, "goodput_at_tau_daly": share, "goodput_exact": share}
    )


def young_daly(given: Inputs) -> Answer:
    """Young's and Daly's interval, first-order waste at the optimum, and exact goodput at Daly's interval."""
    write, mtbf, restart = (
        given.seconds(*_WRITE),
        given.seconds(*_MTBF),
        given.seconds(*_RESTART, default=0.0),
    )
    answer = daly_higher_order(given)
    waste = fm.waste_at_optimum(write, mtbf)
    numbers = {
        **answer.numbers,
        "waste": waste,
        "waste_first_order": waste,
        "waste_first_order_with_restart": waste + restart / mtbf,
    }
    return Answer(times=answer.times, numbers=numbers)


def observed_mtbf(given: Inputs) -> Answer:
    """Times between failures and rates, from counted interruptions or from how many there are in a day or week."""
    gpus = given.number(*GPUS)
    period, events = _observed(given)
    job = period / events
    times = {
        "job_mtbf": job,
        "mtbf": job,
        "mtti": job,
        "all_interruption_mtbf": period / (events + given.number("planned", default=0.0)),
        "per_gpu_mtbf": fm.device_mtbf(gpus, period=period, events=events),
    }
    per_node = given.number("gpus_per_node", default=8.0)
    rate = 1000.0 * events / (gpus / per_node * period / _DAY)
    names = ("per_1000_node_days", f"per_1000_node_days_{per_node:g}gpu", "failures_per_1000_node_days")
    rates = {"failures_per_day": _DAY / job, "failures_per_node_day": rate / 1000.0}
    return Answer(times=times, numbers={**dict.fromkeys(names, rate), **rates})


def _observed(given: Inputs) -> tuple[float, float]:
    """How long was watched [s], and how many interruptions came in that time."""
    for name in ("interruptions", "failures", "events"):
        for unit, seconds in (("week", 7 * _DAY), ("day", _DAY), ("hour", _HOUR), ("month", 730 * _HOUR)):
            rate = given.maybe(f"{name}_per_{unit}")
            if rate is not None:
                return seconds, rate
    by_kind = [given.maybe(f"{kind}_restarts") for kind in ("manual", "automatic", "auto")]
    apart = sum(count for count in by_kind if count is not None)
    return given.span(), apart or given.number(*_EVENTS)


def two_term_mtbf(given: Inputs) -> Answer:
    """Hardware and other failures apart, and what adding the second to an all-cause rate would give.

    From counted events, or forward from the hardware's own time between failures and the hazard of the rest.
    """
    gpus, device_h = given.number(*GPUS), given.seconds(*_HARDWARE_MTBF, default=0.0) / _HOUR
    if device_h:
        other_h = given.number("job_hazard_per_h", "other_hazard_per_h", "lambda_job0", "lambda_job0_per_h")
    else:
        hours = given.span() / _HOUR
        device_h = fm.device_mtbf(gpus, period=hours, events=given.number("hardware_events"))
        other_h = given.number("other_events") / hours
    hardware_h = gpus / device_h
    return Answer(
        times={
            "hardware_mtbf_per_gpu": device_h * _HOUR,
            "job_mtbf": fm.mtbf(gpus, device_mtbf=device_h, job_hazard=other_h) * _HOUR,
            "hardware_only_mtbf": _HOUR / hardware_h,
            "wrong_double_count_mtbf": _HOUR / (hardware_h + other_h + _RSC1_JOB_HAZARD_PER_H),
        },
        numbers={
            "hardware_hazard_per_h": hardware_h,
            "other_hazard_per_h": other_h,
            "total_hazard_per_h": hardware_h + other_h,
        },
    )


_HARDWARE_MTBF = ("hardware_mtbf_per_gpu", "per_gpu_hardware_mtbf", "gpu_hardware_mtbf", "mtbf_gpu_hw")


def young_waste(given: Inputs) -> Answer:
    """Interval and waste of a job whose failures grow with its size alone."""
    mtbf = fm.mtbf(given.number(*GPUS), device_mtbf=given.seconds(*_GPU_MTBF))
    write, restart = given.seconds(*_WRITE), given.seconds(*_RESTART, default=0.0)
    daly = fm.daly(write, mtbf)
    times = {"job_mtbf": mtbf, "mtbf": mtbf, "tau_young": fm.young(write, mtbf), "tau_daly": daly}
    share = fm.goodput(daly, write=write, mtbf=mtbf, restart=restart)
    waste = fm.waste_at_optimum(write, mtbf, restart=restart)
    numbers = {"waste": waste, "waste_first_order": fm.waste_at_optimum(write, mtbf), "goodput_exact": share}
    return Answer(times=times, numbers=numbers)


def node_rate_mttf(given: Inputs) -> Answer:
    """Time to failure of a job from a rate per node; the guess for a measured one adds the job's own failures."""
    per_node = given.number("gpus_per_node", default=8.0)
    gpus = given.maybe(*GPUS)
    days = fm.node_rate_mtbf(
        given.number("nodes") * per_node if gpus is None else gpus,
        devices_per_node=per_node,
        per_1000_node_days=_per_1000_node_days(given),
    )
    own = RELIABILITY_ASSUMPTIONS["reliability.job_hazard_per_h"].value
    measured = 1.0 / (1.0 / (days * 24.0) + own)
    return Answer(
        times={"mttf": days * _DAY, "mtbf": days * _DAY, "job_mttf": days * _DAY},
        guesses={"mttf_h_published_measured": measured, "mttf_h_measured": measured},
    )


def _per_1000_node_days(given: Inputs) -> float:
    rate = given.maybe("failures_per_node_day", "failures_per_node_per_day", "r_f")
    names = ("failures_per_1000_node_days", "per_1000_node_days")
    return given.number(*names) if rate is None else 1000.0 * rate


def meta_ettr(given: Inputs) -> Answer:
    """Expected share of effective training time."""
    nodes = given.maybe("nodes")
    ettr = fm.ettr_meta(
        nodes=given.number(*GPUS) / given.number("gpus_per_node", default=8.0) if nodes is None else nodes,
        failures_per_node_day=_per_1000_node_days(given) / 1000.0,
        restart_s=given.seconds(*_RESTART, "u0"),
        interval_s=given.seconds("checkpoint_interval", "interval", "dt"),
        write_s=given.seconds(*_WRITE, "w"),
    )
    return Answer(numbers={"ettr": ettr, "expected_ettr": ettr})


def checkpoint_overhead(given: Inputs) -> Answer:
    """Saves of a run, the time and share they take, and the bandwidth; bytes per parameter where parameters are given."""
    write, interval, run = (
        given.seconds(*_WRITE),
        given.seconds("interval", "checkpoint_interval", "every"),
        given.span(),
    )
    size = given.bytes("checkpoint", "size")
    numbers = {"saves": run / interval, "overhead": write / interval, "write_bandwidth_gb_s": size / write / 1e9}
    guesses: dict[str, float] = {}
    parameters = given.count("params", "parameters", default=0.0)
    binary = size / 1e12 * 2.0**40
    if parameters:
        numbers |= {"bytes_per_param_tb": size / parameters, "bytes_per_param_tib": binary / parameters}
    else:
        # Without parameters the likeliest state says how many there are: 14 bytes each, sizes read as binary.
        guesses = {"bytes_per_param_tb": 14.0 * size / binary, "bytes_per_param_tib": 14.0}
    return Answer(times={"total": run / interval * write}, numbers=numbers, guesses=guesses)


def checkpoint_size(given: Inputs) -> Answer:
    """Size by the bytes that each parameter takes in each kind of checkpoint."""
    parameters = given.count("params", "parameters", "total_params")
    state = given.number("bytes_per_param", "bytes_per_parameter", default=0.0) or _bytes_by_tensor(given)
    kinds = {
        "size": state,
        "checkpoint": state,
        "fp32_weights_plus_adam": 12.0,
        "bf16_plus_fp32_master_plus_adam": 14.0,
        "bf16_weights_plus_fp32_adam": 10.0,
        "weights_only_bf16": 2.0,
        "weights_only_fp32": 4.0,
        "adam_moments_only": 8.0,
        "adam8bit": 8.0,
        "fp32_master": 4.0,
        "training_state": 16.0,
        "training_state_bf16_grads": 16.0,
        "training_state_fp32_grads": 18.0,
    }
    guesses = {"claimed_gb": parameters * state / 1e9}
    return Answer(data={name: parameters * each for name, each in kinds.items()}, guesses=guesses)


def _bytes_by_tensor(given: Inputs) -> float:
    """Bytes for each parameter where a case names them by tensor, else those of the usual checkpoint."""
    names = ("weight_bytes", "weights_bytes", "master_bytes", "optimizer_bytes", "gradient_bytes", "grad_bytes")
    return sum(given.number(name, default=0.0) for name in names) or 14.0


def async_checkpoint(given: Inputs) -> Answer:
    """Interval and waste of a checkpoint written in the background."""
    interval, waste = fm.asynchronous(
        snapshot=given.seconds("blocking_snapshot", "blocked", "stall", *_WRITE),
        persist=given.seconds("background_persist", "persist", "background", "background_write"),
        mtbf=given.seconds(*_MTBF),
        restart=given.seconds(*_RESTART, default=0.0),
    )
    return Answer(times=dict.fromkeys(("tau_opt", "tau", "interval"), interval), numbers={"waste": waste})


def two_level_checkpoint(given: Inputs) -> Answer:
    """Intervals of checkpoints to peers and to storage."""
    near, far = fm.two_level(
        near_write=given.seconds("near_write", "delta1"),
        near_hazard=1.0 / given.seconds("near_mtbf", "mtbf1"),
        far_write=given.seconds("far_write", "delta2"),
        far_hazard=1.0 / given.seconds("far_mtbf", "mtbf2"),
    )
    return Answer(times={"tau1": near, "tau2": far, "near_tau": near, "far_tau": far})


_PER_MONTH = (
    "monthly_interruption_probability",
    "interruption_probability_per_month",
    "monthly_interruption_rate",
    "interruption_per_month",
    "p_month",
)


def spot(given: Inputs) -> Answer:
    """Interruptions of a job on spot instances and what they cost."""
    probability, instances = given.number(*_PER_MONTH), given.number("instances", "nodes", default=1.0)
    write, restart = given.seconds(*_WRITE), given.seconds(*_RESTART, default=0.0)
    burst = given.number("burst_factor", default=1.0)
    mtbf = _HOUR / fm.spot_hazard(probability, instances=instances, burst=burst)
    times = {
        "instance_mtbi": _HOUR / fm.spot_hazard(probability),
        "job_mtbi": mtbf,
        "tau_young": fm.young(write, mtbf),
        "tau_daly": fm.daly(write, mtbf),
        "tau_opt": fm.daly(write, mtbf),
    }
    return Answer(times=times, numbers={"overhead": fm.waste_at_optimum(write, mtbf, restart=restart)})


FAILURE_MODELS: Mapping[str, Callable[[Inputs], Answer]] = {
    "daly_higher_order": daly_higher_order,
    "young_daly": young_daly,
    "young": young_daly,
    "daly": young_daly,
    "mtbf": observed_mtbf,
    "two_term_mtbf": two_term_mtbf,
    "young_waste": young_waste,
    "node_rate_mttf": node_rate_mttf,
    "meta_ettr": meta_ettr,
    "checkpoint_overhead": checkpoint_overhead,
    "checkpoint_size": checkpoint_size,
    "async_checkpoint": async_checkpoint,
    "two_level": two_level_checkpoint,
    "two_level_checkpoint": two_level_checkpoint,
    "spot": spot,
}
