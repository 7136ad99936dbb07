"""REST: a spec as people write it — YAML, with quantities such as 70B or 3 weeks — read into plain JSON numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen
from django.http import HttpRequest, HttpResponse
from ninja import Body, Router
from pydantic import PlainValidator

from accounts.bearer import Bearer, caller_of
from engine.inputs.spec import Spec, SpecError
from planner import team_market
from planner.api.bodies import item_of
from planner.frozen.snapshot import plain
from planner.request.parse import spec_from
from planner.request.yaml_file import YamlError, load_yaml
from rest.answers import answer
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.problems import ProblemItem, invalid

router = Router(tags=["Estimates"])


@dataclass(frozen=True, kw_only=True)
class SpecText:
    """The text of a spec file."""

    __pydantic_config__ = {"extra": "forbid"}

    text: Annotated[str, MinLen(1), MaxLen(256 * 1024)]
    """YAML, or JSON, which is YAML too."""
    config: dict[str, Any] | None = None
    """The content of the config.json that the text names as `model: {config: FILE}`."""


@dataclass(frozen=True, kw_only=True)
class ParsedSpec:
    """The request that the text describes, as POST /estimates and POST /plans take it."""

    spec: Spec


def _read_text(data: Any) -> SpecText:
    return read_body(SpecText, data)


SpecTextBody = Annotated[SpecText, PlainValidator(_read_text, json_schema_input_type=SpecText), Body()]


@router.post(
    "/specs:parse", auth=Bearer("plans:read"), response=answers(*BODY, ok=ParsedSpec), summary="Read a spec file"
)
def parse_spec(request: HttpRequest, wanted: SpecTextBody) -> HttpResponse:
    """Reads a spec as `manage.py plan` reads its file, so that a program needs no YAML and no units of its own. Pointers of
    faults are below /text and lead on into the document. Nothing is stored."""
    try:
        data = _with_config(load_yaml(wanted.text), wanted.config)
        rates = team_market.market_of(caller_of(request).team).fx_usd
        return answer({"spec": plain(spec_from(data, text=True, rates=rates))})
    except YamlError as error:
        detail = f"The text is not readable YAML: {error}"
        raise invalid([ProblemItem(pointer="/text", code="yaml", detail=detail)]) from error
    except SpecError as error:
        raise invalid(item_of(fault, "text") for fault in error.faults) from error


def _with_config(data: Any, config: dict[str, Any] | None) -> Any:
    """The data with the model's file in its place. Problem 422 when it was not sent: no file is read here."""
    model = data.get("model") if isinstance(data, dict) else None
    if not isinstance(model, dict) or set(model) != {"config"}:
        return data
    if config is None:
        detail = f"The text takes its model from the file “{str(model['config'])[:80]}”: send its content as “config”."
        raise invalid([ProblemItem(pointer="/config", code="missing", detail=detail)])
    return {**data, "model": config}
