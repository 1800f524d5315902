"""Unit tests use the fakes, whose vectors mean nothing: whether excerpts answer a question is not judged by them."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def ask_whatever_was_found(isolated_home: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALLENS_STRICTNESS", "off")
