"""The process in which one uploaded file is read: `python -m incoming module:function OPTIONS`, the file on its input.

It limits itself before it imports a reader. Its output is one JSON object with the fields of `apart.Answer`.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any, Final

from incoming.package import MIB, TOO_MUCH, UNREADABLE, Refused

MOST_MEMORY: Final = 768 * MIB
"""Of addresses, which is more than what is used."""
MOST_CPU_S: Final = 20
MOST_ANSWER: Final = 64 * MIB


def main(function: str, options: str) -> None:
    """Reads the file with that function and writes what came of it."""
    for kind, most in (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, MOST_CPU_S),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(kind, (most, most))
    sys.modules["numpy"] = None  # type: ignore[assignment]  # openpyxl would load it for nothing
    answer = _answer(function, sys.stdin.buffer.read(), json.loads(options))
    text = json.dumps(answer | {"cpu_s": time.process_time(), "peak_bytes": _peak_bytes()})
    if len(text) > MOST_ANSWER:
        text = json.dumps({"refused": TOO_MUCH, "fault": "long answer"})
    sys.stdout.write(text)


def _answer(function: str, data: bytes, options: dict[str, Any]) -> dict[str, Any]:
    module, _, name = function.partition(":")
    reader = getattr(importlib.import_module(module), name)
    try:
        return {"value": reader(data, **options)}
    except Refused as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": TOO_MUCH, "fault": "MemoryError"}
    except Exception as error:  # a hostile file fails anywhere inside a library, with any exception
        return {"refused": UNREADABLE, "fault": type(error).__name__}


def _peak_bytes() -> int:
    """The most memory that this process has held; 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
