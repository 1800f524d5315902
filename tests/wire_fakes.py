"""What stands in for the page of a widget and for time: messages are kept instead of sent, and a test moves the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import ipywidgets
from comm.base_comm import BaseComm


class Recorder(BaseComm):
    """A comm whose messages are counted instead of sent."""

    messages: ClassVar[list[dict[str, Any]]] = []
    closed: ClassVar[list[str]] = []
    listeners: ClassVar[list[Callable[[], object]]] = []

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any) -> None:
        if msg_type == "comm_close":
            self.closed.append(self.comm_id)
        self.messages.append({"type": msg_type, "data": data, "comm": self.comm_id})
        for listener in self.listeners:
            listener()


@dataclass
class Later:
    """A call that a test makes when its time has come."""

    due: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class FakeTime:
    """A clock that a test moves on."""

    now: float = 1000.0
    waiting: list[Later] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def call_later(self, seconds: float, call: Callable[[], None]) -> Later:
        self.waiting.append(Later(self.now + seconds, call))
        return self.waiting[-1]

    def pass_seconds(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [later for later in self.waiting if not later.cancelled and later.due <= end]:
            first = min(due, key=lambda later: later.due)
            self.waiting.remove(first)
            self.now = max(self.now, first.due)
            first.call()
        self.now = end


def sent(wire: type[Recorder]) -> list[dict[str, Any]]:
    """Return the custom messages to the page, those that went together one by one."""
    contents = [message["data"]["content"] for message in wire.messages if message["data"].get("method") == "custom"]
    return [one for content in contents for one in content.get("messages", [content])]


def say(widget: ipywidgets.Widget, **message: Any) -> None:
    """Say something as the page does."""
    data = {"method": "custom", "content": message}
    widget.comm.handle_msg({"content": {"data": data}, "buffers": []})
