"""Who may do what at which address: the one table of all routes.

A row names an audience for each method that a route answers; every other method is a 405. Audiences:

``EVERYONE``   visitors without an account too
``PEOPLE``     whoever is logged in, in the own team
``MEMBERS``    every role of the team that owns the object (the same as PEOPLE where no object is named)
``PLANNERS``   planners and admins; likewise ``FINANCE``, ``APPROVERS``, ``ADMINS`` and unions of these

A page that names an object (``of="version"`` …) is a 404 for another team. To add a page::

    "planner:colour": page(of="version", GET=MEMBERS, POST=PLANNERS, body={"colour": "red"}),

where ``of`` is a key of ``World.objects`` (world.py) that fills the first path parameter and further parameters stand
in ``at``. A POST row of which the good body writes nothing says ``writes=False``; a page that refuses by a message and
a redirect instead of 403 says ``refusal=302``; one of which a POST asks for a fresh proof of who one is says
``fresh=True``. Several rows for one route: ``"planner:step submit"``. To add an
operation of the API: ``"list_colours": op(MEMBERS)``; its scope is read from the OpenAPI file, its body from
tests/api/test_statuses.py unless the row has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.planner.page_support import TRAINING
from tests.plans import SOLD

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ROLES = ("viewer", "planner", "finance", "approver", "admin")
ACTORS = ("anonymous", "other", *ROLES)

Audience = frozenset[str]
NOBODY: Audience = frozenset()
EVERYONE: Audience = frozenset(ACTORS)
MEMBERS: Audience = frozenset(ROLES)
PEOPLE: Audience = MEMBERS
PLANNERS: Audience = frozenset({"planner", "admin"})
FINANCE: Audience = frozenset({"finance", "admin"})
APPROVERS: Audience = frozenset({"approver", "admin"})
ADMINS: Audience = frozenset({"admin"})
PLANNER_ALONE: Audience = frozenset({"planner"})  # what belongs to one person, an admin does not touch either
WRITERS: Audience = PLANNERS | FINANCE | APPROVERS


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one route answers to whom."""

    may: Mapping[str, Audience]
    of: str = ""
    at: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    query: str = ""
    writes: bool = True
    refusal: int = 403
    fresh: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


def page(
    of: str = "",
    *,
    at: Mapping[str, str] | None = None,
    body: Any = None,
    query: str = "",
    writes: bool = True,
    refusal: int = 403,
    fresh: bool = False,
    **may: Audience,
) -> Row:
    """A row of a page; ``may`` is the audience by method."""
    return Row(may=may, of=of, at=at or {}, body=body, query=query, writes=writes, refusal=refusal, fresh=fresh)


def op(
    audience: Audience,
    *,
    of: str = "",
    body: Any = None,
    at: Mapping[str, str] | None = None,
    writes: bool = True,
    refusal: int = 403,
    **headers: str,
) -> Row:
    """A row of an operation of the API; ``at`` names other objects than world.py's usual ones, ``of`` is a field of the
    body that holds the id of one. A body ``"=workbook"`` is the world's file of that name."""
    return Row(may={"": audience}, of=of, at=at or {}, body=body, writes=writes, refusal=refusal, headers=headers)


HOOK = {"name": "Other", "url": "https://hooks.example/other", "events": ["plan.approved"]}
QUOTE = {
    "option": SOLD,
    "unit": "instance_hour",
    "amount": "9.50",
    "currency": "USD",
    "quoted_on": "2026-11-01",
    "valid_until": "2199-12-31",
}
_CHART = {"chart": "=cost-lines", "format_": "=svg"}

