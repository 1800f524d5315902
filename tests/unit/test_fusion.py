"""What meaning and words are worth beside each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from locallens_nb.search.fusion import MeaningTrust, weigh_evidence
from locallens_nb.search.index import FloatArray
from locallens_nb.search.keywords import KeywordIndex

TOPICS = 30
PER_TOPIC = 4
SIZE = TOPICS * PER_TOPIC
APART = np.arange(SIZE, dtype=np.int64)


def topic_texts(prefix: str = "topic") -> list[str]:
    """Give the texts of some topics; those of one topic share rare words."""
    return [f"{prefix}{place // PER_TOPIC}a {prefix}{place // PER_TOPIC}b of note number{place}" for place in range(SIZE)]


def vectors(*, understood: bool, seed: int = 7) -> FloatArray:
    """Give unit vectors: those of one topic near each other, or all of them anywhere."""
    random = np.random.default_rng(seed)
    noise = random.standard_normal((SIZE, 32))
    centres = np.repeat(random.standard_normal((TOPICS, 32)), PER_TOPIC, axis=0)
    rows = (2.0 * centres + 0.5 * noise if understood else noise).astype(np.float32)
    found: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def measure(rows: FloatArray, texts: list[str], question: str, files: NDArray[np.int64] = APART) -> float:
    index = KeywordIndex(texts)
    return MeaningTrust(rows, index.counts, files).measure(index.coverage(question))


def test_a_model_that_finds_alike_what_shares_rare_words_is_trusted_and_another_hardly():
    assert measure(vectors(understood=True), topic_texts(), "topic3a") > 0.8
    assert measure(vectors(understood=False), topic_texts(), "topic3a") == pytest.approx(0.01)


def test_vectors_that_all_lie_in_one_direction_are_measured_like_others():
    for understood in (True, False):
        rows = vectors(understood=understood) + np.float32(0.5)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        assert (measure(rows, topic_texts(), "topic3a") > 0.8) is understood


def test_a_question_without_a_known_word_is_judged_by_the_whole_brain():
    assert measure(vectors(understood=True), topic_texts(), "zzz") > 0.8
    assert measure(vectors(understood=False), topic_texts(), "zzz") < 0.1


def test_a_chunk_that_shares_no_word_with_another_says_nothing():
    texts = [*topic_texts()[:-1], "alone"]
    assert measure(vectors(understood=True), texts, "topic3a") == pytest.approx(
        measure(vectors(understood=True), topic_texts(), "topic3a"), abs=0.1
    )


def test_each_question_is_judged_by_the_chunks_in_its_language():
    half = SIZE // 2
    known, unknown = topic_texts("topic")[:half], topic_texts("тема")[half:]
    rows = np.concatenate([vectors(understood=True)[:half], vectors(understood=False)[half:]])
    assert measure(rows, known + unknown, "topic3a topic3b note") > 2 * measure(rows, known + unknown, "тема20a тема20b")


def test_neighbours_in_a_file_do_not_speak_for_the_model():
    texts = [f"shared{place // 2}a shared{place // 2}b of number{place}" for place in range(SIZE)]
    rows = np.repeat(vectors(understood=False)[: SIZE // 2], 2, axis=0)
    assert measure(rows, texts, "shared3a") > 0.8
    assert measure(rows, texts, "shared3a", np.arange(SIZE) // 2) < 1.0


@pytest.mark.parametrize("size", [0, 1, 3, 49])
def test_in_few_chunks_meaning_is_trusted_by_half(size: int):
    texts = topic_texts()[:size]
    index = KeywordIndex(texts)
    trust = MeaningTrust(vectors(understood=True)[:size], index.counts, APART[:size])
    assert trust.measure(index.coverage("topic0a")) == pytest.approx(0.5)


def test_from_fifty_chunks_on_meaning_is_measured():
    assert abs(measure(vectors(understood=True)[:50], topic_texts()[:50], "topic0a", APART[:50]) - 0.5) > 0.1


def test_a_chunk_is_compared_with_the_one_that_shares_its_rarest_words():
    texts = [f"pair{place // 2} group{place % 15}a group{place % 15}b" for place in range(SIZE)]
    rows = np.repeat(vectors(understood=False)[: SIZE // 2], 2, axis=0)
    assert measure(rows, texts, "pair3") > 0.8


def test_meaning_decides_as_far_as_it_is_trusted():
    similarity = np.array([0.9, 0.1, 0.0, 0.1], dtype=np.float32)
    coverage = np.array([0.0, 0.1, 0.0, 0.0])
    files = np.arange(4)
    assert weigh_evidence(similarity, coverage, files, trust=1.0).argmax() == 0
    assert weigh_evidence(similarity, coverage, files, trust=0.01).argmax() == 1


def test_the_scale_of_the_similarities_makes_no_difference():
    similarity = np.array([0.9, 0.1, 0.0, 0.1], dtype=np.float32)
    coverage = np.array([0.0, 0.1, 0.3, 0.0])
    wide = weigh_evidence(similarity, coverage, np.arange(4), trust=1.0)
    crowded = weigh_evidence(0.7 + 0.3 * similarity, coverage, np.arange(4), trust=1.0)
    assert crowded == pytest.approx(wide, abs=1e-5)


def weigh_words(coverage: list[float], files: list[int]) -> list[int]:
    """Give the chunks in the order of their evidence where similarities say nothing."""
    evidence = weigh_evidence(np.zeros(len(files), dtype=np.float32), np.array(coverage), np.array(files), trust=1.0)
    return np.argsort(-evidence, kind="stable").tolist()


def test_of_equal_chunks_the_one_in_the_better_file_comes_first():
    assert weigh_words([0.2, 0.2, 0.1, 0.0, 0.0, 0.0], [0, 1, 1, 2, 2, 3]) == [1, 0, 2, 3, 4, 5]


def test_the_best_eight_chunks_of_a_file_speak_for_it():
    def weigh_first(files: list[int]) -> float:
        coverage = np.array([0.5] * 9 + [0.0] * 9)
        return float(weigh_evidence(np.zeros(18, np.float32), coverage, np.array(files + [2] * 9), trust=1.0)[0])

    assert weigh_first([0] * 9) == weigh_first([0] * 8 + [1]) > weigh_first([0] * 7 + [1] * 2)


def test_a_file_does_not_gain_by_chunks_that_are_no_better_than_the_others_of_the_brain():
    assert weigh_words([0.21, 0.2, *[0.05] * 7, *[0.05] * 20], [0, *[1] * 8, *range(2, 22)])[:2] == [0, 1]


def test_chunks_that_are_all_alike_weigh_what_their_words_do():
    evidence = weigh_evidence(np.ones(3, dtype=np.float32), np.array([0.1, 0.3, 0.2]), np.arange(3), trust=1.0)
    assert np.argsort(-evidence).tolist() == [1, 2, 0]
    assert np.isfinite(evidence).all()


def test_no_chunks_have_no_evidence():
    assert weigh_evidence(np.zeros(0, np.float32), np.zeros(0), np.zeros(0, np.int64), trust=0.5).tolist() == []
