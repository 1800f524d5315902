"""How data and code are read: settings under their section, comments with what follows, records under their head."""

from __future__ import annotations

import pytest

from locallens_nb.data_lines import LineReader, RecordReader
from locallens_nb.sentences import Statement

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
CODE = '''"""Bake the bread.

It rises twice before it goes
into the oven.
"""

import math, time

# More than this and the crust
# burns.
HOTTEST = 310


def bake(loaf, minutes):
    """Return the loaf when it is done."""
    if minutes > 50:
        raise ValueError(minutes)
    return loaf.brown()
'''


def read(text: str, *, is_data: bool) -> list[Statement]:
    return list(LineReader(is_data=is_data).read(text, 0, len(text)))


def shown(text: str, *, is_data: bool) -> list[str]:
    return [" ".join(one.shown.split()) for one in read(text, is_data=is_data) if one.is_quotable]


def test_a_setting_reads_with_the_keys_above_it_and_its_comment():
    assert shown(YAML, is_data=True) == [
        "oven: Degrees. hottest: 310",
        "oven: door: opens_after_minutes: 4",
        "staff: - name: Ilse",
        "staff: - name: Tomas",
        'closed: "on Mondays"',
    ]


def test_a_section_ends_the_one_before_and_comments_that_follow_each_other_are_one():
    assert shown(INI, is_data=True) == ["Nightly copy. It runs alone. at = 03:35", "[target] host = attic"]


def test_keys_of_json_read_with_what_they_stand_in():
    assert shown('{\n  "oven": {\n    "hottest": 310\n  }\n}', is_data=True)[-1] == '"oven": "hottest": 310'


def test_a_statement_stands_where_it_says_from_its_comment_to_the_end_of_its_line():
    setting = read(YAML, is_data=True)[1]
    assert YAML[setting.start_offset : setting.end_offset] == "# Degrees.\n  hottest: 310"


def test_a_comment_that_a_blank_line_parts_from_what_follows_stands_alone():
    assert shown("# All of this is in degrees.\n\nhottest = 310", is_data=True) == [
        "All of this is in degrees.",
        "hottest = 310",
    ]


def test_a_comment_that_is_too_long_stands_alone():
    comment = "# It was measured by hand. " * 20
    assert len(shown(f"{comment}\nhottest = 310", is_data=True)) == 2


def test_in_code_a_comment_and_its_line_are_one_and_documentation_is_read_as_prose():
    assert shown(CODE, is_data=False) == [
        "Bake the bread.",
        "It rises twice before it goes into the oven.",
        "import math, time",
        "More than this and the crust burns. HOTTEST = 310",
        "def bake(loaf, minutes):",
        "Return the loaf when it is done.",
        "if minutes > 50:",
        "raise ValueError(minutes)",
        "return loaf.brown()",
    ]


def test_a_line_of_code_continues_what_it_stands_in():
    contexts = {one.shown: one.context for one in read(CODE, is_data=False)}
    assert contexts["raise ValueError(minutes)"] == "def bake(loaf, minutes): if minutes > 50:"
    assert contexts["Return the loaf when it is done."] == "def bake(loaf, minutes):"


def test_code_between_two_documentations_is_no_documentation():
    cut = 'the loaf when it is done.\n    """\n    return loaf.brown()\n\n\ndef cool(loaf):\n    """Wait.'
    assert "return loaf.brown()" in shown(cut, is_data=False)


@pytest.mark.parametrize("line", ["#define HOTTEST 310", "#include <oven.h>"])
def test_what_a_preprocessor_reads_is_no_comment(line: str):
    assert shown(f"{line}\nint door = 4;", is_data=False) == [line, "int door = 4;"]


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
    reader = LineReader(is_data=True, has_start=True)
    statements = list(reader.read(INI, 0, len(INI)))
    assert [one.context for one in statements if one.is_quotable] == [
        "Nightly copy. It runs alone.",
        "Nightly copy. It runs alone. [target]",
    ]
    license_text = "# All rights reserved.\n" * 20
    assert not next(iter(LineReader(is_data=True, has_start=True).read(f"{license_text}\nport = 80\n", 0, 600))).context


def test_separated_values_of_one_line_are_no_head():
    text = '"school","a place of learning"\n'
    (only,) = RecordReader(has_start=True).read(text, 0, len(text))
    assert only.is_quotable
