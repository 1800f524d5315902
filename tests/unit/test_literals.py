"""Which chunks hold a phrase or an exact token."""

from __future__ import annotations

import math

import pytest

from locallens_nb.literals import LiteralIndex


def test_each_phrase_that_a_chunk_holds_counts_once():
    index = LiteralIndex(["The goat\n  sleeps. The goat sleeps.", "A “PUMP” failed; the goat sleeps", "goats sleep"])
    assert index.count_phrases('"the goat sleeps" and "a pump"').tolist() == [1, 1, 0]
    assert index.count_phrases('"the goat sleeps" and "pump"').tolist() == [1, 2, 0]
    assert index.count_phrases("the goat sleeps").tolist() == [0, 0, 0]


def test_a_chunk_with_an_exact_token_is_told_from_one_with_part_of_it():
    index = LiteralIndex(["E1042 is fatal", "E1043 is fatal", "E10421", "the E-1042", "load_config", "load_configuration"])
    assert index.coverage("what is E1042?").tolist() == [1, 0, 0, 0, 0, 0]
    assert index.coverage("load_config()").tolist() == [0, 0, 0, 0, 1, 0]


def test_a_quantity_is_found_with_and_without_its_space():
    assert LiteralIndex(["needs 4GB", "needs 4 gb", "needs 14 GB"]).coverage("with 4 GB?").tolist() == [1, 1, 0]


def test_rarer_tokens_count_more_and_unknown_ones_nothing():
    index = LiteralIndex(["alpha_1 beta_2", "alpha_1", "beta_2", "beta_2", *["other"] * 6])
    alpha, beta = (math.log1p((10 - count + 0.5) / (count + 0.5)) for count in (2, 3))
    assert index.coverage("alpha_1 beta_2 gamma_3")[:3].tolist() == pytest.approx(
        [1, alpha / (alpha + beta), beta / (alpha + beta)]
    )


def test_a_token_that_many_chunks_hold_tells_nothing():
    texts = ["self_test"] * 6 + ["other"] * 94
    assert not LiteralIndex(texts).coverage("self_test").any()
    assert LiteralIndex(["self_test"] * 5 + ["other"] * 95).coverage("self_test").sum() == 5


def test_an_index_of_nothing_finds_nothing():
    assert LiteralIndex([]).coverage("E1042").shape == (0,)
    assert LiteralIndex([]).count_phrases('"a goat"').shape == (0,)
