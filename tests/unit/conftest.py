"""Unit tests use the fakes, whose vectors mean nothing: whether excerpts answer a question is not judged by them."""

from __future__ import annotations

from collections.abc import Iterator

import comm
import pytest

from tests.wire_fakes import FakeTime, Recorder


@pytest.fixture(autouse=True)
def ask_whatever_was_found(isolated_home: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALLENS_STRICTNESS", "off")


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Recorder]]:
    monkeypatch.setattr(comm, "create_comm", Recorder)
    Recorder.messages, Recorder.closed, Recorder.listeners = [], [], []
    yield Recorder
    Recorder.listeners = []


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()
