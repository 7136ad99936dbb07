"""The pages work without JavaScript, say what is wrong at its field, lose nothing, and show nobody else's rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from planner.models import PlanVersion, Workload
from tests.accounts.sign_in_support import proved
from tests.conftest import People
from tests.exports import samples
from tests.planner.page_support import SERVING, TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
CANARY = "\"><script>alert('x')</script><img src=x onerror=alert(1)>{{7*7}}"


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


@pytest.fixture
def workload(alice: Client) -> Workload:
    alice.post("/new/train", TRAINING)
    return Workload.objects.get()


@pytest.fixture
def version(alice: Client, workload: Workload) -> PlanVersion:
    alice.post(f"/workloads/{workload.public_id}/freeze")
    return PlanVersion.objects.get()


def test_it_works_without_javascript_from_start_to_plan(alice: Client) -> None:
    assert alice.get("/").status_code == 200
    form = alice.get("/new/train?example=llama-70b-15b")
    assert b'value="15B"' in form.content
    sent = alice.post("/new/train", TRAINING)
    assert sent.status_code == 302
    answer = alice.get(sent["Location"])
    assert b"H100 SXM" in answer.content
    saved = alice.post(f"{sent['Location']}/freeze")
    plan = alice.get(saved["Location"])
    assert plan.status_code == 200
    assert PlanVersion.objects.get().sha256 in plan.content.decode()


@pytest.mark.parametrize("kind", ["train", "finetune", "serve"])
def test_every_form_opens_with_few_fields_in_sight(alice: Client, kind: str) -> None:
    response = alice.get(f"/new/{kind}")
    assert response.status_code == 200
    assert 6 <= len(response.context["visible"]) <= 7
    names = re.findall(r'name="([a-z_.0-9]+)"', response.content.decode())
    assert {"model", "config", "constraints.regions", "operations.scheduler", "owned.0.accelerator"} <= set(names)


def test_every_field_of_the_spec_appears_once(alice: Client) -> None:
    page = alice.get("/new/train").content.decode()
    names = re.findall(r'<(?:input type="(?:text|date|checkbox)"|select|textarea)[^>]*? name="([a-z_.0-9]+)"', page)
    assert len(names) == len(set(names)) > 55


@pytest.mark.parametrize("kind", ["train", "finetune", "serve"])
def test_every_example_can_be_sent_as_it_is(alice: Client, kind: str) -> None:
    for example in alice.get(f"/new/{kind}").context["screen"].examples:
        page = alice.get(f"/new/{kind}?example={example.slug}")
        typed = {**page.context["screen"].defaults, **example.values}
        assert alice.post(f"/new/{kind}", typed).status_code == 302, example.slug


@pytest.mark.parametrize(
    ("changed", "ident", "sentence"),
    [
        ({"training.tokens": "15 bananas"}, "f-training-tokens", "is not a number of tokens"),
        ({"training.tokens": "-5"}, "f-training-tokens", "must be at least 0"),
        ({"training.tokens": "NaN"}, "f-training-tokens", "is not a number"),
        ({"training.tokens": ""}, "f-training-tokens", "is missing"),
        ({"model": "llama-99"}, "f-model", "There is no model"),
        ({"name": "x" * 10_000}, "f-name", "too long"),
        ({"model": "", "config": "[1, 2]"}, "f-config", "must be an object in braces"),
        ({"model": "", "config": '{"a": '}, "f-config", "not valid JSON"),
        ({"constraints.budget_usd": "€5"}, "f-constraints-budget-usd", "not in US dollars"),
        ({"owned.0.accelerator": "h100-sxm5"}, "f-owned-0-count", "missing"),
        ({"assumptions": "nonsense"}, "f-assumptions", "has no sign of equality"),
        ({"assumptions": "carbon.pue = 0"}, "f-assumptions", "is 0: give a number from 1 to 5."),
    ],
)
def test_a_fault_stands_at_its_field_and_nothing_is_lost(
    alice: Client, changed: dict[str, str], ident: str, sentence: str
) -> None:
    _refused_at_its_field(alice, "train", TRAINING | changed, ident, sentence)


def test_a_fault_of_a_service_does_too(alice: Client) -> None:
    typed = SERVING | {"operations.availability": "150 %"}
    _refused_at_its_field(alice, "serve", typed, "f-operations-availability", "at most")


def _refused_at_its_field(alice: Client, kind: str, typed: dict[str, str], ident: str, sentence: str) -> None:
    response = alice.post(f"/new/{kind}", typed)
    page = response.content.decode()
    assert response.status_code == 422
    error = re.search(rf'id="{ident}-e"[^>]*>([^<]*)<', page)
    assert error is not None
    assert sentence in error[1].replace("&#x27;", "'")
    for value in typed.values():
        assert value in page.replace("&#x27;", "'").replace("&quot;", '"')
    assert not Workload.objects.exists()


def test_the_draft_keeps_what_was_typed(alice: Client, workload: Workload) -> None:
    assert workload.draft["training"]["tokens"] == "15B"
    assert workload.draft["constraints"] == {"deadline_days": "3 weeks", "budget_usd": "$400k"}
    page = alice.get(f"/workloads/{workload.public_id}/edit").content.decode()
    for value in TRAINING.values():
        assert value in page


def test_a_change_by_somebody_else_is_noticed(alice: Client, workload: Workload) -> None:
    address = f"/workloads/{workload.public_id}/edit"
    assert alice.post(address, TRAINING | {"revision": "1", "training.tokens": "16B"}).status_code == 302
    late = alice.post(address, TRAINING | {"revision": "1", "training.tokens": "17B"})
    assert late.status_code == 409
    assert "Somebody else has changed" in late.content.decode()
    assert "17B" in late.content.decode()


def test_the_live_estimate_answers_with_a_part_of_the_page(alice: Client) -> None:
    page = alice.post("/estimate/serve", SERVING).content.decode()
    assert "<html" not in page
    assert "80% range" in page
    assert "keeps the promise of 800 ms" in page


def test_the_live_estimate_says_what_is_missing(alice: Client) -> None:
    page = alice.post("/estimate/train", {"model": "llama-3.1-70b", "training.tokens": "7 cats"}).content.decode()
    assert 'data-for="f-training-tokens"' in page
    assert "is not a number of tokens" in page


def test_an_infeasible_request_says_what_would_make_it_feasible(alice: Client) -> None:
    sent = alice.post("/new/train", TRAINING | {"name": "infeasible"})
    page = alice.get(sent["Location"]).content.decode()
    assert "Not feasible" in page
    assert "What would make it feasible" in page


def test_pinned_options_stand_side_by_side(alice: Client, workload: Workload) -> None:
    one, two, *_ = (quote(option.id) for option in samples.training_plan().recommendation.alternatives)
    page = alice.get(f"/workloads/{workload.public_id}?pin={one}&pin={two}&pin=nonsense")
    assert page.context["answer"].pinned[0] == page.context["answer"].rows[0].hardware
    assert len(page.context["answer"].pinned) == 3
    assert "Side by side" in page.content.decode()


def test_saving_twice_gives_one_version(alice: Client, workload: Workload) -> None:
    for _ in range(2):
        alice.post(f"/workloads/{workload.public_id}/freeze")
    assert PlanVersion.objects.count() == 1


def test_a_second_version_says_what_has_changed(alice: Client, workload: Workload, version: PlanVersion) -> None:
    alice.post(f"/workloads/{workload.public_id}/edit", TRAINING | {"training.tokens": "20B"})
    saved = alice.post(f"/workloads/{workload.public_id}/freeze")
    changes = alice.get(saved["Location"]).context["changes"]
    assert [(item.before, item.after) for item in changes if "tokens" in item.label] == [("15 B tokens", "20 B tokens")]


def test_a_plan_is_submitted_and_somebody_else_decides(client: Client, alice: Client, version: PlanVersion) -> None:
    address = f"/plans/{version.public_id}"
    alice.post(f"{address}/submit")
    own = proved(alice).post(f"{address}/approve", follow=True).content.decode()
    assert "Somebody else must decide" in own
    version.refresh_from_db()
    assert version.state == "submitted"


def test_bob_may_look_and_not_write(people: People, workload: Workload) -> None:
    bob = Client()
    bob.force_login(people.bob)
    assert bob.get(f"/workloads/{workload.public_id}").status_code == 200
    assert bob.post("/new/train", TRAINING).status_code == 403
    assert bob.post("/estimate/train", TRAINING).status_code == 200


def test_the_start_page_opens_for_visitors_in_demo_mode_only(client: Client, db: None, settings: Any) -> None:
    settings.DEMO_MODE = True
    assert b"/accounts/demo" in client.get("/").content
    settings.DEMO_MODE = False
    assert client.get("/").status_code == 302


def test_canaries_are_inert_everywhere(alice: Client, people: People) -> None:
    typed = TRAINING | {"name": CANARY, "constraints.regions": CANARY, "operations.security": CANARY}
    pages = [alice.post("/new/train", typed | {"training.tokens": CANARY})]
    sent = alice.post("/new/train", TRAINING | {"name": CANARY, "operations.security": CANARY})
    pages += [alice.get(sent["Location"]), alice.get(f"{sent['Location']}/edit"), alice.get("/")]
    saved = alice.post(f"{sent['Location']}/freeze")
    pages += [alice.get(saved["Location"]), alice.post("/estimate/train", typed)]
    for page in pages:
        text = page.content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert ">49<" not in text


def test_pages_carry_no_inline_script_or_style(alice: Client, workload: Workload, version: PlanVersion) -> None:
    for address in ("/", "/new/train", f"/workloads/{workload.public_id}", f"/plans/{version.public_id}", "/nowhere"):
        response = alice.get(address)
        text = response.content.decode()
        assert "style=" not in text
        assert not re.search(r"<script(?![^>]*\bsrc=)", text)
        assert not re.search(r"\son[a-z]+=", text)
        assert "unsafe-inline" not in response["Content-Security-Policy"]


def test_a_pasted_config_is_kept_as_an_object(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
              "num_key_value_heads": 8, "intermediate_size": 28672, "vocab_size": 128256,
              "architectures": ["LlamaForCausalLM"], "tie_word_embeddings": False, "rms_norm_eps": 1e-5}  # fmt: skip
    sent = alice.post("/new/train", TRAINING | {"model": "config", "config": json.dumps(config)})
    assert sent.status_code == 302
    assert Workload.objects.get().draft["model"] == config
    assert "hidden_size" in alice.get(f"{sent['Location']}/edit").content.decode()


def test_pages_ask_few_questions_of_the_database(
    alice: Client, workload: Workload, version: PlanVersion, django_assert_max_num_queries: Any
) -> None:
    for address, most in (
        ("/", 7),
        ("/new/train", 5),
        (f"/workloads/{workload.public_id}", 7),
        (f"/plans/{version.public_id}", 11),
    ):
        with django_assert_max_num_queries(most):
            alice.get(address)


def test_an_old_price_is_called_old_on_the_day_of_the_request(
    alice: Client, workload: Workload, set_today: Callable[[date], None]
) -> None:
    address = f"/workloads/{workload.public_id}"
    best = samples.training_plan().recommendation.recommended
    assert best
    assert best.offer
    set_today(date.fromisoformat(best.offer.price_date))
    assert "Old price" not in alice.get(address).content.decode()
    set_today(date(2027, 6, 1))
    page = alice.get(address).content.decode()
    assert "Old price" in page
    assert f"{(date(2027, 6, 1) - date.fromisoformat(best.offer.price_date)).days} days old" in page


def test_pickers_offer_the_catalogs_names_and_keep_what_is_not_in_it(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planner import team_market
    from planner.market import market_from_files

    monkeypatch.setattr(team_market, "market_from_rows", lambda _team: market_from_files())
    page = alice.get("/new/train").content.decode()
    assert re.search(r'value="gcp"> <span>Google Cloud<', page)
    assert re.search(r'<option value="h100-sxm5">[^<]*H100', page)
    typed = TRAINING | {"constraints.providers": ["aws", "gcp"], "constraints.regions": "moon-1", "model": "nonsense"}
    page = alice.post("/new/train", typed).content.decode()
    assert page.count('name="constraints.providers" value="aws" checked') == 1
    assert 'name="constraints.regions" value="moon-1" checked' in page
    alice.post("/new/train", typed | {"model": "llama-3.1-70b"})
    assert Workload.objects.get().draft["constraints"]["providers"] == ["aws", "gcp"]


def test_the_list_of_plans_asks_the_same_however_long_it_is(
    alice: Client, people: People, version: PlanVersion, django_assert_max_num_queries: Any
) -> None:
    body = {"body": version.body, "sha256": version.sha256, "feasible": True, "headline": "x", "catalog_release": "r"}
    for at in range(12):
        row = Workload.objects.create(team=people.team, name=f"plan {at}", created_by=people.alice)
        PlanVersion.objects.create(workload=row, number=1, engine_version="1", created_by=people.alice, **body)
    with django_assert_max_num_queries(7):
        page = alice.get("/").content.decode()
    assert page.count("plan 1") >= 1
