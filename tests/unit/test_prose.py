"""How prose is read: what says something by itself, what it continues, and how it reads alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from locallens_nb.language.sentences import Statement
from locallens_nb.passages.prose import ProseReader, read_comment

LIST = """# Lending

Ask at the desk. We never lend:

- atlases
* old newspapers
1. records
   from the cellar

Come back on Monday."""

TABLE = """## Fees

Prices are in euros.

| Reader | A year |
|:--|--:|
| Child | free |
| Adult | 12 |

Pay in cash."""


def read(text: str, **options: bool) -> list[Statement]:
    return list(ProseReader(**options).read(text, 0, len(text)))


def quotable(statements: Sequence[Statement]) -> list[str]:
    return [" ".join(one.shown.split()) for one in statements if one.is_quotable]


def test_items_read_with_what_leads_on_to_their_list_and_that_is_not_quoted():
    assert quotable(read(LIST)) == [
        "Ask at the desk.",
        "We never lend: atlases",
        "We never lend: old newspapers",
        "We never lend: 1. records from the cellar",
        "Come back on Monday.",
    ]


def test_every_statement_stands_where_it_says_and_items_begin_after_their_bullets():
    assert [LIST[one.start_offset : one.end_offset] for one in read(LIST)] == [
        *("# Lending", "Ask at the desk.", "We never lend:", "atlases", "old newspapers", "1. records\n   from the cellar"),
        "Come back on Monday.",
    ]


def test_an_item_continues_the_heading_what_leads_on_and_what_stands_before_the_list_but_no_other_item():
    item = read(LIST)[4]
    assert item.context == "# Lending We never lend: Ask at the desk."


@pytest.mark.parametrize("question", ["## What is not lent?", "**What is not lent?**"])
def test_items_right_under_a_question_read_with_it(question: str):
    statements = read(f"{question}\n\n- atlases\n- newspapers\n\nAsk at the desk.")
    assert quotable(statements) == ["What is not lent? atlases", "What is not lent? newspapers", "Ask at the desk."]
    assert "What is not lent?" in statements[-1].context


def test_a_question_in_running_text_leads_to_no_list():
    statements = read("1. Add the other wave. It explodes. Why? Look at its period.\n2. Leave it out again.")
    assert quotable(statements)[-1] == "2. Leave it out again."


def test_what_leads_on_too_long_is_context_only():
    lead = "All of the following things, " * 6 + "are not lent:"
    (item,) = [one for one in read(f"{lead}\n\n- atlases of the world") if one.is_quotable]
    assert item.shown == "atlases of the world"
    assert lead in item.context


def test_rows_read_with_the_names_of_their_columns_and_the_head_is_never_quoted():
    assert quotable(read(TABLE)) == [
        "Prices are in euros.",
        "Reader: Child · A year: free",
        "Reader: Adult · A year: 12",
        "Pay in cash.",
    ]


def test_a_row_continues_the_heading_the_sentence_before_its_table_and_the_head():
    row = read(TABLE)[-2]
    assert row.context == "## Fees Prices are in euros. | Reader | A year |"


def test_a_full_stop_in_a_row_ends_no_statement():
    rows = quotable(read("| Wer | Bis wann |\n|---|---|\n| Dr. Weber | bis 1. März. Danach nie |"))
    assert rows == ["Wer: Dr. Weber · Bis wann: bis 1. März. Danach nie"]


def test_a_table_without_outer_lines_is_a_table():
    assert quotable(read("Reader | A year\n--- | ---\nAdult | 12\n\nNot | this one, which is a sentence."))[0] == (
        "Reader: Adult · A year: 12"
    )


def test_rows_without_a_head_read_cell_by_cell():
    assert quotable(read("| Adult | 12 euros |")) == ["Adult · 12 euros"]


def test_two_tables_keep_their_own_heads():
    second = TABLE.replace("Reader", "Book").replace("A year", "A day").split("\n\n", 2)[2]
    assert quotable(read(f"{TABLE}\n\n{second}"))[4] == "Book: Child · A day: free"


def test_a_table_that_another_part_began_goes_on():
    reader, first, rest = ProseReader(), TABLE[: TABLE.index("| Adult")], TABLE[TABLE.index("| Adult") :]
    assert len(list(reader.read(first, 0, len(first)))) == 5
    assert quotable(list(reader.read(rest, 0, len(rest)))) == ["Reader: Adult · A year: 12", "Pay in cash."]


def test_lines_of_a_fenced_block_are_statements_and_its_fences_are_none():
    statements = read("Install it:\n\n```sh\npip install the-thing\n# Not a heading\n```\n\nThen start it.")
    assert quotable(statements) == ["pip install the-thing", "# Not a heading", "Then start it."]
    assert statements[1].context == "Install it:"


def test_a_code_span_of_three_backticks_begins_no_block():
    (first, second) = read("```bake(loaf)``` is how you make it. Then it is done.")
    assert (first.shown, second.shown) == ("```bake(loaf)``` is how you make it.", "Then it is done.")


def test_a_fenced_block_that_another_part_began_goes_on_to_its_fence():
    reader, first, rest = (
        ProseReader(),
        "```sh\nmake the bread",
        "make more of it\nand again\n```\nThen it is\ndone, all of it.",
    )
    assert quotable(list(reader.read(first, 0, len(first)))) == ["make the bread"]
    assert quotable(list(reader.read(rest, 0, len(rest)))) == ["make more of it", "Then it is done, all of it."]


LOG = """LOG OF THE LIGHTHOUSE
Winter of 1931
Kept by Joan Pires and her sister, who lived in the tower with two goats, a cat and a harp.

