"""Keeps the budget of all approved plans in a database, whole the first time and by what changed from then on.

    pip install ./client
    SEXTANT_URL=https://sextant.example SEXTANT_TOKEN=sxt_… python examples/budget-feed/pull.py budget.sqlite

Run it from a scheduler as often as you like. SQLite here; the statements are plain SQL (warehouse.sql has the tables and views).
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from sextant_client import Sextant

TABLES = Path(__file__).with_name("warehouse.sql")
COLUMNS = (
    "plan_id", "version", "plan", "plan_sha256", "approved_at", "period", "line", "label", "kind", "amount", "low", "high", "currency",
    "signed", "authorised", "cost_centre", "actual", "tags",
)  # fmt: skip
INSERT = f"INSERT INTO budget_line ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - our own names


def row_of(line: dict[str, Any]) -> list[Any]:
    """The values of a line in the order of the columns, tags as JSON."""
    return [json.dumps(line[name]) if name == "tags" else line[name] for name in COLUMNS]


def pull(api: Sextant, database: sqlite3.Connection) -> int:
    """Takes what is new and drops what counts no more, all or nothing; how many lines came."""
    database.executescript(TABLES.read_text(encoding="utf-8"))
    with database:
        since = database.execute("SELECT max(updated_until) FROM budget_pull").fetchone()[0]
        until, cursor, lines = None, None, 0
        while True:
            page: Any = api.list_all_budget_lines(limit=200, updated_since=since, cursor=cursor)
            until = until or page["updated_until"]  # of the first page: what changes meanwhile comes next time
            for gone in page["deleted"]:
                database.execute(
                    "DELETE FROM budget_line WHERE plan_id = ? AND version = ?", (gone["plan_id"], gone["version"])
                )
            for plan_id in {line["plan_id"] for line in page["data"]}:
                database.execute("DELETE FROM budget_line WHERE plan_id = ?", (plan_id,))
            database.executemany(INSERT, (row_of(line) for line in page["data"]))
            lines += len(page["data"])
            cursor = page["next_cursor"]
            if cursor is None:
                break
        database.execute("INSERT INTO budget_pull VALUES (?)", (until,))
    return lines


def main() -> int:
    """Pulls into the file that the first argument names."""
    if len(sys.argv) != 2:
        sys.stderr.write("Name the database: python pull.py budget.sqlite\n")
        return 2
    api = Sextant(os.environ.get("SEXTANT_URL", "http://localhost:8000"), os.environ["SEXTANT_TOKEN"])
    with closing(sqlite3.connect(sys.argv[1])) as database:
        sys.stderr.write(f"{pull(api, database)} lines came.\n")
        for month, currency, amount in database.execute("SELECT * FROM budget_by_month ORDER BY 1, 2"):
            sys.stdout.write(f"{month}  {amount:>16,.2f} {currency}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
