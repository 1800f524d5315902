"""Work off the kernel's main thread, shown at a pace that a front end can follow, and ended when a person says so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

PACE_SECONDS = 0.12
"""Between two looks at a job: about eight messages a second."""


class WorkCancelledError(BaseException):
    """A person ended a job. No handler of ordinary errors may take it for one, so it is no ``Exception``."""


class DaemonThreads(Executor):
    """Runs each call in a thread of its own that ends with it, and that a kernel which shuts down does not wait for."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Start a call and return its outcome to be."""
        future: Future[Any] = Future()

        def run() -> None:
            try:
                outcome = call(*args, **options)
            except BaseException as error:  # handed over to whoever asks for the result
                future.set_exception(error)
            else:
                future.set_result(outcome)

        threading.Thread(target=run, name="locallens-panel", daemon=True).start()
        return future


class Job:
    """One piece of work, and the pace at which it is shown.

    Parameters
    ----------
    work
        Does it; it should call :meth:`check` now and then.
    show
        Shows how far it is; called from a second thread, as long as the work goes on.
    finish
        Called once, when the work has ended, with the exception that ended it or None.
    pace_seconds
        How long between two calls of ``show``.
    """

    def __init__(
        self,
        work: Callable[[], object],
        *,
        show: Callable[[], object],
        finish: Callable[[BaseException | None], object],
        pace_seconds: float = PACE_SECONDS,
    ) -> None:
        self._work = work
        self._show = show
        self._finish = finish
        self._pace_seconds = pace_seconds
        self._cancel_asked = threading.Event()
        self._ended = threading.Event()
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long ago it was started."""
        return time.monotonic() - self._started

    @property
    def is_cancelled(self) -> bool:
        """Whether a person has asked for its end."""
        return self._cancel_asked.is_set()

    def start(self, executor: Executor) -> None:
        """Begin; returns at once with an executor of threads."""
        self._started = time.monotonic()
        executor.submit(self._run)
        executor.submit(self._pace)

    def cancel(self) -> None:
        """Ask for its end; safe from any thread, and more than once."""
        self._cancel_asked.set()

    def check(self, *_: object) -> None:
        """End the work if that was asked for.

        Raises
        ------
        WorkCancelledError
            When it was.
        """
        if self.is_cancelled:
            raise WorkCancelledError

    def _run(self) -> None:
        failure: BaseException | None = None
        try:
            self._work()
        except BaseException as error:  # the edge of the worker: finish shows it
            failure = error
        try:
            self._finish(failure)
        finally:
            self._ended.set()

    def _pace(self) -> None:
        while not self._ended.wait(self._pace_seconds):
            self._show()
