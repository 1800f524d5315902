"""The models of this process: loaded when they are first needed, once, whoever asks and from whatever thread."""

from __future__ import annotations

import threading

from locallens_nb.domain import Progress, ReportProgress, report
from locallens_nb.models.embedding import load_embedding_model
from locallens_nb.models.ladder import LoadedChatModel, load_chat_model
from locallens_nb.models.protocols import EmbeddingModel
from locallens_nb.settings import AUTO, Settings


class ModelGateway:
    """Gives the workflow its models. Callers that come while a model loads wait for that one load."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._embedding_models: dict[str, EmbeddingModel] = {}
        self._embedding_lock = threading.Lock()
        self._chat_model: LoadedChatModel | None = None
        self._chat_lock = threading.Lock()

    def embedding_model(self, source: str = AUTO, *, on_progress: ReportProgress | None = None) -> EmbeddingModel:
        """Return an embedding model.

        Parameters
        ----------
        source
            As :func:`~locallens_nb.models.embedding.load_embedding_model` takes it.

        Raises
        ------
        ModelUnavailableError
            When it is neither here nor within reach.
        """
        with self._embedding_lock:
            if source not in self._embedding_models:
                report(on_progress, Progress("loading", 0, 0, "the embedding model"))
                model = load_embedding_model(source, self._settings, on_progress=on_progress)
                self._embedding_models[source] = self._embedding_models.setdefault(model.name, model)
            return self._embedding_models[source]

    def chat_model(self, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
        """Return the chat model of the settings, or what the ladder comes to.

        Raises
        ------
        ModelUnavailableError
            When the settings name a model that cannot be used.
        """
        with self._chat_lock:
            if self._chat_model is None:
                self._chat_model = load_chat_model(self._settings, on_progress=on_progress)
            return self._chat_model
