"""The text of an answer while it grows: checked sentence by sentence, and never a reference that leads nowhere."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from locallens_nb.checking import answer_text
from locallens_nb.checking.answer_text import GroundedText
from locallens_nb.checking.support import SupportCheck, Verdict
from locallens_nb.domain import SearchHit
from locallens_nb.grounding import read_excerpts
from locallens_nb.language import sentences
from tests.counting import CountedPattern
from tests.fakes import FakeEmbeddingModel

HITS = [
    SearchHit("a-0", "fees.md", 0, "# Fees\n\nA student pays 12 euros a night. Guests pay 30 euros.", 0.5),
    SearchHit("b-0", "boat.md", 0, "The ferry leaves at 14:30 from pier 3. Dr. Almeida drives the boat Tainha.", 0.4),
    SearchHit("c-0", "load.py", 0, "def load(args):\n    return args[0]\n", 0.3),
]


def ground(text: str, *, seed: int | None = None) -> GroundedText:
    """Feed a text in one piece, or in pieces of random length; what is shown must be the text."""
    check = SupportCheck(
        "What does a student pay?", HITS, read_excerpts(HITS), embed=FakeEmbeddingModel().embed_documents
    ).check
    grounded = GroundedText(HITS, check=check)
    dice = random.Random(seed)  # noqa: S311
    shown: list[str] = []
    while text:
        length = len(text) if seed is None else dice.randint(1, 7)
        shown.append(grounded.feed(text[:length]))
        text = text[length:]
    shown.append(grounded.finish())
    assert "".join(shown) == grounded.text
    for sentence in grounded.sentences:
        assert grounded.text[sentence.start_offset : sentence.end_offset] == sentence.text
    return grounded


ANSWERS = [
    ("A student pays 12 euros a night.", "A student pays 12 euros a night [1].", ["supported"]),
    (
        "A student pays 12 euros a night [7]. Guests pay 30 euros [2].",
        "A student pays 12 euros a night [1]. Guests pay 30 euros [1].",
        ["supported", "supported"],
    ),
    ("A student pays 13 euros a night [1].", "A student pays 13 euros a night.", ["unsupported"]),
    (
        "The ferry leaves at 14:30. [1] Dr. Almeida drives the boat.",
        "The ferry leaves at 14:30 [2]. Dr. Almeida drives the boat [2].",
        ["supported", "supported"],
    ),
    (
        "- A student pays 12 euros a night\n- Guests pay 30 euros 【1】\n",
        "- A student pays 12 euros a night [1]\n- Guests pay 30 euros [1]",
        ["supported", "supported"],
    ),
    (
        "| who | euros |\n|---|---|\n| a student | 12 euros a night [3] |",
        "| who | euros |\n|---|---|\n| a student | 12 euros a night [1] |",
        ["unchecked", "unchecked", "supported"],
    ),
    (
        "# Fees\n\nThe fee is:\n\n**A student pays 12 euros a night.**",
        "# Fees\n\nThe fee is:\n\n**A student pays 12 euros a night [1].**",
        ["unchecked", "unchecked", "supported"],
    ),
    (
        "```python\ndef load(args):\n    return args[1]\n```\nGuests pay 30 euros.",
        "```python\ndef load(args):\n    return args[1]\n```\nGuests pay 30 euros [1].",
        ["unsupported", "supported"],
    ),
    (
        "~~~\ndef load(args):\n    return args[0]\n~~~",
        "~~~\ndef load(args):\n    return args[0]\n~~~\n[3]",
        ["supported"],
    ),
    (
        "```python\ndef load(args):\n    return args[0]",
        "```python\ndef load(args):\n    return args[0]",
        ["supported"],
    ),
    (
        "```python\ndef load(args):\n    return arr[7]",
        "```python\ndef load(args):\n    return arr[7]",
        ["unsupported"],
    ),
    (
        "Read it:\n\n    x = arr[1]\n\n    y = arr[7]\n\nGuests pay 30 euros.",
        "Read it:\n\n    x = arr[1]\n\n    y = arr[7]\n\nGuests pay 30 euros [1].",
        ["unchecked", "unsupported", "supported"],
    ),
    (
        "\tdef load(args):\n\t    return args[0]",
        "\tdef load(args):\n\t    return args[0]\n\n[3]",
        ["supported"],
    ),
    (
        "1.  The fees:\n\n    Guests pay 30 euros [7].",
        "1.  The fees:\n\n    Guests pay 30 euros [1].",
        ["unchecked", "supported"],
    ),
    ("According to [2], guests pay 30 euros.", "According to [1], guests pay 30 euros.", ["supported"]),
    ("Guests pay 30 euros [2], [7].", "Guests pay 30 euros [1].", ["supported"]),
    (
        "I do not know [1]. The excerpts are about the boat Tainha [2].",
        "I do not know. The excerpts are about the boat Tainha.",
        ["unchecked", "unchecked"],
    ),
    (
        "I do not know all of it. Guests pay 30 euros.",
        "I do not know all of it. Guests pay 30 euros [1].",
        ["unchecked", "supported"],
    ),
    (
        "Sure! Guests pay 30 euros. I hope this helps! [2] Let me know if you need more.",
        "Sure! Guests pay 30 euros [1]. I hope this helps! Let me know if you need more.",
        ["unchecked", "supported", "unchecked", "unchecked"],
    ),
    (
        "```def load``` returns args[0]. Guests pay 31 euros [1].",
        "```def load``` returns `args[0]` [3]. Guests pay 31 euros.",
        ["supported", "unsupported"],
    ),
    ("def load returns args[0].", "def load returns `args[0]` [3].", ["supported"]),
    ("   \n\n  ", "", []),
    ("", "", []),
]


@pytest.mark.parametrize(("text", "grounded", "support"), ANSWERS)
def test_each_sentence_keeps_gets_or_loses_its_references(text: str, grounded: str, support: list[str]):
    result = ground(text)
    assert result.text == grounded
    assert [sentence.support for sentence in result.sentences] == support


@pytest.mark.parametrize(("text", "grounded", "support"), ANSWERS)
def test_the_same_comes_of_it_however_the_text_is_cut_into_pieces(text: str, grounded: str, support: list[str]):
    for seed in range(25):
        result = ground(text, seed=seed)
        assert (result.text, [sentence.support for sentence in result.sentences]) == (grounded, support)


def test_a_sentence_is_shown_as_it_grows_up_to_its_first_reference():
    grounded = GroundedText(HITS, check=lambda sentence, cited: Verdict("supported", 1.0, (1,)))
    assert [grounded.feed(piece) for piece in ("The fee ", "is 12", " euros [", "9", "] a", " night. ", "Yes")] == [
        "The fee",
        " is 12",
        " euros",
        "",
        "",
        "",
        " [1] a night.",
    ]


def test_the_excerpts_are_cited_in_the_order_of_the_answer():
    assert list(ground("The ferry leaves at 14:30. A student pays 12 euros a night. It leaves from pier 3.").cited) == [2, 1]


def test_the_check_sees_a_sentence_without_its_references_and_what_it_cites():
    seen: list[tuple[str, Sequence[int]]] = []

    def check(sentence: str, cited: Sequence[int]) -> Verdict:
        seen.append((sentence, tuple(cited)))
        return Verdict("weak", 0.5, tuple(cited))

    grounded = GroundedText(HITS, check=check)
    grounded.feed("- The fee [2, 1] is 12 [2] [9].\n")
    grounded.finish()
    assert seen == [("- The fee is 12.", (2, 1))]


def test_a_notice_of_our_own_stands_apart_and_is_not_checked():
    grounded = GroundedText(HITS, check=lambda sentence, cited: Verdict("unsupported", 0.0))
    shown = grounded.feed("It is in Porto.") + grounded.finish() + grounded.add_notice("Nothing was found.")
    assert shown == grounded.text == "It is in Porto.\n\nNothing was found."
    assert [sentence.support for sentence in grounded.sentences] == ["unsupported", "unchecked"]


@pytest.mark.parametrize("piece", [" and so on,", " Word", " 1", " args", " see [1"])
def test_a_long_sentence_is_read_a_few_times_and_not_once_for_each_piece(piece: str, monkeypatch: pytest.MonkeyPatch):
    named = [(answer_text, "_HOLD"), (answer_text, "_LOOSE_END"), (sentences, "_SENTENCE_END"), (sentences, "_MAY_BECOME_END")]
    patterns = [CountedPattern(module, name, monkeypatch) for module, name in named]
    grounded = GroundedText(HITS, check=lambda sentence, cited: Verdict("supported", 1.0, (1,)))
    for _ in range(2000):
        grounded.feed(piece)
    assert sum(pattern.read for pattern in patterns) <= 10 * 2000 * len(piece)


def test_a_long_block_of_code_is_shown_line_by_line_up_to_its_end():
    grounded = GroundedText(HITS, check=lambda sentence, cited: Verdict("unchecked", 0.0))
    lines = ["```python\n", *(f"x{number} = {number}\n" for number in range(500)), "```\n", "Done. "]
    shown = [grounded.feed(line) for line in lines]
    assert shown[:3] == ["```python", "\nx0 = 0", "\nx1 = 1"]
    assert "".join([*shown, grounded.finish()]) == "".join(lines).rstrip()
    assert [sentence.text for sentence in grounded.sentences] == ["".join(lines[:-1]).rstrip(), "Done."]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("# The fee is 500 euros", "500"),
        ("The fee is 500 euros:", "500"),
        ("Is the fee 500 euros?", "500"),
        ("| The fee | 500 euros |", "500"),
        ("# The fee in Porto", "Porto"),
        ("Call save_config:", "save_config"),
    ],
)
def test_a_heading_lead_in_question_or_head_of_a_table_with_what_stands_nowhere_is_unsupported(text: str, missing: str):
    (sentence,) = ground(text).sentences
    assert (sentence.support, sentence.missing, sentence.number) == ("unsupported", (missing,), None)


@pytest.mark.parametrize(
    "text",
    [
        "# Fees",
        "# Key Points",
        "# OVERVIEW OF THE COSTS",
        "## Summary of the Main Findings",
        "### Step 2: Pay",
        "Step 1:",
        "**Answer:**",
        "The student fee of 12 euros is as follows:",
        "What does a student pay?",
        "| Guest Type | Price |",
    ],
)
def test_a_heading_lead_in_question_or_head_of_a_table_in_fine_words_claims_nothing(text: str):
    assert [sentence.support for sentence in ground(text).sentences] == ["unchecked"]


def test_the_number_of_an_item_in_bold_is_no_number_of_the_answer():
    assert [sentence.support for sentence in ground("**7. Fees:**\n\nA student pays 12 euros a night.").sentences] == [
        "unchecked",
        "unchecked",
        "supported",
    ]


def test_lines_of_quotations_are_checked_whole_whatever_their_full_stops():
    check = SupportCheck("Who drives?", HITS, read_excerpts(HITS), embed=FakeEmbeddingModel().embed_documents).check
    grounded = GroundedText(HITS, check=check, by_line=True)
    text = "- The ferry leaves at 14:30 from pier 3. Dr. Almeida drives the boat Tainha. [2]\n- def load(args): [3]"
    assert grounded.feed(text) + grounded.finish() == text
    assert [sentence.support for sentence in grounded.sentences] == ["supported", "supported"]
