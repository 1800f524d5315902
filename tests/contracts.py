"""What every embedding model and every chat model must do, fake or real; run by the suites that have a model.

Each function takes a model and asserts one behaviour. ``EMBEDDING_CONTRACT`` and ``CHAT_CONTRACT`` list them, for
``pytest.mark.parametrize``.
"""

from __future__ import annotations

import string
from collections.abc import Callable

import numpy as np

from locallens_nb.domain import SearchHit
from locallens_nb.models.protocols import ChatModel, ChatRequest, EmbeddingModel
from locallens_nb.prompt import build_grounded_history

NEAR = 2e-3
"""Largest difference between two vectors of one text: half precision, and other neighbours in a batch."""

DOCUMENTS = [
    "The tide gauge at the harbour was replaced in March because of salt in its housing.",
    "Olive oil, two lemons and a spoon of honey make the dressing of the summer salad.",
    "Refunds are paid within ten days after the signed form has arrived.",
]
HITS = [
    SearchHit(f"0123456789ab-{index}", "notes.md", index, text, 0.9 - index / 10, index + 1, index + 1)
    for index, text in enumerate(DOCUMENTS)
]
QUESTION = "When was the tide gauge at the harbour replaced?"


def grounded_request(question: str = QUESTION) -> ChatRequest:
    return ChatRequest(build_grounded_history(question, HITS), question, HITS)


def it_has_a_name(model: EmbeddingModel) -> None:
    assert model.name.strip() == model.name != ""


def its_fingerprint_is_16_hexadecimal_digits(model: EmbeddingModel) -> None:
    assert len(model.fingerprint) == 16
    assert set(model.fingerprint) <= set(string.hexdigits.lower())


def documents_become_unit_vectors_in_float32(model: EmbeddingModel) -> None:
    vectors = model.embed_documents(DOCUMENTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, model.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=NEAR)


def a_question_becomes_one_unit_vector(model: EmbeddingModel) -> None:
    vector = model.embed_query(QUESTION)
    assert vector.dtype == np.float32
    assert vector.shape == (model.dimension,)
    np.testing.assert_allclose(np.linalg.norm(vector), 1.0, atol=NEAR)


def no_texts_give_no_vectors(model: EmbeddingModel) -> None:
    vectors = model.embed_documents([])
    assert vectors.dtype == np.float32
    assert vectors.shape == (0, model.dimension)


def a_text_has_the_same_vector_whatever_is_embedded_with_it(model: EmbeddingModel) -> None:
    together = model.embed_documents([*DOCUMENTS, "word " * 150])
    alone = np.concatenate([model.embed_documents([text]) for text in DOCUMENTS])
    np.testing.assert_allclose(together[:3], alone, atol=NEAR)


def a_question_is_nearest_to_the_text_that_answers_it(model: EmbeddingModel) -> None:
    similarities = model.embed_documents(DOCUMENTS) @ model.embed_query(QUESTION)
    assert int(similarities.argmax()) == 0


def tokens_start_in_order_within_the_text(model: EmbeddingModel) -> None:
    text = "  Two words, e um acento: ação. 漢字 too"
    (starts,) = model.token_starts([text])
    assert starts[0] == 2
    assert np.all(np.diff(starts) >= 0)
    assert int(starts[-1]) < len(text)
    assert text.index("too") in starts


def tokens_of_a_long_text_are_all_counted(model: EmbeddingModel) -> None:
    count = 3 * model.max_tokens
    (starts,) = model.token_starts(["word " * count])
    assert len(starts) == count


def an_empty_text_has_no_tokens(model: EmbeddingModel) -> None:
    first, empty = model.token_starts(["one", ""])
    assert (first.tolist(), empty.tolist()) == ([0], [])


def counting_tokens_goes_on_whole_after_embedding(model: EmbeddingModel) -> None:
    text = "word " * (model.max_tokens + 50)
    before = len(model.token_starts([text])[0])
    model.embed_documents([text, "short"])
    assert len(model.token_starts([text])[0]) == before


def it_says_what_wrote_the_answer(model: ChatModel) -> None:
    assert model.name.strip() == model.name != ""


def the_size_of_a_prompt_grows_with_it_or_is_zero(model: ChatModel) -> None:
    small = model.count_tokens(build_grounded_history(QUESTION, HITS[:1]))
    large = model.count_tokens(build_grounded_history(QUESTION, HITS))
    assert small == large == 0 or 0 < small < large


def an_answer_comes_in_pieces_of_text_and_ends(model: ChatModel) -> None:
    pieces = list(model.generate(grounded_request()))
    assert all(isinstance(piece, str) for piece in pieces)
    assert "".join(pieces).strip()


def the_same_request_gives_the_same_answer(model: ChatModel) -> None:
    first, second = ("".join(model.generate(grounded_request())) for _ in range(2))
    assert first == second


def an_answer_that_was_stopped_ends(model: ChatModel) -> None:
    generation = model.generate(grounded_request())
    next(generation)
    generation.stop()
    assert len(list(generation)) <= 1


def an_answer_that_was_stopped_before_its_first_piece_ends(model: ChatModel) -> None:
    generation = model.generate(grounded_request())
    generation.stop()
    assert len(list(generation)) <= 1


def stopping_twice_and_after_the_end_is_harmless(model: ChatModel) -> None:
    generation = model.generate(grounded_request())
    next(generation)
    generation.stop()
    generation.stop()
    list(generation)
    generation.stop()
    assert list(generation) == []


def the_model_answers_whole_after_one_that_was_stopped(model: ChatModel) -> None:
    whole = "".join(model.generate(grounded_request()))
    stopped = model.generate(grounded_request())
    next(stopped)
    stopped.stop()
    assert "".join(model.generate(grounded_request())) == whole


def tokens_are_counted_or_no_language_model_wrote(model: ChatModel) -> None:
    generation = model.generate(grounded_request())
    pieces = list(generation)
    counts = (generation.prompt_tokens, generation.answer_tokens)
    if model.count_tokens(grounded_request().messages) == 0:
        assert counts == (None, None)
    else:
        assert counts[0] == model.count_tokens(grounded_request().messages)
        assert counts[1] is not None
        assert counts[1] >= len([piece for piece in pieces if piece])


EMBEDDING_CONTRACT: list[Callable[[EmbeddingModel], None]] = [
    it_has_a_name,
    its_fingerprint_is_16_hexadecimal_digits,
    documents_become_unit_vectors_in_float32,
    a_question_becomes_one_unit_vector,
    no_texts_give_no_vectors,
    a_text_has_the_same_vector_whatever_is_embedded_with_it,
    a_question_is_nearest_to_the_text_that_answers_it,
    tokens_start_in_order_within_the_text,
    tokens_of_a_long_text_are_all_counted,
    an_empty_text_has_no_tokens,
    counting_tokens_goes_on_whole_after_embedding,
]

CHAT_CONTRACT: list[Callable[[ChatModel], None]] = [
    it_says_what_wrote_the_answer,
    the_size_of_a_prompt_grows_with_it_or_is_zero,
    an_answer_comes_in_pieces_of_text_and_ends,
    the_same_request_gives_the_same_answer,
    an_answer_that_was_stopped_ends,
    an_answer_that_was_stopped_before_its_first_piece_ends,
    stopping_twice_and_after_the_end_is_harmless,
    the_model_answers_whole_after_one_that_was_stopped,
    tokens_are_counted_or_no_language_model_wrote,
]
