"""What tests/api/test_statuses.py needs for the operations that take or give files: price lists, workbooks, the zip."""

from __future__ import annotations

from io import StringIO
from typing import Any

from django.core.management import call_command

from jobs.models import Job
from jobs.running import run_job
from planner.models import PlanVersion
from rest.uploads import XLSX
from tests.api.support import File
from tests.exports.test_workbook_page import workbook

PRICES = File(
    b"provider,instance,region,accelerator,count,option,amount,currency,date\n"
    b"aws,p5.48xlarge,us-east-1,h100-sxm5,8,on_demand,41.5,USD,2026-08-20\n",
    "text/csv",
)
BODIES: dict[str, Any] = {
    "create_catalog": {"name": "Our agreement"},
    "replace_entry": {"values": {"tdp_w": "660 W"}},
    "import_prices": PRICES,
    "publish_catalog": {},
}


def entry(world: Any) -> dict[str, str]:
    """The address of an entry of the team's own, made when it is first asked for."""
    if "entry" not in world.ids:
        made = world.petra.send("PUT", "/entries/accelerator/h100-sxm5", {"values": {"tdp_w": "650 W"}})
        world.ids["entry"] = made.json()["version"]
    return {"kind": "accelerator", "slug": "h100-sxm5"}


MADE_HERE = {"create_share_link", "import_workbook"}
"""Operations whose body depends on the rows of the world."""


def body(world: Any, name: str) -> Any:
    """What that operation is sent, where it depends on the rows of the world; else None."""
    if name == "create_share_link":
        return {"plan_id": world.plan}
    return edited(world) if name == "import_workbook" else None


def edited(world: Any, **values: float) -> File:
    """The workbook of the plan's first version with those inputs edited."""
    version = PlanVersion.objects.get(workload__public_id=world.plan, number=1)
    return File(workbook(version, **(values or {"price_per_instance_hour": 3.25})).read(), XLSX)


def _bundled(world: Any, **headers: str) -> Any:
    """After all four documents were made."""
    for export in world.petra.post(f"/plans/{world.plan}/exports", {}).json()["data"]:
        run_job(Job.objects.get(export__public_id=export["id"]).pk, worker="test")
    return world.call("get_bundle", **headers)


def _filled(world: Any, name: str, sent: Any = None) -> Any:
    """After the prices were read into the list."""
    call_command("load_catalog", stdout=StringIO())
    job = world.petra.post(f"{world.path('get_catalog')}/prices:import?dry_run=false", PRICES).json()["id"]
    run_job(Job.objects.get(public_id=job).pk, worker="test")
    return world.call(name, body=sent)


def _accepted(world: Any) -> Any:
    return world.petra.post(f"{world.path('import_workbook')}?dry_run=false", edited(world))


def _of_an_older_version(world: Any) -> Any:
    sent = edited(world)
    world.petra.patch(f"/plans/{world.plan}", {"horizon_months": 12}, If_Match="*")
    world.call("create_version", world.petra)
    return world.petra.post(f"{world.path('import_workbook')}?dry_run=false", sent)


def _too_large(media: str) -> File:
    return File(b" " * (5 * 1024 * 1024 + 1), media)


OWN: dict[tuple[str, int], Any] = {
    ("replace_entry", 201): lambda world: world.petra.send(
        "PUT", "/entries/accelerator/b200-sxm", {"values": {"tdp_w": "950 W"}}
    ),
    ("replace_entry", 404): lambda world: world.petra.send(
        "PUT", "/entries/unicorn/h100-sxm5", {"values": {"tdp_w": "950 W"}}
    ),
    ("delete_entry", 404): lambda world: world.petra.send("DELETE", "/entries/holding/nowhere", If_Match="*"),
    ("replace_entry", 412): lambda world: world.call("replace_entry", If_Match='"old"'),
    ("delete_entry", 412): lambda world: world.call("delete_entry", If_Match='"old"'),
    ("import_prices", 409): lambda world: _filled(world, "import_prices"),
    ("import_prices", 413): lambda world: world.call("import_prices", body=_too_large("text/csv")),
    ("import_prices", 422): lambda world: world.call("import_prices", body={"prices": [{"nonsense": "1"}]}),
    ("publish_catalog", 200): lambda world: _filled(world, "publish_catalog", {"accept_flags": True}),
    ("publish_catalog", 409): lambda world: world.call("publish_catalog"),
    ("delete_catalog", 409): lambda world: [world.call("delete_catalog") for _ in range(2)][1],
    ("delete_catalog", 412): lambda world: world.call("delete_catalog", If_Match='"old"'),
    ("get_bundle", 200): _bundled,
    ("get_bundle", 206): lambda world: _bundled(world, Range="bytes=0-1"),
    ("get_bundle", 304): lambda world: _bundled(world, If_None_Match="*"),
    ("get_bundle", 416): lambda world: _bundled(world, Range="bytes=99999999-"),
    ("get_bundle", 409): lambda world: world.call("get_bundle"),
    ("import_workbook", 201): _accepted,
    ("import_workbook", 409): _of_an_older_version,
    ("import_workbook", 413): lambda world: world.call("import_workbook", body=_too_large(XLSX)),
    ("import_workbook", 422): lambda world: world.call("import_workbook", body=File(b"no workbook", XLSX)),
}
