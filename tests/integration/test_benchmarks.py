"""The benchmarks, which the tests do not run, can still be started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = sorted(
    file for file in (Path(__file__).parents[1] / "benchmarks").glob("*.py") if "__main__" in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda script: script.stem)
def test_a_benchmark_says_how_it_is_run(script: Path) -> None:
    result = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stderr
    assert "usage:" in result.stdout
