"""Which sentences of an answer the excerpts support."""

from __future__ import annotations

import numpy as np
import pytest

from locallens_nb.checking import support
from locallens_nb.checking.support import SupportCheck, Verdict
from locallens_nb.domain import SearchHit
from locallens_nb.grounding import read_excerpts
from locallens_nb.language import figures
from tests.counting import CountedPattern
from tests.fakes import FakeEmbeddingModel

FEES = "# Fees\n\nA student pays 12 euros a night. Guests pay 1,250.50 euros a month, from 5 March 2024 on."
BOAT = "The ferry leaves at 14:30 from pier 3. Dr. Almeida drives the boat Tainha for three weeks."
CODE = "def load_config(path):\n    return parse(path, retries=E1042)\n"


def hit(index: int, content: str, path: str = "notes.md") -> SearchHit:
    return SearchHit(f"0123456789ab-{index}", path, index, content, 0.5)


HITS = [hit(0, FEES), hit(1, BOAT), hit(2, CODE, "load.py")]


def check(sentence: str, *cited: int, question: str = "What does a student pay?", hits=HITS) -> Verdict:
    return SupportCheck(question, hits, read_excerpts(hits), embed=FakeEmbeddingModel().embed_documents).check(sentence, cited)


def test_a_sentence_that_an_excerpt_says_is_supported_by_the_words_that_say_it():
    verdict = check("A student pays 12 euros a night.")
    assert (verdict.support, verdict.numbers, verdict.missing) == ("supported", (1,), ())
    assert FEES[verdict.evidence_start : verdict.evidence_end] == "A student pays 12 euros a night."


def test_a_wrong_reference_is_replaced_by_the_right_one():
    assert check("The ferry leaves at 14:30 from pier 3.", 1).numbers == (2,)


def test_of_two_excerpts_that_say_the_same_the_one_that_is_cited_is_kept():
    twice = [hit(0, BOAT), hit(1, BOAT)]
    assert check("The ferry leaves at 14:30 from pier 3.", 2, hits=twice).numbers == (2,)
    assert check("The ferry leaves at 14:30 from pier 3.", 2, 1, hits=twice).numbers == (2, 1)
    assert check("The ferry leaves at 14:30 from pier 3.", hits=twice).numbers == (1,)


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("A student pays 13 euros a night.", ("13",)),
        ("A student pays thirteen euros a night.", ("thirteen",)),
        ("A student pays 12 euros a night in Porto.", ("Porto",)),
        ("The ferry leaves at 14:45 from pier 3.", ("14:45",)),
        ("The ferry of Dr. Meyer leaves at 14:30 from pier 3.", ("Meyer",)),
        ("Call load_config(path) or save_config(path).", ("save_config",)),
        ("It fails with E1043 in load_config.", ("E1043",)),
        ("Guests pay from 6 March 2024 on.", ("6",)),
        ("Guests pay from 5 April 2024 on.", ("5 April 2024",)),
        ("Guests pay from 2024-03-06 on.", ("2024-03-06",)),
        ("The ferry leaves at 30:14 from pier 3.", ("30:14",)),
    ],
)
def test_a_number_date_or_name_that_stands_nowhere_makes_a_sentence_unsupported(sentence: str, missing: tuple[str, ...]):
    verdict = check(sentence, 1)
    assert (verdict.support, verdict.numbers, verdict.missing) == ("unsupported", (), missing)


@pytest.mark.parametrize(
    "sentence",
    [
        "Guests pay 1250.50 euros a month.",
        "Guests pay 1.250,50 euros a month.",
        "Dr. Almeida drives the boat Tainha for 3 weeks.",
        "Guests pay from 2024-03-05 on, a month.",
        "Guests pay from March 5th, 2024 on, a month.",
        "2. A student pays 12 euros a night.",
        "The boat that I know best, Tainha, leaves at 14:30.",
        "1) The ferry leaves at 14:30 from pier 3.",
    ],
)
def test_a_number_counts_in_whatever_way_it_is_written(sentence: str):
    assert check(sentence).missing == ()


