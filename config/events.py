"""What webhooks are sent, as the description tells it: the same data that `planner.events` and `exports.events` write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.outlook.compare import PARTS, SIDES
from webhooks.outbox import TEST, TYPES

Json = dict[str, Any]
_ID: Json = {"type": "string", "pattern": "^[a-z]+_[A-Za-z0-9]+$"}
_TEXT: Json = {"type": "string"}
_ADDRESS: Json = {"type": "string", "format": "uri"}
_PLAN = "pln_7Qm2vX9aKd41LbT8rWc5YhZe"
_VERSION = "ver_3Fp8nS6uJy20GkR7tXa4MqBd"
_EXPORT = "exp_9Wd5hC1oNv63ZjE2sPg8LuTk"
_PERSON = "usr_4Kt7yB2mQx95HfV3rDn6JcWp"
_SHA = "0f4c" * 16
_SITE = "https://sextant.test"


def _object(about: str, **properties: Json) -> Json:
    return {"type": "object", "description": about, "properties": properties, "required": list(properties)}


def _event(about: str, figures: Json, **properties: Json) -> Json:
    """The data of an event; what is confidential comes only where it was asked for."""
    found = _object(about, **properties)
    if figures:
        told = _object('What is confidential: only to a webhook with `"figures": true`.', **figures)
        found["properties"] = {**found["properties"], "figures": told}
    return found


def _told(kind: Json, about: str, example: Any) -> Json:
    return {**kind, "description": about, "examples": [example]}


_LINKS: Json = {
    "self": _told(_ADDRESS, "It in the API.", f"{_SITE}/api/v1/plans/{_PLAN}/versions/3"),
    "page": _told(_ADDRESS, "It for people.", f"{_SITE}/plans/{_VERSION}/"),
}
_BY = {
    "anyOf": [_ID, {"type": "null"}],
    "description": "Id of who did it; null for the program.",
    "examples": [_PERSON],
}
_VERSIONED: Json = {
    "plan_id": _told(_ID, "Id of the plan.", _PLAN),
    "version_id": _told(_ID, "Id of the version.", _VERSION),
    "version": _told({"type": "integer", "minimum": 1}, "Number of the version.", 3),
    "state": _told({"type": "string", "enum": ["draft", "submitted", "approved", "returned", "superseded"]},
                   "Where its review stands.", "approved"),
    "sha256": _told({"type": "string", "pattern": "^[0-9a-f]{64}$"}, "The plan's hash.", _SHA),
}  # fmt: skip
_RELEASE = _told(_TEXT, "Hash of the market on which it was asked again.", "7b1e" * 16)
_BUDGET = {
    "budget_lines": _told(_ADDRESS, "Its budget.", f"{_SITE}/api/v1/plans/{_PLAN}/budget-lines?version=3"),
}
_FILE: Json = {
    **_VERSIONED,
    "export_id": _told(_ID, "Id of the file.", _EXPORT),
    "format": _told({"type": "string", "enum": ["docx", "xlsx", "pdf", "pptx"]}, "Kind of file.", "pdf"),
    "paper": _told({"type": "string", "enum": ["A4", "Letter"]}, "Size of the paper.", "A4"),
}
_MAYBE_MONEY: Json = {"anyOf": [{"$ref": "#/components/schemas/Amount"}, {"type": "null"}]}
_MAYBE_BAND: Json = {"anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}]}
_COST: Json = {"amount": "3035.07", "currency": "USD"}
_BAND: Json = {"low": "2741.10", "expected": "3035.07", "high": "3512.64", "currency": "USD"}
_NAME: Json = {"name": _told(_TEXT, "Name of the plan.", "Support assistant")}
_FIGURES: Json = {
    **_NAME,
    "headline": _told(_TEXT, "The answer in one sentence.", "Train on 8 × H100 in 12 days for $3,035."),
    "feasible": _told({"type": "boolean"}, "Does anything keep the limits?", True),
    "cost": _told(_MAYBE_MONEY, "Total of the recommended option; null when nothing is feasible.", _COST),
    "signed": _told(
        _MAYBE_MONEY, "What is signed as a whole, of which `cost` may hold a share; null where nothing is.", None
    ),
    "reason": _told(_TEXT, "What whoever decided wrote; empty where nothing.", ""),
}
_BANDS: Json = {
    **_FIGURES,
    "band": _told(_MAYBE_BAND, "What it was to cost; null when nothing was feasible.", _BAND),
    "band_today": _told(_MAYBE_BAND, "What it would cost today; null when nothing is feasible.", _BAND),
}
_SELF = {"self": _told(_ADDRESS, "It in the API.", f"{_SITE}/api/v1/exports/{_EXPORT}")}
_FETCH = {"file": _told(_ADDRESS, "The bytes.", f"{_SITE}/api/v1/exports/{_EXPORT}/file")}

SCHEMAS: Final[dict[str, Json]] = {
    "VersionEvent": _event("What happened to a version of a plan.", _FIGURES, **_VERSIONED, by=_BY,
                            links=_object("Where to read on.", **_LINKS, **_BUDGET)),
    "PlanEvent": _event("What happened to a plan as a whole.", _NAME, plan_id=_VERSIONED["plan_id"], by=_BY,
                         links=_object("Where to read on.", **_LINKS)),
    "RepriceEvent": _event("An approved plan, asked again on today's market, costs something else.", _BANDS, **_VERSIONED, by=_BY,
                            cost=_told({"type": "string", "enum": list(SIDES)},
                                       "Where today's expected cost lies of the frozen band, P10 to P90; within: it has come back.",
                                       "above"),
                            catalog_release=_RELEASE, links=_object("Where to read on.", **_LINKS, **_BUDGET)),
    "DriftEvent": _event("An approved plan, asked again on today's market, would be another one.", _BANDS, **_VERSIONED, by=_BY,
                          changed=_told({"type": "array", "items": {"type": "string", "enum": list(PARTS)}},
                                        "What would be chosen otherwise; nothing: it would be the same again.", ["place", "terms"]),
                          catalog_release=_RELEASE, links=_object("Where to read on.", **_LINKS, **_BUDGET)),
    "PriceEvent": _event("The price that an approved plan rests on has grown old.", _FIGURES, **_VERSIONED, by=_BY,
                          price_date=_told({"type": "string", "format": "date"}, "Day of the price.", "2026-08-11"),
                          age_days=_told({"type": "integer"}, "Its age [day].", 104),
                          links=_object("Where to read on.", **_LINKS, **_BUDGET)),
    "FileEvent": _event("A document is ready.", _NAME, **_FILE,
                         file_sha256=_told({"type": "string"}, "SHA-256 of the bytes.", _SHA),
                         bytes=_told({"type": "integer"}, "Size [byte].", 71_204),
                         links=_object("Where to read on.", **_SELF, **_FETCH)),
    "FileFailure": _event("A document could not be made.", _NAME, **_FILE,
                           error=_object("Why.", code=_told({"type": ["string", "null"]}, "A short code.", "timeout"),
                                         detail=_told({"type": ["string", "null"]}, "One sentence.", "It took too long.")),
                           links=_object("Where to read on.", **_SELF)),
    "TestEvent": _event("Nothing has happened.", {}, id=_told(_ID, "Id of the webhook.", "whk_5Ls8zD3nRw06KgU4vFm7HbXq"),
                         note=_told({"type": "string"}, "Says so.", "This is a test: nothing has happened.")),
}  # fmt: skip
"""The `data` of each kind of event."""
DATA: Final[Json] = {
    # The first that fits is the one, for readers who take the first: those that hold more stand before those that hold less.
    "anyOf": [
        {"$ref": f"#/components/schemas/{name}"}
        for name in (
            *(name for name in SCHEMAS if name not in ("VersionEvent", "PlanEvent")),
            "VersionEvent",
            "PlanEvent",
        )
    ]
}
"""What any event may carry."""
_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(TYPES, "VersionEvent"),
    "plan.archived": "PlanEvent",
    "plan.restored": "PlanEvent",
    "plan.repriced": "RepriceEvent",
    "plan.drifted": "DriftEvent",
    "prices.stale": "PriceEvent",
    "export.succeeded": "FileEvent",
    "export.failed": "FileFailure",
    TEST: "TestEvent",
}
_HEADERS = {
    "webhook-id": "Of the event: the same at every attempt.",
    "webhook-timestamp": "Seconds since 1970, of the attempt.",
    "webhook-signature": "`v1,` and the base64 of HMAC-SHA-256 over `id.timestamp.body`; two while two secrets are valid.",
}


MESSAGE: Final[Json] = _object(
    "A message as it is sent to a webhook.",
    type={"enum": [*TYPES, TEST], "type": "string", "description": "What happened."},
    timestamp={"type": "string", "format": "date-time", "description": "When it happened."},
    data={**DATA, "description": "What it happened to."},
)


def webhooks() -> dict[str, Json]:
    """The section `webhooks` of the description."""
    return {type_: {"post": _sent(type_, TYPES.get(type_, "nothing: a test was asked for"))} for type_ in _OF}


def _sent(type_: str, about: str) -> Json:
    name = type_.replace(".", "_")
    body = _object(
        "An event as it is sent.",
        type={"const": type_, "description": "What happened."},
        timestamp={"type": "string", "format": "date-time", "description": "When it happened."},
        data={"$ref": f"#/components/schemas/{_OF[type_]}", "description": "What it happened to."},
    )
    return {
        "operationId": f"told_{name}",
        "tags": ["Messages"],
        "summary": f"{about[:1].upper()}{about[1:]}",
        "description": "Sent as Standard Webhooks 1.0 says, until an answer of 2xx or for 24 hours.",
        "security": [],
        "parameters": [
            {"name": header, "in": "header", "required": True, "description": said, "schema": {"type": "string"}}
            for header, said in _HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body, "example": example(type_)}}},
        "responses": {
            "204": {"description": "Taken; any other 2xx will do."},
            "410": {"description": "Never again: the webhook is turned off."},
        },
    }


def example(type_: str) -> Json:
    """An event of that type as it may be sent."""
    data = _example(SCHEMAS[_OF[type_]])
    if "state" in data and type_.startswith("plan.") and type_.rpartition(".")[2] in _STATES:
        data["state"] = type_.rpartition(".")[2]
    return {"type": type_, "timestamp": "2026-11-21T20:15:31.123Z", "data": data}


_STATES = ("submitted", "approved", "returned", "superseded")


def _example(schema: Json) -> Any:
    if "properties" in schema:
        return {name: _example(part) for name, part in schema["properties"].items()}
    return schema["examples"][0]
