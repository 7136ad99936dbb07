"""Many runs after each other, named in a table: what `lab/data/own_h100` was measured with.

`python -m lab.own_runs.wave TABLE OUT` runs each row of a CSV file in a process of its own and adds one JSON line a run to OUT;
a run that fails, or is out of memory, says so in its line and does not stop the others.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LIMIT_S = 120
WIDTHS = {
    "num_hidden_layers": "layers", "hidden_size": "hidden", "num_attention_heads": "heads",
    "num_key_value_heads": "kv_heads", "intermediate_size": "ffn_hidden", "vocab_size": "vocab",
}  # fmt: skip


def main(table: Path, out: Path) -> int:
    """0 always: what failed is in the lines."""
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, start=1):
        sys.stderr.write(f"{number}/{len(rows)} {row['id']} {row['model']} {row['options']}\n")
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"id": row["id"], **_run(row)}) + "\n")
    return 0


def _run(row: Mapping[str, str]) -> dict[str, Any]:
    config = {name: int(row[column]) for name, column in WIDTHS.items()}
    config["tie_word_embeddings"] = "tied" in row["notes"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(config | {"head_dim": int(row["head_dim"])}), encoding="utf-8")
        accumulate = int(row["global_batch"]) // int(row["micro_batch"])
        command = [
            sys.executable, "-m", "lab.own_runs", "--model", str(path), "--accelerator", "h100-sxm5",
            "--processes", "1", "--steps", "10", "--sequence", row["seq_len"], "--micro-batch", row["micro_batch"],
            "--accumulate", str(accumulate), *row["options"].split(),
        ]  # fmt: skip
        try:
            told = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)  # noqa: S603 - our own program
        except subprocess.TimeoutExpired:
            return {"failed": f"not done within {LIMIT_S} s"}
    if told.returncode:
        return {"failed": told.stderr.strip().splitlines()[-1][:300] if told.stderr.strip() else "no reason given"}
    found: dict[str, Any] = json.loads(told.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
