"""The one reader behind form, API and command line: what it takes, and the sentence for what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Literal, get_args, get_origin

import pytest

from engine.inputs.architecture import Architecture
from engine.inputs.spec import Spec, SpecError
from planner.request.parse import _dataclass_in, _leaves, _unknown_inside, field_types, spec_from
from voice.speech import fault_text

TRAINING: dict[str, Any] = {
    "name": "Continued pre-training",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {"tokens": 15e9, "sequence_length": 8192},
}


def faults(data: object, *, text: bool = False) -> dict[str, str]:
    """Path → sentence of everything that is refused."""
    with pytest.raises(SpecError) as caught:
        spec_from(data, text=text)
    return {fault.path: fault_text(fault) for fault in caught.value.faults}


def test_it_works() -> None:
    spec = spec_from(TRAINING)
    assert spec.training is not None
    assert (spec.model, spec.training.tokens, spec.constraints.spot) == ("llama-3.1-70b", 15e9, True)


def test_true_is_no_choice_among_numbers() -> None:
    """By class: every field of the request that is one of some numbers, wherever it stands."""
    found = list(_choices_of_numbers(Spec, set()))
    assert found
    for name, hint in found:
        for value in (True, False):
            assert [fault.path for fault in _unknown_inside(hint, value, name)] == [name]
        assert list(_unknown_inside(hint, 1, name)) == []
    measured = {"accelerator": "h100-sxm5", "count": 8, "step_time_s": 1.0, "layout": {"tp": 8, "zero_stage": False}}
    assert faults({**TRAINING, "measured": [measured]})["measured.0.layout.zero_stage"].endswith("-1, 0, 1, 2 or 3.")


def _choices_of_numbers(kind: Any, seen: set[Any]) -> Iterator[tuple[str, Any]]:
    for name, hint in field_types(kind).items():
        inner = _dataclass_in(hint)
        if inner is not None and inner not in seen:
            yield from _choices_of_numbers(inner, seen | {inner})
        for leaf in _leaves(hint):
            if get_origin(leaf) is Literal and any(isinstance(choice, int) for choice in get_args(leaf)):
                yield name, hint


def test_text_quantities_equal_numbers() -> None:
    written = {
        **TRAINING,
        "training": {"tokens": "15B", "sequence_length": "8192"},
        "constraints": {"deadline_days": "3 weeks", "budget_usd": "1.5 M USD"},
        "start": date(2027, 1, 11),
    }
    plain = {
        **TRAINING,
        "constraints": {"deadline_days": 21, "budget_usd": 1.5e6},
        "start": "2027-01-11",
    }
    assert spec_from(written, text=True) == spec_from(plain)


def test_json_does_not_take_digits_as_text_or_booleans_as_numbers() -> None:
    for value in ("15e9", True, [15], None):
        assert "training.tokens" in faults({**TRAINING, "training": {"tokens": value}})


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 1e30])
def test_impossible_numbers_are_refused(value: float) -> None:
    assert faults({**TRAINING, "training": {"tokens": value}})


def test_a_limit_names_the_field_and_the_bound() -> None:
    found = faults({**TRAINING, "training": {"tokens": -5.0}})
    assert found == {"training.tokens": "“training.tokens” must be at least 0."}


def test_an_unknown_key_is_refused_by_name_with_the_nearest() -> None:
    found = faults({**TRAINING, "training": {"tokens": 1e9, "sequence_lenght": 4096}})
    assert found == {
        "training.sequence_lenght": "“training.sequence_lenght” is not a known field: did you mean “sequence_length”?"
    }


def test_an_unknown_model_names_the_nearest() -> None:
    assert "llama-3.1-70b" in faults({**TRAINING, "model": "llama-3.1-71b"})["model"]


def test_a_name_of_ten_thousand_characters_is_refused() -> None:
    assert faults({**TRAINING, "name": "n" * 10_000}) == {"name": "“name” is too long: at most 120 characters."}


@pytest.mark.parametrize("data", [[], "text", 5, None])
def test_anything_but_an_object_is_refused(data: object) -> None:
    assert "must be an object" in faults(data)[""]


def test_rules_across_fields_name_both() -> None:
    both = {**TRAINING, "training": {"tokens": 1e9, "samples": 1e6}}
    assert "training.tokens" in faults(both)["training.samples"]
    assert "serving" in faults({**TRAINING, "workload": "serving"})


def test_a_config_becomes_an_architecture() -> None:
    config = {
        "model_type": "llama",
        "hidden_size": 8192,
        "num_hidden_layers": 80,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "intermediate_size": 28672,
        "vocab_size": 128256,
        "tie_word_embeddings": False,
    }
    model = spec_from({**TRAINING, "model": config}).model
    assert isinstance(model, Architecture)
    assert model.parameters == 70_553_706_496


BERT = {
    "slug": "own", "family": "own", "name": "Own", "layers": 2, "hidden": 64, "heads": 4, "kv_heads": 4, "head_dim": 16,
    "ffn": 256, "vocab": 1000,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"heads": 0}, "model.heads"),
        ({"layers": -1}, "model.layers"),
        ({"vocab": 10**12}, "model.vocab"),
        ({"moe": {"experts": 8, "top_k": 2, "expert_ffn": 64, "every": 0}}, "model.moe.every"),
        ({"moe": {"experts": 2, "top_k": 8, "expert_ffn": 64}}, "model.moe.top_k"),
        ({"kind": "generic", "generic_parameters": 1e9}, "model.flops_per_sample"),
    ],
)
def test_an_architecture_that_physics_cannot_divide_by_is_refused(change: dict[str, object], path: str) -> None:
    """Found by generated requests: one layer in none was an error of ours instead of a sentence."""
    body = {"name": "Own", "workload": "training", "training": {"tokens": 1e9}}
    assert isinstance(spec_from({**body, "model": BERT}).model, Architecture)
    assert faults({**body, "model": BERT | change}).keys() == {path}
