"""How rows of tables read by themselves."""

from __future__ import annotations

import pytest

from locallens_nb.passages.tables import (
    find_separator,
    is_drawn_line,
    name_cells,
    names_columns,
    split_piped_row,
    split_separated_row,
)


@pytest.mark.parametrize("line", ["|---|---|", "| :-- | --: |", "--- | ---", "|-|"])
def test_a_line_that_draws_a_table_is_known(line: str):
    assert is_drawn_line(line)


@pytest.mark.parametrize("line", ["---", "| a | b |", "| - a | b |", "", "|  |"])
def test_a_line_that_says_something_or_is_a_rule_draws_no_table(line: str):
    assert not is_drawn_line(line)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("| Adult | £6 |  |", ["Adult", "£6", ""]),
        ("Adult | £6", ["Adult", "£6"]),
        (r"| a \| b | c |", ["a | b", "c"]),
    ],
)
def test_a_row_of_markdown_falls_into_its_cells(line: str, cells: list[str]):
    assert split_piped_row(line) == cells


@pytest.mark.parametrize(
    ("record", "cells"),
    [
        ("7,Oak,12", ["7", "Oak", "12"]),
        ('7,"Oak, old",12', ["7", "Oak, old", "12"]),
        ("7;Oak, old;12", ["7", "Oak, old", "12"]),
        ("7\tOak", ["7", "Oak"]),
        ('7,"two\nlines"', ["7", "two lines"]),
    ],
)
def test_a_record_falls_into_its_cells(record: str, cells: list[str]):
    assert split_separated_row(record, find_separator(record)) == cells


@pytest.mark.parametrize("cells", [["no", "kind"], ["Aperture mm", "", "Year bought"], ["q1", "q2"], ["名前", "価格"]])
def test_names_of_columns_are_known(cells: list[str]):
    assert names_columns(cells)


@pytest.mark.parametrize(
    "cells", [["1", "Oak"], ["Oak", "2031-05-02"], ["Oak", "£4.20"], ["AF-7", "Oak"], ["a", "a"], ["a"], []]
)
def test_values_are_no_names_of_columns(cells: list[str]):
    assert not names_columns(cells)


def test_each_cell_reads_after_the_name_of_its_column_and_empty_ones_are_left_out():
    assert name_cells(["Tree", "Planted", ""], ["Oak", "", "by the gate"]) == "Tree: Oak · by the gate"


def test_a_row_that_does_not_fit_its_head_reads_without_names():
    assert name_cells(["Tree", "Planted"], ["Oak", "1788", "by the gate"]) == "Oak · 1788 · by the gate"
