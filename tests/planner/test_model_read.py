"""A model is acknowledged as it was read, in the unit that its work is counted in; what cannot be read says why."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from catalog.hf_config import parse_config
from engine.inputs.spec import SpecError
from planner.pages.form.model_read import model_read
from tests.conftest import People
from tests.planner.page_support import SERVING, TRAINING, quick_engine
from voice.speech import fault_text

__all__ = ["quick_engine"]
OLMO = {"model_type": "olmo2", "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40,
        "intermediate_size": 13824, "vocab_size": 100352}  # fmt: skip
MAMBA = {
    "model_type": "falcon_mamba",
    "hidden_size": 4096,
    "num_hidden_layers": 64,
    "state_size": 16,
    "vocab_size": 65024,
}


def test_a_pasted_config_is_called_by_family_size_and_depth() -> None:
    read = model_read({"model": OLMO})
    assert read.words.startswith("Olmo2: 13.7\u00a0billion parameters, 40 layers.")
    assert read.counts == "token"


@pytest.mark.parametrize(
    ("slug", "counts", "word"), [("sdxl", "image", "images"), ("whisper-large-v3", "recording", "recordings")]
)
def test_what_has_no_tokens_is_told_in_its_own_unit(slug: str, counts: str, word: str) -> None:
    read = model_read({"model": slug})
    assert read.counts == counts
    assert f"counted in {word}" in read.words


@pytest.mark.parametrize("draft", [{}, {"model": ""}, {"model": "llama-99"}, {"model": {}}, {"model": MAMBA}])
def test_what_cannot_be_read_is_not_acknowledged(draft: dict[str, object]) -> None:
    assert model_read(draft).words == ""


def test_a_model_with_states_is_refused_for_its_true_reason() -> None:
    with pytest.raises(SpecError) as caught:
        parse_config(MAMBA)
    said = fault_text(caught.value.faults[0])
    assert "falcon_mamba" in said
    assert "states instead of attention" in said
    with pytest.raises(SpecError) as empty:
        parse_config({})
    assert "this is empty" in fault_text(empty.value.faults[0])


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_the_live_panel_brings_the_acknowledgement(client: Client, people: People) -> None:
    client.force_login(people.alice)
    page = client.post("/estimate/train", TRAINING | {"model": "config", "config": json.dumps(OLMO)}).content.decode()
    assert 'id="model-read"' in page
    assert "40 layers" in page
    page = client.post("/estimate/serve", SERVING | {"model": "sdxl"}).content.decode()
    assert 'data-counts="image"' in page