PAGES: dict[str, Row] = {
    # --- health, and the description of the API
    "healthz": page(GET=EVERYONE),
    "readyz": page(GET=EVERYONE),
    "metrics": page(),  # without METRICS_TOKEN there is nothing: 404 for all
    "status": page(GET=EVERYONE),
    "status-json": page(GET=EVERYONE),
    "openapi-yaml": page(GET=EVERYONE),
    "api-schemas": page(GET=EVERYONE),
    "problems": page(GET=EVERYONE),
    "problem": page(GET=EVERYONE),
    "guide": page(at={"name": "=api"}, GET=EVERYONE),
    "llms": page(GET=EVERYONE),
    "api:openapi-json": page(**dict.fromkeys(METHODS, EVERYONE), writes=False),
    "api:openapi-view": page(**dict.fromkeys(METHODS, EVERYONE), writes=False),
    "api:api-root": page(),
    # --- coming in and going out
    "accounts:login": page(
        GET=EVERYONE, POST=EVERYONE, body={"username": "x@example.org", "password": "x"}, writes=False
    ),
    "accounts:logout": page(POST=EVERYONE, writes=False),
    "accounts:demo": page(),  # the world is no demo: 404 for all
    "accounts:second": page(GET=EVERYONE, POST=EVERYONE, writes=False),
    "accounts:second-passkey": page(POST=EVERYONE, writes=False),
    "accounts:passkey-options": page(at={"purpose": "=sign-in"}, POST=EVERYONE, writes=False),
    "accounts:passkey-sign-in": page(POST=EVERYONE, writes=False),
    "accounts:sso": page(),  # the world has no provider: 404 for all
    "accounts:sso-callback": page(),
    "accounts:sso-connect": page(GET=PEOPLE),
    "accounts:sso-link": page(GET=EVERYONE, POST=EVERYONE, writes=False),
    "accounts:forgotten": page(GET=EVERYONE, POST=EVERYONE, body={"email": "x@example.org"}),
    "accounts:reset": page(at={"uidb64": "=MQ", "token": "=x-y"}, GET=EVERYONE, POST=EVERYONE, writes=False),
    "accounts:invitation": page(),  # nobody in the world holds a link
    "accounts:invitation-open": page(at={"secret": "=x"}, GET=EVERYONE),
    # --- the own account; what changes how one signs in asks for a fresh proof first, by a redirect
    "accounts:needed": page(GET=PEOPLE),
    "accounts:confirm": page(GET=PEOPLE, POST=NOBODY, body={"password": "x"}, refusal=422),
    "accounts:confirm-passkey": page(POST=PEOPLE, writes=False),
    "accounts:account": page(GET=PEOPLE),
    "accounts:rename": page(POST=PEOPLE, body={"name": "Another"}),
    "accounts:price-mail": page("team", POST=MEMBERS, body={"choice": "all"}, refusal=404),
    "accounts:password": page(GET=PEOPLE, POST=PEOPLE, writes=False),
    "accounts:app": page(GET=PEOPLE, POST=PEOPLE, writes=False),
    "accounts:app-off": page(GET=PEOPLE, POST=NOBODY, refusal=422),
    "accounts:recovery-codes": page(POST=PEOPLE, writes=False),
    "accounts:passkey-make": page(POST=PEOPLE, writes=False),
    "accounts:passkey-rename": page("planners_passkey", POST=PLANNER_ALONE, body={"name": "Another"}, refusal=404),
    "accounts:passkey-remove": page(at={"passkey_id": "planners_passkey"}, POST=PEOPLE, writes=False),
    "accounts:session-end": page("planners_session", POST=PLANNER_ALONE, refusal=404),
    "accounts:sessions-end": page(POST=PEOPLE),
    "accounts:identity-remove": page(at={"identity_id": "=idn_x"}, POST=PEOPLE, writes=False),
    "accounts:teams": page(GET=PEOPLE),
    "accounts:choose-team": page("team", POST=MEMBERS, writes=False),
    # --- the team
    "accounts:team": page(GET=PEOPLE),
    "accounts:team-role": page(
        POST=ADMINS, body={"email": "x@example.org", "role": "viewer"}, writes=False, fresh=True
    ),
    "accounts:team-second-factor": page(POST=ADMINS, body={"required": "false"}, writes=False, fresh=True),
    "accounts:team-approvals": page(POST=ADMINS, body={"needed": "2"}, fresh=True),
    "accounts:team-token-approvals": page(POST=ADMINS, body={"allowed": "false"}, fresh=True),
    "accounts:team-trail": page(POST=ADMINS, fresh=True),
    "accounts:team-invite": page(POST=ADMINS, body={"email": "new@example.org", "role": "viewer"}, fresh=True),
    "accounts:team-invite-again": page("invitation", POST=ADMINS, fresh=True),
    "accounts:team-invite-revoke": page("invitation", POST=ADMINS),
    "accounts:team-remove": page("member", POST=ADMINS),
    "accounts:team-token": page(POST=PEOPLE, body={"name": "x", "scopes": ["plans:read"], "days": "7"}, fresh=True),
    "accounts:team-token-revoke": page("planners_token", POST=PLANNERS),
    # --- catalog and own prices
    "catalog:browse": page(GET=PEOPLE),
    "catalog:compare": page(GET=PEOPLE, query="a=h100-sxm5&a=b200-sxm"),
    "catalog:accelerator": page(at={"slug": "=h100-sxm5"}, GET=PEOPLE),
    "catalog:prices": page(GET=PEOPLE),
    "catalog:history": page(GET=PEOPLE, query="offer=aws/p5.48xlarge/us-east-1/on_demand"),
    "catalog:sources": page(GET=PEOPLE),
    "catalog:feeds": page(GET=PEOPLE),
    "catalog:things": page(at={"kind": "=system"}, GET=PEOPLE),
    "catalog:own": page(GET=PEOPLE),
    "catalog:own_edit": page(
        at={"kind": "=accelerator"},
        GET=PLANNERS | FINANCE,
        POST=PLANNERS | FINANCE,
        body={"slug": "h100-sxm5", "tdp_w": "650 W"},
    ),
    "catalog:own_entry": page("own_entry", GET=MEMBERS),
    "catalog:own_step withdraw": page("own_entry", at={"step": "=withdraw"}, POST=PLANNERS | FINANCE),
    "catalog:own_step restore": page("past_entry", at={"step": "=restore"}, POST=PLANNERS | FINANCE),
    "catalog:upload": page(GET=PLANNERS | FINANCE, POST=PLANNERS | FINANCE, body={"file": "=price_list"}),
    "catalog:template": page(GET=PEOPLE),
    "catalog:review": page("import", GET=MEMBERS),
    "catalog:import_step publish": page("import", at={"step": "=publish"}, POST=FINANCE, body={"accepted": "on"}),
    "catalog:import_step discard": page("import", at={"step": "=discard"}, POST=PLANNERS | FINANCE),
    "catalog:import_step roll-back": page("published_import", at={"step": "=roll-back"}, POST=FINANCE),
    # --- documents
    "exports:branding": page(GET=PEOPLE, POST=ADMINS, body={"accent": "#96143C"}),
    "exports:branding_preview": page(GET=PEOPLE),
    "exports:page": page("version", GET=MEMBERS),
    "exports:cards": page("version", GET=MEMBERS),
    "exports:bundle": page("bundled_version", GET=MEMBERS),
    "exports:workbook": page("version", GET=MEMBERS, POST=MEMBERS, body={"file": "=workbook"}, writes=False),
    "exports:accept_workbook": page(
        "version", POST=PLANNERS | FINANCE, body={"in_price_per_instance_hour": "3.25"}, refusal=302
    ),
    "exports:card": page("version", at={"format_": "=pdf"}, GET=MEMBERS),
    "exports:make": page("version", at={"format_": "=pptx"}, POST=MEMBERS),
    "exports:download": page("export", GET=MEMBERS),
    # --- webhooks
    "webhooks:list": page(GET=ADMINS, POST=ADMINS, body=HOOK, fresh=True),
    "webhooks:one": page("webhook_id", GET=ADMINS, POST=ADMINS, body=HOOK, fresh=True),
    "webhooks:step test": page("webhook_id", at={"verb": "=test"}, POST=ADMINS),
    "webhooks:step off": page("webhook_id", at={"verb": "=off"}, POST=ADMINS),
    "webhooks:rotate": page("webhook_id", POST=ADMINS, body={"keep_hours": "24"}, fresh=True),
    "webhooks:delete": page("webhook_id", POST=ADMINS),
    "webhooks:delivery": page("delivery_id", GET=ADMINS),
    "webhooks:redeliver": page("delivery_id", POST=ADMINS),
    # --- from the question to the answer
    "planner:home": page(GET=PEOPLE),
    "planner:tour": page(GET=PEOPLE),
    "planner:new": page(at={"kind": "=train"}, GET=PEOPLE, POST=PLANNERS, body=TRAINING),
    "planner:estimate": page(at={"kind": "=train"}, POST=PEOPLE, body=TRAINING, writes=False),
    "planner:answer": page("workload", GET=MEMBERS),
    "planner:edit": page("workload", GET=MEMBERS, POST=PLANNERS, body=TRAINING),
    "planner:freeze": page("changed_workload", POST=PLANNERS),
    "planner:answer-chart": page("workload", at=_CHART, GET=MEMBERS),
    "planner:answer-what-if": page("workload", GET=MEMBERS),
    "planner:answer-what-if-chart": page("workload", at={"chart": "=what-if-band", "format_": "=svg"}, GET=MEMBERS),
    "planner:levers": page("service", GET=MEMBERS, POST=PLANNERS, body={"precision": "fp8"}),
    "planner:duplicate": page("workload", POST=PLANNERS),
    "planner:workload-step rename": page("workload", at={"verb": "=rename"}, POST=PLANNERS, body={"name": "another"}),
    "planner:workload-step archive": page("workload", at={"verb": "=archive"}, POST=PLANNERS),
    "planner:workload-step restore": page("archived_workload", at={"verb": "=restore"}, POST=PLANNERS),
    "planner:workload-step delete": page("unsaved_workload", at={"verb": "=delete"}, POST=PLANNERS),
    "planner:keep": page("workload", POST=MEMBERS, body=TRAINING | {"tab": "a" * 20}),
    "planner:keep train": page(at={"form": "=train"}, POST=PEOPLE, body=TRAINING | {"tab": "a" * 20}),
    "planner:keep-drop": page("workload", POST=MEMBERS, body={"tab": "a" * 20}, writes=False),
    "planner:portfolio": page(GET=PEOPLE),
    "planner:portfolio-table": page(GET=PEOPLE),
    "planner:portfolio-chart": page(at={"chart": "=portfolio-timeline", "format_": "=csv"}, GET=MEMBERS),
    "planner:portfolio-budget": page(POST=FINANCE, body={"year": "2027", "amount": "1 M"}),
    "planner:backwards": page(
        GET=PEOPLE, POST=PEOPLE, body={"question": "tokens", "budget": "400k", "model": "llama-3.1-8b"}
    ),
    "planner:backwards-answer": page("question", GET=MEMBERS),
    "planner:backwards-take": page("question", POST=PLANNERS),
    "planner:accuracy": page(GET=PEOPLE),
    "planner:accuracy-chart": page(at={"chart": "=accuracy-training", "format_": "=svg"}, GET=PEOPLE),
    # --- a frozen plan and its review
    "planner:plan": page("version", GET=MEMBERS),
    "planner:plan-chart": page("version", at=_CHART, GET=MEMBERS),
    "planner:plan-what-if": page("version", GET=MEMBERS),
    "planner:plan-what-if-chart": page("version", at={"chart": "=what-if-band", "format_": "=svg"}, GET=MEMBERS),
    "planner:reprice": page("version", GET=MEMBERS, POST=PLANNERS, body={"shown": "x"}, writes=False),
    "planner:reprice-chart": page("version", at={"chart": "=scenario-cost", "format_": "=svg"}, GET=MEMBERS),
    "planner:scenario-new-chart": page(
        "version", at={"chart": "=scenario-cost", "format_": "=svg"}, query="discount=20", GET=MEMBERS
    ),
    "planner:scenarios": page("version", GET=MEMBERS),
    "planner:series-new": page(
        "version",
        GET=PLANNERS | FINANCE,
        POST=PLANNERS | FINANCE,
        body={"field-1": "horizon_months", "values-1": "12; 24"},
    ),
    "planner:series": page("series", GET=MEMBERS),
    "planner:series-table": page("series", GET=MEMBERS),
    "planner:series-step cancel": page("series", at={"verb": "=cancel"}, POST=PLANNERS | FINANCE),
    "planner:series-step resume": page("series", at={"verb": "=resume"}, POST=PLANNERS | FINANCE),
    "planner:portfolio-reprice": page(POST=PLANNERS | FINANCE, writes=False),  # the other team has no plans
    "planner:scenario-chart": page("version", at={"chart": "=scenario-cost", "format_": "=svg"}, GET=MEMBERS),
    "planner:scenario-new": page(
        "version", query="discount=20", GET=PLANNERS | FINANCE, POST=PLANNERS | FINANCE, body={"name": "x"}
    ),
    "planner:scenario-step rename": page(
        "scenario", at={"verb": "=rename"}, POST=PLANNERS | FINANCE, body={"name": "another"}
    ),
    "planner:scenario-step delete": page("scenario", at={"verb": "=delete"}, POST=PLANNERS | FINANCE),
    "planner:scenario-step promote": page("scenario", at={"verb": "=promote"}, POST=PLANNERS | FINANCE),
    "planner:step submit": page("version", at={"verb": "=submit"}, POST=PLANNERS, refusal=302),
    "planner:step withdraw": page("own_submitted_version", at={"verb": "=withdraw"}, POST=PLANNER_ALONE, refusal=302),
    "planner:step approve": page("submitted_version", at={"verb": "=approve"}, POST=APPROVERS, refusal=302, fresh=True),
    "planner:step return": page(
        "submitted_version", at={"verb": "=return"}, POST=APPROVERS, body={"reason": "x"}, refusal=302
    ),
    "planner:quotations": page("version", GET=MEMBERS, POST=PLANNERS | FINANCE, body={"contact": "x"}),
    "planner:quotation-answer": page("quotation", POST=PLANNERS | FINANCE, body=QUOTE),
    "exports:letter": page("quotation", at={"number": "=1", "format_": "=pdf"}, GET=MEMBERS),
    "planner:comment": page("version", POST=WRITERS, body={"text": "x", "about": "figure.cost"}),
    "planner:comment-resolve": page("comment", POST=PLANNERS | APPROVERS),
    "planner:share": page("version", POST=WRITERS, body={"days": "7"}),
    "planner:unshare": page("share_link", POST=WRITERS),
    "planner:shared": page("share_secret", GET=EVERYONE, POST=EVERYONE, writes=False),
}

