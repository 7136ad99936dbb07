"""What each command of `sextant` does: asks the server, prints to standard output, returns an exit code."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sextant_client import types as t
from sextant_client.client import Sextant
from sextant_client.errors import SextantError
from sextant_client.show import Bar, difference_lines, estimate_lines, event_line, plan_lines, price_table, review_line
from sextant_client.spec_file import read_spec_file
from sextant_client.token_file import find_token, keep_token

FAULT, BAD_INPUT, NOTHING_FEASIBLE, AWAY, NOT_ALLOWED = 1, 2, 3, 4, 5
FORMATS = ("docx", "xlsx", "pdf", "pptx")


def say(sentence: str, code: int) -> int:
    """That sentence for people, and the exit code."""
    sys.stderr.write(f"{sentence}\n")
    return code


def login(options: Namespace) -> int:
    """Checks a token and keeps it in a file that only its owner can read."""
    from getpass import getpass

    token = getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()
    me = Sextant(options.server, token.strip(), plain_http=options.plain_http).get_me()
    path = keep_token(token.strip(), os.environ)
    name = me["user"]["name"] or me["user"]["email"]
    return say(f"Signed in as {name} of {me['team']['name']}; the token is in {path}.", 0)


def estimate(options: Namespace) -> int:
    """What a workload needs; nothing is stored."""
    api = _api(options)
    expand = "all" if options.full else None
    return _answered(
        api.create_estimate(read_spec_file(api, options.file), expand=expand), options.json, estimate_lines
    )


def plan(options: Namespace) -> int:
    """A plan, frozen as version 1."""
    api = _api(options)
    made = api.create_plan(read_spec_file(api, options.file))
    version = api.get_version(made["id"], 1)
    if options.json:
        return _answered(made, True, plan_lines) or _feasible(version["estimate"])
    _print([*plan_lines(made), *estimate_lines(version["estimate"])])
    return _feasible(version["estimate"])


def plans(options: Namespace) -> int:
    """The team's plans, a line each."""
    for row in _api(options).iter_plans(status=options.status, limit=100):
        _print([_json(row) if options.json else plan_lines(row)[0]])
    return 0


def review(options: Namespace) -> int:
    """One step of the review of a version: `submit`, `withdraw`, `approve` or `return`."""
    api = _api(options)
    number = options.version or _newest(api, options.id)
    step: t.Step = {"action": options.step}
    if options.step == "return":
        step["reason"] = options.reason
    done = api.create_approval(options.id, number, step)
    _print([_json(done) if options.json else review_line(done)])
    return 0


def reprice(options: Namespace) -> int:
    """What today's catalog makes of the newest version; with --keep it is frozen, if it is what was just shown."""
    api = _api(options)
    shown = api.reprice_plan(options.id)
    kept = api.reprice_plan(options.id, dry_run=False, expected=shown["plan_sha256"]) if options.keep else shown
    _print([_json(kept)] if options.json else difference_lines(kept))
    return _feasible(kept["estimate"])


def prices(options: Namespace) -> int:
    """The newest prices, one line each."""
    rows = _api(options).iter_prices(
        accelerator=options.accelerator, provider=options.provider, region=options.region, mode=options.mode, limit=200
    )
    if options.json:
        for row in rows:
            _print([_json(row)])
        return 0
    _print(price_table(rows))
    return 0


def events(options: Namespace) -> int:
    """What happened to plans, documents and prices, oldest first."""
    for row in _api(options).iter_events(since=options.since, type=options.type, limit=200):
        _print([_json(row) if options.json else event_line(row)])
    return 0


