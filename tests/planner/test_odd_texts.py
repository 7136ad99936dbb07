"""What no database stores: NULs, halves of surrogate pairs, and numbers beyond all numbers, in forms and pasted files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from engine.defaults import assumptions_for
from engine.inputs.spec import SpecError
from planner.models import KeptForm, Workload
from planner.pages.form import screens
from planner.request import drafts
from planner.request.parse import spec_from
from tests.conftest import People
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 8192, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
}  # fmt: skip


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


def _is_storable(value: Any) -> bool:
    text = json.dumps(value, allow_nan=False)  # escapes all that is not ASCII
    return "\\u0000" not in text and "\\ud8" not in text


def test_nothing_typed_holds_a_nul(alice: Client) -> None:
    odd = {"name": "Support\x00 assistant", "constraints.regions": "us-east-1\x00", "odd\x00name": "x"}
    assert alice.post("/keep/train", TRAINING | odd | {"tab": "a" * 20}).json()["state"] == "kept"
    assert _is_storable(KeptForm.objects.get().typed)
    assert alice.post("/new/train", TRAINING | odd).status_code == 302
    saved = Workload.objects.get()
    assert saved.name == "Support assistant"
    assert _is_storable(saved.draft)
    assert "Support assistant" in alice.get("/", {"words": "supp\x00ort"}).content.decode()


@pytest.mark.parametrize(
    "odd",
    [
        '"time_step_limit": [0.0, Infinity]', '"x": NaN', '"x": -1e999', '"_name_or_path": "a\\u0000b"',
        '"x": {"\\ud800": "\\udc00\\u0000"}',
    ],
)  # fmt: skip
def test_a_pasted_config_becomes_storable(alice: Client, odd: str) -> None:
    pasted = f"{json.dumps(CONFIG)[:-1]}, {odd}}}"
    assert alice.post("/new/train", TRAINING | {"model": "config", "config": pasted}).status_code == 302
    model = Workload.objects.get().draft["model"]
    assert model["hidden_size"] == 4096
    assert _is_storable(model)


def test_a_pasted_number_of_thousands_of_digits_is_a_fault_of_its_field(alice: Client) -> None:
    pasted = f'{json.dumps(CONFIG)[:-1]}, "x": {"9" * 5000}}}'
    page = alice.post("/new/train", TRAINING | {"model": "config", "config": pasted})
    assert page.status_code == 422
    assert "The config.json is not valid JSON" in page.content.decode()


@pytest.mark.parametrize("revision", ["²", "9" * 5000, "-1", "x"])
def test_a_revision_that_is_no_number_is_nobodys(alice: Client, revision: str) -> None:
    alice.post("/new/train", TRAINING)
    saved = Workload.objects.get()
    answer = alice.post(f"/workloads/{saved.public_id}/edit", TRAINING | {"name": "Lost", "revision": revision})
    assert answer.status_code == 409
    assert Workload.objects.get().name == saved.name
    assert drafts.revision_of({"revision": "7"}) == 7


def test_names_that_are_numbers_are_no_rows(alice: Client) -> None:
    """Of a pasted config, and of assumptions: only the form's own rows are lists. What a choice lacks is a fault, too."""
    pasted = json.dumps(CONFIG | {"id2label": {"0": "no", "1": "yes"}})
    assert alice.post("/new/train", TRAINING | {"model": "config", "config": pasted}).status_code == 302
    assert Workload.objects.get().draft["model"]["id2label"] == {"0": "no", "1": "yes"}
    for odd in ({"assumptions": "9" * 5_000}, {"assumptions": "5 = 3"}, {"fixed.zero_stage": "x"}):
        fields = screens.fields_of(screens.SCREENS["train"])
        draft, _ = drafts.draft_from(TRAINING | odd, fields, workload="training")
        assert isinstance(draft.get("assumptions", {}), dict)
        with pytest.raises(SpecError):
            assumptions_for(spec_from(draft | {"name": "x"}, text=True))
