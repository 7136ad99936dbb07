"""What Microsoft's own schema validator says of the Office files: no error, in any plan."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from exports.render import render
from planner.frozen.snapshot import Plan
from tests.exports import samples

PLANS: dict[str, Callable[[], Plan]] = {
    "training": samples.training_plan,
    "serving": samples.serving_plan,
    "tiny": samples.tiny_plan,
    "hostile": samples.hostile_plan,
    "infeasible": samples.infeasible_plan,
}


def validator() -> str:
    """The command of the validator."""
    return os.environ.get("OOXML_VALIDATOR") or shutil.which("ooxml-validator") or ""


@pytest.mark.needs_ooxml
@pytest.mark.parametrize("name", PLANS)
def test_the_open_xml_sdk_finds_no_error(name: str, tmp_path: Path) -> None:
    plan = PLANS[name]()
    for format_ in ("docx", "xlsx", "pptx"):
        path = tmp_path / f"{name}.{format_}"
        path.write_bytes(render(plan, format_))
        said = subprocess.run([validator(), str(path)], capture_output=True, text=True, timeout=120, check=False)
        found = json.loads(said.stdout)
        assert found["ok"], found["errors"][:3]
