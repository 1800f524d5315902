"""Other libraries fetch nothing from the model hub that nobody asked for, tried in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from locallens_nb.errors import ModelUnavailableError
from locallens_nb.models import conversion

LIMIT_SECONDS = 120
LOADED = "loaded"
KERNELS = f"""
from pathlib import Path
Path(__file__).with_name("{LOADED}").touch()
def get_kernel(*_, **__): raise OSError("no hub in a test")
"""
"""A package in place of the one that fetches kernels from the hub and runs them."""


def test_the_real_bitsandbytes_does_not_reach_the_package_that_fetches_kernels(tmp_path: Path):
    (tmp_path / "kernels.py").write_text(KERNELS, encoding="utf-8")
    program = "from locallens_nb.models.devices import has_fused_4bit_kernel; has_fused_4bit_kernel()"
    subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(tmp_path)}, timeout=LIMIT_SECONDS, check=True
    )
    assert not (tmp_path / LOADED).exists()


def test_a_gguf_file_is_converted_in_a_process_that_is_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import os; from pathlib import Path\n"
        "Path(__file__).with_name('offline').write_text(os.environ.get('HF_HUB_OFFLINE', ''))\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    source = tmp_path / "model.gguf"
    source.write_bytes(b"no model")
    with pytest.raises(ModelUnavailableError, match=r"model\.gguf cannot be converted: "):
        conversion.convert_gguf(source, tmp_path / "cache" / "model")
    assert (tmp_path / "offline").read_text(encoding="utf-8") == "1"
    assert list((tmp_path / "cache").iterdir()) == []
