"""What a person is told while they wait: what is being done, how far it is, and how long it may take. Plain text."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.filesize import decimal

from locallens_nb.domain import Progress

_NAMES = {
    "fetching": "Fetching",
    "converting": "Converting",
    "loading": "Loading",
    "reading": "Reading",
    "chunking": "Cutting into chunks",
    "embedding": "Embedding",
    "saving": "Saving",
    "answering": "Reading",
    "done": "Done",
}
_LEAST_SECONDS_FOR_A_RATE = 1.0


def describe_progress(progress: Progress) -> str:
    """Return what is being done and how far it is."""
    name = _NAMES[progress.stage]
    if progress.stage == "answering":
        return f"{name} {progress.detail.removeprefix('from ')}"
    if not progress.total:
        return f"{name} {progress.detail}".strip()
    percent = f"{100 * min(progress.done, progress.total) // progress.total} %"
    if progress.stage == "fetching":
        return f"{name} {progress.detail} … {percent} of {decimal(progress.total)}"
    return f"{name} {progress.detail} … {percent}"


def describe_seconds(seconds: float) -> str:
    """Return a length of time in words."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


class IndexingProgress:
    """How far the indexing of a folder is, from the reports of the workflow.

    Parameters
    ----------
    clock
        Tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._latest: Progress | None = None
        self._embedding_since = 0.0
        self._embedded_before = 0
        self._embedded_at = 0.0

    def report(self, progress: Progress) -> None:
        """Take a report; usable as ``on_progress``, from any thread."""
        if progress.stage == "embedding":
            self._embedded_at = self._clock()
            if self._latest is None or self._latest.stage != "embedding":
                self._embedding_since, self._embedded_before = self._embedded_at, progress.done
        self._latest = progress

    @property
    def share(self) -> float | None:
        """How much of the present stage is done, from 0 to 1; None when that is not known."""
        latest = self._latest
        if latest is None or not latest.total:
            return None
        return min(latest.done, latest.total) / latest.total

    def describe(self) -> str:
        """Return the stage with its file, and with its speed and the time that is left once they are known."""
        latest = self._latest
        if latest is None:
            return "Starting …"
        if not latest.total:
            return f"{describe_progress(latest)} …"
        if latest.stage == "fetching":
            return describe_progress(latest)
        unit = "chunks" if latest.stage == "embedding" else "files"
        line = f"{_NAMES[latest.stage]}: {latest.done:,} of {latest.total:,} {unit}"
        if latest.stage == "embedding":
            return " · ".join([line, *self._describe_speed(latest), latest.detail])
        return f"{line} · {latest.detail}"

    def _describe_speed(self, latest: Progress) -> list[str]:
        seconds = self._embedded_at - self._embedding_since
        embedded = latest.done - self._embedded_before
        if seconds < _LEAST_SECONDS_FOR_A_RATE or embedded <= 0:
            return []
        rate = embedded / seconds
        left = (latest.total - latest.done) / rate - (self._clock() - self._embedded_at)
        speed = f"{rate:.0f} chunks/s" if rate >= 10 else f"{rate:.1f} chunks/s"
        return [speed, f"about {describe_seconds(max(left, 1))} left"]
