"""Which sentences of the excerpts answer a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from locallens_nb.domain import Quote, SearchHit
from locallens_nb.grounding import MOST_QUOTES, RELATIVE_EVIDENCE, rank_sentences, read_excerpts, select_quotes


def hit(index: int, content: str, path: str = "notes.md") -> SearchHit:
    return SearchHit(f"0123456789ab-{index}", path, index, content, 0.5)


def texts(quotes: Sequence[Quote]) -> list[str]:
    return [quote.text for quote in quotes]


def alike(value: float = 0.5):
    return lambda sentences: np.full(len(sentences), value, dtype=np.float32)


def by_sentence(similarities: dict[str, float]):
    return lambda sentences: np.array([similarities.get(sentence, 0.0) for sentence in sentences], dtype=np.float32)


def test_the_best_sentence_comes_first_with_the_number_of_its_excerpt():
    hits = [hit(0, "The pump was sold to Porto."), hit(1, "Unrelated sentence here. The tide gauge was replaced in March.")]
    (first, *_) = select_quotes(rank_sentences("When was the tide gauge replaced?", hits, similarities=alike(0.6)))
    assert (first.text, first.number) == ("The tide gauge was replaced in March.", 2)


def test_the_evidence_is_the_mean_of_similarity_and_covered_words():
    sentence = "The tide gauge was replaced."
    assert select_quotes(rank_sentences("tide gauge replaced", [hit(0, sentence)], similarities=alike(0.5))) == [
        Quote(sentence, 1, pytest.approx(0.75), 0, len(sentence))
    ]


def test_a_further_sentence_must_come_near_the_best_one():
    best, near, far = "Alpha sentence stands here.", "Bravo sentence stands here.", "Gamma sentence stands here."
    limit = 2 * RELATIVE_EVIDENCE - 1  # all words of the question are in each, so that evidence is (similarity + 1) / 2
    given = by_sentence({best: 1.0, near: limit + 0.02, far: limit - 0.02})
    quotes = select_quotes(rank_sentences("sentence stands here", [hit(0, f"{far} {near} {best}")], similarities=given))
    assert [quote.text for quote in quotes] == [best, near]


def test_no_more_than_the_most_quotes_are_given():
    hits = [hit(index, f"Sentence number {index} stands here.") for index in range(MOST_QUOTES + 3)]
    quotes = select_quotes(rank_sentences("zzz", hits, similarities=alike(0.95)))
    assert [quote.number for quote in quotes] == [1, 2, 3, 4, 5]


def test_a_sentence_that_stands_in_two_excerpts_is_quoted_once_from_the_first():
    hits = [hit(0, "The tide gauge was replaced."), hit(1, "The tide gauge was replaced.")]
    assert [quote.number for quote in select_quotes(rank_sentences("tide gauge", hits, similarities=alike(0.9)))] == [1]


def test_headings_questions_and_scraps_are_never_quoted():
    content = (
        "# When was the gauge replaced\n\n**When was the gauge replaced?**\nYes, gauge.\n\nThe gauge was replaced in March."
    )
    quotes = select_quotes(rank_sentences("When was the gauge replaced", [hit(0, content)], similarities=alike(0.9)))
    assert texts(quotes) == ["The gauge was replaced in March."]


def test_lines_that_only_draw_a_table_are_never_quoted():
    quotes = rank_sentences(
        "budget", [hit(0, "| Source | Budget |\n|--------|--------|\n| Foundation | 1.320.000 |")], similarities=alike()
    )
    assert texts(quotes) == ["| Source | Budget |", "| Foundation | 1.320.000 |"]


def test_a_list_item_is_quoted_without_its_bullet():
    quotes = rank_sentences(
        "pump", [hit(0, "- The pump was sold.\n* The gauge was kept.\n1. The goat stays.")], similarities=alike()
    )
    assert texts(quotes) == ["The pump was sold.", "The gauge was kept.", "1. The goat stays."]


def test_a_short_sentence_counts_in_a_script_that_says_much_in_few_characters():
    assert texts(rank_sentences("山羊", [hit(0, "山羊睡了。好。")], similarities=alike())) == ["山羊睡了。"]


@pytest.mark.parametrize("path", ["inventory.csv", "code/clean.PY", "settings.toml", "access.log"])
def test_in_data_and_code_every_line_is_a_sentence(path: str):
    content = "AF-1,Boat Tainha,Is it good? Yes.\n\n# The longest gap is 42 minutes\n  - LONGEST_GAP = 42"
    assert texts(rank_sentences("zzz", [hit(0, content, path)], similarities=alike())) == [
        "AF-1,Boat Tainha,Is it good? Yes.",
        "# The longest gap is 42 minutes",
        "- LONGEST_GAP = 42",
    ]


@pytest.mark.parametrize("path", ["fees.csv", "fees.YAML", "fees.ini", "fees.log", "fees.json"])
def test_a_short_line_of_data_counts_when_it_holds_a_word_and_a_number(path: str):
    quotes = rank_sentences("fee", [hit(0, "fee: 12\nfee: low\n12\na,1\n费用,3", path)], similarities=alike())
    assert texts(quotes) == ["fee: 12", "费用,3"]


@pytest.mark.parametrize("path", ["fees.md", "fees.py"])
def test_a_short_line_of_prose_or_code_does_not_count(path: str):
    assert rank_sentences("fee", [hit(0, "fee: 12", path)], similarities=alike()) == []


@pytest.mark.parametrize("path", ["notes.txt", "NOTES.MD", "README", "analysis.ipynb"])
def test_in_prose_a_sentence_may_run_over_lines(path: str):
    quotes = rank_sentences("zzz", [hit(0, "The net measured\n85 m in all.", path)], similarities=alike())
    assert texts(quotes) == ["The net measured\n85 m in all."]


@pytest.mark.parametrize(
    "context",
    ["## The prize for the buoy", "**Which prize did the buoy win?**", "The buoy took part for the prize."],
    ids=["heading", "question", "sentence-before"],
)
def test_words_of_what_a_sentence_continues_count_in_part(context: str):
    winner, other = "It won in the end, and all were glad.", "It rained in May, and all were sad."
    quotes = rank_sentences("prize buoy", [hit(0, other), hit(1, f"{context}\n\n{winner}")], similarities=alike())
    evidence = {quote.text: quote.evidence for quote in quotes}
    assert evidence[winner] > evidence[other]
    assert evidence[winner] < evidence.get(context, 0.75)


def test_a_heading_ends_what_the_sentences_after_it_continue():
    quotes = rank_sentences("prize", [hit(0, "The prize was won.\n\n# Weather\n\nIt rained in May.")], similarities=alike())
    assert [(quote.text, quote.evidence) for quote in quotes] == [
        ("The prize was won.", pytest.approx(0.75)),
        ("It rained in May.", pytest.approx(0.25)),
    ]


def test_a_row_of_a_table_continues_what_stands_before_it_and_its_first_row():
    table = "| guest | a night |\n|---|---|\n| a student | 12 |\n| a visitor | 30 |"
    content = f"# Fees\n\nPrices are in euros.\n\n{table}\n\nPay in cash."
    rows = {sentence.text: sentence.context.split() for sentence in read_excerpts([hit(0, content)])}
    assert rows["| a visitor | 30 |"] == ["#", "Fees", "Prices", "are", "in", "euros.", "|", "guest", "|", "a", "night", "|"]
    assert rows["| guest | a night |"] == ["#", "Fees", "Prices", "are", "in", "euros."]
    assert rows["Pay in cash."][:5] == ["#", "Fees", "Prices", "are", "in"]


def test_ranking_gives_every_sentence_however_little_it_answers():
    content = "The pump was sold. The gauge was kept. The goat stays here. One two three four. Five six seven. Eight nine ten."
    quotes = rank_sentences("goat", [hit(0, content)], similarities=alike(0.0))
    assert quotes[0].text == "The goat stays here."
    assert len(quotes) == 6


@pytest.mark.parametrize("hits", [[], [hit(0, "")], [hit(0, "# Heading only\n\nshort")]])
def test_nothing_to_quote_gives_no_quotes_and_asks_for_no_similarities(hits: list[SearchHit]):
    def forbidden(sentences: Sequence[str]):
        pytest.fail("similarities were asked for")

    assert select_quotes(rank_sentences("Where is it?", hits, similarities=forbidden)) == []


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("QUEM APROVOU O ORCAMENTO", "O orçamento foi aprovado pela direção."),
        ("Who is paying the refunds", "A refund of ten euros was paid."),
        ("予算を承認", "委員会は予算を承認しました。終わり"),
    ],
    ids=["accents-and-case", "endings", "without-spaces"],
)
def test_words_are_covered_whatever_their_accents_case_and_endings(question: str, sentence: str):
    (covered,) = select_quotes(rank_sentences(question, [hit(0, sentence + " Xyz.")], similarities=alike(0.9)))[:1]
    (uncovered,) = select_quotes(rank_sentences("zzzz", [hit(0, sentence + " Xyz.")], similarities=alike(0.9)))[:1]
    assert covered.evidence > uncovered.evidence


def test_a_rare_word_counts_more_than_a_common_one():
    rare, common = "The ferry leaves at noon now.", "The station opens at eight now."
    others = "The station has a garden now. The station has a kitchen now. The station has a tower now."
    quotes = select_quotes(rank_sentences("station ferry", [hit(0, f"{others} {common} {rare}")], similarities=alike(0.6)))
    assert quotes[0].text == rare
