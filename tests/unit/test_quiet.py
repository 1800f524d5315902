"""What other libraries may not do while LocalLens uses them."""

from __future__ import annotations

import importlib
import logging
import sys
from pathlib import Path

import pytest
from transformers.utils import logging as transformers_logging

from locallens_nb.models.quiet import import_bitsandbytes, quiet_transformers

BITSANDBYTES = """
import logging
try:
    from kernels import get_kernel
    get_kernel("kernels-community/quantization-bitsandbytes", version=1)
except Exception:
    logging.getLogger("bitsandbytes").warning("Please make sure you already `pip install kernels`")
"""
"""What the import of the real one does on processors that multiply 4-bit weights."""

KERNELS = """
fetched = []
def get_kernel(repository, *, version):
    fetched.append(repository)
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for packages of the test's own, in place of those that are installed and loaded."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] in {"bitsandbytes", "kernels"}]:
        monkeypatch.delitem(sys.modules, name)
    yield tmp_path
    for name in ("bitsandbytes", "kernels"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("is_loaded", [False, True], ids=["not yet imported", "imported before"])
def test_bitsandbytes_fetches_no_kernel_when_it_is_imported(packages: Path, is_loaded: bool):
    packages.joinpath("bitsandbytes.py").write_text(BITSANDBYTES, encoding="utf-8")
    packages.joinpath("kernels.py").write_text(KERNELS, encoding="utf-8")
    before = importlib.import_module("kernels") if is_loaded else None
    assert import_bitsandbytes() is True
    assert sys.modules.get("kernels") is before
    assert importlib.import_module("kernels").fetched == []


def test_the_advice_of_bitsandbytes_is_not_shown(packages: Path, caplog: pytest.LogCaptureFixture):
    packages.joinpath("bitsandbytes.py").write_text(BITSANDBYTES, encoding="utf-8")
    assert import_bitsandbytes() is True
    assert caplog.messages == []
    assert logging.getLogger("bitsandbytes").level == logging.NOTSET


def test_where_bitsandbytes_is_broken_the_error_goes_through_and_nothing_stays_hidden(packages: Path):
    packages.joinpath("bitsandbytes.py").write_text("raise OSError('no library')", encoding="utf-8")
    packages.joinpath("kernels.py").write_text(KERNELS, encoding="utf-8")
    with pytest.raises(OSError, match="no library"):
        import_bitsandbytes()
    assert importlib.import_module("kernels").fetched == []


def test_where_bitsandbytes_is_not_installed_nothing_is_imported(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert import_bitsandbytes() is False


def test_the_weights_are_counted_as_they_load_and_no_other_bar_is():
    seen: list[tuple[int, int]] = []
    with quiet_transformers(lambda done, total: seen.append((done, total))):
        assert list(transformers_logging.tqdm({"a": 1, "b": 2}.items(), desc="Loading weights")) == [("a", 1), ("b", 2)]
        assert list(transformers_logging.tqdm([1, 2, 3], desc="Writing model shards")) == [1, 2, 3]
    assert seen == [(0, 2), (1, 2)]
    assert list(transformers_logging.tqdm([1], desc="Loading weights")) == [1]
    assert seen == [(0, 2), (1, 2)]
    assert transformers_logging.set_tqdm_hook(None) is None
