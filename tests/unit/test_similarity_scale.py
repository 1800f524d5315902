"""The scale of similarities, with vectors made up for it."""

import numpy as np
import pytest

from locallens_nb.checking.similarity_scale import UNRELATED_SENTENCES, measure_unrelated, rescale
from tests.fakes import FakeEmbeddingModel


def test_vectors_in_one_direction_have_all_of_it_in_common():
    assert measure_unrelated(lambda texts: np.ones((len(texts), 1), dtype=np.float32)) == pytest.approx(1.0)


def test_vectors_at_right_angles_have_nothing_in_common():
    assert measure_unrelated(lambda texts: np.eye(len(texts), dtype=np.float32)) == 0.0


def test_the_same_sentences_are_compared_by_every_model():
    model = FakeEmbeddingModel()
    assert 0.0 < measure_unrelated(model.embed_documents) < 0.5
    assert len(set(UNRELATED_SENTENCES)) == 8


def test_the_scale_runs_from_unrelated_to_equal():
    assert rescale(np.array([0.6, 0.8, 0.9, 1.0]), 0.8) == pytest.approx([0.0, 0.0, 0.5, 1.0])
    assert rescale(np.array([1.0]), 1.0) == pytest.approx([0.0], abs=1.0)
