"""Rows that generated requests can name: for each operation those on which it can do what it is for.

A path that is made up meets nothing but 404. What an operation takes away or moves on is made anew each time it is asked for; the
plans behind it are frozen from one answer, so that a row costs no estimate.
"""

from __future__ import annotations

from typing import Any

from exports.work import request_export
from jobs.models import Job
from jobs.running import run_job
from planner import planned, plans, scenarios, team_market
from planner.frozen.snapshot import Plan, plain
from planner.models import PlanVersion, Workload
from planner.request.parse import spec_from
from rest.uploads import XLSX
from tests.api import file_cases
from tests.api.described import OPERATIONS
from tests.api.support import SERVING, TRAINING, Api, File
from webhooks import endpoints, outbox

LATER: dict[str, Any] = {"horizon_months": 12}
HOOK: dict[str, Any] = {"name": "Budget", "url": "https://hooks.example/budget", "events": ["plan.approved"]}
BODIES: dict[str, Any] = {
    "create_estimate": TRAINING,
    "create_estimates": {"items": [TRAINING]},
    "create_sensitivity": {"spec": TRAINING},
    "create_levers": TRAINING,
    "create_plan": TRAINING,
    "create_workload": TRAINING,
    "replace_workload": SERVING,
    "change_plan": LATER,
    "create_scenario": {"name": "Twice the time", "changes": LATER},
    "create_approval": {"action": "submit"},
    "create_exports": {"formats": ["pdf"]},
    "create_version_exports": {"formats": ["pdf"]},
    "create_quotation_request": {"contact": "Pat Buyer"},
    "create_webhook": HOOK,
    "change_webhook": {"figures": True},
    "replace_entry": {"values": {"tdp_w": "660 W"}},
    "publish_catalog": {"accept_flags": True},
    "import_prices": file_cases.PRICES,
    "parse_spec": {"text": "name: x\nworkload: training\nmodel: llama-3.1-8b\ntraining: {tokens: 1B}"},
}
"""What an operation takes, where a schema cannot say which values go together."""
FILTERS = ("plan", "webhook", "accelerator")
"""Query parameters of lists that name a row."""


