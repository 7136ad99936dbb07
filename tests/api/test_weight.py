"""What an estimate weighs, what is left out until it is asked for, and that callers who take gzip get it."""

from __future__ import annotations

import gzip
import json
from typing import Any

import brotli
import pytest

from engine.inputs.origin import SET_IN_PLAN
from planner.body import estimate_body
from planner.telling import sourced
from planner.weight import COMPARED, MOST_ALTERNATIVES, PARTS
from rest.answers import answer
from rest.compression import preferred
from tests.api.support import TRAINING, Api, problem
from tests.exports.real_plans import gallery_plan
from tests.plans import NAMES, stored

MOST_BYTES = 60_000


@pytest.mark.parametrize("name", NAMES)
def test_the_default_body_is_light_and_the_recommended_option_whole(name: str) -> None:
    short, whole = (estimate_body(stored(name), expand=parts) for parts in ((), PARTS))
    assert len(answer(short).content) <= MOST_BYTES  # as it is sent
    if whole["recommended"]:
        months = whole["recommended"]["cost"].pop("by_month")
        assert estimate_body(stored(name), expand=("ledger",))["recommended"]["cost"]["by_month"] == months != []
    assert _within(short["recommended"], whole["recommended"]) == []
    left_out = {key for key in whole if whole[key] != short[key]}
    assert left_out <= {
        *PARTS,
        "backing",
        "recommended",
    }  # rows of evidence stand in these two, standby patterns in the second


HEAVIEST = ("train-measure-first", "serve-fixed-layout", "serve-long-prompts-small-model", "tax-on-hardware-alone")


@pytest.mark.parametrize("name", HEAVIEST)
def test_the_heaviest_of_the_gallery_are_light_too(name: str) -> None:
    plan = gallery_plan(name)
    assert len(answer(estimate_body(plan, expand=())).content) <= MOST_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_an_alternative_says_the_same_in_both_bodies(name: str) -> None:
    short, whole = (estimate_body(stored(name), expand=parts)["alternatives"] for parts in ((), PARTS))
    assert len(short) == min(len(whole), MOST_ALTERNATIVES)
    for few, all_ in zip(short, whole, strict=False):
        assert _within(few, all_) == [], few["id"]


def _within(few: Any, whole: Any, path: str = "") -> list[str]:
    """Where the first says what the second does not."""
    if isinstance(few, dict) and isinstance(whole, dict):
        return [said for key in few for said in _within(few[key], whole.get(key), f"{path}/{key}")]
    if isinstance(few, list) and isinstance(whole, list):  # of these some are left out, and the others are the same
        return [path for item in few if not any(_within(item, one) == [] for one in whole)]
    return [] if few == whole else [path]


PLACES = {part: {part} for part in PARTS} | {
    "alternatives": {"alternatives", "recommended"},
    "evidence": {"backing", "recommended"},
    "ledger": {"ledger", "recommended"},
}
"""Fields of an answer that a part fills."""


@pytest.mark.parametrize("part", PARTS)
def test_each_part_can_be_asked_for(part: str) -> None:
    short, asked, whole = (estimate_body(stored("serving"), expand=parts) for parts in ((), (part,), PARTS))
    for place in PLACES[part]:
        assert _within(asked[place], whole[place]) == []
        assert len(json.dumps(asked[place])) >= len(json.dumps(short[place]))
    if PLACES[part] == {part}:
        assert asked[part] == whole[part]
    for other in short.keys() - PLACES[part]:
        assert asked[other] == short[other]


def test_two_parts_at_once_are_all_but_the_third(quick_engine: None, petra: Api) -> None:
    asked = petra.post("/estimates?expand=alternatives,assumptions", TRAINING).json()
    whole = petra.post("/estimates?expand=all", TRAINING).json()
    assert (asked["alternatives"], asked["assumptions"]) == (whole["alternatives"], whole["assumptions"])


def test_a_part_that_there_is_not_is_named(quick_engine: None, petra: Api) -> None:
    body = problem(petra.post("/estimates?expand=alternatives,everything", TRAINING), 400)
    assert "“everything”" in body["detail"]
    assert "alternatives" in body["detail"]
    assert body["errors"][0]["parameter"] == "expand"


def test_a_changed_assumption_is_always_told(petra: Api) -> None:
    told = petra.post("/estimates", {**TRAINING, "assumptions": {"cost.spot_fallback_share": 0.3}})
    assert [item["id"] for item in told.json()["assumptions"]] == ["cost.spot_fallback_share"]
    assert [item["source"] for item in told.json()["assumptions"]] == [sourced(SET_IN_PLAN)]


def test_who_takes_brotli_gets_it_and_the_same_words(quick_engine: None, petra: Api) -> None:
    plain, packed = petra.post("/estimates", TRAINING), petra.post("/estimates", TRAINING, Accept_Encoding="gzip, br")
    assert packed["Content-Encoding"] == "br"
    assert "Accept-Encoding" in packed["Vary"]
    assert brotli.decompress(packed.content) == plain.content
    small = petra.post("/estimates", TRAINING, Accept_Encoding="gzip")
    assert len(packed.content) < len(small.content)


@pytest.mark.parametrize(
    ("header", "coding"),
    [("", None), ("identity", None), ("gzip", "gzip"), ("br", "br"), ("gzip, deflate, br, zstd", "br"), ("*", "br"),
     ("br;q=0, gzip;q=0.5", "gzip"), ("br;q=0.2,gzip;q=0.8", "gzip"), ("gzip;q=0, *;q=0", None), ("BR", "br"),
     ("br;q=nonsense", None)],
)  # fmt: skip
def test_the_coding_is_the_one_that_is_asked_for_first(header: str, coding: str | None) -> None:
    assert preferred(header) == coding


def test_who_takes_gzip_gets_it_and_the_same_words(quick_engine: None, petra: Api) -> None:
    plain, packed = (
        petra.post("/estimates", TRAINING),
        petra.post("/estimates", TRAINING, Accept_Encoding="br;q=0.5, gzip"),
    )
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert gzip.decompress(packed.content) == plain.content
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content) / 3
    refused = petra.post("/estimates", TRAINING, Accept_Encoding="gzip;q=0, identity")
    assert "Content-Encoding" not in refused


def test_an_answer_with_a_secret_stays_plain(alice: Api) -> None:
    wanted = {"name": "A", "scopes": ["plans:read"]}
    assert "Content-Encoding" not in alice.post("/tokens", wanted, Accept_Encoding="gzip")
    hook = {"name": "n" * 80, "url": f"https://example.com/{'p' * 1900}", "events": ["plan.approved"]}
    made = alice.post("/webhooks", hook, Accept_Encoding="gzip")
    assert made.json()["secret"].startswith("whsec_")
    assert "Content-Encoding" not in made


def test_what_alternatives_are_compared_by_is_in_the_description() -> None:
    from tests.api.described import SCHEMA

    required = set(SCHEMA["components"]["schemas"]["Alternative"]["required"])
    assert {"id", "accelerator", "count", "cost", "days"} <= required <= {*COMPARED, "cost", "offer", "on_prem"}