def test_a_sentence_that_is_supported_in_part_keeps_and_corrects_its_references_and_gets_no_new_one():
    partly = "A student pays 12 euros a night, which many visitors find rather cheap and good value."
    verdict = check(partly)
    assert (verdict.support, verdict.numbers, verdict.number) == ("weak", (), 1)
    assert check(partly, 1).numbers == (1,)
    assert check(partly, 2).numbers == (1,)


def test_a_sentence_about_something_else_is_unsupported():
    verdict = check("Quantum computers factor large integers quickly.")
    assert (verdict.support, verdict.numbers, verdict.evidence_start) == ("unsupported", (), None)


def test_a_bare_yes_is_checked_by_the_question_and_no_more_than_weak():
    assert check("Yes.", question="Does the ferry leave at 14:30 from pier 3?").support == "weak"
    assert check("Yes.", question="Is there a swimming pool on the moon?").support == "unsupported"


def test_a_bare_no_is_no_more_than_weak_even_where_the_excerpts_have_the_word():
    hits = [hit(0, "No student pays for the garden. A student pays 12 euros a night.")]
    assert check("No.", question="Does a student pay 12 euros a night?", hits=hits).support == "weak"


@pytest.mark.parametrize(("answer", "missing"), [("500.", ("500",)), ("500 euros.", ("500",)), ("Porto.", ())])
def test_a_bare_answer_that_stands_nowhere_is_not_checked_by_the_question(answer: str, missing: tuple[str, ...]):
    verdict = check(answer, question="What does a student pay for a night?")
    assert (verdict.support, verdict.missing) == ("unsupported", missing)


@pytest.mark.parametrize(
    ("claim", "excerpt"),
    [
        ("A student does not pay 12 euros a night.", "A student pays 12 euros a night."),
        ("A student pays 12 euros a night.", "A student does not pay 12 euros a night."),
        ("Guests pay 12 euros, students 30 euros.", "Students pay 12 euros, guests 30 euros."),
    ],
)
def test_a_sentence_that_says_the_opposite_is_weak_and_gets_no_reference(claim: str, excerpt: str):
    verdict = check(claim, hits=[hit(0, excerpt)])
    assert (verdict.support, verdict.numbers, verdict.number) == ("weak", (), 1)


def test_a_denial_that_another_sentence_says_as_well_is_supported():
    both = "A student pays 12 euros a night. A student does not pay 12 euros a night."
    assert check("A student does not pay 12 euros a night.", hits=[hit(0, both)]).support == "supported"


ALLOTMENT = """# The allotment

The rent is 74 euros a year for the whole plot.

It is paid to the council in October.

Mrs Ramsden in the shed with the blue door keeps the combination of the gate.

The rhubarb is for everybody.

The beds on the left are 8 feet long, and those on the right are 6 feet long.
"""


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("What is the gate combination at the allotment?", "The gate combination at the allotment is 6 feet."),
        ("What does the combination of the gate cost?", "The combination of the gate costs 74 euros a year."),
        ("Who pays the rent of the whole plot?", "The rent of the whole plot is for everybody."),
    ],
)
def test_what_an_answer_adds_to_the_question_has_to_stand_where_the_rest_is_said(question: str, claim: str):
    verdict = check(claim, question=question, hits=[hit(0, ALLOTMENT)])
    assert (verdict.support, verdict.numbers) == ("weak", ())


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("Who has the combination of the gate?", "Mrs Ramsden has the combination of the gate."),
        ("What is the rent of the allotment?", "The rent of the allotment is 74 euros a year."),
        ("How long are the beds at the allotment?", "The beds at the allotment are 8 feet long."),
    ],
)
def test_the_rest_may_stand_around_what_an_answer_adds(question: str, claim: str):
    assert check(claim, question=question, hits=[hit(0, ALLOTMENT)]).support == "supported"


