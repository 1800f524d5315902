"""When the next message may go."""

from __future__ import annotations

import threading

import pytest

from locallens_nb.notebook.pacing import Pace, Pacer, call_in_thread
from tests.wire_fakes import FakeTime

PACE = Pace(least_seconds=1, most_seconds=3, growth_seconds=1)


class Sender:
    """Notes when it sends."""

    def __init__(self, time: FakeTime) -> None:
        self.moments: list[float] = []
        self.pacer = Pacer(self.send, PACE, clock=time.clock, call_later=time.call_later)
        self._time = time

    def send(self) -> None:
        self.moments.append(self._time.now - 1000)
        self.pacer.sent()


@pytest.fixture
def sender(time: FakeTime) -> Sender:
    return Sender(time)


def test_messages_come_less_often_the_longer_an_answer_is_and_often_again_in_the_next(sender: Sender, time: FakeTime) -> None:
    for _ in range(28):
        sender.pacer.request()
        time.pass_seconds(0.5)
    assert sender.moments == [0, 1, 3, 6, 9, 12]
    sender.pacer.restart()
    for _ in range(10):
        sender.pacer.request()
        time.pass_seconds(0.5)
    assert sender.moments[6:] == [15, 16, 18]


def test_what_is_asked_for_while_something_waits_goes_with_it(sender: Sender, time: FakeTime) -> None:
    for _ in range(5):
        sender.pacer.request()
    assert len(time.waiting) == 1
    time.pass_seconds(1)
    assert sender.moments == [0, 1]


def test_a_message_that_went_at_once_takes_what_waited_with_it(sender: Sender, time: FakeTime) -> None:
    sender.pacer.request()
    sender.pacer.request()
    sender.send()
    time.pass_seconds(10)
    assert sender.moments == [0, 0]


def test_a_thread_calls_later_unless_it_is_told_not_to() -> None:
    called = threading.Event()
    cancelled = threading.Event()
    call_in_thread(0.2, cancelled.set).cancel()
    call_in_thread(0.0, called.set)
    assert called.wait(10)
    assert not cancelled.wait(0.3)
