"""One answer at a time from a model with random weights: in a thread, stopped at once, and the model free afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from locallens_nb.errors import GenerationError
from locallens_nb.models.chat import TransformersChatModel
from locallens_nb.models.protocols import ChatModel
from tests.contracts import CHAT_CONTRACT, grounded_request
from tests.tiny_model import make_chat_model


@pytest.fixture(scope="module")
def model() -> TransformersChatModel:
    return make_chat_model()


@pytest.mark.parametrize("behaves", CHAT_CONTRACT, ids=lambda check: check.__name__)
def test_a_transformers_model_keeps_the_contract(behaves: Callable[[ChatModel], None], model: TransformersChatModel):
    behaves(model)


def test_an_answer_that_has_ended_stays_ended(model: TransformersChatModel):
    generation = model.generate(grounded_request())
    assert "".join(generation)
    for _ in range(4):
        assert next(generation, None) is None


def test_a_model_that_fails_says_so_each_time_and_is_free_again(model: TransformersChatModel, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(model._model, "generate", fail)
        generation = model.generate(grounded_request())
        for _ in range(3):
            with pytest.raises(GenerationError, match=r"tiny \(float32\) failed while it wrote: MemoryError: no room"):
                next(generation)
    assert generation.wait(10)
    assert "".join(model.generate(grounded_request()))


def test_an_answer_that_is_stopped_while_it_waits_for_another_is_never_begun(model: TransformersChatModel):
    first = model.generate(grounded_request())
    waiting = model.generate(grounded_request())
    waiting.stop()
    assert "".join(first)
    assert waiting.wait(10)
    assert waiting.answer_tokens == 0


def test_the_greatest_length_is_told(model: TransformersChatModel):
    generation = model.generate(grounded_request())
    assert "".join(generation)
    assert (generation.answer_tokens, generation.reached_limit) == (24, True)