def test_a_block_of_code_is_not_denied_by_one_of_its_lines():
    code = "handle = open_archive(path, encoding, retries, timeout)\nassert not path"
    assert check(code, hits=[hit(0, code, "load.py")]).support == "supported"


def test_where_nouns_have_capitals_a_capital_makes_no_name():
    german = [hit(0, "Der Student zahlt für die Nacht zwölf Euro. Das Boot fährt zum Hafen, und die Gäste zahlen im Büro.")]
    assert check("Der Student zahlt für die Übernachtung zwölf Euro.", hits=german).missing == ()


def test_digits_within_a_script_without_spaces_make_no_identifier():
    chinese = [hit(0, "美国涡轮机通常速度为 3600转/分钟，电力是60赫兹。")]
    assert check("美国涡轮转速为3600转/分钟。", hits=chinese).missing == ()
    assert check("美国涡轮转速为3700转/分钟。", hits=chinese).missing == ("3700",)


def test_without_words_or_excerpts_nothing_is_supported():
    assert check("***").support == "unchecked"
    assert check("A student pays.", hits=[]).support == "unsupported"


def test_the_sentences_of_the_excerpts_are_embedded_once():
    model = FakeEmbeddingModel()
    checker = SupportCheck("Who?", HITS, read_excerpts(HITS), embed=model.embed_documents)
    checker.check("A student pays 12 euros a night.")
    first = len(model.embedded)
    checker.check("The ferry leaves at 14:30.")
    assert len(model.embedded) == first + 1


def test_looking_for_what_is_missing_reads_a_long_sentence_once(monkeypatch: pytest.MonkeyPatch):
    named = [(figures, "_IN_WORD"), (figures, "_COMPOUND"), (support, "_BEGINS")]
    patterns = [CountedPattern(module, name, monkeypatch) for module, name in named]
    sentence = " ".join(f"the Name{number} had {number}" for number in range(1000))
    missing = SupportCheck("Who?", HITS, read_excerpts(HITS), embed=FakeEmbeddingModel().embed_documents).find_missing(sentence)
    assert missing[:2] == ("0", "1")
    assert missing[-1] == "Name999"
    assert sum(pattern.read for pattern in patterns) <= 2 * len(sentence)


def test_a_model_that_finds_everything_alike_supports_no_more_than_another():
    """What all pairs of its sentences have in common is no likeness: here, three quarters of the way to the same vector."""
    plain = FakeEmbeddingModel()

    def narrow(texts):
        vectors = np.column_stack([0.5 * plain.embed_documents(texts), np.full(len(texts), np.sqrt(0.75))])
        return vectors.astype(np.float32)

    sentence = "The mayor opened the gallery with a speech."
    strengths = [
        SupportCheck("What happened?", HITS, read_excerpts(HITS), embed=embed, unrelated=unrelated).check(sentence).strength
        for embed, unrelated in ((plain.embed_documents, 0.0), (narrow, 0.75), (narrow, 0.0))
    ]
    assert strengths[0] == pytest.approx(strengths[1], abs=1e-6)
    assert strengths[2] > strengths[0] + 0.1


def test_in_another_language_similarity_supports_and_numbers_still_tell():
    hits = [SearchHit("0", "barco.md", 0, "O motor é revisto em março. O Almeida pede 12 peças.", 0.9)]
    alike = lambda texts: np.ones((len(texts), 1), dtype=np.float32)  # noqa: E731 - all sentences are the same to it
    check = SupportCheck("When is the engine serviced?", hits, read_excerpts(hits), embed=alike, languages=["pt"]).check
    assert check("The engine is serviced in March by the Harbour Office.").support == "supported"
    assert check("The engine is serviced after 14 days.").missing == ("14",)
    same = SupportCheck("When is the engine serviced?", hits, read_excerpts(hits), embed=alike, languages=["en"]).check
    assert same("The engine is serviced in March by the Harbour Office.").missing != ()
