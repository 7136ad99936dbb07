"""The Python client and the command line, against a server that listens."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pyarrow.parquet import read_table
from sextant_client import ApiProblem, Sextant, etag
from sextant_client.cli import main

from accounts import tokens
from accounts.models import Role
from jobs.running import run_job
from planner.models import PlanVersion, Workload
from tests.api.support import SERVING, TRAINING, Api
from tests.api.test_feed import approved
from tests.conftest import People, make_member

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.django_db(transaction=True)
YAML = """
name: From a terminal
workload: training
model: llama-3.1-70b
training: {tokens: 15B, sequence_length: 8192}
constraints: {deadline_days: 3 weeks}
"""


@pytest.fixture
def petra(people: People) -> Api:
    """A planner with a token."""
    return Api(make_member(people.team, "Petra", Role.PLANNER))


@pytest.fixture
def api(petra: Api, live_server: Any) -> Sextant:
    """Her client."""
    return Sextant(live_server.url, petra.token)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are done as soon as they are asked for; documents cost nothing."""
    monkeypatch.setattr("exports.render.render", lambda _plan, format_, **_: f"the {format_} file".encode() * 10_000)
    monkeypatch.setattr("jobs.queue.ring", lambda job_pk: run_job(job_pk, worker="test") or True)


@pytest.fixture
def sextant(petra: Api, live_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The command line with her token; returns the exit code."""
    monkeypatch.setenv("SEXTANT_TOKEN", petra.token)
    monkeypatch.setenv("SEXTANT_URL", live_server.url)
    monkeypatch.setenv("SEXTANT_TOKEN_FILE", str(tmp_path / "token"))
    return lambda *arguments: main(arguments)


def spec_file(folder: Path, text: str = YAML) -> str:
    """A spec in a file."""
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_it_works(quick_engine: None, worker: None, api: Sextant, tmp_path: Path) -> None:
    plan = api.create_plan(api.read_spec(YAML))
    files = api.documents(plan["id"], tmp_path)
    assert sorted(path.suffix for path in files) == [".docx", ".pdf", ".pptx", ".xlsx"]
    assert all(path.read_bytes().startswith(b"the ") for path in files)
    bundle = api.download_bundle(plan["id"], 1, tmp_path / "all.zip")
    assert bundle.read_bytes()[:2] == b"PK"
    assert [row["id"] for row in api.iter_plans(limit=1)] == [plan["id"]]


def test_pages_follow_each_other(quick_engine: None, api: Sextant) -> None:
    made = {api.create_plan(api.read_spec(YAML.replace("terminal", str(number))))["id"] for number in range(3)}
    assert {plan["id"] for plan in api.iter_plans(limit=1)} == made


def test_two_editors_both_get_through(quick_engine: None, petra: Api, api: Sextant) -> None:
    plan = api.create_plan(api.read_spec(YAML))
    read = etag(api.get_plan(plan["id"]))
    meanwhile = iter([6.0, None])

    def change(seen: Any) -> dict[str, Any]:
        faster = next(meanwhile)
        if faster:
            petra.patch(f"/plans/{plan['id']}", {"horizon_months": faster}, If_Match="*")
        return {"utilisation": 0.5}

    changed = api.edit_plan(plan["id"], change)
    assert (changed["draft"]["horizon_months"], changed["draft"]["utilisation"]) == (6, 0.5)
    with pytest.raises(ApiProblem) as caught:
        api.change_plan(plan["id"], {"utilisation": 0.6}, if_match=read)
    assert caught.value.status == 412


def test_a_problem_names_its_fields(quick_engine: None, api: Sextant) -> None:
    with pytest.raises(ApiProblem) as caught:
        api.create_estimate({**TRAINING, "training": {"tokens": -1}})  # type: ignore[typeddict-item]
    assert [fault.place for fault in caught.value.errors] == ["training.tokens"]
    assert caught.value.request_id.startswith("req_")


def test_the_same_file_gives_the_same_plan_everywhere(sextant: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ROOT / "examples/llama-3.1-70b-continued.yaml")
    local = StringIO()
    call_command("plan", file, "--json", stdout=local)
    assert sextant("estimate", file, "--json") == 0
    estimate = json.loads(capsys.readouterr().out)
    assert estimate == json.loads(local.getvalue())
    assert sextant("plan", file, "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert made["latest_version"]["plan_sha256"] == estimate["plan_sha256"]


def test_estimate_prints_a_table_and_stores_nothing(
    quick_engine: None, sextant: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sextant("estimate", spec_file(tmp_path)) == 0
    printed = capsys.readouterr().out
    assert "From a terminal" in printed
    assert "→" in printed
    assert "plan_sha256" in printed
    assert not Workload.objects.exists()


def test_rows_of_one_chip_name_the_instance_and_small_amounts_keep_their_cents(
    sextant: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A seller's instance of one and of eight stood as two equal rows; a run of 16 cents cost nothing."""
    tiny = "{name: Tiny, workload: training, model: llama-3.2-1b, training: {method: finetune, tokens: 10M, sequence_length: 1024}}"
    assert sextant("estimate", spec_file(tmp_path, tiny)) == 0
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines() if " × " in line and " to " in line]
    told = [tuple(cell.strip() for cell in row[:-1] if cell.strip() not in ("", "→")) for row in rows]
    assert len(told) == 3, "what is recommended and the best two others"
    assert len(set(told)) == len(told)
    assert all(float(row[-1].split(" USD")[0].replace(",", "")) > 0 for row in rows)


