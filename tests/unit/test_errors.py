"""What a person reads when something is wrong."""

from __future__ import annotations

import inspect

import pytest

from locallens_nb import errors
from locallens_nb.errors import (
    BrainExistsError,
    BrainNotFoundError,
    FolderError,
    GenerationError,
    InvalidQuestionError,
    InvalidSettingError,
    LocalLensError,
)

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, Exception)]


def test_a_message_and_its_hint_make_one_line():
    assert str(FolderError("The folder is missing.", hint="Check the path.")) == "The folder is missing. Check the path."


def test_the_lines_of_what_a_library_said_become_one():
    error = GenerationError("The model failed: RuntimeError: no memory.\nTried\r\n\nto allocate", hint="Ask again.")
    assert error._render_traceback_() == ["LocalLens: The model failed: RuntimeError: no memory. Tried to allocate. Ask again."]


def test_a_message_without_a_hint_stands_alone():
    assert str(FolderError("The folder is missing.")) == "The folder is missing."


def test_braces_and_percent_signs_in_a_message_stay():
    assert str(FolderError("No '{x}' %s.", hint="{y}")) == "No '{x}' %s. {y}"


def test_ipython_shows_a_single_line_and_no_traceback():
    assert FolderError("Gone.", hint="Look.")._render_traceback_() == ["LocalLens: Gone. Look."]


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_every_error_belongs_to_one_tree_three_deep_at_most(error: type[Exception]):
    assert issubclass(error, LocalLensError)
    ours = [parent for parent in error.__mro__ if parent.__module__ == errors.__name__]
    assert len(ours) <= 3


def test_a_brain_that_is_not_found_names_those_there_are():
    error = BrainNotFoundError("nots", ["letters", "notes"])
    assert str(error) == ("No brain is called 'nots'. Brains here: letters, notes. Name one of these.")
    assert (error.name, error.existing) == ("nots", ("letters", "notes"))


def test_a_brain_that_is_not_found_in_an_empty_store_says_so():
    assert "Brains here: none yet." in str(BrainNotFoundError("notes", []))


def test_a_taken_name_comes_with_the_ways_out():
    error = BrainExistsError("notes")
    assert str(error) == "A brain called 'notes' exists already. Refresh it, delete it, or choose another name."
    assert error.name == "notes"


def test_a_failure_while_writing_carries_the_text_that_had_come():
    error = GenerationError("It broke.", partial="The tide")
    assert (error.partial, str(error)) == ("The tide", "It broke.")


@pytest.mark.parametrize("error", [InvalidQuestionError, InvalidSettingError])
def test_wrong_values_are_value_errors_too(error: type[LocalLensError]):
    assert issubclass(error, ValueError)
