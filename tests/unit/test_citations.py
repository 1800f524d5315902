"""References in every form that models write, and the one form that is shown."""

from __future__ import annotations

import random
import re

import pytest

from locallens_nb.checking.citations import cite, escape_references, find_references, protect_indices, unescape_references


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is here [1].", [(1,)]),
        ("It is here [1, 2].", [(1, 2)]),
        ("It is here [1-3].", [(1, 2, 3)]),
        ("It is here [1–3] and there [5].", [(1, 2, 3), (5,)]),
        ("It is here 【1】.", [(1,)]),
        ("It is here 【2†source】.", [(2,)]),
        ("It is here [^4].", [(4,)]),
        ("It is here [[1]].", [(1,)]),
        ("It is here [1][2].", [(1,), (2,)]),
        ("It is here [Source 2].", [(2,)]),
        ("It is here [excerpts 1 and 2].", [(1, 2)]),
        ("It is here [1, chunk-3].", [(1,)]),
        ("It is here [1 to 3].", [(1, 2, 3)]),
        ("It is here [1, 2, and 4].", [(1, 2, 4)]),
        ("答案在这里[1，2]，和【3、4】。", [(1, 2), (3, 4)]),
        ("答案在这里[来源2]。", [(2,)]),
        ("Ответ здесь [источник 2].", [(2,)]),
        ("It is here 〔2〕.", [(2,)]),
        ("It is here [Document 2] [#3] [cite: 4] [ref. 5].", [(2,), (3,), (4,), (5,)]),
        ("It is here [2.] [3,].", [(2,), (3,)]),
        ("It is here [7].", [()]),
        ("It is here [12345678901234567890].", [()]),
        ("It is here [0].", [()]),
        ("[1] and a \\", [(1,)]),
        ("It is here [4-999999999].", [(4, 5)]),
        ("It is here [2, 2, 9].", [(2,)]),
        ("It is here [1](https://example.org/).", [(1,)]),
        ("`arr[1]` and ``x[2]`` are code.", []),
        ("A [word] and [a](b) and [x1] and arr[1:3] and [12 km] are none.", []),
        (r"An escaped \[1\] is none, nor is \[2].", []),
    ],
)
def test_references_are_found_in_every_form_and_only_those_that_lead_somewhere(text: str, numbers: list[tuple[int, ...]]):
    assert [reference.numbers for reference in find_references(text, count=5)] == numbers


@pytest.mark.parametrize(
    ("text", "numbers", "cited"),
    [
        ("The fee is 12 [7].", [2], "The fee is 12 [2]."),
        ("The fee is 12.", [1], "The fee is 12 [1]."),
        ("The fee is 12", [1, 3], "The fee is 12 [1] [3]"),
        ("[1] The fee is 12.", [1], "[1] The fee is 12."),
        ("[1] The fee is 12.", [2], "The fee is 12 [2]."),
        ("- [1] The fee is 12.", [2], "- The fee is 12 [2]."),
        ("A is 3 [1] and B is 4 【2】.", [1, 2], "A is 3 [1] and B is 4 [2]."),
        ("A is 3 [1-3] and B is 4.", [2], "A is 3 [2] and B is 4."),
        ("The fee is 12 [1], [7].", [1], "The fee is 12 [1]."),
        ("The fee is 12 [1], [4].", [1], "The fee is 12 [1]."),
        ("A is 3 [1] and B is 4 [7].", [1], "A is 3 [1] and B is 4."),
        ("The fee is 12 [7], [8] and [2].", [2], "The fee is 12 [2]."),
        ("As [1] and [2] say, the fee is 12.", [1, 2], "As [1] and [2] say, the fee is 12."),
        ("According to [7], the fee is 12.", [2], "According to [2], the fee is 12."),
        ("According to [3], the fee is 12.", [1, 2], "According to [1] [2], the fee is 12."),
        ("According to [1], the fee is 12.", [1, 2], "According to [1], the fee is 12 [2]."),
        ("The fee (12 euros...) ", [1], "The fee (12 euros [1]...) "),
        ("Read args[7] for the fee.", [2], "Read args for the fee [2]."),
        ("| a | b [9] |", [2], "| a | b [2] |"),
        ("- item [0]", [], "- item"),
        ("**Fee: 12.**", [1], "**Fee: 12 [1].**"),
        ("答案是12。", [1], "答案是12 [1]。"),
        ("Look at `arr[1]`.", [3], "Look at `arr[1]` [3]."),
        ("The fee is 12.\n", [1], "The fee is 12 [1].\n"),
        (" [2] The fee is 12.", [1], " The fee is 12 [1]."),
        ("The fee is 12. [1] ", [1], "The fee is 12. [1] "),
        ("", [2], "[2]"),
    ],
)
def test_a_sentence_gets_exactly_the_references_that_it_should_have(text: str, numbers: list[int], cited: str):
    assert cite(text, numbers, count=5) == cited


def test_no_invented_reference_survives_in_a_thousand_generated_sentences():
    dice = random.Random(7)  # noqa: S311
    forms = [
        "[{}]",
        "[{}, {}]",
        "[{}-{}]",
        "【{}】",
        "[^{}]",
        "[[{}]]",
        "[Source {}]",
        "[{}†x]",
        " [{}][{}]",
        "[{};{}]",
        "[{}]:",
        "[{}], [{}]",
        "[{}] and [{}]",
        "[{}，{}]",
        "〔{}〕",
        "[Document {}]",
        "[{}, and {}]",
        "[{} to {}]",
    ]
    words = ["fee", "12", "the", "**bold**", "`a[1]`", "über", "是", "(see)", "|", "$5", "-", "isn't", "x."]
    for _ in range(1000):
        parts = [dice.choice(words) if dice.random() < 0.6 else form(dice, forms) for _ in range(dice.randint(1, 12))]
        count = dice.randint(0, 6)
        right = dice.sample(range(1, count + 1), dice.randint(0, count))
        cited = cite(" ".join(parts), right, count=count)
        left = [int(number) for number in re.findall(r"[\[【〔]\D{0,9}(\d+)", re.sub(r"`[^`]*`", "", cited))]
        assert sorted(left) == sorted(right), (parts, right, cited)
        assert cite(cited, right, count=count) == cited


def form(dice: random.Random, forms: list[str]) -> str:
    chosen = dice.choice(forms)
    return chosen.format(*(dice.choice([0, 1, 2, 3, 4, 5, 6, 7, 99, 2024, 10**8, 10**12]) for _ in range(chosen.count("{}"))))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    ["a." + " " * 200_000 + "b", "\n" * 200_000, "!" * 100_000 + "b", "[1][2]" * 5_000],
    ids=["spaces", "lines", "marks", "references"],
)
def test_a_long_text_of_the_same_is_read_a_few_times_only(text: str):
    assert cite(text, [1], count=2).count("[1]") == 1
    assert protect_indices(text, ["a[3]"]) == text


def test_references_of_a_document_are_no_references_of_the_answer():
    escaped = escape_references("As shown [3], and 【1】 in [a].")
    assert escaped == r"As shown \[3\], and \[1\] in [a]."
    assert find_references(escaped, count=5) == []
    assert unescape_references(escaped) == "As shown [3], and [1] in [a]."


def test_an_index_expression_of_the_excerpts_becomes_code():
    excerpts = ["use args[0] here"]
    assert protect_indices("Pass args[0] to it, not args[1].", excerpts) == "Pass `args[0]` to it, not args[1]."
    assert protect_indices("It is here [1].", ["here [1]"]) == "It is here [1]."
    assert protect_indices("It is (here)[1].", ["(here)[1]"]) == "It is (here)[1]."
