"""How code is read: statements whole and under their names, comments with what follows, documentation as prose."""

from __future__ import annotations

from itertools import pairwise

import pytest

from locallens_nb.language.sentences import Statement
from locallens_nb.passages.code_lines import CodeReader

CODE = '''"""Bake the bread.

It rises twice before it goes
into the oven.
"""

import math, time

# More than this and the crust
# burns.
HOTTEST = 310


class Baker:
    def bake(
        self,
        loaf,
        minutes: int = 50,
    ) -> Loaf:
        """Return the loaf when it is done."""
        if minutes > 50:
            raise ValueError(minutes)
        return loaf.brown()
'''
SCRIPT = """
/**
 * Bakes a loaf, which
 * takes a while.
 * @param loaf - What is baked
 * @returns The same loaf.
 */
export async function bake<T>(
  loaf: T,
): Promise<T> {
  const door = { isOpen: false }
  return oven.heat(loaf, () => {
    door.isOpen = true
  })
}
"""


def read(text: str, *parts: int, has_start: bool = True) -> list[Statement]:
    reader = CodeReader(has_start=has_start)
    bounds = [0, *parts, len(text)]
    return [one for start, end in pairwise(bounds) for one in reader.read(text, start, end)]


def shown(text: str, *parts: int, has_start: bool = True) -> list[str]:
    return [" ".join(one.shown.split()) for one in read(text, *parts, has_start=has_start) if one.is_quotable]


def test_statements_read_whole_under_the_names_of_what_they_stand_in_and_documentation_as_prose():
    assert shown(CODE) == [
        "Bake the bread.",
        "It rises twice before it goes into the oven.",
        "import math, time",
        "More than this and the crust burns. HOTTEST = 310",
        "class Baker:",
        "Baker: def bake( self, loaf, minutes: int = 50, ) -> Loaf:",
        "Baker: bake: Return the loaf when it is done.",
        "Baker: bake: if minutes > 50:",
        "Baker: bake: raise ValueError(minutes)",
        "Baker: bake: return loaf.brown()",
    ]


def test_documentation_above_a_function_reads_with_its_name_without_stars_and_tag_by_tag():
    assert shown(SCRIPT) == [
        "bake: Bakes a loaf, which takes a while.",
        "bake: @param loaf - What is baked",
        "bake: @returns The same loaf.",
        "export async function bake<T>( loaf: T, ): Promise<T> {",
        "bake: const door = { isOpen: false }",
        "bake: return oven.heat(loaf, () => {",
        "bake: door.isOpen = true",
    ]


def test_documentation_tells_of_what_it_documents_and_code_of_nothing():
    subjects = {one.shown: one.subject for one in read(CODE)}
    assert subjects["Baker: bake: Return the loaf when it is done."] == "bake"
    assert subjects["Baker: bake: return loaf.brown()"] == subjects["Bake the bread."] == ""


def test_every_statement_stands_where_it_says():
    for text in (CODE, SCRIPT):
        for one in read(text):
            words = text[one.start_offset : one.end_offset].replace("*", " ").replace("#", " ").split()
            assert " ".join(words) in " ".join(one.shown.split())


def test_a_statement_continues_what_it_stands_in():
    contexts = {one.shown: " ".join(one.context.split()) for one in read(CODE)}
    assert contexts["Baker: bake: raise ValueError(minutes)"] == (
        "class Baker: def bake( self, loaf, minutes: int = 50, ) -> Loaf: if minutes > 50:"
    )


@pytest.mark.parametrize("cut", range(0, len(CODE) - 1, 7))
def test_code_that_an_earlier_part_began_goes_on_under_its_names(cut: int):
    cut = CODE.index("\n", cut) + 1
    after = [" ".join(one.shown.split()) for one in read(CODE, cut) if one.is_quotable and one.start_offset >= cut]
    whole = [" ".join(one.shown.split()) for one in read(CODE) if one.is_quotable and one.start_offset >= cut]
    assert after[-3:] == whole[-3:]


def test_code_between_two_documentations_is_no_documentation_whichever_of_them_is_cut():
    cut = 'the loaf when it is done.\n    """\n    return loaf.brown()\n\n\ndef cool(loaf):\n    """Wait for the loaf'
    assert shown(cut, has_start=False) == [
        "the loaf when it is done.",
        "return loaf.brown()",
        "def cool(loaf):",
        "cool: Wait for the loaf",
    ]
    assert shown(" * takes a while.\n */\nfunction bake() {", has_start=False) == ["bake: takes a while.", "function bake() {"]


def test_a_licence_above_the_documentation_of_a_module_does_not_end_it():
    text = '# All rights reserved.\n\n"""\nBake the bread.\n"""\nHOTTEST = 310\n'
    assert shown(text, has_start=False) == ["All rights reserved.", "Bake the bread.", "HOTTEST = 310"]


