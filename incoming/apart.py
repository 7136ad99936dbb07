"""Reads an uploaded file in a process of its own, which may take so much memory and time, and knows no secret.

A fresh interpreter is started for each file: it costs about a fifth of a second, and whatever a file does to a parser
happens there. The web process sees plain values or one sentence.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog

from incoming.package import TOO_MUCH, Refused

log = structlog.get_logger("sextant.incoming")

LONGEST_S: Final = 30
"""On the clock. Processor seconds and memory are limited by the process itself, see incoming/__main__.py."""
AT_ONCE: Final = 2
_WAIT_S: Final = 1
"""Nobody waits longer for a place: whoever waits holds a thread of the server, and eight would hold all of them."""
_HOME: Final = Path(__file__).parent.parent
_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}
_room = threading.BoundedSemaphore(AT_ONCE)


class Busy(Exception):
    """There is no place to read another file: nothing was read, and the same file can be sent again soon."""

    def __init__(self) -> None:
        super().__init__("Many files are being read just now; this one was not: send it again in a few seconds.")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the process said: a value, or the sentence of a refusal; and what it took."""

    value: Any = None
    refused: str = ""
    fault: str = ""
    """Name of an exception that no reader expected."""
    cpu_s: float = 0.0
    peak_bytes: int = 0


def read_apart(function: str, data: bytes, **said: Any) -> Any:
    """What `module:function` makes of those bytes, as JSON carries it. Refused with one sentence, whatever goes wrong; Busy
    where there is no place."""
    answer = ask(function, data, **said)
    if answer.fault:
        log.warning("upload_unreadable", reader=function, fault=answer.fault, bytes=len(data))
    if answer.refused:
        raise Refused(answer.refused)
    return answer.value


def ask(function: str, data: bytes, **said: Any) -> Answer:
    """The same with what it took, and a refusal as a value. Busy where there is no place."""
    if not _room.acquire(timeout=_WAIT_S):
        raise Busy
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter; nothing of the upload is in the command
            [sys.executable, "-B", "-m", "incoming", function, json.dumps(said)],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_HOME,
            env=_ENVIRONMENT,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(refused=TOO_MUCH, fault="TimeoutExpired")
    finally:
        _room.release()
    if done.returncode != 0:  # killed at a limit, or fallen
        return Answer(refused=TOO_MUCH, fault=f"exit {done.returncode}")
    return Answer(**json.loads(done.stdout))
