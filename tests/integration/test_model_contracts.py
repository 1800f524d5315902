"""One contract over the fakes and over the models that need no download."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from locallens_nb.models.embedding import BUNDLED_MODEL, load_embedding_model
from locallens_nb.models.protocols import ChatModel, EmbeddingModel
from locallens_nb.models.quotes import QuotesModel
from locallens_nb.settings import Settings
from tests.contracts import CHAT_CONTRACT, EMBEDDING_CONTRACT
from tests.fakes import FakeEmbeddingModel, ScriptedChatModel


@pytest.fixture(scope="module")
def bundled_model() -> EmbeddingModel:
    return load_embedding_model(BUNDLED_MODEL, Settings(offline=True))


@pytest.mark.parametrize("behaves", EMBEDDING_CONTRACT, ids=lambda check: check.__name__)
def test_the_fake_embedding_model_keeps_the_contract(behaves: Callable[[EmbeddingModel], None]):
    behaves(FakeEmbeddingModel())


@pytest.mark.parametrize("behaves", EMBEDDING_CONTRACT, ids=lambda check: check.__name__)
def test_the_bundled_embedding_model_keeps_the_contract(
    behaves: Callable[[EmbeddingModel], None], bundled_model: EmbeddingModel
):
    behaves(bundled_model)


@pytest.mark.parametrize("behaves", CHAT_CONTRACT, ids=lambda check: check.__name__)
def test_the_scripted_chat_model_keeps_the_contract(behaves: Callable[[ChatModel], None]):
    behaves(ScriptedChatModel())


@pytest.mark.parametrize("behaves", CHAT_CONTRACT, ids=lambda check: check.__name__)
def test_quotes_keeps_the_contract(behaves: Callable[[ChatModel], None]):
    behaves(QuotesModel())