def export(options: Namespace) -> int:
    """Has documents made and downloads them, with a bar."""
    wanted = [name for name in dict.fromkeys(options.formats.split(",")) if name]
    unknown = [name for name in wanted if name not in (*FORMATS, "zip")]
    if unknown or not wanted:
        return say(f"“--formats” has “{''.join(unknown[:1])}”: choose from {', '.join(FORMATS)} and zip.", BAD_INPUT)
    api, bundle = _api(options), "zip" in wanted
    formats: Any = [name for name in wanted if name != "zip"]
    number = options.version or _newest(api, options.id)
    options.out.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    with Bar(sys.stderr, "Writing") as bar:
        if bundle:  # holds all of them, wanted by themselves or not
            every: Any = list(FORMATS)
            asked = api.create_version_exports(options.id, number, {"formats": every})
            api.wait_for_exports([one["id"] for one in asked["data"]], progress=bar)
        if formats:
            paths += api.documents(options.id, options.out, formats=formats, version=number, progress=bar)
    if bundle:
        paths.append(api.download_bundle(options.id, number, options.out / f"{options.id}-v{number}.zip"))
    _print([str(path) for path in paths])
    return 0


def quotations(options: Namespace) -> int:
    """Asks the sellers of a version for quotations: the letters as files, and the text of each e-mail beside them."""
    api = _api(options)
    number = options.version or _newest(api, options.id)
    asked: t.QuotationRequestBody = {"contact": options.contact, "place": options.place, "note": options.note}
    made = api.create_quotation_request(options.id, number, asked)
    if options.json:
        _print([_json(made)])
    options.out.mkdir(parents=True, exist_ok=True)
    for at, letter in enumerate(made["letters"], 1):
        stem = options.out / f"{made['reference']}-{at}"
        text = stem.with_suffix(".txt")
        text.write_text(f"{letter['subject']}\n\n{letter['text']}", encoding="utf-8")
        files = [
            api.download_letter(made["id"], at, stem.with_suffix(f".{file}"), file=file) for file in ("docx", "pdf")
        ]
        if not options.json:
            _print([str(path) for path in (text, *files)])
    return 0


def quote(options: Namespace) -> int:
    """Records the answer of a seller: an agreed price of the plan's draft until that day."""
    api = _api(options)
    said: t.QuoteRequest = {
        "option_id": options.option,
        "unit": options.unit,
        "amount": options.amount,
        "currency": options.currency,
        "valid_until": options.valid_until,
        "conditions": options.conditions,
        "reference": options.reference,
    }
    done = api.create_quote(options.id, said)
    _print([_json(done) if options.json else f"{done['item']}: until {done['valid_until']}, in the draft of the plan"])
    return 0


def budget(options: Namespace) -> int:
    """A plan's cost by month, or that of every approved plan as one file."""
    api = _api(options)
    if options.format == "parquet" and (options.id or options.out is None):
        return say("Parquet holds every approved plan and goes into a file: no plan, and --out FILE.", BAD_INPUT)
    if options.out is not None:
        return _budget_into(api, options)
    if options.id and options.format == "json":
        return _answered(api.list_budget_lines(options.id), True, plan_lines)
    if options.id:
        sys.stdout.write(api.budget_csv(options.id, focus=options.format == "focus"))
        return 0
    if options.format == "json":
        return say("Name a plan for JSON, or leave --format out for every approved plan.", BAD_INPUT)
    for lines in api.budgets_csv(focus=options.format == "focus"):
        sys.stdout.write(lines)
    return 0


def _budget_into(api: Sextant, options: Namespace) -> int:
    """The file of all approved plans, whole or not at all."""
    if options.id or options.format not in ("focus", "parquet"):
        return say("“--out” takes every approved plan, as focus or parquet: leave the plan out.", BAD_INPUT)
    shape: Any = {"focus": "focus-csv", "parquet": "parquet"}[options.format]
    _print([str(api.budget_file(options.out, shape=shape))])
    return 0


def _api(options: Namespace) -> Sextant:
    return Sextant(options.server, find_token(os.environ), plain_http=options.plain_http)


def _answered(answer: Any, as_json: bool, lines: Callable[[Any], list[str]]) -> int:
    _print([_json(answer)] if as_json else lines(answer))
    return _feasible(answer)


def _feasible(answer: Any) -> int:
    return 0 if answer.get("feasible", True) else NOTHING_FEASIBLE


def _newest(api: Sextant, plan_id: str) -> int:
    newest: t.VersionSummary | None = api.get_plan(plan_id)["latest_version"]
    if newest is None:
        raise SextantError("This plan has no version yet: freeze one first.")
    return newest["number"]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _print(lines: list[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
