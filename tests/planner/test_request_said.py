"""Whatever a request sets is said in its sentences: whoever approves has no form to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.inputs.spec import Spec
from exports.composing.ask import asked as said_in_documents
from exports.composing.context import Context, Release
from exports.composing.context import currency_of as money_of
from planner.asked import request_text
from planner.presenters.currency import currency_of
from planner.presenters.voice import page_voice
from planner.request.fields import Field, form_for
from planner.request.parse import spec_from
from tests.exports.samples import serving_plan, training_plan

BASES: dict[str, dict[str, Any]] = {
    "training": {
        "name": "A run", "workload": "training", "model": "llama-3.1-70b", "as_of": "2026-11-22",
        "training": {"tokens": 15e9}, "constraints": {"deadline_days": 21},
    },
    "fine-tune": {
        "name": "A tune", "workload": "training", "model": "llama-3.1-70b", "as_of": "2026-11-22",
        "training": {"method": "lora", "samples": 2e4},
    },
    "service": {
        "name": "A chat", "workload": "serving", "model": "qwen3-32b", "as_of": "2026-11-22", "horizon_months": 12,
        "serving": {"requests_per_s": 40, "ttft_p95_ms": 800},
    },
    "batch": {
        "name": "Tickets", "workload": "serving", "model": "qwen3-32b", "as_of": "2026-11-22",
        "serving": {"batch": {"requests": 1e6, "deadline_hours": 12}},
    },
}  # fmt: skip
ELSEWHERE = {
    "name": "the title",
    "workload": "the other sentences",
    "currency": "each amount",
    "training.lora_rank": "only with LoRA",
    "training.epochs": "only with samples",
    "serving.api_price.source": "a note on the price",
    "serving.api_price.date": "a note on the price",
}
"""Fields that the sentences need not repeat, and where they are told."""
ROWS: dict[str, list[dict[str, Any]]] = {
    "owned": [{"accelerator": "h100-sxm5", "count": 8}],
    "agreed": [{"item": "aws/p5.48xlarge/us-east-1/on_demand", "usd": 30.0}],
    "discounts": [{"at": "aws", "share": 0.1}],
    "spend_commitments": [{"provider": "aws", "left_usd": 1e5, "until": "2027-06-30"}],
    "leases": [{"system": "dgx-h200", "usd_month": 7000.0, "months": 24}],
    "measured": [{"accelerator": "h100-sxm5", "count": 8, "step_time_s": 2.0}],
}
TYPED = {
    "providers": ["aws"],
    "regions": ["us-east-1"],
    "accelerators": ["l4"],
    "certificates": ["c5"],
    "attested": ["nebius/c5"],
    "security": ["air-gapped"],
}


def _others(field: Field) -> Iterator[Any]:
    """Values that the field may take besides its own, most likely ones first."""
    name = field.path.rpartition(".")[2]
    if name in TYPED:
        yield TYPED[name]
    elif field.widget == "check":
        yield field.value != "true"
    elif field.widget == "select":
        yield from (value for _, group in field.choices for value, _ in group if value != field.value)
    elif field.widget == "date":
        yield "2027-03-01"
    elif name == "load_curve":
        yield [0.5, 1.0] * 12
    elif field.widget == "number":
        yield from (3, 0.5, 7.0, 0.999)
    elif name == "model":
        yield "llama-3.1-8b"


def _set(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    first, _, rest = path.partition(".")
    return {**base, first: _set(base.get(first) or {}, rest, value) if rest else value}


def _said(request: dict[str, Any]) -> str:
    spec = spec_from(request)
    plan = replace((serving_plan if spec.serving else training_plan)(), spec=spec)
    return request_text(plan, page_voice(currency_of(plan).amount))


def _asked(kind: str, field: Field) -> dict[str, Any] | None:
    """The request of that kind with the field set otherwise, if it can be."""
    for value in _others(field):
        request = _set(BASES[kind], field.path, int(value) if value in (3, 7.0) else value)
        if field.path.startswith("serving.api_price"):
            whole = {"usd_per_million_input": 0.6, "usd_per_million_output": 0.6, "date": "2026-08-01"}
            request["serving"]["api_price"] = whole | request["serving"]["api_price"]
        try:
            spec_from(request)
        except ValueError:
            continue
        return request
    return None


FIELDS = {path: field for path, field in form_for(Spec).items() if path not in ELSEWHERE and path != "model"}


@pytest.mark.parametrize("kind", BASES)
def test_every_field_that_can_be_set_changes_what_is_said(kind: str) -> None:
    usual, tried, silent = _said(BASES[kind]), 0, []
    for path, field in FIELDS.items():
        request = _asked(kind, field)
        if request is None or spec_from(request) == spec_from(BASES[kind]):
            continue
        tried += 1
        if _said(request) == usual:
            silent.append(path)
    assert tried >= 30
    assert silent == []


@pytest.mark.parametrize("kind", BASES)
@pytest.mark.parametrize("rows", ROWS)
def test_rows_are_said_too(kind: str, rows: str) -> None:
    if rows == "measured" and kind in ("service", "batch"):
        return  # refused: step times are of training runs
    assert _said(BASES[kind] | {rows: ROWS[rows]}) != _said(BASES[kind])


def test_a_changed_assumption_is_said() -> None:
    text = _said(BASES["training"] | {"assumptions": {"select.confidence": 0.9}})
    assert "1 changed assumption" in text


def test_what_decides_stands_first_and_in_words() -> None:
    text = _said(
        BASES["service"]
        | {"operations": {"security": ["gdpr", "air-gapped"], "availability": 0.999}, "objective": "carbon"}
        | {"serving": {**BASES["service"]["serving"], "precision": "fp8", "framework": "tensorrt-llm"}}
    )
    assert re.search(r"Set as well: air-gapped, under GDPR, available 99\.9% of the time, ranked by emissions", text)
    more = _said(BASES["training"] | {"fixed": {"tp": 8}, "training": {"tokens": 15e9, "global_batch_tokens": 4e6}})
    assert "in sequences of 4,096, 4\u00a0million tokens a step." in more
    assert "Set as well: tensor parallel 8." in more


def test_choices_and_sizes_read_as_they_do_inside_a_sentence() -> None:
    """“stands by: A second site”, “dataset size 2 trillion bytes, stored in Object storage”."""
    data = {**BASES["training"]["training"], "dataset": {"bytes": 2e12, "location": "nfs"}}
    assert "dataset size 2 TB, stored in NFS" in _said(BASES["training"] | {"training": data})
    near = _said(BASES["training"] | {"training": data | {"dataset": {"bytes": 2e12, "location": "parallel"}}})
    assert "stored in parallel file system" in near
    text = _said(BASES["service"] | {"operations": {"pattern": "recovery-half"}})
    assert "stands by: a second site at half size" in text
    recipe = _said(BASES["training"] | {"training": {**BASES["training"]["training"], "optimizer": "adafactor"}})
    assert "optimizer Adafactor" in recipe


def test_a_usual_request_has_nothing_more_to_say() -> None:
    assert not any("Set as well" in _said(base) for base in BASES.values())


@pytest.mark.parametrize("count", [5, 999, 4_096, 12_345, 65_536, 999_999])
def test_counts_that_people_know_by_heart_keep_their_digits(count: int) -> None:
    """A batch of 65,536 is no batch of 65,540, on a page and in a document."""
    plan = training_plan()
    assert plan.spec.training
    wanted = replace(plan.spec.training, global_batch_tokens=0.0, global_batch_size=count)
    asked = replace(plan, spec=replace(plan.spec, training=wanted))
    context = Context(plan=asked, release=Release(), money=money_of(asked))
    for text in (request_text(asked, page_voice(currency_of(asked).amount)), said_in_documents(context)):
        assert f", {count:,} samples a step" in text