def test_plans_exports_and_budgets(
    quick_engine: None, worker: None, sextant: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sextant("plan", spec_file(tmp_path)) == 0
    plan = capsys.readouterr().out.split()[0]
    assert sextant("plans", "list", "--status", "draft") == 0
    assert plan in capsys.readouterr().out
    assert sextant("export", plan, "--formats", "zip,pdf", "--out", str(tmp_path / "out")) == 0
    assert [Path(line).suffix for line in capsys.readouterr().out.split()] == [".pdf", ".zip"]
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".pdf", ".zip"}
    with zipfile.ZipFile(next((tmp_path / "out").glob("*.zip"))) as bundle:
        assert {Path(name).suffix for name in bundle.namelist()} >= {".docx", ".xlsx", ".pdf", ".pptx"}
    assert sextant("budget-lines", plan) == 0
    assert capsys.readouterr().out.startswith("BillingAccountId,")
    assert sextant("budget-lines", plan, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["plan_id"] == plan


def test_the_budget_of_every_plan_as_a_file(
    quick_engine: None, petra: Api, people: People, sextant: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paula = Api(make_member(people.team, "Paula", Role.APPROVER))
    plans = {approved(petra, paula, spec) for spec in (TRAINING, SERVING)}
    assert sextant("budget-lines") == 0
    printed = capsys.readouterr().out
    for name in ("budget.csv", "budget.parquet"):
        shape = ("--format", "parquet") if name.endswith("parquet") else ()
        assert sextant("budget-lines", "--out", str(tmp_path / name), *shape) == 0
        assert capsys.readouterr().out == f"{tmp_path / name}\n"
    assert (tmp_path / "budget.csv").read_text(encoding="utf-8").splitlines() == printed.splitlines()
    found = read_table(tmp_path / "budget.parquet")
    assert set(found.column("x_PlanId").to_pylist()) == plans
    assert found.num_rows == len(printed.splitlines()) - 1
    assert sorted(path.name for path in tmp_path.glob("budget*")) == ["budget.csv", "budget.parquet"]


@pytest.mark.parametrize(
    "wrong", [("--format", "parquet"), ("pln_1", "--format", "parquet", "--out", "x"), ("pln_1", "--out", "x")]
)
def test_a_file_of_the_budget_is_of_every_plan(sextant: Any, wrong: tuple[str, ...]) -> None:
    assert sextant("budget-lines", *wrong) == 2


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (YAML.replace("15B", "15 apples"), 2, "training.tokens"),
        (YAML.replace("tokens", "token"), 2, "training.token"),
        ("a: [", 2, "YAML"),
        (YAML.replace("From a terminal", "infeasible"), 3, ""),
    ],
)
def test_exit_codes_of_specs(
    quick_engine: None,
    sextant: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    code: int,
    said: str,
) -> None:
    assert sextant("estimate", spec_file(tmp_path, text)) == code
    assert said in capsys.readouterr().err


