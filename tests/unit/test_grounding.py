"""Which sentences of the excerpts answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from locallens_nb.domain import Quote, SearchHit
from locallens_nb.grounding import (
    MOST_QUOTES,
    RELATIVE_EVIDENCE,
    Similarities,
    rank_sentences,
    read_excerpts,
    select_quotes,
)


def hit(index: int, content: str, path: str = "notes.md") -> SearchHit:
    return SearchHit(f"0123456789ab-{index}", path, index, content, 0.5)


def rank(question: str, hits: Sequence[SearchHit], *, similarities: Similarities) -> list[Quote]:
    return rank_sentences(question, read_excerpts(hits), similarities=similarities)


def texts(quotes: Sequence[Quote]) -> list[str]:
    return [quote.text for quote in quotes]


def alike(value: float = 0.5):
    return lambda sentences: np.full(len(sentences), value, dtype=np.float32)


def by_sentence(similarities: dict[str, float]):
    return lambda sentences: np.array([similarities.get(sentence, 0.0) for sentence in sentences], dtype=np.float32)


def test_the_best_sentence_comes_first_with_the_number_of_its_excerpt():
    hits = [hit(0, "The pump was sold to Porto."), hit(1, "Unrelated sentence here. The tide gauge was replaced in March.")]
    (first, *_) = select_quotes(rank("When was the tide gauge replaced?", hits, similarities=alike(0.6)))
    assert (first.text, first.number) == ("The tide gauge was replaced in March.", 2)


def test_the_evidence_is_the_mean_of_similarity_and_covered_words():
    sentence = "The tide gauge was replaced."
    assert select_quotes(rank("tide gauge replaced", [hit(0, sentence)], similarities=alike(0.5))) == [
        Quote(sentence, 1, pytest.approx(0.75), 0, len(sentence))
    ]


def test_a_further_sentence_must_come_near_the_best_one():
    best, near, far = "Alpha sentence stands here.", "Bravo sentence stands here.", "Gamma sentence stands here."
    # All words of the question are in each, so that evidence is (similarity + 1) / 2, times 0.9 for each better excerpt.
    given = by_sentence({best: 1.0, near: 2 * RELATIVE_EVIDENCE / 0.9 - 0.98, far: 2 * RELATIVE_EVIDENCE / 0.81 - 1.02})
    hits = [hit(index, sentence) for index, sentence in enumerate((best, near, far))]
    quotes = select_quotes(rank("sentence stands here", hits, similarities=given))
    assert [quote.text for quote in quotes] == [best, near]


def test_no_more_than_the_most_quotes_are_given():
    sentences = [f"Sentence number {index} stands here." for index in range(MOST_QUOTES + 3)]
    quotes = select_quotes(rank("zzz", [hit(0, "\n\n".join(sentences))], similarities=alike(0.95)))
    assert texts(quotes) == sentences[:MOST_QUOTES]


def test_of_sentences_that_are_alike_those_of_the_better_excerpt_come_first():
    hits = [hit(index, f"Sentence number {index} stands here.") for index in range(3)]
    first, second, third = rank("sentence", hits, similarities=alike())
    assert [quote.number for quote in (first, second, third)] == [1, 2, 3]
    assert second.evidence / first.evidence == pytest.approx(0.9)
    assert third.evidence / first.evidence == pytest.approx(0.81)


def test_a_sentence_that_stands_in_two_excerpts_is_quoted_once_from_the_first():
    hits = [hit(0, "The tide gauge was replaced."), hit(1, "The tide gauge was replaced.")]
    assert [quote.number for quote in select_quotes(rank("tide gauge", hits, similarities=alike(0.9)))] == [1]


def test_headings_questions_and_scraps_are_never_quoted():
    content = (
        "# When was the gauge replaced\n\n**When was the gauge replaced?**\nYes, gauge.\n\nThe gauge was replaced in March."
    )
    quotes = select_quotes(rank("When was the gauge replaced", [hit(0, content)], similarities=alike(0.9)))
    assert texts(quotes) == ["The gauge was replaced in March."]


def test_of_a_table_only_its_rows_are_quoted_each_with_the_names_of_its_columns():
    content = "| Source | Budget |\n|--------|--------|\n| Foundation | 1.320.000 |"
    (quote,) = rank("budget", [hit(0, content)], similarities=alike())
    assert (quote.text, str(quote)) == ("| Foundation | 1.320.000 |", "Source: Foundation · Budget: 1.320.000")
    assert content[quote.start_offset : quote.end_offset] == quote.text


def test_a_row_is_found_by_the_name_of_its_column():
    content = "Name,Cell,Deck\nAnna Brandt,4,upper\nJoan Pires,2,lower"
    first = rank("What is the deck of Joan Pires?", [hit(0, content, "crew.csv")], similarities=alike())[0]
    assert str(first) == "Name: Joan Pires · Cell: 2 · Deck: lower"
    assert (
        first.evidence
        > rank("What is the hair of Joan Pires?", [hit(0, content, "crew.csv")], similarities=alike())[0].evidence
    )


def test_a_row_that_continues_a_table_is_read_with_the_head_that_stands_before_its_excerpt():
    table = "## Fees\n\n| Guest | A night |\n|---|---|\n| Student | 12 |"
    row = replace(hit(1, "| Visitor | 30 |\n\nPay in cash."), text_before=table)
    (visitor, cash) = read_excerpts([row])
    assert (visitor.shown, visitor.start_offset) == ("Guest: Visitor · A night: 30", 0)
    assert visitor.context.startswith("## Fees")
    assert cash.context == "## Fees"


def test_a_record_of_data_is_read_with_the_head_of_its_file():
    (record,) = read_excerpts([replace(hit(4, "3;Oak;12", "trees.csv"), start_line=90, text_before="no;kind;metres")])
    assert (record.shown, record.is_quotable) == ("no: 3 · kind: Oak · metres: 12", True)
    (nameless,) = read_excerpts([replace(hit(4, "3;Oak;12", "trees.csv"), start_line=90)])
    assert nameless.shown == "3;Oak;12"


def test_a_number_that_the_question_lacks_counts_where_one_is_asked_for():
    person, year = "The 2 bridges were built by Ana.", "The 2 bridges were built in 1788."
    hits = [hit(0, f"{person}\n\n{year}")]
    by_whom, when = (rank(f"{word} built the 2 bridges?", hits, similarities=alike()) for word in ("Who", "When were"))
    assert texts(by_whom) == [person, year]
    assert texts(when) == [year, person]
    assert when[0].evidence - when[1].evidence == pytest.approx(0.05)


def test_of_sentences_that_are_alike_the_one_under_the_heading_that_asks_comes_first():
    content = "# Boats\n\nIt is painted green.\n\n# Which colour has the gate?\n\nIt is painted white."

    def similarities(sentences: Sequence[str]):
        return np.array([0.5 + 0.2 * ("gate" in sentence) for sentence in sentences], dtype=np.float32)

    assert texts(rank("gate", [hit(0, content)], similarities=similarities)) == ["It is painted white.", "It is painted green."]


def test_the_similarity_of_the_best_is_in_part_that_together_with_what_they_continue():
    sentence = "It is painted white."
    given = by_sentence({sentence: 0.5, f"# The gate {sentence}": 0.9})
    (quote,) = rank("zzz", [hit(0, f"# The gate\n\n{sentence}")], similarities=given)
    assert quote.evidence == pytest.approx(0.7 * 0.25 + 0.3 * 0.45)


def test_what_is_not_read_with_its_context_does_not_overtake_what_is():
    sentences = [f"Sentence number {index} stands here." for index in range(14)]
    given = by_sentence(dict.fromkeys(sentences, 0.5))
    quotes = rank("zzz", [hit(0, "# Heading\n\n" + "\n\n".join(sentences))], similarities=given)
    assert texts(quotes) == sentences
    assert quotes[-1].evidence == quotes[0].evidence < 0.25


def test_a_list_item_is_quoted_without_its_bullet():
    content = "- The pump was sold.\n* The gauge was kept.\n1. The goat stays."
    quotes = rank("pump", [hit(0, content)], similarities=alike())
    assert texts(quotes) == ["The pump was sold.", "The gauge was kept.", "1. The goat stays."]


def test_a_short_sentence_counts_in_a_script_that_says_much_in_few_characters():
    assert texts(rank("山羊", [hit(0, "山羊睡了。好。")], similarities=alike())) == ["山羊睡了。"]


@pytest.mark.parametrize("path", ["inventory.csv", "code/clean.PY", "settings.toml", "access.log"])
def test_in_data_and_code_every_line_is_a_sentence(path: str):
    content = "AF-1,Boat Tainha,Is it good? Yes.\n\n  - LONGEST_GAP = 42\n7,Is this the end? No."
    assert texts(rank("zzz", [hit(0, content, path)], similarities=alike())) == [
        "AF-1,Boat Tainha,Is it good? Yes.",
        "- LONGEST_GAP = 42",
        "7,Is this the end? No.",
    ]


@pytest.mark.parametrize("path", ["fees.csv", "fees.YAML", "fees.ini", "fees.log", "fees.json", "fees.py"])
def test_a_short_line_of_data_or_code_counts_when_it_holds_a_word_and_a_number(path: str):
    quotes = rank("fee", [hit(0, "fee: 12\nfee: low\n12\na,1\n费用,3", path)], similarities=alike())
    assert texts(quotes) == ["fee: 12", "费用,3"]


def test_a_short_line_of_prose_does_not_count():
    assert rank("fee", [hit(0, "fee: 12", "fees.md")], similarities=alike()) == []


@pytest.mark.parametrize("path", ["notes.txt", "NOTES.MD", "README", "analysis.ipynb"])
def test_in_prose_a_sentence_may_run_over_lines(path: str):
    quotes = rank("zzz", [hit(0, "The net measured\n85 m in all.", path)], similarities=alike())
    assert texts(quotes) == ["The net measured\n85 m in all."]


@pytest.mark.parametrize(
    "context",
    ["## The prize for the buoy", "**Which prize did the buoy win?**", "The buoy took part for the prize."],
    ids=["heading", "question", "sentence-before"],
)
def test_words_of_what_a_sentence_continues_count_in_part(context: str):
    winner, other = "It won in the end, and all were glad.", "It rained in May, and all were sad."
    quotes = rank("prize buoy", [hit(0, other), hit(1, f"{context}\n\n{winner}")], similarities=alike())
    evidence = {quote.text: quote.evidence for quote in quotes}
    assert evidence[winner] > evidence[other]
    assert evidence[winner] < evidence.get(context, 0.75)


def test_a_heading_ends_what_the_sentences_after_it_continue():
    quotes = rank("prize", [hit(0, "The prize was won.\n\n# Weather\n\nIt rained in May.")], similarities=alike())
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
    quotes = rank("goat", [hit(0, content)], similarities=alike(0.0))
    assert quotes[0].text == "The goat stays here."
    assert len(quotes) == 6


@pytest.mark.parametrize("hits", [[], [hit(0, "")], [hit(0, "# Heading only\n\nshort")]])
def test_nothing_to_quote_gives_no_quotes_and_asks_for_no_similarities(hits: list[SearchHit]):
    def forbidden(sentences: Sequence[str]):
        pytest.fail("similarities were asked for")

    assert select_quotes(rank("Where is it?", hits, similarities=forbidden)) == []


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
    (covered,) = select_quotes(rank(question, [hit(0, sentence + " Xyz.")], similarities=alike(0.9)))[:1]
    (uncovered,) = select_quotes(rank("zzzz", [hit(0, sentence + " Xyz.")], similarities=alike(0.9)))[:1]
    assert covered.evidence > uncovered.evidence


def test_a_rare_word_counts_more_than_a_common_one():
    rare, common = "The ferry leaves at noon now.", "The station opens at eight now."
    others = "The station has a garden now. The station has a kitchen now. The station has a tower now."
    quotes = select_quotes(rank("station ferry", [hit(0, f"{others} {common} {rare}")], similarities=alike(0.6)))
    assert quotes[0].text == rare


@pytest.mark.parametrize("path", ["Dockerfile", "docker/Makefile"])
def test_a_file_of_commands_without_an_extension_is_code(path: str):
    content = "# Bake the bread.\nRUN bake \\\n  --hot"
    assert texts(rank("zzz", [hit(0, content, path)], similarities=alike())) == [content]


def test_words_of_the_path_count_in_part_and_in_full_where_the_question_names_the_file():
    content = "minutes: 50\nloaves: 12"

    def find_evidence(question: str, path: str) -> float:
        (best, *_) = rank(question, [hit(0, content, path)], similarities=alike())
        assert best.text == "loaves: 12"
        return best.evidence

    other = find_evidence("loaves large", "small/oven.yaml")
    in_part, in_full = (
        find_evidence(question, "large/oven.yaml") for question in ("loaves large", "loaves in large/oven.yaml")
    )
    assert other < in_part < in_full


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where is bakeLoaf defined?", "function bakeLoaf(loaf, minutes = 50) {"),
        ("What does bakeLoaf do?", "bakeLoaf: Bakes one until it is done."),
        ("What is the default of minutes?", "function bakeLoaf(loaf, minutes = 50) {"),
    ],
)
def test_code_that_is_by_its_form_what_is_asked_for_comes_before_what_has_the_same_words(question: str, first: str):
    content = (
        "import bakeLoaf, { minutes } from 'oven'\n\n// Bakes one until it is done.\n"
        "/** Bakes one until it is done. */\nfunction bakeLoaf(loaf, minutes = 50) {\n  return heat(loaf, minutes)\n}"
    )
    assert str(rank(question, [hit(0, content, "bake.js")], similarities=alike())[0]) == first


def test_what_is_sought_in_code_is_not_sought_in_prose():
    plain, code = (
        rank("What is the fee?", [hit(0, "the fee = 12 euros", path)], similarities=alike()) for path in ("a.md", "a.py")
    )
    assert code[0].evidence > plain[0].evidence


def test_an_excerpt_is_read_with_the_indentation_that_stands_before_it():
    before = "class Oven:\n    def heat(self):\n        self.on()\n\n    "
    content = "def bake(self):\n        return self.loaf.brown()\n\n    def cool(self):\n        return self.loaf"
    (part,) = [replace(hit(0, content, "oven.py"), text_before=before, start_line=5)]
    shown = [str(quote) for quote in rank("zzz", [part], similarities=alike())]
    assert shown == [
        "Oven: def bake(self):",
        "Oven: bake: return self.loaf.brown()",
        "Oven: def cool(self):",
        "Oven: cool: return self.loaf",
    ]
    assert all(
        content[quote.start_offset : quote.end_offset] == quote.text for quote in rank("zzz", [part], similarities=alike())
    )


def test_a_default_that_documentation_tells_under_the_name_comes_first():
    content = "The oven has its minutes by default, too.\n\nminutes\n~~~~~~~\n\nDefault: 50\n\nloaves\n~~~~~~\n\nDefault: 12"
    assert str(rank("Default minutes?", [hit(0, content, "a.rst")], similarities=alike())[0]) == "minutes: Default: 50"


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ("By default the minutes are long, you know.\n\nBy default the minutes are 50, you know.", "a.md"),
        ("name,note\nminutes,long by default\nminutes,50 by default", "a.csv"),
    ],
)
def test_a_default_that_a_sentence_or_a_record_tells_does_not_come_first_for_it(content: str, path: str):
    first, second = rank("Default minutes?", [hit(0, content, path)], similarities=alike())
    assert "50" not in first.text
    assert first.evidence == second.evidence


def test_values_in_tests_are_examples_unless_tests_are_asked_for():
    hits = [hit(0, "minutes = 51", "tests/test_oven.py"), hit(1, "minutes = 50", "oven.py")]
    assert texts(rank("What are the minutes?", hits, similarities=alike()))[0] == "minutes = 50"
    assert texts(rank("What are the minutes in the tests?", hits, similarities=alike()))[0] == "minutes = 51"


def test_where_a_file_is_named_a_value_in_another_one_is_not_what_is_asked_for():
    hits = [hit(0, "minutes = 51", "other.py"), hit(1, "minutes = 50", "oven.py")]
    named, nameless = (
        {quote.text: quote.evidence for quote in rank(question, hits, similarities=alike())}["minutes = 51"]
        for question in ("What are the minutes in oven.py?", "What are the minutes in brick.py?")
    )
    assert nameless - named == pytest.approx(0.15, abs=0.05)
