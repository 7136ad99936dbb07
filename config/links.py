"""What can be done next with what an operation has made: the `links` of the OpenAPI file, along which tools walk."""

from __future__ import annotations

from rest.openapi import Links

_PLAN = {"plan_id": "$response.body#/id"}
_OF_PLAN = {"plan_id": "$request.path.plan_id"}
_VERSION = {**_OF_PLAN, "number": "$response.body#/number"}
_SCENARIO = {**_OF_PLAN, "scenario_id": "$response.body#/id"}
_EXPORT = {"export_id": "$response.body#/data/0/id"}
_QUOTATION = {"quotation_id": "$response.body#/id"}
_LIST = {"catalog_id": "$response.body#/id"}
_IMPORT = {"catalog_id": "$request.path.catalog_id", "import_id": "$response.body#/id"}
_HOOK = {"webhook_id": "$response.body#/id"}
_AFTER_PLAN = (
    "get_plan", "change_plan", "list_versions", "create_version", "list_budget_lines", "create_exports",
    "create_scenario", "create_comment", "reprice_plan", "duplicate_plan", "archive_plan",
)  # fmt: skip
_AFTER_VERSION = ("get_version", "create_approval", "create_version_exports", "get_bundle")
_AFTER_SCENARIO = ("get_scenario", "change_scenario", "promote_scenario", "delete_scenario")
_AFTER_EXPORT = ("get_export", "get_file", "cancel_export", "retry_export")

LINKS: Links = {
    ("create_plan", 201): dict.fromkeys(_AFTER_PLAN, _PLAN),
    ("duplicate_plan", 201): dict.fromkeys(("get_plan", "archive_plan"), _PLAN),
    ("create_workload", 201): dict.fromkeys(("get_workload", "replace_workload", "create_version", "get_plan"), _PLAN),
    ("create_version", 201): dict.fromkeys(_AFTER_VERSION, _VERSION),
    ("create_scenario", 201): dict.fromkeys(_AFTER_SCENARIO, _SCENARIO),
    ("promote_scenario", 201): dict.fromkeys(_AFTER_VERSION, _VERSION),
    ("create_comment", 201): {
        "list_comments": _OF_PLAN,
        "resolve_comment": {**_OF_PLAN, "comment_id": "$response.body#/id"},
    },
    ("create_quotation_request", 201): dict.fromkeys(("get_quotation_request", "create_quote"), _QUOTATION),
    ("create_share_link", 201): {"delete_share_link": {"link_id": "$response.body#/id"}},
    ("create_exports", 202): dict.fromkeys(_AFTER_EXPORT, _EXPORT),
    ("create_version_exports", 202): dict.fromkeys(_AFTER_EXPORT, _EXPORT),
    ("create_catalog", 201): dict.fromkeys(
        ("get_catalog", "import_prices", "publish_catalog", "delete_catalog"), _LIST
    ),
    ("import_prices", 202): {"get_import": _IMPORT},
    ("create_token", 201): {"delete_token": {"token_id": "$response.body#/id"}},
    ("create_webhook", 201): dict.fromkeys(("get_webhook", "change_webhook", "test_webhook", "delete_webhook"), _HOOK),
}
