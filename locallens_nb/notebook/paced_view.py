"""What every view of a conversation keeps: its turns, whom it tells what the person does, and when it may send."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from locallens_nb.notebook.pacing import CallLater, Pace, Pacer


class PacedTurn(Protocol):
    """One turn, as far as every view has the same of it."""

    @property
    def unsent(self) -> list[str]:
        """What has been written and not been shown yet."""


_T = TypeVar("_T", bound=PacedTurn)


class PacedView(ABC, Generic[_T]):
    """The common part of the views; each adds how it shows things, in :meth:`_flush` for what may wait.

    A lock keeps the threads apart: every method may be called from any.

    Parameters
    ----------
    pace
        How often it may send.
    clock, call_later
        The time, and how to wait for it.
    """

    def __init__(self, pace: Pace, *, clock: Callable[[], float], call_later: CallLater) -> None:
        self._lock = threading.RLock()
        self._turns: dict[int, _T] = {}
        self._latest_number = 0
        self._status = ""
        self._busy = False
        self._closed = False
        self._pacer = Pacer(self._flush, pace, clock=clock, call_later=call_later)
        self._send_question: Callable[[str], object] = lambda _: None
        self._stop: Callable[[], object] = lambda: None
        self._act: Callable[[str, int], object] = lambda *_: None

    def on_send(self, call: Callable[[str], None]) -> None:
        """Set what is called with each question."""
        self._send_question = call

    def on_stop(self, call: Callable[[], None]) -> None:
        """Set what is called when the person wants no more of an answer."""
        self._stop = call

    def on_action(self, call: Callable[[str, int], None]) -> None:
        """Set what is called when something was done with an answer, where the view offers that."""
        self._act = call

    def show_status(self, text: str) -> None:
        """Say what is being done; an empty text says nothing."""
        with self._lock:
            self._status = text
            self._pacer.request()

    def append_text(self, turn: int, delta: str) -> None:
        """Show more of an answer, as soon as that may be sent."""
        with self._lock:
            if (shown := self._turns.get(turn)) and delta:
                shown.unsent.append(delta)
                self._pacer.request()

    def _add_turn(self, turn: _T) -> int:
        """Keep a new turn and return its number (with the lock held)."""
        self._latest_number += 1
        self._turns[self._latest_number] = turn
        self._pacer.restart()
        return self._latest_number

    @abstractmethod
    def _flush(self) -> None:
        """Show all that waits, and tell the pacer."""
