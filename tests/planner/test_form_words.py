"""A form speaks to people: no choice and no fault shows an identifier or a path."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from engine.inputs.spec import AgreedPrice, Spec
from planner.request.fields import form_for
from tests.conftest import People
from voice.terms import SOFTWARE

NAMES = {*SOFTWARE.values(), "llama.cpp"}


def test_every_choice_is_a_name_or_begins_a_sentence() -> None:
    odd = [
        (path, label)
        for kind in (Spec, AgreedPrice)
        for path, field in form_for(kind).items()
        for _, group in field.choices
        for _, label in group
        if label not in NAMES and (not re.match(r"[A-Z0-9]", label) or "_" in label or re.search(r"\d[a-z]\d", label))
    ]
    assert odd == []


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["train", "finetune", "serve"])
def test_what_is_missing_is_named_as_the_form_names_it(people: People, client: Client, kind: str) -> None:
    client.force_login(people.alice)
    for sent in ({}, {"model": "llama-3.1-8b"}):
        page = client.post(f"/new/{kind}", sent).content.decode()
        faults = re.findall(r"<li>(<a href=.*?)</li>", page)
        assert faults
        for fault in faults:
            assert not re.search(r"“?(serving|training|constraints)\.", fault), fault
            label = re.search(r">([^<]+)</a>", fault)
            assert label
            assert fault.count(label[1]) == 1, fault
