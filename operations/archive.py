"""The file of a backup: one zip with each table as PostgreSQL's COPY text (or SQLite's whole file), and a manifest.

The database alone suffices: documents are made again from their plans, to the same bytes, by whoever asks for them.
Sessions stay out: after a restore everybody signs in again. Sealed secrets stay sealed: keep SECRET_KEY, SECRETS_KEY and
TOKEN_PEPPER beside the backups and not in them; the manifest only says which keys they were.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from django.conf import settings

MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
_PIECE: Final = 1 << 20


class BrokenArchive(Exception):
    """The file is no backup of ours, or not whole; the message is one sentence."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """One table of the archive, or SQLite's file."""

    name: str
    columns: list[str]
    rows: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What the archive holds. ``at`` is the database's clock, ``migrations`` each app's with the names that were applied."""

    format: int
    engine: str
    at: str
    migrations: dict[str, list[str]]
    members: list[Member]
    keys: dict[str, str]


class Writer:
    """Writes an archive; only a call of ``seal`` makes it one that can be restored."""

    def __init__(self, target: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.members: list[Member] = []

    def add(self, name: str, columns: list[str], chunks: Any) -> None:
        """Adds a table from its chunks of COPY text: a line is a row."""
        digest, rows = hashlib.sha256(), 0
        with self._zip.open(name, "w", force_zip64=True) as member:
            for chunk in chunks:
                data = bytes(chunk)
                member.write(data)
                digest.update(data)
                rows += data.count(b"\n")
        self.members.append(Member(name=name, columns=columns, rows=rows, sha256=digest.hexdigest()))

    def seal(self, *, engine: str, at: str, migrations: dict[str, list[str]]) -> Manifest:
        """Writes the manifest and closes the archive."""
        manifest = Manifest(
            format=FORMAT, engine=engine, at=at, migrations=migrations, members=self.members, keys=fingerprints()
        )
        self._zip.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
        self._zip.close()
        return manifest


def opened(path: Path) -> tuple[zipfile.ZipFile, Manifest]:
    """The archive with its manifest, every byte compared with its hash. BrokenArchive."""
    try:
        archive = zipfile.ZipFile(path)
        said = json.loads(archive.read(MANIFEST))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise BrokenArchive(f"{path.name} is no whole backup: it has no readable manifest.") from error
    if said.get("format") != FORMAT:
        raise BrokenArchive(f"{path.name} has format {said.get('format')}; this version reads {FORMAT}.")
    manifest = Manifest(**{**said, "members": [Member(**row) for row in said["members"]]})
    for member in manifest.members:
        _compare(archive, member)
    return archive, manifest


def _compare(archive: zipfile.ZipFile, member: Member) -> None:
    digest = hashlib.sha256()
    try:
        with archive.open(member.name) as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except (KeyError, zipfile.BadZipFile, EOFError) as error:
        raise BrokenArchive(f"“{member.name}” of the backup cannot be read.") from error
    if digest.hexdigest() != member.sha256:
        raise BrokenArchive(f"“{member.name}” of the backup is not what was written.")


def fingerprints() -> dict[str, str]:
    """Which keys this installation has, so that a restore with others is noticed; nothing of them can be learnt from it."""
    keys = {"secrets": settings.SECRETS_KEYS[0], "tokens": settings.TOKEN_PEPPER}
    return {name: hashlib.sha256(b"sextant backup " + key.encode()).hexdigest()[:16] for name, key in keys.items()}
