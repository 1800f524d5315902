"""When the next message may go to the front end: a server drops clients that are sent too many."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Cancellable(Protocol):
    """What :data:`CallLater` returns."""

    def cancel(self) -> None:
        """Do not call any more."""


CallLater = Callable[[float, Callable[[], None]], Cancellable]


def call_in_thread(seconds: float, call: Callable[[], None]) -> Cancellable:
    """Call something later, in a thread that ends with it."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer


@dataclass(frozen=True, slots=True)
class Pace:
    """How often messages may go.

    Attributes
    ----------
    least_seconds
        Between two messages at first.
    most_seconds
        Between two messages in the end.
    growth_seconds
        What each message adds to the time until the next one: a long answer can do with fewer.
    """

    least_seconds: float
    most_seconds: float
    growth_seconds: float


class Pacer:
    """Calls ``send`` at most so often, and after the last request once more, so that nothing stays unsent.

    Parameters
    ----------
    send
        Sends all that waits. It must take the lock that its caller holds while it requests.
    pace
        How often it may.
    clock, call_later
        The time, and how to wait for it.
    """

    def __init__(
        self,
        send: Callable[[], None],
        pace: Pace,
        *,
        clock: Callable[[], float] = time.monotonic,
        call_later: CallLater = call_in_thread,
    ) -> None:
        self._send = send
        self._pace = pace
        self._clock = clock
        self._call_later = call_later
        self._interval = pace.least_seconds
        self._due = 0.0
        self._waiting: Cancellable | None = None

    def request(self) -> None:
        """Send now or as soon as it may be; in the caller's thread, with its lock held."""
        if self._waiting is not None:
            return
        seconds = self._due - self._clock()
        if seconds > 0:
            self._waiting = self._call_later(seconds, self._send)
        else:
            self._send()

    def sent(self, *, least_seconds: float = 0.0) -> None:
        """Note that a message went, with what waited in it, and how long the next one has to wait at least."""
        self.cancel()
        self._due = self._clock() + max(self._interval, least_seconds)
        self._interval = min(self._pace.most_seconds, self._interval + self._pace.growth_seconds)

    def restart(self) -> None:
        """Begin a new answer: messages may come often again."""
        self._interval = self._pace.least_seconds

    def cancel(self) -> None:
        """Send nothing later."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