_OWN_ENTRY = {"kind": "=accelerator", "slug": "=h200-sxm"}

OPERATIONS: dict[str, Row] = {
    "create_estimate": op(MEMBERS, writes=False),
    "create_estimates": op(MEMBERS, writes=False),
    "create_sensitivity": op(MEMBERS, writes=False),
    "create_levers": op(MEMBERS, writes=False),
    "parse_model": op(MEMBERS, writes=False),
    "parse_spec": op(MEMBERS, writes=False),
    "list_models": op(MEMBERS),
    "get_model": op(MEMBERS, at={"slug": "=llama-3.1-70b"}),
    "create_plan": op(PLANNERS),
    "list_plans": op(MEMBERS),
    "get_plan": op(MEMBERS),
    "change_plan": op(PLANNERS, body={"horizon_months": 12}, If_Match="*"),
    "archive_plan": op(PLANNERS, If_Match="*"),
    "duplicate_plan": op(PLANNERS),
    "reprice_plan": op(MEMBERS, writes=False),
    "list_versions": op(MEMBERS),
    "create_version": op(PLANNERS, at={"plan_id": "changed_workload"}),
    "get_version": op(MEMBERS),
    "get_difference": op(MEMBERS),
    "create_approval": op(PLANNERS, body={"action": "submit"}),
    "list_workloads": op(MEMBERS),
    "create_workload": op(PLANNERS),
    "get_workload": op(MEMBERS),
    "replace_workload": op(PLANNERS, If_Match="*"),
    "list_scenarios": op(MEMBERS),
    "create_scenario": op(PLANNERS | FINANCE),
    "get_scenario": op(MEMBERS),
    "change_scenario": op(PLANNERS | FINANCE, If_Match="*"),
    "delete_scenario": op(PLANNERS | FINANCE, If_Match="*"),
    "promote_scenario": op(PLANNERS | FINANCE),
    "create_quotation_request": op(PLANNERS | FINANCE),
    "list_quotation_requests": op(MEMBERS),
    "get_quotation_request": op(MEMBERS),
    "get_quotation_letter": op(MEMBERS, at={"letter": "=1"}),
    "create_quote": op(PLANNERS | FINANCE),
    "list_comments": op(MEMBERS),
    "create_comment": op(WRITERS),
    "resolve_comment": op(PLANNERS | APPROVERS),
    "list_share_links": op(MEMBERS),
    "create_share_link": op(WRITERS, of="plan_id"),
    "delete_share_link": op(WRITERS),
    "list_budget_lines": op(MEMBERS),
    "list_all_budget_lines": op(MEMBERS),
    "get_bundle": op(MEMBERS, at={"plan_id": "bundled_plan"}),
    "import_workbook": op(MEMBERS, body="=workbook", writes=False),
    "create_exports": op(MEMBERS, body={"formats": ["pptx"]}),
    "create_version_exports": op(MEMBERS, body={"formats": ["pptx"]}),
    "cancel_export": op(MEMBERS, at={"export_id": "queued_export"}),
    "retry_export": op(MEMBERS, at={"export_id": "cancelled_export"}),
    "list_exports": op(MEMBERS),
    "get_export": op(MEMBERS),
    "get_file": op(MEMBERS),
    "list_accelerators": op(MEMBERS),
    "get_accelerator": op(MEMBERS, at={"slug": "=h100-sxm5"}),
    "list_prices": op(MEMBERS),
    "list_entries": op(MEMBERS),
    "get_entry": op(MEMBERS, at=_OWN_ENTRY),
    "replace_entry": op(PLANNERS | FINANCE, at=_OWN_ENTRY, body={"values": {"tdp_w": "640 W"}}, If_Match="*"),
    "delete_entry": op(PLANNERS | FINANCE, at=_OWN_ENTRY, If_Match="*"),
    "list_catalogs": op(MEMBERS),
    "create_catalog": op(PLANNERS | FINANCE),
    "get_catalog": op(MEMBERS),
    "import_prices": op(PLANNERS | FINANCE),
    "get_import": op(MEMBERS),
    "publish_catalog": op(FINANCE, at={"catalog_id": "import"}, body={}),
    "delete_catalog": op(PLANNERS | FINANCE, If_Match="*"),
    "get_me": op(MEMBERS),
    "list_teams": op(MEMBERS),
    "list_tokens": op(MEMBERS),
    "create_token": op(MEMBERS, body={"name": "x", "scopes": []}),
    "delete_token": op(PLANNERS, at={"token_id": "planners_token"}, refusal=404),
    "list_audit_events": op(ADMINS),
    "list_webhooks": op(ADMINS),
    "create_webhook": op(ADMINS, body=HOOK),
    "get_webhook": op(ADMINS),
    "change_webhook": op(ADMINS, body={"name": "Other"}, If_Match="*"),
    "delete_webhook": op(ADMINS, If_Match="*"),
    "test_webhook": op(ADMINS),
    "rotate_webhook_secret": op(ADMINS, body={}),
    "list_events": op(MEMBERS),
    "list_deliveries": op(ADMINS),
    "get_delivery": op(ADMINS),
    "redeliver": op(ADMINS),
}
