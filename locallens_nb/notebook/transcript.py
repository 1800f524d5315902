"""A conversation as text: with footnotes to copy, as Markdown to save, and as what a saved notebook shows by itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from locallens_nb.domain import ChatAnswer
from locallens_nb.notebook.inert_text import DOLLAR, escape_html, escape_markdown, neutralise_markdown
from locallens_nb.notebook.markdown import sanitise_document
from locallens_nb.notebook.markup import document_html
from locallens_nb.notebook.rendering import NO_ANSWER, describe_place, describe_writing

TRANSCRIPT_CLASS = "locallens-transcript"
_DEAD_PANEL = f".jp-OutputArea-child:has(+ .jp-OutputArea-child .{TRANSCRIPT_CLASS}):not(:has(.locallens-panel))"
"""JupyterLab's "Loading widget..." before the text of the conversation, where no kernel has that widget any more."""


class Said(Protocol):
    """One question, and the answer or the error that came of it."""

    @property
    def question(self) -> str:
        """What was asked."""

    @property
    def brain(self) -> str:
        """Which brain was asked."""

    @property
    def answer(self) -> ChatAnswer | None:
        """What came of it."""

    @property
    def error(self) -> str:
        """What went wrong."""


def add_footnotes(answer: ChatAnswer) -> str:
    """Return an answer in Markdown with its sources under it.

    References stay ``[number]``: what front ends make of ``[^number]`` differs, and some make nothing of it.
    """
    text = neutralise_markdown(answer.answer or NO_ANSWER)
    if text.count(DOLLAR) == 1:  # one alone begins no formula
        text = text.replace(DOLLAR, "$")
    notes = [f"- [{citation.number}] {_quote_path(describe_place(citation))}" for citation in answer.citations]
    return "\n\n".join([text, "\n".join(notes)] if notes else [text])


def _quote_path(path: str) -> str:
    """Return a path as code, which needs no escapes; one that would end the code is escaped."""
    plain = " ".join(path.split())
    return escape_markdown(plain) if "`" in plain else f"`{plain}`"


def render_conversation(turns: Sequence[Said]) -> str:
    """Return a conversation as a Markdown file."""
    parts = ["# A conversation with LocalLens"]
    for turn in turns:
        parts.append(f"## {escape_markdown(turn.question)}")
        parts.append(f"*{escape_markdown(f'Asked of the brain {turn.brain}.')}*")
        if turn.answer is not None:
            parts.append(add_footnotes(turn.answer))
            parts += [f"*{escape_markdown(note)}*" for note in answer_notes(turn.answer)]
        if turn.error:
            parts.append(escape_markdown(turn.error))
    return "\n\n".join(parts) + "\n"


def save_conversation(turns: Sequence[Said], folder: Path, *, moment: datetime) -> Path:
    """Write a conversation to a new file in a folder and return its path; no file is overwritten.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    text = render_conversation(turns)
    base = f"locallens-{moment:%Y-%m-%d-%H%M%S}"
    number = 1
    while True:
        path = folder / (f"{base}.md" if number == 1 else f"{base}-{number}.md")
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            number += 1
            continue
        return path


def transcript_bundle(turns: Sequence[Said], *, panel_id: str) -> dict[str, str]:
    """Return a conversation by media type, for a saved notebook; the panel hides it where it is shown itself.

    Parameters
    ----------
    panel_id
        By which the page finds the text of a panel again.
    """
    shown = sanitise_document("".join(_render_turn(turn) for turn in turns))
    text = render_conversation(turns) if turns else "LocalLens: nothing was asked yet."
    body = shown or "<p>LocalLens: nothing was asked yet.</p>"
    style = f"<style>{_DEAD_PANEL} {{ display: none; }}</style>"
    return {"text/html": f'{style}<div class="{TRANSCRIPT_CLASS}" data-panel="{panel_id}">{body}</div>', "text/plain": text}


def _render_turn(turn: Said) -> str:
    parts = [f"<p><strong>{escape_html(turn.question)}</strong></p>"]
    if turn.answer is not None:
        parts.append(document_html(turn.answer, note=" ".join(answer_notes(turn.answer))))
    if turn.error:
        parts.append(f"<p>{escape_html(turn.error)}</p>")
    return "".join(parts)


def answer_notes(answer: ChatAnswer) -> list[str]:
    """Return how the question was understood, how the answer ended, who wrote it, and why not an earlier model."""
    understood = f"Understood as: {answer.standalone_question}" if answer.standalone_question else ""
    return [note for note in (understood, *describe_writing(answer)) if note]
