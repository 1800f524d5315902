"""Which statements are by their form what a question asks for."""

from __future__ import annotations

import time

import pytest

from locallens_nb.questions.code_questions import CodeQuestion, find_asked_definitions


def is_answered(question: str, statement: str, *, shown: str = "", subject: str = "", is_data: bool = False) -> bool:
    return CodeQuestion(question).is_answered_by(statement, shown=shown or statement, subject=subject, is_data=is_data)


@pytest.mark.parametrize(
    "question", ["Where is bake_loaf defined?", "Which file declares bake_loaf?", "Wo ist bake_loaf definiert?"]
)
def test_a_definition_answers_where_a_name_is_defined(question: str):
    assert is_answered(question, "def bake_loaf(minutes):")
    assert not is_answered(question, "bake_loaf(50)")
    assert not is_answered(question, "def bake_roll(minutes):")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where is the Baker class defined?", ("Baker",)),
        ("Where is the class Baker defined?", ("Baker",)),
        ("Where is Baker implemented?", ("Baker",)),
        ("Which file defines the function bake?", ("bake",)),
        ("Where is the class that bakes defined?", ()),
        ("What does the Baker class do?", ()),
    ],
)
def test_a_word_is_a_name_where_its_definition_is_asked_for(question: str, names: tuple[str, ...]):
    assert find_asked_definitions(question) == names


def test_documentation_of_a_name_answers_what_it_does():
    assert is_answered("What does bakeLoaf do?", "Bakes a loaf.", subject="bakeLoaf")
    assert not is_answered("What does bakeLoaf do?", "Cools a loaf.", subject="coolLoaf")
    assert not is_answered("What does bakeLoaf do?", "heat(loaf)")


@pytest.mark.parametrize(
    "statement",
    ["def bake(loaf, minutes=50):", "minutes: int = 50,", 'MINUTES="${MINUTES:-50}"', "bake --minutes 50", "minutes: 50,"],
)
def test_a_value_for_what_is_named_answers_which_it_has(statement: str):
    assert is_answered("How many minutes does it bake by default?", statement)
    assert not is_answered("How many degrees has it by default?", statement)


@pytest.mark.parametrize("statement", ["minutes = other.minutes", "if minutes == 50:", "minutes => 50", "bake(minutes)"])
def test_a_name_that_is_given_no_value_does_not(statement: str):
    assert not is_answered("How many minutes does it bake by default?", statement)


def test_a_default_answers_for_the_name_that_it_stands_under():
    question = "What is the default of minutes?"
    assert is_answered(question, "default = 50", shown="Minutes: default = 50")
    assert is_answered(question, 'add_argument("--minutes", default=50)')
    assert not is_answered(question, "default = 310", shown="Degrees: default = 310")
    assert not is_answered("How many minutes are there?", "default = 50", shown="Minutes: default = 50")


def test_documentation_that_tells_a_default_answers_for_what_it_tells_of():
    question = "How many minutes does it bake by default?"
    assert is_answered(question, "Defaults to 50.", shown="minutes: Defaults to 50.", subject="minutes")
    assert not is_answered(question, "Defaults to 310.", shown="degrees: Defaults to 310.", subject="degrees")
    assert not is_answered(question, "There is no default.", shown="minutes: There is no default.", subject="minutes")


def test_an_option_answers_for_what_it_is():
    assert is_answered("What does --slow-bake mean?", 'add_argument("-s", "--slow-bake", default=choose())')
    assert not is_answered("What does --slow-bake mean?", "print('run with --slow-bake-all')")


def test_a_key_of_settings_answers_with_any_value():
    assert is_answered("What is the image of the oven?", "image: baker/oven:2", is_data=True)
    assert not is_answered("What is the image of the oven?", "image:", is_data=True)


def test_a_statement_stands_for_the_word_that_it_does_not_say():
    asked = CodeQuestion("Where is bake_loaf defined?")
    assert asked.find_meant("def bake_loaf():", shown="", is_data=False) == {"define"}
    assert not asked.find_meant("bake_loaf()", shown="", is_data=False)
    asked = CodeQuestion("What is the default of minutes?")
    assert asked.find_meant("minutes = 50", shown="minutes = 50", is_data=False) == {"defaul"}
    assert not asked.find_meant("degrees = 310", shown="degrees = 310", is_data=False)


def test_an_attribute_of_a_tag_defines_nothing():
    asked = CodeQuestion("Where is onClick defined?")
    assert asked.is_answered_by("onClick={open}", shown="")
    assert not asked.is_answered_by("onClick={open}", shown="", context="return ( <button")
    assert not asked.find_meant("onClick={open}", shown="", context="return ( <button", is_data=False)


def test_where_the_question_names_identifiers_one_of_them_has_to_stand_there():
    question = "What is the default of max_minutes of the oven?"
    assert is_answered(question, "max_minutes = 50")
    assert not is_answered(question, "max_loaves = 12")
    assert is_answered(question, "default = 50", shown="max_minutes: default = 50")
    assert not is_answered(question, "Defaults to 12.", shown="max_loaves: Defaults to 12.", subject="max_loaves")


@pytest.mark.parametrize("text", ["--a" * 6000, "a:" * 9000, '"a" ' * 6000, "a-" * 9000, "a " * 9000])
def test_a_long_line_takes_no_longer_than_its_length(text: str):
    started = time.perf_counter()
    assert not is_answered("What is the default of b?", text)
    assert time.perf_counter() - started < 1
