"""What the list of brains shows of each: how it is, how big it is, and which of its files have changed. Pure, but for stat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from rich.filesize import decimal

from locallens_nb.changes import find_changed_files
from locallens_nb.domain import Brain, SkippedFile
from locallens_nb.locallens import LocalLensApp

Status = Literal["ready", "stale", "indexing", "error"]

_MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class BrainState:
    """A brain as the list shows it.

    Attributes
    ----------
    status
        *stale* when files have changed since it was indexed; *error* when its last refresh failed.
    size_bytes
        Of its files when they were indexed; None until it has been looked up.
    changed
        Paths of the files that have changed or are gone.
    problem
        Why the last refresh failed.
    """

    brain: Brain
    status: Status = "ready"
    size_bytes: int | None = None
    changed: frozenset[str] = frozenset()
    problem: str = ""

    def describe(self) -> str:
        """Return the counts, the size and the time of indexing on one line."""
        brain = self.brain
        parts = [_count(brain.document_count, "file"), _count(brain.chunk_count, "chunk")]
        if self.size_bytes:
            parts.append(decimal(self.size_bytes))
        parts.append(f"indexed {brain.indexed_at.astimezone():%Y-%m-%d %H:%M}")
        if self.changed:
            parts.append(f"{_count(len(self.changed), 'file')} changed or gone since")
        return " · ".join(parts)

    def as_indexing(self) -> BrainState:
        """Return the state while the brain is being refreshed."""
        return replace(self, status="indexing")


def describe_brain(brain: Brain, *, action: str) -> str:
    """Return what was done with a brain."""
    skipped = f", {brain.skipped_count:,} skipped (see its details)" if brain.skipped_count else ""
    counts = f"{_count(brain.document_count, 'file')}, {_count(brain.chunk_count, 'chunk')}{skipped}"
    return f"{action} '{brain.name}': {counts}."


def look_at_brain(app: LocalLensApp, brain: Brain) -> BrainState:
    """Return the state of a brain from the store and from the sizes and times of its files on disk."""
    files = app.list_indexed_files(brain.name)
    changed = frozenset(find_changed_files(brain.folder_path, files))
    size_bytes = sum(file.size_bytes for file in files)
    return BrainState(brain, "stale" if changed else "ready", size_bytes, changed)


def keep_problem(state: BrainState, problem: str) -> BrainState:
    """Return a state that says what went wrong; a blank problem changes nothing."""
    return replace(state, status="error", problem=problem) if problem else state


def render_details(state: BrainState, skipped: list[SkippedFile]) -> str:
    """Return what there is to know of a brain as HTML, everything in it escaped."""
    brain = state.brain
    facts = [
        ("Folder", brain.folder_path),
        ("Embedding model", brain.embedding_model),
        ("First indexed", f"{brain.created_at.astimezone():%Y-%m-%d %H:%M}"),
    ]
    parts = [f"<div><span>{name}</span> {escape(value)}</div>" for name, value in facts]
    if state.problem:
        parts.append(f'<p class="locallens-problem">The last refresh failed: {escape(state.problem)}</p>')
    if state.changed:
        parts.append(_render_list("Changed or gone since it was indexed", [escape(path) for path in sorted(state.changed)]))
    title = "Skipped files, and why" if skipped else "No file was skipped."
    reasons = [f"{escape(file.relative_path)}<span>{escape(file.reason)}</span>" for file in skipped]
    parts.append(_render_list(title, reasons))
    return f'<div class="locallens-details">{"".join(parts)}</div>'


def _render_list(title: str, items: list[str]) -> str:
    shown = "".join(f"<li>{item}</li>" for item in items[:_MOST_LISTED])
    more = f"<li>and {len(items) - _MOST_LISTED} more</li>" if len(items) > _MOST_LISTED else ""
    return f"<p><b>{title}</b></p>" + (f"<ul>{shown}{more}</ul>" if items else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