@pytest.mark.parametrize(
    "statement",
    [
        'parser.add_argument(\n    "--minutes",\n    default=50,\n)',
        "oven = {\n  hottest: 310,\n}",
        "bake --hot \\\n  --minutes 50",
        "function bake<\n  T,\n>(loaf: T) {",
        'heat(\n    "(",  # not closed (yet\n    310,\n)',
    ],
)
def test_a_statement_that_runs_over_lines_is_one(statement: str):
    assert shown(f"{statement}\nwait_a_while()") == [" ".join(statement.split()), *shown(f"{statement}\nwait_a_while()")[1:]]
    assert len(shown(f"{statement}\nwait_a_while()")) == 2


def test_a_statement_that_would_be_too_long_is_read_line_by_line_under_its_name():
    lines = [f"  loaf_{number}: {number} * 2," for number in range(40)]
    assert shown("\n".join(["const loaves = {", *lines, "}"]))[:3] == [
        "const loaves = {",
        "loaves: loaf_0: 0 * 2,",
        "loaves: loaf_1: 1 * 2,",
    ]


def test_a_comment_that_is_too_long_is_read_as_prose_with_the_name_of_what_follows():
    comment = "# It was measured by hand in May.\n" * 20
    assert shown(f"{comment}HOTTEST = 310")[-2:] == ["HOTTEST: It was measured by hand in May.", "HOTTEST = 310"]


@pytest.mark.parametrize("line", ["#define HOTTEST 310", "#include <oven.h>"])
def test_what_a_preprocessor_reads_is_no_comment(line: str):
    assert shown(f"{line}\nint door = 4;") == [line, "int door = 4;"]


def test_a_comment_above_a_scrap_can_be_quoted_and_the_name_of_the_interpreter_is_no_comment():
    assert shown("#!/bin/sh\n# Bakes the bread for all.\nset -eu") == ["Bakes the bread for all. set -eu"]


def test_comments_of_three_slashes_and_attributes():
    text = "/// How hot it is at most.\npub const HOTTEST: u32 = 310;\n#[derive(Debug)]\npub struct Oven {"
    assert shown(text) == ["How hot it is at most. pub const HOTTEST: u32 = 310;", "#[derive(Debug)] pub struct Oven {"]


def test_what_decorates_a_function_reads_with_it_after_its_comment():
    assert shown("# Bakes.\n@retried(\n    times=3,\n)\ndef bake():\n    heat(loaf, 310)") == [
        "Bakes. @retried( times=3, ) def bake():",
        "bake: heat(loaf, 310)",
    ]


def test_stars_in_a_path_begin_no_documentation():
    assert shown('loaves = glob("bread/*")\nrolls = glob("*/small")') == ['loaves = glob("bread/*")', 'rolls = glob("*/small")']


def test_a_parameter_in_a_documentation_reads_with_its_name_in_every_sentence():
    text = (
        'class Oven:\n    """Heats.\n\n    Parameters:\n      minutes(int): How long it bakes. Defaults to 50\n'
        "        at most.\n      hot: Whether it is. Not by default.\n\n    :param door: It is shut. It may be open.\n"
        '    @param {number} light - It is off. Or else it is on.\n    """\n'
    )
    assert shown(text) == [
        "class Oven:",
        "Oven: minutes(int): How long it bakes.",
        "Oven: minutes: Defaults to 50 at most.",
        "Oven: hot: Whether it is.",
        "Oven: hot: Not by default.",
        "Oven: :param door: It is shut.",
        "Oven: door: It may be open.",
        "Oven: @param {number} light - It is off.",
        "Oven: light: Or else it is on.",
    ]


def test_the_first_line_of_a_cut_text_holds_only_what_follows_deeper():
    assert shown("hot: int = 310,\n    ) -> None:\n        heat(self.oven)\n\n    def cool(self):", has_start=False) == [
        "hot: int = 310,",
        "heat(self.oven)",
        "def cool(self):",
    ]
    assert shown("def heat(self):\n        on(self.oven)\n\n    def cool(self):\n        off(self.oven)", has_start=False) == [
        "def heat(self):",
        "heat: on(self.oven)",
        "def cool(self):",
        "cool: off(self.oven)",
    ]


def test_the_attributes_of_a_tag_name_nothing():
    text = "function Bar() {\n  return (\n    <button\n      onClick={() => {\n        const next = open()\n      }}\n"
    text += "    >\n    " + "<p>Menu</p>" * 40 + "\n  )\n}\n"
    shown = {one.shown for one in CodeReader(has_start=True).read(text, 0, len(text))}
    assert {"Bar: onClick={() => {", "Bar: const next = open()"} <= shown
