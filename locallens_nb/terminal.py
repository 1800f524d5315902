"""What the command line shows: text on standard output, progress and errors on standard error, and JSON.

Text from files and models is untrusted here: it loses its control characters and is never read as markup.
"""

from __future__ import annotations

import dataclasses
import io
import json
import re
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from locallens_nb.checking.citations import unescape_references
from locallens_nb.domain import Progress

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Also what turns the direction of writing: a file name with it reads as another."""
_UNSAFE_IN_JSON = re.compile(r"[\x7f-\x9f\ud800-\udfff]")
_STAGES_OF_MANY = {"chunking", "converting", "embedding"}
_SECONDS_BETWEEN_LINES = 1.0
_SECONDS_BETWEEN_COUNTS = 15.0


def prepare_streams() -> None:
    """Write UTF-8 whatever the system's encoding is; half a character becomes a question mark."""
    if sys.stderr is None:  # it is closed, so that what is written there is for nobody
        sys.stderr = io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def clean(text: str) -> str:
    r"""Return a text without what a terminal would obey: all control characters but ``\n`` and ``\t``, in Unicode too."""
    return _CONTROL.sub("", text)


def clean_line(text: str) -> str:
    """Return a text on one line, without what a terminal would obey."""
    return clean(" ".join(text.split()))


def show_piece(piece: str) -> None:
    """Write a part of an answer at once, as plain text."""
    sys.stdout.write(unescape_references(clean(piece)))
    sys.stdout.flush()


def show(text: str = "", *, style: str = "") -> None:
    """Write lines; ``style`` is one of rich's and shows in a terminal only."""
    _write(sys.stdout, text, style=style)


def show_error(text: str) -> None:
    """Write one line to standard error."""
    _write(sys.stderr, clean_line(text))


def show_json(value: object) -> None:
    """Write one JSON text: records as objects, times in ISO 8601, paths as text."""
    text = json.dumps(value, ensure_ascii=False, default=_to_json)
    sys.stdout.write(_UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")


def open_progress() -> LiveProgress | PlainProgress:
    """Return a view of what a person waits for on standard error; it must be closed before anything else is shown."""
    return LiveProgress() if sys.stderr.isatty() else PlainProgress()


class LiveProgress:
    """A line in a terminal with a bar and the seconds since its stage began."""

    def __init__(self) -> None:
        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[counts]}", markup=False),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            transient=True,
        )
        self._shown: tuple[str, int] | None = None
        self._task = self._bar.add_task("working", total=None, counts="")
        self._bar.start()

    def __call__(self, progress: Progress) -> None:
        """Show a report."""
        # When indexing is done, a question still waits for its answer.
        description = "working" if progress.stage == "done" else clean_line(f"{progress.stage} {progress.detail}")
        counts = _describe_counts(progress)
        if self._shown != (progress.stage, progress.total):
            self._shown = (progress.stage, progress.total)
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(description, total=progress.total or None, counts=counts)
        self._bar.start()
        self._bar.update(self._task, description=description, completed=progress.done, counts=counts)

    def close(self) -> None:
        """Remove the line, until the next report; more than once does no harm."""
        self._bar.stop()


class PlainProgress:
    """A line where a stage begins, at most one a second; of stages that pass faster, the last. Long ones say how far they are.

    Parameters
    ----------
    clock
        Gives the time in seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._line = ""
        self._written_at = float("-inf")
        self._timer: threading.Timer | None = None

    def __call__(self, progress: Progress) -> None:
        """Take note of a report, and write it when it is time."""
        detail = "" if progress.stage in _STAGES_OF_MANY else progress.detail
        line = clean_line(f"{progress.stage} {detail}")
        with self._lock:
            if progress.stage == "done":
                return
            if line == self._line or (progress.stage == "reading" and progress.done):  # the folder stands there already
                self._count(progress)
                return
            self._line = line
            wait_seconds = self._written_at + _SECONDS_BETWEEN_LINES - self._clock()
            if self._timer is None and wait_seconds > 0:
                self._timer = threading.Timer(wait_seconds, self._write_late)
                self._timer.daemon = True
                self._timer.start()
            elif self._timer is None:
                self._write()

    def close(self) -> None:
        """Write nothing more."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()

    def _write_late(self) -> None:
        with self._lock:
            self._timer = None
            self._write()

    def _count(self, progress: Progress) -> None:
        if progress.total and self._timer is None and self._clock() - self._written_at >= _SECONDS_BETWEEN_COUNTS:
            self._write(f": {_describe_counts(progress)}")

    def _write(self, counts: str = "") -> None:
        self._written_at = self._clock()
        show_error(f"{self._line}{counts}")


def _describe_counts(progress: Progress) -> str:
    if not progress.total:
        return ""
    if progress.stage == "fetching":
        return f"{decimal(progress.done)} of {decimal(progress.total)}"
    return f"{progress.done} of {progress.total}"


class _Console(Console):
    """Rich's console, without its own way to end the process when the reader of its output is gone."""

    def on_broken_pipe(self) -> None:
        """Let the caller clean up and choose the exit status."""
        raise BrokenPipeError


def _write(stream: TextIO, text: str, *, style: str = "") -> None:
    """Write a text that is data throughout: not wrapped, not highlighted, without markup."""
    _Console(file=stream, highlight=False, emoji=False, markup=False).print(Text(clean(text), style=style), soft_wrap=True)


def _to_json(value: Any) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
