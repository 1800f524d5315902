"""How data are read: settings under their section, comments with what follows, records under their head."""

from __future__ import annotations

import pytest

from locallens_nb.language.sentences import Statement
from locallens_nb.passages.data_lines import LineReader, RecordReader

YAML = """oven:
  # Degrees.
  hottest: 310
  door:
    opens_after_minutes: 4
staff:
- name: Ilse
- name: Tomas
closed: "on Mondays"
"""
INI = """; Nightly copy.
; It runs alone.
at = 03:35

[target]
host = attic
"""


def read(text: str) -> list[Statement]:
    return list(LineReader().read(text, 0, len(text)))


def shown(text: str) -> list[str]:
    return [" ".join(one.shown.split()) for one in read(text) if one.is_quotable]


def test_a_setting_reads_with_the_keys_above_it_and_its_comment():
    assert shown(YAML) == [
        "oven: Degrees. hottest: 310",
        "oven: door: opens_after_minutes: 4",
        "staff: - name: Ilse",
        "staff: - name: Tomas",
        'closed: "on Mondays"',
    ]


def test_a_section_ends_the_one_before_and_comments_that_follow_each_other_are_one():
    assert shown(INI) == ["Nightly copy. It runs alone. at = 03:35", "[target] host = attic"]


def test_keys_of_json_read_with_what_they_stand_in():
    assert shown('{\n  "oven": {\n    "hottest": 310\n  }\n}')[-1] == '"oven": "hottest": 310'


def test_a_statement_stands_where_it_says_from_its_comment_to_the_end_of_its_line():
    setting = read(YAML)[1]
    assert YAML[setting.start_offset : setting.end_offset] == "# Degrees.\n  hottest: 310"


def test_a_comment_that_a_blank_line_parts_from_what_follows_stands_alone():
    assert shown("# All of this is in degrees.\n\nhottest = 310") == [
        "All of this is in degrees.",
        "hottest = 310",
    ]


def test_a_comment_that_is_too_long_stands_alone():
    comment = "# It was measured by hand.\n" * 20
    assert shown(f"{comment}hottest = 310")[-2:] == ["It was measured by hand.", "hottest = 310"]


def test_a_list_of_an_ini_file_reads_with_its_key():
    assert shown("[tests]\ncommands =\n  bake --quick\ndeps = yeast") == [
        "[tests] commands bake --quick",
        "[tests] deps = yeast",
    ]


def test_a_bracket_that_closes_says_nothing_and_an_option_is_no_comment():
    assert shown("server {\n  listen 8080;\n  --quick\n}\n") == ["server listen 8080;", "server --quick"]


def test_the_first_line_of_cut_data_holds_only_what_follows_deeper():
    assert shown("oven:\n    hottest: 310\n  door:\n    is_shut: true") == ["oven: hottest: 310", "door: is_shut: true"]


def test_a_comment_of_several_sentences_is_read_as_prose_where_it_stands_alone():
    text = "oven:\n  # It is lit at four. It is\n  # out by noon.\n\n  hottest: 310"
    assert shown(text) == ["oven: It is lit at four.", "oven: It is out by noon.", "oven: hottest: 310"]


def records(text: str, *, has_start: bool = True) -> list[str]:
    return [one.shown for one in RecordReader(has_start=has_start).read(text, 0, len(text)) if one.is_quotable]


def test_records_read_with_the_names_of_their_columns_and_the_head_is_never_quoted():
    assert records("loaf,grams,price\nrye,900,4.20\nspelt,,3.80") == [
        "loaf: rye · grams: 900 · price: 4.20",
        "loaf: spelt · price: 3.80",
    ]


def test_a_first_record_that_is_no_head_is_a_record():
    assert records("rye,900,4.20\nspelt,750,3.80") == ["rye,900,4.20", "spelt,750,3.80"]


def test_what_is_cut_from_the_middle_of_a_file_has_no_head():
    assert records("rye,dark,hard\nspelt,light,soft", has_start=False) == ["rye,dark,hard", "spelt,light,soft"]


def test_a_cell_in_quotation_marks_may_run_over_lines():
    assert records('loaf,note\nrye,"dark\nand hard"\nspelt,"light, soft"\nwheat,5" wide') == [
        "loaf: rye · note: dark and hard",
        "loaf: spelt · note: light, soft",
        'loaf: wheat · note: 5" wide',
    ]


def test_the_comment_that_data_begins_with_is_what_all_of_it_continues():
    reader = LineReader(has_start=True)
    statements = list(reader.read(INI, 0, len(INI)))
    assert [one.context for one in statements if one.is_quotable] == [
        "Nightly copy. It runs alone.",
        "Nightly copy. It runs alone. [target]",
    ]
    license_text = "# All rights reserved.\n" * 20
    assert not next(iter(LineReader(has_start=True).read(f"{license_text}\nport = 80\n", 0, 600))).context


def test_separated_values_of_one_line_are_no_head():
    text = '"school","a place of learning"\n'
    (only,) = RecordReader(has_start=True).read(text, 0, len(text))
    assert only.is_quotable


@pytest.mark.timeout(60)
def test_a_file_of_many_records_is_read_once():
    assert len(records("rye,dark,900\n" * 100_000)) == 100_000
    assert len(records('rye,"dark\nbread",900\n' * 20_000)) == 20_000
