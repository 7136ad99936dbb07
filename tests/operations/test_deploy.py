"""The chart as Helm writes it: every object against the schemas of Kubernetes, and what each pod must keep to."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from jobs.lanes import BEFORE_LANES, Lane
from operations.metrics import exposition

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
    try:
        kubernetes_validate.validate(row, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return str(error)
    return None


@pytest.mark.needs_helm
def test_what_is_committed_is_what_helm_writes() -> None:
    done = subprocess.run(["helm", "template", "site", str(CHART)], check=True, capture_output=True, text=True)
    written = [row for row in yaml.safe_load_all(done.stdout) if row]
    assert sorted(map(_named, written)) == sorted(map(_named, OBJECTS))
    assert {_named(row): row for row in written} == {_named(row): row for row in OBJECTS}


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


def test_the_web_is_asked_what_it_can_answer_for() -> None:
    web = PODS["site-web"]["containers"][0]
    assert web["readinessProbe"]["httpGet"]["path"] == "/readyz?only=database,migrations,catalog"
    assert web["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert web["livenessProbe"]["httpGet"]["httpHeaders"][0]["name"] == "Host"


def test_alerts_ask_for_metrics_that_there_are_and_name_what_to_do(db: None) -> None:
    served = set(re.findall(r"^# TYPE (\w+)", exposition().decode(), re.MULTILINE))
    rules = yaml.safe_load((ROOT / "deploy/alerts.yaml").read_text())["groups"][0]["rules"]
    asked = {name for rule in rules for name in re.findall(r"sextant_\w+", rule["expr"])}
    assert asked <= served
    headings = re.findall(r"^##+ (.+)$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-").rstrip("?") for heading in headings}
    assert {rule["annotations"]["runbook"].partition("#")[2] for rule in rules} <= anchors