------------------------------
Night of 4 December
Fog until three. The horn was heard in the village as far as the mill and somewhat beyond it.
The second lamp was lit."""


def test_a_title_in_capitals_a_rule_and_the_label_of_a_paragraph_are_no_part_of_a_sentence():
    statements = read(LOG, capitals_are_headings=True)
    assert quotable(statements) == [
        "Winter of 1931",
        "Kept by Joan Pires and her sister, who lived in the tower with two goats, a cat and a harp.",
        "Fog until three.",
        "The horn was heard in the village as far as the mill and somewhat beyond it.",
        "The second lamp was lit.",
    ]
    fog = next(one for one in statements if one.shown == "Fog until three.")
    assert fog.context.startswith("LOG OF THE LIGHTHOUSE Night of 4 December")


def test_lines_in_capitals_are_headings_only_where_they_stand_apart():
    assert quotable(read("DO NOT TOUCH THE LAMP\nDO NOT FEED THE GOATS.", capitals_are_headings=True)) == [
        "DO NOT TOUCH THE LAMP DO NOT FEED THE GOATS."
    ]
    assert quotable(read("DO NOT TOUCH THE LAMP")) == ["DO NOT TOUCH THE LAMP"]


@pytest.mark.parametrize("underline", ["========", "---", "~~~~~~~~"])
def test_an_underlined_line_is_a_heading(underline: str):
    statements = read(f"The lamp\n{underline}\n\nIt burns oil of the whale.")
    assert [(one.shown, one.is_quotable) for one in statements] == [("The lamp", False), ("It burns oil of the whale.", True)]
    assert statements[1].context == "The lamp"


def test_a_line_that_was_wrapped_goes_on_in_the_next():
    text = "The keeper of the light has to climb\n214 steps. Then she rests, and writes\nDown what she saw."
    assert quotable(read(text)) == [
        "The keeper of the light has to climb 214 steps.",
        "Then she rests, and writes Down what she saw.",
    ]


def test_a_bold_line_labels_the_paragraph_below_it():
    statements = read("**Brake fluid**\nNever mix the two kinds of it, since the seals swell.")
    assert quotable(statements) == ["Never mix the two kinds of it, since the seals swell."]
    assert statements[1].context == "**Brake fluid**"


def test_an_entry_of_a_table_of_contents_is_not_quoted():
    text = "- [How long it bakes](#how-long-it-bakes)\n- [The recipe](recipe.md)\n- It bakes [for long](#long)."
    assert [one.shown for one in read(text) if one.is_quotable] == ["[The recipe](recipe.md)", "It bakes [for long](#long)."]


def test_a_comment_is_read_without_what_its_lines_begin_with_and_breaks_where_it_tells_of_a_parameter():
    text = "# Bakes a loaf, which\n# takes a while.\n# :param loaf: what is baked\n# :returns: the loaf"
    statements = list(read_comment(text, 0, len(text)))
    assert [" ".join(one.shown.split()) for one in statements] == [
        "Bakes a loaf, which takes a while.",
        ":param loaf: what is baked",
        ":returns: the loaf",
    ]
    assert text[statements[0].start_offset : statements[0].end_offset] == "Bakes a loaf, which\n# takes a while."


def test_a_value_that_has_only_a_label_reads_with_its_heading():
    text = "minutes\n~~~~~~~\n\nDefault: 50\n\nNote: It is hot inside. So use gloves.\n\n# Fees\n\n**Adults**: 12 euros"
    assert quotable(read(text)) == [
        "minutes: Default: 50",
        "Note: It is hot inside.",
        "So use gloves.",
        "Fees: **Adults**: 12 euros",
    ]
