"""Which chunks hold a phrase or an exact token."""

from __future__ import annotations

import math

import pytest

from locallens_nb.search.literals import LiteralIndex


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


@pytest.mark.parametrize(
    "definition",
    [
        "async def load_config(path):",
        "export function load_config<T>(",
        "class Loader.load_config {",
        "#define load_config 3",
        "const load_config = make()",
        "  static int load_config = 4;",
        "load_config: int = 3",
        '  "load_config": 3,',
        "load_config := 5",
        "func (s *Store) load_config(path string) error {",
        "  public Map<String, Integer> load_config(Path path) {",
        "char *load_config(const char *path)\n{",
        "  load_config (path) {",
        "CREATE TABLE load_config (",
        ".. py:function:: app.load_config(path)",
        "### `load_config(path)`",
    ],
)
def test_where_a_name_is_defined_counts_more_than_where_it_is_used(definition: str):
    uses = [
        "x = load_config()",
        "const load_config = require('a')",
        "if load_config == 3:",
        "[load_config](#load_config)",
        "The function load_config reads: call it first.",
        "} else if load_config(path) {",
    ]
    coverage = LiteralIndex([*uses, f"x\n{definition}\ny", *["other"] * 140]).coverage("Where is load_config?")
    assert coverage[len(uses)] == 1
    assert 0.3 < coverage[0] < 0.5
    assert coverage[: len(uses)].tolist() == [coverage[0]] * len(uses)


def test_an_attribute_of_a_tag_is_a_use_and_no_definition():
    index = LiteralIndex(["return (\n  <Menu\n    barTitle={title}\n  />\n)", "const barTitle = 'Bar'", *["other"] * 6])
    used, defined, *_ = index.coverage("Where is barTitle defined?").tolist()
    assert (used < defined, defined) == (True, 1)


def test_a_name_that_many_chunks_use_counts_where_it_is_defined():
    texts = ["x = self_test()"] * 40 + ["def self_test():"] + ["other"] * 59
    assert LiteralIndex(texts).coverage("self_test").nonzero()[0].tolist() == [40]


def test_an_index_of_nothing_finds_nothing():
    assert LiteralIndex([]).coverage("E1042").shape == (0,)
    assert LiteralIndex([]).count_phrases('"a goat"').shape == (0,)
