"""The client: every operation of the API, and what takes more than one request."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any, Literal, cast

from sextant_client import types as t
from sextant_client.errors import ApiProblem, DownloadFailed, ExportFailed
from sextant_client.operations import Operations
from sextant_client.transport import etag, part

Progress = Callable[[int, int], None]
"""Called with what is done and what there is in all."""
_CHUNK = 64 * 1024
_ENDED = ("succeeded", "failed", "cancelled", "expired")


class Sextant(Operations):
    """A server and a token: `Sextant("https://sextant.example", token)`."""

    def read_spec(self, text: str, *, config: Mapping[str, Any] | None = None) -> t.Spec:
        """The spec that a YAML or JSON text describes, quantities such as 70B included. ApiProblem names each fault."""
        body = cast(t.SpecText, {"text": text} | ({"config": dict(config)} if config is not None else {}))
        return self.parse_spec(body)["spec"]

    def edit_plan(self, plan_id: str, change: Callable[[t.PlanBody], t.SpecPatch], *, attempts: int = 3) -> t.PlanBody:
        """Merges what `change` makes of the plan into its draft, again on the newest state when somebody was faster."""
        for attempt in range(1, attempts + 1):
            plan = self.get_plan(plan_id)
            try:
                return self.change_plan(plan_id, change(plan), if_match=etag(plan))
            except ApiProblem as problem:
                if problem.status != 412 or attempt == attempts:
                    raise
        raise ValueError("attempts must be at least 1")

    def budget_csv(self, plan_id: str, *, focus: bool = False, version: str | None = None) -> str:
        """A plan's budget as CSV, under FOCUS column names if asked."""
        query = {"format": "focus" if focus else "csv", "version": version}
        with self.open("GET", f"/plans/{part(plan_id)}/budget-lines", query=query) as response:
            return response.read().decode()

    def budget_file(
        self, path: Path, *, shape: Literal["focus-csv", "parquet"] = "focus-csv", updated_since: str | None = None
    ) -> Path:
        """The budget of every approved plan as one file at `path`, under FOCUS column names: whole or not at all.
        DownloadFailed when the connection broke off."""
        query = {"format": shape, "updated_since": updated_since}
        partial = path.with_name(f"{path.name}.partial")
        try:
            with self.open("GET", "/budget-lines", query=query) as response, partial.open("wb") as file:
                while chunk := response.read(_CHUNK):
                    file.write(chunk)
            return partial.replace(path)
        except HTTPException as error:
            raise DownloadFailed(f"{path.name} did not come whole: try again.") from error
        finally:
            partial.unlink(missing_ok=True)

    def budgets_csv(self, *, focus: bool = True) -> Iterator[str]:
        """The approved budget of every plan that has one, as the lines of one CSV; the column names once. Under FOCUS column
        names it is one request, else one for each plan."""
        if focus:
            with self.open("GET", "/budget-lines", query={"format": "focus-csv"}) as response:
                for line in response:
                    yield line.decode()
            return
        named = False
        for plan in self.iter_plans(status="approved", limit=200):
            head, _, rows = self.budget_csv(plan["id"], version="approved").partition("\r\n")
            if not named:
                yield f"{head}\r\n"
                named = True
            yield rows

    def wait_for_exports(
        self, ids: Iterable[str], *, timeout_s: float = 600.0, progress: Progress | None = None
    ) -> list[t.ExportBody]:
        """Those exports when all are made, by long poll. ExportFailed for one that is not, or when the time is over."""
        wanted, until, done = list(ids), time.monotonic() + timeout_s, []
        for at, export_id in enumerate(wanted):
            export = self.get_export(export_id)
            while export["state"] not in _ENDED:
                if progress is not None:
                    progress(100 * at + export["progress"], 100 * len(wanted))
                left = until - time.monotonic()
                if left <= 0:
                    raise ExportFailed(
                        f"The {export['format']} file is not made after {timeout_s:g} s: it is {export['state']}."
                    )
                export = self._watched(export_id, left)
            if export["state"] != "succeeded":
                why = export["error"]
                raise ExportFailed(
                    f"The {export['format']} file is {export['state']}: {why['detail'] if why else export['note']}"
                )
            done.append(export)
        if progress is not None:
            progress(100 * len(wanted), 100 * len(wanted))
        return done

    def _watched(self, export_id: str, left: float) -> t.ExportBody:
        """The export after up to 25 seconds; a server that answers at once is not asked at once again."""
        asked = time.monotonic()
        export = self.get_export(export_id, wait=max(1, min(25, int(left))))
        if export["state"] not in _ENDED and time.monotonic() - asked < 1.0:
            self._sleep(1.0)
        return export

    def download_export(self, export: t.ExportBody, path: Path, *, progress: Progress | None = None) -> Path:
        """The file of that export at `path`, whole and with its hash or not at all; what a broken download left is gone on
        from. DownloadFailed."""
        digest, size = export["sha256"], export["bytes"]
        if digest is None or size is None:
            raise DownloadFailed(f"The {export['format']} file is not there: it is {export['state']}.")
        return self._download(f"/exports/{part(export['id'])}/file", path, digest=digest, size=size, progress=progress)

    def download_bundle(self, plan_id: str, number: int, path: Path, *, progress: Progress | None = None) -> Path:
        """Everything of that version as one zip at `path`. ApiProblem 409 until its documents are made."""
        address = f"/plans/{part(plan_id)}/versions/{part(number)}/bundle"
        with self.open("GET", address, headers={"Range": "bytes=0-0"}) as response:
            digest = response.headers["ETag"].strip('"')
            size = int(response.headers["Content-Range"].rpartition("/")[2])
        return self._download(address, path, digest=digest, size=size, progress=progress)

    def download_letter(
        self, quotation_id: str, letter: int, path: Path, *, file: str = "pdf", progress: Progress | None = None
    ) -> Path:
        """One letter of a request for quotation at `path`, as `docx` or `pdf`."""
        address = f"/quotation-requests/{part(quotation_id)}/letters/{part(letter)}?format={part(file)}"
        with self.open("GET", address, headers={"Range": "bytes=0-0"}) as response:
            digest = response.headers["ETag"].strip('"')
            size = int(response.headers["Content-Range"].rpartition("/")[2])
        return self._download(address, path, digest=digest, size=size, progress=progress)

    def _download(self, address: str, path: Path, *, digest: str, size: int, progress: Progress | None) -> Path:
        partial = path.with_name(f"{path.name}.{digest[:12]}.partial")
        for _ in range(3):
            try:
                self._fetch(address, partial, digest=digest, size=size, progress=progress)
            except (OSError, HTTPException):  # the connection broke off: go on from what is there
                if partial.exists() and partial.stat().st_size:
                    continue
                raise
            if partial.stat().st_size == size and _sha256(partial) == digest:
                partial.replace(path)
                return path
            if partial.stat().st_size >= size:
                partial.unlink()  # not what was announced: from the beginning
        raise DownloadFailed(f"{path.name} did not come whole: try again, it goes on where it broke off.")

    def _fetch(self, address: str, partial: Path, *, digest: str, size: int, progress: Progress | None) -> None:
        have = partial.stat().st_size if partial.exists() else 0
        if have >= size:
            return
        headers = {"Range": f"bytes={have}-", "If-Range": f'"{digest}"'} if have else {}
        with self.open("GET", address, headers=headers) as response, partial.open("ab" if have else "wb") as file:
            if have and response.status != 206:
                file.truncate(0)
                have = 0
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                have += len(chunk)
                if progress is not None:
                    progress(have, size)
            file.flush()
            os.fsync(file.fileno())

    def documents(
        self,
        plan_id: str,
        folder: Path,
        *,
        formats: Iterable[Literal["docx", "xlsx", "pdf", "pptx"]] = ("docx", "xlsx", "pdf", "pptx"),
        version: int | None = None,
        progress: Progress | None = None,
    ) -> list[Path]:
        """Has the documents of a plan made (of its newest version unless told), waits, and stores them in `folder`."""
        body = t.ExportRequest(formats=list(formats))
        asked = (
            self.create_exports(plan_id, body)
            if version is None
            else self.create_version_exports(plan_id, version, body)
        )
        made = self.wait_for_exports([export["id"] for export in asked["data"]], progress=progress)
        folder.mkdir(parents=True, exist_ok=True)
        return [
            self.download_export(export, folder / f"{export['plan_id']}-v{export['version']}.{export['format']}")
            for export in made
        ]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
