"""No reader meets an identifier, a wrong plural, a cut sentence or a nothing: varied requests, every place they are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import Role
from planner import plans
from planner.frozen.snapshot import Plan, settled
from planner.market import market_from_files
from planner.request.yaml_file import load_yaml
from tests.conftest import People, make_member
from tests.exports import prose
from tests.exports.real_plans import gallery_plan

pytestmark = [pytest.mark.needs_poppler, pytest.mark.django_db]
GALLERY = Path(__file__).parents[2] / "examples/gallery"
REQUESTS = (
    "lora-8b", "train-70b-on-demand-eur", "train-tpu-commitment", "owned-twelve-runs", "owned-too-small-hybrid",
    "serve-assistant-office-hours", "serve-buy-jpy", "batch-ten-million-eur", "vision-vit-large", "diffusion-sdxl",
    "recommender-dlrm", "buy-air-gapped", "refused-batch", "refused-budget", "refused-memory", "refused-no-price",
    "refused-promise",
)  # fmt: skip
"""Spot, on demand, committed, owned, beside one another, bought; a service, a batch, models that read no text; refusals."""
FAULTS = {
    "plural": re.compile(
        r"(?<![\d.,/×-])(?<!\d )1[ \u00a0](?!hours?:|is\b|was\b|has\b|GPUs?\b)"
        r"(accelerators|replicas|servers|days|hours|minutes|seconds|weeks|months|years|runs|nodes|instances|options|offers"
        r"|layouts|failures|requests|tokens|chips|GPUs|accelerator-hours|prices|inputs|samples|epochs|steps)\b"
    ),
    "nothing": re.compile(
        r"(?<![\d.,])0(?:\.0+)?[ \u00a0](?:days|accelerator-hours|hours|minutes)\b|\bNone\b(?! of\b| yet\b)|\b(?:nan|NaN)\b"
    ),
    "cut": re.compile(r"(?<!^Save as scenario)…|(?<!\.)\.\.\.(?!\.)"),
    "spaces": re.compile(r"\S {2,}\S"),
    "underscore": re.compile(r"(?<![\w./@%-])(?!Q\d)[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?![\w./-])"),
    "enum": re.compile(
        r"(?<![\w./-])(?:1f1b|gpipe|Gpipe|fp8|bf16|fp16|fp32|int8|int4|nvfp4|mxfp4|mxfp8|tf32|Kv|kv|k kWh)(?![\w/-])"
    ),
}


@cache
def slugs() -> re.Pattern[str]:
    """Any name that only our catalog has, as a word."""
    market = market_from_files()
    names = {name for name in market.devices if "-" in name or re.search(r"\d", name)}
    names |= {system.slug for system in market.systems} | {offer.instance for offer in market.offers}
    names |= {offer.provider for offer in market.offers} - {"do", "together"}
    many = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"(?<![\w./-])(?:{many})(?![\w/-]|\.[a-z])")


def machines(plan: Plan) -> re.Pattern[str]:
    """Where a table says what to order: “AWS, p5.48xlarge, us-east-1”, at the provider, by the provider's own name of it."""
    answer = plan.recommendation
    options = [option for option in (answer.recommended, *answer.alternatives) if option]
    names = {option.offer.instance for option in options if option.offer}
    # A column of a page may break the name at its signs.
    many = "|".join(re.sub(r"(?<=[-_.])", r"\\s?", re.escape(name)) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<=, )(?:instance )?(?:{many}),?(?= |$)" if many else r"(?!)")


def faults(text: str) -> Iterator[tuple[str, str]]:
    """What a reader would stumble over."""
    for name, pattern in (*FAULTS.items(), ("slug", slugs())):
        for found in pattern.finditer(text):
            yield name, text[max(0, found.start() - 40) : found.end() + 40]


@pytest.mark.parametrize("name", REQUESTS)
def test_no_reader_stumbles(people: People, client: Client, name: str, tmp_path: Path) -> None:
    plan, data = settled(gallery_plan(name)), load_yaml((GALLERY / f"{name}.yaml").read_text(encoding="utf-8"))
    petra = make_member(people.team, "Petra", Role.PLANNER)
    version = plans.freeze_version(petra, plans.save_workload(petra, name=plan.name, draft=data), plan)
    client.force_login(petra.user)
    page = client.get(f"/plans/{version.public_id}?all=1").content.decode()
    said = {
        "terminal": prose.of_terminal(plan),
        "API": prose.of_json(plan),
        "page": prose.of_page(page),
        "Word": prose.of_word(plan),
        "PDF": prose.of_pdf(plan, tmp_path),
        "PowerPoint": prose.of_slides(plan),
        "Excel": prose.of_workbook(plan),
    }
    known = machines(plan)
    found = {
        (place, *fault)
        for place, texts in said.items()
        for text in texts
        for fault in faults(known.sub("one machine", text))
    }
    assert not sorted(found)
