"""The command `sextant`: estimates, plans, documents and budgets of a server, from a terminal or a script.

Exit codes: 0 done, 1 another fault, 2 the input is wrong, 3 nothing is feasible, 4 the server cannot be reached, 5 the
token is not accepted. Results go to standard output, everything else to standard error. The token is never an argument.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sextant_client import types as t
from sextant_client.client import Sextant
from sextant_client.errors import ApiProblem, SextantError, Unreachable
from sextant_client.show import Bar, estimate_lines, plan_lines
from sextant_client.spec_file import SpecFileError, read_spec_file
from sextant_client.token_file import TokenError, find_token, keep_token

FAULT, BAD_INPUT, NOTHING_FEASIBLE, AWAY, NOT_ALLOWED = 1, 2, 3, 4, 5
FORMATS = ("docx", "xlsx", "pdf", "pptx")
LOCAL = "http://localhost:8000"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    options = _parser().parse_args(arguments)
    run: Callable[[Namespace], int] = options.run
    try:
        return run(options)
    except (SpecFileError, TokenError) as error:
        return _say(str(error), BAD_INPUT if isinstance(error, SpecFileError) else NOT_ALLOWED)
    except Unreachable as error:
        return _say(f"{error} Look at --server and whether it runs.", AWAY)
    except ApiProblem as problem:
        return _refused(problem)
    except SextantError as error:
        return _say(str(error), FAULT)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULT
    except KeyboardInterrupt:
        return _say("Stopped.", 130)


def _say(sentence: str, code: int) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code


def _refused(problem: ApiProblem) -> int:
    """One sentence for each fault, with its field where the sentence does not name it."""
    if problem.status == 401:
        return _say(
            "The server does not accept the token: it is wrong, revoked or has expired. Run `sextant login`.",
            NOT_ALLOWED,
        )
    for fault in problem.errors:
        place = fault.place.removeprefix("text.")
        sys.stderr.write(f"{fault.detail}\n" if not place or place in fault.detail else f"{place}: {fault.detail}\n")
    if not problem.errors:
        sys.stderr.write(f"{problem}\n")
    if problem.status >= 500:
        sys.stderr.write(f"Its request id is {problem.request_id}.\n")
    return {400: BAD_INPUT, 422: BAD_INPUT, 403: NOT_ALLOWED}.get(problem.status, FAULT)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="sextant", description="Plans of AI infrastructure, from a Sextant server.")
    parser.add_argument("--server", default=os.environ.get("SEXTANT_URL", LOCAL), help="its address (SEXTANT_URL)")
    parser.add_argument(
        "--plain-http", action="store_true", help="send the token over unencrypted HTTP to another machine"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _command(commands, "login", _login, "check a token, typed or piped, and keep it in a file that only you can read")
    for name, run, about in (
        ("estimate", _estimate, "what a workload needs, takes and costs; nothing is stored"),
        ("plan", _plan, "make a plan of a workload, frozen as version 1"),
    ):
        command = _command(commands, name, run, about)
        command.add_argument("file", help="spec in YAML or JSON, or - for standard input")
        command.add_argument("--json", action="store_true", help="print the JSON of the answer and nothing else")
    plans = _command(commands, "plans", _plans, "list the team's plans")
    plans.add_argument("what", nargs="?", choices=["list"], default="list")
    plans.add_argument("--status", choices=["draft", "submitted", "approved", "returned", "superseded"])
    plans.add_argument("--json", action="store_true", help="print one JSON object for each plan and line")
    export = _command(commands, "export", _export, "have documents of a plan made and download them")
    export.add_argument("id", help="plan, such as pln_…")
    export.add_argument("--formats", default=",".join(FORMATS), help="comma-separated: docx, xlsx, pdf, pptx, zip")
    export.add_argument("--version", type=int, help="number of the version; default: the newest")
    export.add_argument("--out", type=Path, default=Path(), help="folder to write into")
    budget = _command(commands, "budget-lines", _budget, "a plan's cost by month, or that of every approved plan")
    budget.add_argument("id", nargs="?", help="plan; without it every approved plan as one CSV")
    budget.add_argument("--format", choices=["focus", "csv", "json"], default="focus")
    return parser


def _command(commands: Any, name: str, run: Callable[[Namespace], int], about: str) -> ArgumentParser:
    command: ArgumentParser = commands.add_parser(name, help=about, description=about)
    command.add_argument("--server", default=SUPPRESS, help="address of the server (SEXTANT_URL)")
    command.set_defaults(run=run)
    return command


def _api(options: Namespace) -> Sextant:
    return Sextant(options.server, find_token(os.environ), plain_http=options.plain_http)


def _login(options: Namespace) -> int:
    from getpass import getpass

    token = getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()
    me = Sextant(options.server, token.strip(), plain_http=options.plain_http).get_me()
    path = keep_token(token.strip(), os.environ)
    return _say(
        f"Signed in as {me['user']['name'] or me['user']['email']} of {me['team']['name']}; the token is in {path}.", 0
    )


def _estimate(options: Namespace) -> int:
    api = _api(options)
    answer = api.create_estimate(read_spec_file(api, options.file))
    return _answered(answer, options.json, estimate_lines)


def _plan(options: Namespace) -> int:
    api = _api(options)
    made = api.create_plan(read_spec_file(api, options.file))
    version = api.get_version(made["id"], 1)
    if options.json:
        return _answered(made, True, plan_lines) or _feasible(version["estimate"])
    sys.stdout.write("\n".join([*plan_lines(made), *estimate_lines(version["estimate"])]) + "\n")
    return _feasible(version["estimate"])


def _answered(answer: Any, as_json: bool, lines: Callable[[Any], list[str]]) -> int:
    text = json.dumps(answer, ensure_ascii=False, sort_keys=True) if as_json else "\n".join(lines(answer))
    sys.stdout.write(f"{text}\n")
    return _feasible(answer)


def _feasible(answer: Any) -> int:
    return 0 if answer.get("feasible", True) else NOTHING_FEASIBLE


def _plans(options: Namespace) -> int:
    for plan in _api(options).iter_plans(status=options.status, limit=100):
        text = json.dumps(plan, ensure_ascii=False, sort_keys=True) if options.json else "  ".join(plan_lines(plan)[:1])
        sys.stdout.write(f"{text}\n")
    return 0


def _export(options: Namespace) -> int:
    wanted = [name for name in dict.fromkeys(options.formats.split(",")) if name]
    unknown = [name for name in wanted if name not in (*FORMATS, "zip")]
    if unknown or not wanted:
        return _say(f"“--formats” has “{''.join(unknown[:1])}”: choose from {', '.join(FORMATS)} and zip.", BAD_INPUT)
    api, bundle = _api(options), "zip" in wanted
    formats: Any = FORMATS if bundle else wanted
    number = options.version or _newest(api, options.id)
    with Bar(sys.stderr, "Writing") as bar:
        paths = api.documents(options.id, options.out, formats=formats, version=number, progress=bar)
    if bundle:
        paths.append(api.download_bundle(options.id, number, options.out / f"{options.id}-v{number}.zip"))
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    return 0


def _newest(api: Sextant, plan_id: str) -> int:
    newest: t.VersionSummary | None = api.get_plan(plan_id)["latest_version"]
    if newest is None:
        raise SextantError("This plan has no version yet: freeze one first.")
    return newest["number"]


def _budget(options: Namespace) -> int:
    api = _api(options)
    if options.id and options.format == "json":
        return _answered(api.list_budget_lines(options.id), True, plan_lines)
    if options.id:
        sys.stdout.write(api.budget_csv(options.id, focus=options.format == "focus"))
        return 0
    if options.format == "json":
        return _say("Name a plan for JSON, or leave --format out for every approved plan.", BAD_INPUT)
    for lines in api.budgets_csv(focus=options.format == "focus"):
        sys.stdout.write(lines)
    return 0
