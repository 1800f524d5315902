"""Every test has a home and a cache of its own, and can forbid the network."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest


@pytest.fixture(autouse=True)
def isolated_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's store, cache and settings out of the test; return the folder that holds both."""
    folder = tmp_path_factory.mktemp("isolated")
    monkeypatch.setenv("LOCALLENS_HOME", str(folder / "home"))
    monkeypatch.setenv("LOCALLENS_CACHE", str(folder / "cache"))
    for name in ("CHAT_MODEL", "EMBEDDING_MODEL", "PRECISION", "STRICTNESS", "OFFLINE", "DEBUG"):
        monkeypatch.delenv(f"LOCALLENS_{name}", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    return folder


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """The folder of real weights, kept between runs under names that hold their hashes; LOCALLENS_TEST_CACHE moves it."""
    return Path(os.environ.get("LOCALLENS_TEST_CACHE") or platformdirs.user_cache_path("locallens", appauthor=False))


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the user's cache of hub models."""
    from huggingface_hub import constants

    folder = tmp_path / "hub"
    folder.mkdir()
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder))
    return folder


@pytest.fixture
def no_connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Make every connection and every look-up of a host name raise, and fail the test when one was tried.

    Yields the addresses that were tried: what swallows the error does not hide the attempt.
    """
    tried: list[object] = []

    def refuse(*address: object, **_: object) -> None:
        tried.append(address)
        raise OSError(f"a test that forbids the network tried to reach {address}")

    monkeypatch.setattr(socket.socket, "connect", lambda _self, address: refuse(address))
    monkeypatch.setattr(socket.socket, "connect_ex", lambda _self, address: refuse(address))
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield tried
    assert tried == []