class Rows:
    """The rows of one team, in the database of this process."""

    def __init__(self, caller: Api) -> None:
        self.caller, self.member = caller, caller.member
        self.plan = planned.estimate(spec_from(TRAINING), team_market.market_from_rows(self.member.team))
        self.other = planned.estimate(spec_from({**TRAINING, **LATER}), team_market.market_from_rows(self.member.team))
        self.count = 0
        self.kept = self._version()
        self.files = [request_export(self.member, self.kept, one) for one in ("docx", "xlsx", "pdf", "pptx")]
        for export in self.files:
            run_job(export.job_id, worker="fuzz")
        self.book = file_cases.workbook(self.kept, price_per_instance_hour=3.25).read()

    def of(self, name: str) -> dict[str, Any]:
        """`path`, `query` and `body` (a File, JSON or None) with which that operation does something; only what the row decides."""
        method, path, operation = OPERATIONS[name]
        self.count += 1
        wanted = [item["name"] for item in operation["parameters"] if item["in"] == "path"]
        version = self.kept if method == "GET" else self._version()
        found: dict[str, Any] = {"plan_id": version.workload.public_id, "number": version.number}
        found |= {key: self._row(key, name, version) for key in wanted if key not in (*found, "kind", "slug")}
        found["slug"] = "llama-3.1-70b" if name == "get_model" else "h100-sxm5"
        if "{kind}" in path:
            found |= self._entry()
        body = BODIES.get(name)
        if name == "create_share_link":
            body = {"plan_id": version.workload.public_id}
        if name == "create_quote":
            (asked, *_) = self.caller.get(f"/quotation-requests/{found['quotation_id']}").json()["letters"]
            body = {
                "option_id": asked["option_id"],
                "unit": "instance_hour",
                "amount": "19.80",
                "valid_until": "2031-01-31",
            }
        if name == "import_workbook":
            body, found["plan_id"] = File(self.book, XLSX), self.kept.workload.public_id
        named = {key: found[key] for key in wanted}
        return {"path": named, "query": self._query(operation, path.format(**named)), "body": body}

    def _query(self, operation: Any, path: str) -> dict[str, Any]:
        """The second page of a list where it has one, one of its rows by turns with all; what has to be given."""
        asked = {item["name"]: item for item in operation["parameters"] if item["in"] == "query"}
        query: dict[str, Any] = {key: 1 for key, item in asked.items() if item.get("required")}
        values = {"plan": self.kept.workload.public_id, "webhook": None, "accelerator": "h100-sxm5"}
        if "webhook" in asked:
            values["webhook"] = self._webhook_id("", self.kept)
        if self.count % 2:
            query |= {key: values[key] for key in FILTERS if key in asked}
        if "cursor" in asked:
            first = self.caller.get(f"{path}?limit=1").json()
            query |= (
                {"limit": 1, "cursor": first["next_cursor"]} if first.get("next_cursor") and not self.count % 2 else {}
            )
        return query

    def _version(self) -> PlanVersion:
        workload = plans.save_workload(self.member, name=f"Plan {self.count}", draft=plain(self.plan.spec))
        return self._frozen(workload, self.plan)

    def _frozen(self, workload: Workload, plan: Plan) -> PlanVersion:
        return plans.freeze_version(self.member, workload, plan)

    def _row(self, key: str, name: str, version: PlanVersion) -> str:
        made: str = getattr(self, f"_{key}")(name, version)
        return made

    def _export_id(self, name: str, version: PlanVersion) -> str:
        if OPERATIONS[name][0] == "GET":
            return str(self.files[2].public_id)
        export = request_export(self.member, version, "pdf")
        if name == "retry_export":
            self.caller.post(f"/exports/{export.public_id}:cancel")
        return str(export.public_id)

    def _scenario_id(self, _: str, version: PlanVersion) -> str:
        what = {"name": f"What if {self.count}", "changes": LATER, "plan": self.other}
        return str(scenarios.save(self.member, version, **what).public_id)

    def _comment_id(self, _: str, version: PlanVersion) -> str:
        return self._made(f"/plans/{version.workload.public_id}/comments", {"text": "Look"})

    def _quotation_id(self, _: str, version: PlanVersion) -> str:
        path = f"/plans/{version.workload.public_id}/versions/{version.number}/quotation-requests"
        return self._made(path, {})

    def _letter(self, _: str, __: PlanVersion) -> int:
        return 1

    def _link_id(self, _: str, version: PlanVersion) -> str:
        return self._made("/share-links", {"plan_id": version.workload.public_id})

    def _token_id(self, _: str, __: PlanVersion) -> str:
        return self._made("/tokens", {"name": "Fuzz", "scopes": []})

    def _webhook_id(self, _: str, __: PlanVersion) -> str:
        endpoint, _secret = endpoints.create(self.member, **self._hook())
        return str(endpoint.public_id)

    def _delivery_id(self, _: str, __: PlanVersion) -> str:
        endpoint, _secret = endpoints.create(self.member, **self._hook())
        return str(outbox.emit_test(endpoint).public_id)

    def _hook(self) -> dict[str, Any]:
        """There may be ten of a team: the oldest make room."""
        for old in endpoints.Endpoint.objects.filter(team=self.member.team).order_by("-pk")[5:]:
            old.delete()
        return HOOK

    def _catalog_id(self, name: str, _: PlanVersion) -> str:
        made = self._made("/catalogs", {"name": f"Agreement {self.count}"})
        if name == "publish_catalog":
            self._import(made)
        self.last = made
        return made

    def _import_id(self, _: str, __: PlanVersion) -> str:
        return self._import(self.last)

    def _import(self, catalog: str) -> str:
        job = self._made(f"/catalogs/{catalog}/prices:import?dry_run=false", file_cases.PRICES)
        run_job(Job.objects.get(public_id=job).pk, worker="fuzz")
        return job

    def _made(self, path: str, body: Any) -> str:
        answer = self.caller.post(path, body)
        assert answer.status_code < 300, answer.content
        found: str = answer.json()["id"]
        return found

    def _entry(self) -> dict[str, str]:
        sent = {"values": {"tdp_w": f"{600 + self.count % 90} W"}}
        for condition in ({}, {"If_Match": "*"}):  # new, else anew
            if self.caller.send("PUT", "/entries/accelerator/h100-sxm5", sent, **condition).status_code < 300:
                break
        return {"kind": "accelerator", "slug": "h100-sxm5"}
