"""REST: model presets, and a config.json read into an architecture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Body, Router
from ninja.params.functions import Query
from pydantic import PlainValidator

from accounts.bearer import Bearer
from catalog.hf_config import parse_config
from catalog.presets import architectures, find_model
from engine.inputs.architecture import Architecture
from engine.inputs.spec import SpecError
from planner.api.bodies import refused
from planner.frozen.snapshot import plain
from rest.answers import answer, found
from rest.door import BODY, answers
from rest.pages import CURSOR, LIMIT, Page, page_of_list
from rest.parameters import Whole
from rest.problems import Problem

router = Router(tags=["Catalog"])
MOST_BYTES = 256 * 1024
FAMILY: Any = Query(None, max_length=60, description="Only this family, such as llama.")


@dataclass(frozen=True, kw_only=True)
class ModelBody:
    """An architecture, the parameters that follow from it, and where its values come from."""

    slug: str
    name: str
    family: str
    modality: str
    parameters: float
    active_parameters: float
    source: str
    source_date: str
    architecture: Architecture


def _read_config(data: Any) -> Architecture:
    try:
        return parse_config(data)
    except SpecError as error:
        raise refused(error) from error


ConfigBody = Annotated[Architecture, PlainValidator(_read_config, json_schema_input_type=dict[str, Any]), Body()]


@router.post(
    "/models:parse",
    auth=Bearer("catalog:read"),
    response=answers(*BODY, ok=ModelBody),
    summary="Read a Hugging Face config.json",
)
def parse_model(request: HttpRequest, architecture: ConfigBody) -> HttpResponse:
    """The architecture that this config.json describes: send the file itself as the body, at most 256 KiB. No address
    is ever fetched."""
    if len(request.body) > MOST_BYTES:
        raise Problem(413, f"The config.json has {len(request.body):,} bytes: send at most {MOST_BYTES:,}.")
    return answer(_body(architecture))


@router.get("/models", auth=Bearer("catalog:read"), response=answers(ok=Page[ModelBody]), summary="List model presets")
def list_models(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    family: str | None = FAMILY,
) -> HttpResponse:
    """Every preset, by slug."""
    models = [_body(model) for _, model in sorted(architectures().items()) if family in (None, model.family)]
    return page_of_list(request, models, lambda model: model.slug, limit=limit, cursor=cursor)


@router.get(
    "/models/{slug}", auth=Bearer("catalog:read"), response=answers(404, ok=ModelBody), summary="One model preset"
)
def get_model(request: HttpRequest, slug: str) -> HttpResponse:
    """A preset by its slug or by a name that publications use."""
    try:
        return found(request, _body(find_model(slug)))
    except KeyError as error:
        raise Http404(str(error)) from error


def _body(model: Architecture) -> ModelBody:
    return ModelBody(
        slug=model.slug,
        name=model.name,
        family=model.family,
        modality=model.modality,
        parameters=plain(model.parameters),
        active_parameters=plain(model.active_parameters),
        source=model.source,
        source_date=model.source_date,
        architecture=model,
    )
