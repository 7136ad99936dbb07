"""The command `sextant`: estimates, plans, reviews, prices, documents and budgets of a server, from a terminal or a script.

Exit codes: 0 done, 1 another fault, 2 the input is wrong, 3 nothing is feasible, 4 the server cannot be reached, 5 the
token is not accepted. Results go to standard output, everything else to standard error. The token is never an argument.
"""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sextant_client import commands as do
from sextant_client.commands import AWAY, BAD_INPUT, FAULT, FORMATS, NOT_ALLOWED, say
from sextant_client.completion import SHELLS, script
from sextant_client.errors import ApiProblem, SextantError, Unreachable
from sextant_client.spec_file import SpecFileError
from sextant_client.token_file import TokenError

LOCAL = "http://localhost:8000"
STATES = ("draft", "submitted", "approved", "returned", "superseded")
UNITS = ("instance_hour", "accelerator_hour", "server", "storage_gb_month", "egress_gb")
MODES = ("on_demand", "spot", "commit_1y", "commit_3y", "capacity_block")
_REVIEW = {
    "submit": "ask for approval of a version",
    "withdraw": "ask no longer for approval of a version",
    "approve": "approve a version",
    "return": "return a version for changes",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    options = _parser().parse_args(arguments)
    run: Callable[[Namespace], int] = options.run
    try:
        return run(options)
    except (SpecFileError, TokenError) as error:
        return say(str(error), BAD_INPUT if isinstance(error, SpecFileError) else NOT_ALLOWED)
    except Unreachable as error:
        return say(f"{error} Look at --server and whether it runs.", AWAY)
    except ApiProblem as problem:
        return _refused(problem)
    except SextantError as error:
        return say(str(error), FAULT)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULT
    except KeyboardInterrupt:
        return say("Stopped.", 130)


def _refused(problem: ApiProblem) -> int:
    """One sentence for each fault, with its field where the sentence does not name it."""
    if problem.status == 401:
        return say(
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
    parser.add_argument("--version", action="version", version=f"sextant-client {_version()}")
    parser.add_argument("--server", default=os.environ.get("SEXTANT_URL", LOCAL), help="its address (SEXTANT_URL)")
    parser.add_argument(
        "--plain-http", action="store_true", help="send the token over unencrypted HTTP to another machine"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _command(commands, "login", do.login, "check a token, typed or piped, and keep it in a file that only you can read")
    _about_requests(commands)
    _about_plans(commands)
    _about_quotes(commands)
    _about_money(commands)
    shell = _command(commands, "completion", _completion, "print what makes a shell complete these commands")
    shell.add_argument("shell", choices=SHELLS)
    shell.set_defaults(parser=parser)
    return parser


def _about_requests(commands: Any) -> None:
    for name, run, about in (
        ("estimate", do.estimate, "what a workload needs, takes and costs; nothing is stored"),
        ("plan", do.plan, "make a plan of a workload, frozen as version 1"),
    ):
        command = _command(commands, name, run, about)
        command.add_argument("file", help="spec in YAML or JSON, or - for standard input")
        command.add_argument("--json", action="store_true", help="print the JSON of the answer and nothing else")
        if name == "estimate":
            command.add_argument("--full", action="store_true", help="with every option, assumption and ledger entry")


def _about_plans(commands: Any) -> None:
    plans = _command(commands, "plans", do.plans, "list the team's plans")
    plans.add_argument("what", nargs="?", choices=["list"], default="list")
    plans.add_argument("--status", choices=STATES)
    _as_json(plans)
    for step, about in _REVIEW.items():
        command = _command(commands, step, do.review, about)
        command.set_defaults(step=step)
        command.add_argument("id", help="plan, such as pln_…")
        command.add_argument("--version", type=int, help="number of the version; default: the newest")
        if step == "return":
            command.add_argument("--reason", required=True, help="what to change, in a sentence")
        _as_json(command)
    again = _command(commands, "reprice", do.reprice, "what today's prices make of a plan's newest version")
    again.add_argument("id", help="plan, such as pln_…")
    again.add_argument("--keep", action="store_true", help="freeze it as the next version, a draft")
    _as_json(again)
    export = _command(commands, "export", do.export, "have documents of a plan made and download them")
    export.add_argument("id", help="plan, such as pln_…")
    said = "comma-separated: docx, xlsx, pdf, pptx, and zip for all of them, the budget and the plan as one file"
    export.add_argument("--formats", default=",".join(FORMATS), help=said)
    export.add_argument("--version", type=int, help="number of the version; default: the newest")
    export.add_argument("--out", type=Path, default=Path(), help="folder to write into")
    happened = _command(commands, "events", do.events, "what happened to plans, documents and prices, oldest first")
    happened.add_argument("--since", help="a moment like 2026-11-22T08:00:00Z")
    happened.add_argument("--type", help="such as plan.approved")
    _as_json(happened)


def _about_quotes(commands: Any) -> None:
    asked = _command(commands, "quotations", do.quotations, "letters that ask sellers for quotations of a version")
    asked.add_argument("id", help="plan, such as pln_…")
    asked.add_argument("--version", type=int, help="number of the version; default: the newest")
    asked.add_argument("--contact", default="", help="who asks, as the letters close with it")
    asked.add_argument("--place", default="", help="where servers are delivered to")
    asked.add_argument("--note", default="", help="remarks to every seller")
    asked.add_argument("--out", type=Path, default=Path(), help="folder to write into")
    _as_json(asked)
    quote = _command(commands, "quote", do.quote, "record the answer of a seller as an agreed price until a day")
    quote.add_argument("id", help="request for quotation, such as rfq_…")
    quote.add_argument("--option", required=True, help="option_id of the letter that is answered")
    quote.add_argument("--amount", required=True, help="price of one unit, such as 19.80")
    quote.add_argument("--unit", choices=UNITS, default="instance_hour")
    quote.add_argument("--currency", default="USD")
    quote.add_argument("--valid-until", required=True, metavar="DATE", help="last day on which the seller holds it")
    quote.add_argument("--conditions", default="")
    quote.add_argument("--reference", default="", help="number of the quote, as the seller calls it")
    _as_json(quote)


def _about_money(commands: Any) -> None:
    budget = _command(commands, "budget-lines", do.budget, "a plan's cost by month, or that of every approved plan")
    budget.add_argument("id", nargs="?", help="plan; without it every approved plan as one CSV")
    budget.add_argument("--format", choices=["focus", "csv", "json", "parquet"], default="focus")
    budget.add_argument("--out", type=Path, metavar="FILE", help="every approved plan into a file: focus or parquet")
    prices = _command(commands, "prices", do.prices, "the newest prices of an hour, the team's own included")
    for name in ("accelerator", "provider", "region"):
        prices.add_argument(f"--{name}", help=f"only of this {name}")
    prices.add_argument("--mode", choices=MODES)
    _as_json(prices)


def _command(commands: Any, name: str, run: Callable[[Namespace], int], about: str) -> ArgumentParser:
    command: ArgumentParser = commands.add_parser(name, help=about, description=about)
    command.add_argument("--server", default=SUPPRESS, help="address of the server (SEXTANT_URL)")
    command.set_defaults(run=run)
    return command


def _as_json(command: ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON, a line for each row")


def _completion(options: Namespace) -> int:
    sys.stdout.write(script(options.parser, options.shell))
    return 0


def _version() -> str:
    """That of the installed package; a copy that is run from its folder has none."""
    try:
        return version("sextant-client")
    except PackageNotFoundError:
        return "(not installed)"
