"""Documents tell work in the unit of the model: a picture is no token, and what was not promised is no promise."""

from __future__ import annotations

import re

import pytest

from engine.inputs.finding import Ref
from exports.compose import compose
from exports.composing.words import told
from exports.document import Document
from planner.body import estimate_body
from planner.market import market_from_files
from planner.presenters.currency import currency_of
from planner.presenters.figures import figures
from planner.presenters.trail import Trail
from planner.weight import EVERYTHING
from tests.exports.real_plans import best_of, gallery_plan
from tests.exports.walking import texts
from voice.catalogs import ENGLISH, Catalog
from voice.terms import name_of

OF_IMAGES = ("serve-images", "batch-images", "vision-vit-large", "diffusion-sdxl")
OTHERS = ("serve-speech", "serve-embeddings", "speech-whisper-finetune", "recommender-dlrm")
ELSEWHERE = {"assumptions", "sources", "glossary"}
"""Chapters that list what other models need as well."""


def said(document: Document) -> list[str]:
    """All that the document says of its own work."""
    chapters = tuple(one for one in document.sections if one.id not in ELSEWHERE)
    found = (
        text for part in (document.decision, chapters, document.slides) for text in texts(part, without=("id", "key"))
    )
    return [text.replace("\u00a0", " ") for text in found]


@pytest.mark.parametrize("name", [*OF_IMAGES, *OTHERS])
def test_a_model_without_tokens_is_told_without_them(name: str) -> None:
    wrong = re.compile(r"\btokens?\b|KV[- ]cache|prefix|\bTTFT\b|\bTPOT\b|\bsequences?\b", re.IGNORECASE)

    assert [text for text in said(compose(gallery_plan(name))) if wrong.search(text)] == []


@pytest.mark.parametrize("name", OF_IMAGES)
def test_what_a_model_of_images_works_through_is_images(name: str) -> None:
    plan = gallery_plan(name)
    told = " ".join(said(compose(plan)))

    assert re.search(r"\d images per second|images cost|A million images", told)
    assert not re.search(r"\bsamples per second", told)
    assert best_of(plan).tokens_per_s.unit == "image/s"


def test_the_pace_of_a_run_is_its_batch_over_the_time_of_a_step() -> None:
    best = best_of(gallery_plan("vision-vit-large"))
    assert best.step_time_s

    assert best.tokens_per_s.expected == pytest.approx(best.global_batch / best.step_time_s.expected)
    assert f"at {best.tokens_per_s.expected:.0f} images per second" in " ".join(
        said(compose(gallery_plan("vision-vit-large")))
    )


def test_samples_of_a_language_model_pass_in_tokens() -> None:
    told = " ".join(said(compose(gallery_plan("lora-8b"))))

    assert re.search(r"steps of [\d,]+ sequences, at [\d.,]+ tokens per second", told)


@pytest.mark.parametrize("name", ["serve-no-promise", "serve-images", "serve-speech"])
def test_where_nothing_is_promised_no_promise_is_kept_or_broken(name: str) -> None:
    allowed = re.compile(
        r"No (?:latency|time to the first answer) is promised|provider promises no(?:ne| capacity)|^Promised p95$",
        re.MULTILINE,
    )
    told = [text.replace(gallery_plan(name).name, "") for text in said(compose(gallery_plan(name)))]
    wrong = [text for text in told if "promise" in allowed.sub("", text).lower()]

    assert wrong == []


@pytest.mark.parametrize("name", ["serve-images", "serve-speech"])
def test_the_page_tells_a_whole_answer_too(name: str) -> None:
    plan = gallery_plan(name)
    best = best_of(plan)
    money = currency_of(plan)
    labels = [one.label for one in figures(best, plan.spec, Trail(plan, best, money, {}), money)]

    assert not any("token" in label for label in labels)


@pytest.mark.parametrize(("language", "name"), [("", "Finland"), ("de", "Finnland")])
def test_a_country_is_told_by_its_name_in_the_language_of_the_words(language: str, name: str) -> None:
    assert name_of(Ref("country", "FIN"), Catalog(language=language), {}) == name


def test_every_country_of_the_catalog_has_a_name() -> None:
    market = market_from_files()
    codes = {offer.country for offer in market.offers} | {key for key in market.carbon_g_per_kwh if "/" not in key}
    assert [code for code in sorted(codes) if code and name_of(Ref("country", code), ENGLISH, {}) == code] == []


@pytest.mark.parametrize("name", ["serve-long-prompts-seldom", "serve-residency-uk"])
def test_documents_and_the_api_name_the_country_of_a_grid(name: str) -> None:
    plan = gallery_plan(name)
    grids = [text for text in said(compose(plan)) if "Grid of" in text]
    assert grids
    body = estimate_body(plan, expand=EVERYTHING)
    sources = [option["energy"]["grid"]["text"] for option in (body["recommended"], *body["alternatives"])]
    assert [text for text in (*grids, *sources) if re.search(r"Grid of [A-Z]{3}\b(?! )", text)] == []


@pytest.mark.parametrize("name", ["serve-fixed-layout", "serve-long-prompts-small-model", "train-nvfp4"])
def test_what_is_to_be_checked_is_told_to_its_end(name: str) -> None:
    """A measurement that could save half of a purchase was announced, without what to measure and what it decides."""
    plan = gallery_plan(name)
    texts_ = said(compose(plan))
    assert best_of(plan).warnings
    for found in best_of(plan).warnings:
        assert any(told(found) in text for text in texts_)
