"""The models that LocalLens knows by name: what of them is on this machine, and how to get one before it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from locallens_nb.domain import ReportProgress
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models.conversion import converted_folder
from locallens_nb.models.embedding import BUNDLED_MODEL, GPU_MODEL, bundled_model_folder, prepare_packaged, unpacked_folder
from locallens_nb.models.hub import Hub, find_local
from locallens_nb.models.ladder import LADDER, locate_weights, prepare_weights
from locallens_nb.models.packaged import packaged_file
from locallens_nb.models.wheels import PACKAGED_EMBEDDING_MODEL, PACKAGED_MODELS, PackagedModel, find_packaged
from locallens_nb.settings import AUTO, QUOTES, Settings

HERE = "here"
NOT_CONVERTED = "fetched, not converted yet"
NOT_FETCHED = "not fetched"

_LICENCES = {
    "Qwen/Qwen3-1.7B": "Apache-2.0",
    "Qwen/Qwen3-0.6B": "Apache-2.0",
    GPU_MODEL: "MIT",
    BUNDLED_MODEL: "Apache-2.0",
}
_ORDINALS = ("first", "second", "third", "fourth")


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A model, and whether it can be used without a connection.

    Attributes
    ----------
    state
        :data:`HERE`, :data:`NOT_CONVERTED` or :data:`NOT_FETCHED`.
    size_bytes
        Size of its files: of those that are here, else of those to fetch; None when that is not known.
    note
        Its licence and when it is used.
    """

    name: str
    role: Literal["chat", "embedding"]
    state: str
    size_bytes: int | None
    note: str


def list_models(settings: Settings) -> list[ModelStatus]:
    """Return the chat models in the order of the ladder, the other packaged ones, then the embedding models.

    Nothing is loaded and no connection is made.
    """
    return [*_list_chat_models(settings), *_list_embedding_models(settings)]


def fetch_model(name: str, settings: Settings, on_progress: ReportProgress | None = None) -> Path:
    """Get a model onto this machine, and convert it where that is needed, so that the first question is fast.

    Parameters
    ----------
    name
        A packaged name, a hub id, or a folder or GGUF file that is here already.

    Returns
    -------
    Path
        The folder that it will be loaded from.

    Raises
    ------
    ModelUnavailableError
        When it cannot be had or converted, also for want of memory or while working offline.
    """
    if name in {AUTO, QUOTES}:
        raise ModelUnavailableError(f"'{name}' is no model that could be fetched.", hint="See 'locallens models' for names.")
    if name == BUNDLED_MODEL:
        return bundled_model_folder()
    if name == PACKAGED_EMBEDDING_MODEL.name:
        return prepare_packaged(settings, on_progress=on_progress)
    packaged = find_packaged(name)
    local = None if packaged else find_local(name)
    if local and local.is_dir():
        return local
    hub = Hub(offline=settings.offline)
    if packaged or local:
        name = packaged.name if packaged else name
        source = locate_weights(name, settings, hub=hub, on_progress=on_progress)
        return prepare_weights(source, name, settings, on_progress=on_progress)[1]
    return hub.find(name) or hub.fetch(name, on_progress=on_progress)


def _list_chat_models(settings: Settings) -> Iterator[ModelStatus]:
    for name, ordinal in zip(LADDER, _ORDINALS, strict=True):
        if name == QUOTES:
            yield ModelStatus(name, "chat", HERE, None, "no language model: the best sentences, verbatim; last choice")
        elif packaged := find_packaged(name):
            yield _chat_status(packaged, settings, use=f"{ordinal} choice")
        else:
            yield _hub_status(name, "chat", use=f"{ordinal} choice")
    for packaged in PACKAGED_MODELS:
        if packaged.name not in LADDER:
            yield _chat_status(packaged, settings, use="when named")


def _list_embedding_models(settings: Settings) -> Iterator[ModelStatus]:
    yield _hub_status(GPU_MODEL, "embedding", use="first choice with a GPU")
    note = f"{_LICENCES[BUNDLED_MODEL]}; comes with LocalLens"
    try:
        folder = bundled_model_folder()
    except ModelUnavailableError:
        yield ModelStatus(BUNDLED_MODEL, "embedding", NOT_FETCHED, None, note)
    else:
        yield ModelStatus(BUNDLED_MODEL, "embedding", HERE, _measure_folder(folder), note)
    yield _packaged_status(
        PACKAGED_EMBEDDING_MODEL, "embedding", settings, converted=unpacked_folder(settings), use="when named; many languages"
    )


def _hub_status(name: str, role: Literal["chat", "embedding"], *, use: str) -> ModelStatus:
    folder = Hub(offline=True).find(name)
    note = f"{_LICENCES[name]}; {use}"
    if folder is None:
        return ModelStatus(name, role, NOT_FETCHED, None, note)
    return ModelStatus(name, role, HERE, _measure_folder(folder), note)


def _chat_status(model: PackagedModel, settings: Settings, *, use: str) -> ModelStatus:
    cache = Path(settings.cache_folder)
    file = packaged_file(model, cache / "packaged")
    converted = file and converted_folder(file, name=model.name, cache_folder=cache)
    return _packaged_status(model, "chat", settings, converted=converted, use=use)


def _packaged_status(
    model: PackagedModel, role: Literal["chat", "embedding"], settings: Settings, *, converted: Path | None, use: str
) -> ModelStatus:
    is_fetched = packaged_file(model, Path(settings.cache_folder) / "packaged") is not None
    state = HERE if converted and converted.is_dir() else NOT_CONVERTED if is_fetched else NOT_FETCHED
    return ModelStatus(model.name, role, state, model.size_bytes, f"{model.licence}; {use}")


def _measure_folder(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
