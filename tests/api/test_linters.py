"""The description as two usual linters read it: no error, no warning, and no rule turned off but with its reason."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.api.journeys import run

ROOT = Path(__file__).parents[2]
RULES = Path(__file__).parent / "linters"
DESCRIPTION = ROOT / "docs/openapi.json"
pytestmark = pytest.mark.needs_linters


def command(name: str) -> str:
    """That linter."""
    return str(Path(os.environ["OPENAPI_LINTERS"]) / "node_modules/.bin" / name)


def problems_of(tmp_path: Path, description: Path) -> list[str]:
    """What redocly says of it."""
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    said = run(tmp_path, "sh", "-c", f"'{command('redocly')}' lint '{description}' --config '{RULES / 'redocly.yaml'}' "
               "--format=json || true", **quiet)  # fmt: skip
    return [f"{one['ruleId']}: {one['message']}" for one in json.loads(said)["problems"]]


def test_redocly_has_nothing_to_say(tmp_path: Path) -> None:
    assert problems_of(tmp_path, DESCRIPTION) == []


def test_redocly_would_say_it(tmp_path: Path) -> None:
    broken = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    del broken["paths"]["/api/v1/me"]["get"]["operationId"]
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    assert problems_of(tmp_path, tmp_path / "broken.json") != []


def results_of(tmp_path: Path, description: Path) -> list[str]:
    """What spectral says of it, hints too."""
    said = run(tmp_path, "sh", "-c", f"'{command('spectral')}' lint -r '{RULES / 'spectral.yaml'}' --format json --quiet "
               f"--fail-severity hint '{description}' || true", limit_s=300)  # fmt: skip
    return [f"{one['code']}: {one['message']}" for one in json.loads(said or "[]")]


def test_spectral_has_nothing_to_say(tmp_path: Path) -> None:
    assert results_of(tmp_path, DESCRIPTION) == []


def test_spectral_would_say_it(tmp_path: Path) -> None:
    broken = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/x": {"get": {"responses": {}}}}}
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    assert results_of(tmp_path, tmp_path / "broken.json") != []