def test_exit_codes_of_servers_and_tokens(
    sextant: Any, petra: Api, free_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("sextant_client.transport._growing", lambda _attempt: 0.0)
    assert sextant("plans", "--server", f"http://127.0.0.1:{free_port}") == 4
    assert "cannot be reached" in capsys.readouterr().err
    assert sextant("plans", "--server", "http://sextant.example") == 1
    assert "plain HTTP" in capsys.readouterr().err
    assert sextant("estimate", str(tmp_path / "nothing.yaml")) == 2
    tokens.revoke(petra.row, actor=None)
    assert sextant("plans") == 5
    said = capsys.readouterr().err
    assert "does not accept the token" in said
    assert petra.token not in said


def test_login_keeps_the_token_for_its_owner_only(
    sextant: Any, petra: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SEXTANT_TOKEN")
    assert sextant("plans") == 5
    monkeypatch.setattr("sys.stdin", StringIO(f"{petra.token}\n"))
    assert sextant("login") == 0
    stored = tmp_path / "token"
    assert stored.stat().st_mode & 0o777 == 0o600
    assert sextant("plans") == 0
    stored.chmod(0o644)
    assert sextant("plans") == 5
    said = capsys.readouterr()
    assert "chmod 600" in said.err
    assert petra.token not in said.out + said.err


def test_the_generated_modules_are_current() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "client/generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_version_goes_through_its_review(
    quick_engine: None, people: People, sextant: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert sextant("plan", spec_file(tmp_path), "--json") == 0
    plan = json.loads(capsys.readouterr().out)["id"]
    assert sextant("submit", plan) == 0
    assert f"{plan}  v1  submitted" in capsys.readouterr().out
    assert sextant("approve", plan) != 0, "who made a version approved it"
    assert "approve" in capsys.readouterr().err
    paula = Api(make_member(people.team, "Paula", Role.APPROVER))
    monkeypatch.setenv("SEXTANT_TOKEN", paula.token)
    assert sextant("return", plan, "--reason", "Too dear") == 0
    assert "returned" in capsys.readouterr().out
    assert sextant("events", "--type", "plan.returned", "--json") == 0
    assert json.loads(capsys.readouterr().out)["data"]["plan_id"] == plan
    assert sextant("events", "--since", "2020-01-01T00:00:00Z") == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == [
        "plan.version.created", "plan.submitted", "plan.returned",
    ]  # fmt: skip


def test_prices_of_today_are_shown_and_kept_only_when_asked(
    quick_engine: None, sextant: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sextant("plan", spec_file(tmp_path), "--json") == 0
    plan = json.loads(capsys.readouterr().out)["id"]
    assert sextant("reprice", plan) == 0
    assert capsys.readouterr().out == f"{plan}  v1  unchanged on today's prices\n"
    version = PlanVersion.objects.get()
    PlanVersion.objects.filter(pk=version.pk).update(sha256="0" * 64)
    assert sextant("reprice", plan, "--keep", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accepted"]["number"] == 2


def test_prices_are_a_table(sextant: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert sextant("prices", "--accelerator", "h100-sxm5", "--mode", "on_demand", "--json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows
    assert {(row["accelerator"], row["mode"]) for row in rows} == {("h100-sxm5", "on_demand")}
    assert sextant("prices", "--accelerator", "h100-sxm5", "--mode", "on_demand") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["Accelerators", "Provider"]
    assert [f"{row['amount']} {row['currency']}" for row in rows] == [
        " ".join(line.split()[-3:-1]) for line in lines[1:]
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for word in ("estimate", "approve", "budget-lines", "capacity_block"):
        assert word in text, word


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["est"], ["estimate"]),
        (["prices", "--mode", "sp"], ["spot"]),
        (["return", "pln_1", "--rea"], ["--reason"]),
        (["completion", "z"], ["zsh"]),
    ],
)
def test_bash_offers(typed: list[str], offered: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The script in a real shell."""
    assert main(["completion", "bash"]) == 0
    (tmp_path / "sextant.bash").write_text(capsys.readouterr().out)
    words = " ".join(f"'{word}'" for word in ("sextant", *typed))
    told = subprocess.run(
        ["bash", "-c", f'. ./sextant.bash; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _sextant; echo "${{COMPREPLY[@]}}"'],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.split() == offered, told.stderr


def test_it_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out.startswith("sextant-client ")
