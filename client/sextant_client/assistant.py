"""A server for assistants over the Model Context Protocol: the API's doors with one token, its rights and nothing more.

Needs the extra ``sextant-client[assistant]``. An assistant starts ``sextant-assistant`` and speaks with it over standard input and
output; SEXTANT_URL and the token of `sextant login` (or SEXTANT_TOKEN) say for whom it asks. Nothing is approved here: that is
for people.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from itertools import islice
from typing import Any, ParamSpec

from mcp.server.mcpserver import MCPServer

from sextant_client.client import Sextant
from sextant_client.errors import ApiProblem, SextantError
from sextant_client.token_file import TokenError, find_token

Json = dict[str, Any]
P = ParamSpec("P")
MOST_ROWS = 50
ABOUT = (
    "Sextant plans AI infrastructure: which accelerators and how many, how long, how much, with ranges and sources. "
    "A spec is YAML or JSON as GET /api/v1/guides/api shows it. Say ranges and sources along with every figure, never a figure alone."
)


def server(api: Sextant) -> MCPServer:
    """The tools over that client."""
    made = MCPServer("sextant", instructions=ABOUT)
    for tool in (_requests(api), _plans(api), _catalog(api)):
        for one in tool:
            made.tool()(_in_words(one))
    return made


def main() -> int:
    """Serves over standard input and output until it is closed."""
    try:
        api = Sextant(os.environ.get("SEXTANT_URL", "http://localhost:8000"), find_token(os.environ))
    except (TokenError, SextantError) as error:
        raise SystemExit(str(error)) from error
    server(api).run("stdio")
    return 0


def _requests(api: Sextant) -> list[Callable[..., Json]]:
    def estimate(spec: str) -> Json:
        """What a workload needs, takes and costs today. `spec`: YAML or JSON. Nothing is stored."""
        return _brief(api.create_estimate(api.read_spec(spec)))

    def compare(specs: list[str]) -> Json:
        """Several workloads beside each other, 2 to 10. Nothing is stored."""
        if not 2 <= len(specs) <= 10:
            raise SextantError("Give 2 to 10 specs.")
        return {"answers": [_brief(api.create_estimate(api.read_spec(spec))) for spec in specs]}

    def make_plan(spec: str) -> Json:
        """A plan of a workload, frozen as version 1, a draft that people review. Needs a token with plans:write."""
        made = api.create_plan(api.read_spec(spec))
        return {"plan_id": made["id"], "version": 1} | _brief(api.get_version(made["id"], 1)["estimate"])

    return [estimate, compare, make_plan]


def _plans(api: Sextant) -> list[Callable[..., Json]]:
    def list_plans(status: str = "") -> Json:
        """The team's plans, newest first; `status`: draft, submitted, approved, returned or superseded."""
        wanted: Any = status or None
        return {"plans": list(islice(api.iter_plans(status=wanted, limit=MOST_ROWS), MOST_ROWS))}

    def read_plan(plan_id: str, version: int = 0) -> Json:
        """A version of a plan: request, choice, cost, time, reasons; 0 is the newest."""
        return _brief(_version(api, plan_id, version)["estimate"])

    def explain(plan_id: str, number: str = "total", version: int = 0) -> Json:
        """How a number of the cost comes about: formula, inputs, ranges and sources. `number`: the name of a line or input of
        the cost model, or `total` for all lines."""
        return explained(_version(api, plan_id, version)["estimate"], number)

    return [list_plans, read_plan, explain]


def _catalog(api: Sextant) -> list[Callable[..., Json]]:
    def accelerator(slug: str = "") -> Json:
        """Facts of an accelerator, each with unit, source and date; without a slug the names of all."""
        if slug:
            return dict(api.get_accelerator(slug))
        return {
            "accelerators": [{"slug": row["slug"], "name": row["name"]} for row in api.iter_accelerators(limit=200)]
        }

    def prices(accelerator: str, provider: str = "", region: str = "") -> Json:
        """The newest prices of an hour of instances with that accelerator."""
        rows = api.iter_prices(
            accelerator=accelerator, provider=provider or None, region=region or None, limit=MOST_ROWS
        )
        return {"prices": list(islice(rows, MOST_ROWS))}

    def models(family: str = "") -> Json:
        """Models that plans know by name."""
        return {"models": list(islice(api.iter_models(family=family or None, limit=200), 200))}

    return [accelerator, prices, models]


def explained(estimate: Any, number: str) -> Json:
    """That line or input of the cost model with everything that it is made of."""
    best = estimate["recommended"]
    if best is None:
        raise SextantError("This plan recommends nothing, so it has no cost to explain.")
    cost = best["cost"]
    lines = {line["name"]: line for line in cost["lines"]}
    inputs = {item["name"]: item for item in cost["inputs"]}
    if number == "total":
        return {"total": cost["total"], "lines": list(lines.values())}
    if number not in lines and number not in inputs:
        raise SextantError(f"There is no “{number}” in this cost: choose from total, {', '.join((*lines, *inputs))}.")
    found, open_, used = [], [number], set()
    while open_:
        name = open_.pop()
        if name in used:
            continue
        used.add(name)
        if name in lines:
            found.append(lines[name])
            open_ += [word for word in _words(lines[name]["expression"]) if word in lines or word in inputs]
        else:
            found.append(inputs[name])
    return {"number": number, "made_of": found, "catalog_date": estimate["catalog_date"]}


def _words(expression: str) -> list[str]:
    return "".join(sign if sign.isalnum() or sign == "_" else " " for sign in expression).split()


def _version(api: Sextant, plan_id: str, number: int) -> Any:
    if not number:
        newest = api.get_plan(plan_id)["latest_version"]
        if newest is None:
            raise SextantError("This plan has no version yet.")
        number = newest["number"]
    return api.get_version(plan_id, number)


def _brief(answer: Any) -> Json:
    """What decides, of the hundred fields of an estimate."""
    best = answer["recommended"]
    told: Json = {
        "request": answer["request"],
        "headline": answer["headline"]["text"],
        "to_approve": answer["approval"],
        "feasible": answer["feasible"],
        "as_of": answer["as_of"],
        "catalog_date": answer["catalog_date"],
        "plan_sha256": answer["plan_sha256"],
    }
    if best is None:
        return told | {"nearest_ways_out": [near["text"] for near in answer["nearest"]]}
    keys = ("id", "accelerator_name", "count", "parallelism", "precision", "days", "finish", "offer", "on_prem",
            "probability_in_time", "probability_in_budget")  # fmt: skip
    return told | {
        "recommended": {key: best[key] for key in keys} | {"cost": best["cost"]["total"]},
        "reasons": [reason["text"] for reason in best["reasons"]],
        "warnings": [warning["text"] for warning in (*answer["warnings"], *best["warnings"])],
        "evidence": best["evidence"],
        "alternatives": [
            {"id": option["id"], "days": option["days"]["expected"], "cost": option["cost"]["total"]}
            for option in answer["alternatives"][:5]
        ],
    }


def _in_words(tool: Callable[P, Json]) -> Callable[P, Json]:
    """The same tool; what the API refuses comes back as its sentences, so that an assistant can mend its request."""

    @wraps(tool)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Json:
        try:
            return tool(*args, **kwargs)
        except ApiProblem as problem:
            faults = [f"{fault.place}: {fault.detail}" if fault.place else fault.detail for fault in problem.errors]
            return {"refused": str(problem), "faults": faults}
        except SextantError as error:
            return {"refused": str(error)}

    return asked
