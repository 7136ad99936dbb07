"""The chart as Helm writes it: every object against the schemas of Kubernetes, and what each pod must keep to."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from jsonschema import Draft201909Validator

from accounts.models import Membership, Role
from jobs.lanes import BEFORE_LANES, Lane
from operations import traffic
from operations.metrics import exposition
from tests.api.described import SCHEMA
from tests.security.asking import ROUTES

ROOT = Path(__file__).resolve().parent.parent.parent
CHART, WRITTEN = ROOT / "deploy/sextant", ROOT / "deploy/kubernetes.yaml"
OBJECTS: list[dict[str, Any]] = [row for row in yaml.safe_load_all(WRITTEN.read_text()) if row]
PODS = {
    row["metadata"]["name"]: row["spec"]["template"]["spec"] for row in OBJECTS if row["kind"] in ("Deployment", "Job")
}


def _named(row: dict[str, Any]) -> str:
    return f"{row['kind']} {row['metadata']['name']}"


@pytest.mark.parametrize("version", ["1.28", "1.32"])
@pytest.mark.parametrize("row", OBJECTS, ids=_named)
def test_every_object_is_one_of_kubernetes(row: dict[str, Any], version: str) -> None:
    assert _fault(row, version) is None


@pytest.mark.parametrize("row", OBJECTS, ids=_named)
def test_an_object_with_a_field_too_many_is_not(row: dict[str, Any]) -> None:
    """Were the check blind, every object would pass it."""
    part = "spec" if "spec" in row else "metadata"
    fault = _fault({**row, part: {**row[part], "replicaz": 2}}, "1.32")
    assert fault is not None
    assert "replicaz" in fault


def _fault(row: dict[str, Any], version: str) -> str | None:
    """What the schemas of that version have against the object."""
    import kubernetes_validate  # takes seconds to import, which every process of a run would wait for

    try:
        kubernetes_validate.validate(row, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return str(error)
    return None


@pytest.mark.needs_helm
def test_what_is_committed_is_what_helm_writes() -> None:
    written = _written()
    assert sorted(map(_named, written)) == sorted(map(_named, OBJECTS))
    assert {_named(row): row for row in written} == {_named(row): row for row in OBJECTS}


@pytest.mark.needs_helm
def test_workers_grow_with_each_of_their_lanes() -> None:
    """The last of several metrics is not the only one: the one that asks for most pods counts."""
    asked: list[str] = []
    for row in _written("--set", "scaleOnQueueAge=true"):
        if row["kind"] == "HorizontalPodAutoscaler" and "worker" in row["metadata"]["name"]:
            metrics = [metric["external"]["metric"] for metric in row["spec"]["metrics"]]
            asked += [metric["selector"]["matchLabels"]["lane"] for metric in metrics]
    assert sorted(asked) == sorted(map(str, Lane))


@pytest.mark.needs_helm
def test_what_does_not_scale_has_its_number() -> None:
    given = ("--set", "web.maxReplicas=2", "--set", "networkPolicy.databasePorts={6432}")
    written = {_named(row): row for row in _written(*given)}
    assert written["Deployment site-web"]["spec"]["replicas"] == 2
    assert "HorizontalPodAutoscaler site-web" not in written
    assert [{"protocol": "TCP", "port": 6432}] in [
        rule["ports"] for rule in written["NetworkPolicy site"]["spec"]["egress"]
    ]


@pytest.mark.needs_helm
def test_documents_that_no_pod_could_send_are_refused() -> None:
    """A worker writes what a web pod sends: a folder of each pod's own would keep every document for ever in the making."""
    with pytest.raises(subprocess.CalledProcessError) as refused:
        _written("--set", "storage.enabled=false")
    assert "Documents need a place that all pods share" in refused.value.stderr
    elsewhere = _written("--set", "storage.enabled=false", "--set", "env.DOCUMENTS_S3=s3://bucket/folder")
    assert "PersistentVolumeClaim" not in {row["kind"] for row in elsewhere}


def _written(*given: str) -> list[dict[str, Any]]:
    """What Helm writes with those values."""
    command = ["helm", "template", "site", str(CHART), *given]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [row for row in yaml.safe_load_all(done.stdout) if row]


def test_an_upgrade_takes_back_no_pod_that_was_grown() -> None:
    scaled = {row["spec"]["scaleTargetRef"]["name"] for row in OBJECTS if row["kind"] == "HorizontalPodAutoscaler"}
    numbered = {row["metadata"]["name"] for row in OBJECTS if "replicas" in row["spec"]}
    assert scaled == {"site-web", "site-worker-interactive", "site-worker-long"}
    assert numbered == {"site-sweeper"}


