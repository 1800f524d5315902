"""What the C library is told while a model loads."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from locallens_nb.models import allocation
from locallens_nb.models.allocation import return_freed_memory

KB = 1024


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What glibc is told, in place of telling it."""
    calls: list[tuple[int, int]] = []
    library = SimpleNamespace(mallopt=lambda option, value: calls.append((option, value)))
    monkeypatch.setattr(allocation.sys, "platform", "linux")
    monkeypatch.setattr(allocation.ctypes, "CDLL", lambda _name: library)
    return calls


def test_pieces_go_back_at_once_within_the_block_and_as_glibc_has_it_after(told: list[tuple[int, int]]):
    with return_freed_memory():
        assert told == [(-3, 128 * KB)]
    assert told[1:] == [(-3, 32 * KB * KB)]


def test_an_error_in_the_block_passes_and_everything_is_as_it_was(told: list[tuple[int, int]]):
    with pytest.raises(MemoryError), return_freed_memory():
        raise MemoryError
    assert len(told) == 2


def test_another_c_library_is_left_alone(told: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(allocation.ctypes, "CDLL", lambda _name: SimpleNamespace())
    with return_freed_memory():
        pass
    assert told == []


def test_another_system_is_left_alone(told: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(allocation.sys, "platform", "win32")
    with return_freed_memory():
        pass
    assert told == []
