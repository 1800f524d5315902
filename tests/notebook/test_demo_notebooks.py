"""The notebooks that are shipped run from top to bottom, and are committed clean."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
DEMOS = sorted(NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.stem)
def test_a_demo_is_committed_without_outputs_and_widget_state(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.outputs for cell in notebook.cells if cell.cell_type == "code" and cell.outputs] == []
    assert "widgets" not in notebook.metadata
    assert notebook.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.stem)
def test_a_demo_runs_from_top_to_bottom(path: Path, model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALLENS_CACHE", str(model_cache))
    monkeypatch.delenv("LOCALLENS_HOME", raising=False)
    shutil.copytree(NOTEBOOKS / "sample", tmp_path / "sample")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(tmp_path)}}).execute()
    asked = [cell for cell in notebook.cells if "locallens ask" in cell.source or cell.source.startswith("%%locallens")]
    assert len(asked) == 3
    for cell in asked:
        assert "Sources:" in cell.outputs[0].data["text/plain"]
        assert "Written by" in cell.outputs[0].data["text/plain"]