def test_every_process_that_hangs_is_noticed() -> None:
    for name, pod in PODS.items():
        probed = "livenessProbe" in pod["containers"][0]
        assert probed or "prepare" in name, name


@pytest.mark.parametrize("name", PODS)
def test_no_pod_is_root_or_writes_where_it_should_not(name: str) -> None:
    pod = PODS[name]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    volumes = {volume["name"] for volume in pod["volumes"]}
    for container in pod["containers"]:
        security = container["securityContext"]
        assert (security["readOnlyRootFilesystem"], security["allowPrivilegeEscalation"]) == (True, False)
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert "memory" in container["resources"]["limits"]
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes


def test_every_lane_has_a_worker_in_the_chart_and_in_compose() -> None:
    lanes = {*map(str, Lane), BEFORE_LANES}
    chart = [pod["containers"][0]["command"] for name, pod in PODS.items() if "worker" in name]
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    compose = [row["command"] for name, row in services.items() if name.startswith("worker")]
    for commands in (chart, compose):
        served = [lane for command in commands for lane in command[command.index("--queues") + 1].split(",")]
        assert sorted(served) == sorted(lanes)


@pytest.mark.needs_compose
def test_the_composition_is_one_by_the_schema_of_docker() -> None:
    """That schema is older than files of variables that may be missing (Docker Compose 2.24): they stand there as their path."""
    schema = json.loads(Path(os.environ["COMPOSE_SCHEMA"]).read_text())
    said = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    for service in said["services"].values():
        for file in service.get("env_file", ()):
            assert file.keys() == {"path", "required"}
        service |= {"env_file": [file["path"] for file in service["env_file"]]} if "env_file" in service else {}
    checker = Draft201909Validator(schema)
    assert not [error.message for error in checker.iter_errors(said)]
    said["services"]["web"]["read_onli"] = True
    assert not checker.is_valid(said), "the schema knows every field"


PROCESSES = ("prepare", "web", "worker", "worker-long", "sweeper")
OF_THE_FILE = {"SEXTANT_ENV", "DATABASE_URL", "REDIS_URL", "TRUST_PROXY"}
"""What follows from the services beside it, so that .env cannot say otherwise."""


@pytest.mark.parametrize("process", PROCESSES)
def test_every_variable_of_the_file_reaches_every_process(process: str) -> None:
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][process]
    table = (ROOT / "docs/configuration.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z0-9_]+)`", table, re.MULTILINE))
    assert len(documented) > 50
    assert service["env_file"] == [{"path": ".env", "required": False}]
    said = service["environment"]
    hidden = {name for name in documented & set(said) if not said[name].startswith(f"${{{name}:?")}
    assert hidden == OF_THE_FILE


def test_the_runbook_makes_the_first_admin(db: None) -> None:
    runbook = (ROOT / "docs/operations.md").read_text()
    said = re.findall(r"manage\.py add_member (.+)$", runbook, re.MULTILINE)
    assert said
    for at, line in enumerate(said):
        team, address, *more = shlex.split(line)
        call_command("add_member", f"{team}-{at}", address, *more, stdout=StringIO())
        assert Membership.objects.get(team__slug=f"{team}-{at}").role == Role.ADMIN


def test_the_web_is_asked_what_it_can_answer_for() -> None:
    web = PODS["site-web"]["containers"][0]
    assert web["readinessProbe"]["httpGet"]["path"] == "/readyz?only=database,migrations,catalog"
    assert web["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert web["livenessProbe"]["httpGet"]["httpHeaders"][0]["name"] == "Host"


def test_alerts_ask_for_metrics_that_there_are_and_name_what_to_do(db: None) -> None:
    served = set(re.findall(r"^# TYPE (\w+)", exposition().decode(), re.MULTILINE))
    rules = yaml.safe_load((ROOT / "deploy/alerts.yaml").read_text())["groups"][0]["rules"]
    asked = {name for rule in rules for name in re.findall(r"sextant_\w+", rule["expr"])}
    assert {name.removesuffix("_bucket") for name in asked} <= served
    excluded = "|".join(name for rule in rules for name in re.findall(r'route!~"([^"]+)"', rule["expr"])).split("|")
    routes = {*ROUTES, *SCHEMA["paths"], traffic.STATIC, traffic.BODY}
    assert len(excluded) > 3
    assert [name for name in excluded if not any(re.fullmatch(name, route) for route in routes)] == []
    headings = re.findall(r"^##+ (.+)$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-").rstrip("?") for heading in headings}
    assert {rule["annotations"]["runbook"].partition("#")[2] for rule in rules} <= anchors
