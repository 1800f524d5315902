"""What an answer says when there is none, and how to tell that it does. Pure."""

from __future__ import annotations


def refusal_text(question: str) -> str:  # noqa: ARG001
    """Return that nothing was found, in the language of a question."""
    return "The answer was not found in these files."


def is_refusal(text: str) -> bool:
    """Return whether a text says that it does not know."""
    return "not found in these files" in text
