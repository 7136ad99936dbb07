"""Where the token comes from: the environment, or a file that nobody else can read. Never an argument."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path


class TokenError(Exception):
    """There is no token that may be used; the message says what to do."""


def find_token(environment: Mapping[str, str]) -> str:
    """SEXTANT_TOKEN, else what is in the token file. TokenError without one, or when others can read the file."""
    given = environment.get("SEXTANT_TOKEN", "").strip()
    if given:
        return given
    path = path_of(environment)
    try:
        with path.open(encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
                raise TokenError(f"Others can read {path}: run `chmod 600 {path}`.")
            token = file.readline().strip()
    except FileNotFoundError:
        token = ""
    except (OSError, UnicodeDecodeError) as error:
        raise TokenError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}.") from None
    if not token:
        raise TokenError("There is no token: set SEXTANT_TOKEN, or run `sextant login`.")
    return token


def keep_token(token: str, environment: Mapping[str, str]) -> Path:
    """Stores the token where only its owner can read it."""
    path = path_of(environment)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{token}\n")
    partial.replace(path)
    return path


def path_of(environment: Mapping[str, str]) -> Path:
    """SEXTANT_TOKEN_FILE, else `sextant/token` in the folder of configurations."""
    given = environment.get("SEXTANT_TOKEN_FILE")
    if given:
        return Path(given)
    home = Path(environment.get("HOME") or Path.home())
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "sextant" / "token"
