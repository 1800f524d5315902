"""The notebooks that are shipped run from top to bottom, say what is true, and are committed clean."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
DEMOS = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
PACKAGED_CHAT_MODEL = {"01-quickstart"}
"""Answered by the language model that needs no hub; in the others quotes answer, in a fraction of the time."""

RunDemo = Callable[[str], list[Any]]


@pytest.fixture(scope="module")
def run_demo(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> RunDemo:
    """Run a notebook once, in a folder of its own that holds the sample too; return its code cells."""

    @cache
    def run(name: str) -> list[Any]:
        folder = tmp_path_factory.mktemp("demo")
        shutil.copytree(NOTEBOOKS / "sample", folder / "sample")
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LOCALLENS_CACHE", str(model_cache))
            patch.setenv("LOCALLENS_CHAT_MODEL", "auto" if name in PACKAGED_CHAT_MODEL else "quotes")
            patch.delenv("LOCALLENS_HOME", raising=False)
            patience = {"timeout": 900, "startup_timeout": 300, "iopub_timeout": 300}
            NotebookClient(notebook, **patience, resources={"metadata": {"path": str(folder)}}).execute()
        left = {path.name for path in folder.iterdir()}
        assert left <= {"sample", ".locallens"}
        return [cell for cell in notebook.cells if cell.cell_type == "code"]

    return run


def cells_with(cells: list[Any], words: str) -> list[Any]:
    found = [cell for cell in cells if words in cell.source]
    assert found, words
    return found


def text_of(cell: Any) -> str:
    """Return all that a cell shows, as plain text."""
    parts = [output.text if output.output_type == "stream" else output.data["text/plain"] for output in cell.outputs]
    return "\n".join(parts)


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_is_committed_without_outputs_and_widget_state(name: str) -> None:
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.source for cell in code if cell.outputs or cell.execution_count is not None] == []
    assert "widgets" not in notebook.metadata
    assert notebook.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_links_only_to_notebooks_that_exist(name: str) -> None:
    text = (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    linked = {part.split(")")[0] for part in text.split("](")[1:]}
    assert {link for link in linked if not (NOTEBOOKS / link).is_file()} == set()


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_runs_from_top_to_bottom(name: str, run_demo: RunDemo) -> None:
    cells = run_demo(name)
    assert [cell.source for cell in cells if cell.execution_count is None] == []
    assert [output for cell in cells for output in cell.outputs if output.get("name") == "stderr"] == []


def test_the_quickstart_answers_at_once_and_names_its_sources(run_demo: RunDemo) -> None:
    cells = run_demo("01-quickstart")
    asked = [cell for cell in cells if "locallens ask" in cell.source or cell.source.startswith("%%locallens")]
    assert asked[0] is cells[1]
    assert len(asked) == 3
    for cell in asked:
        assert "Sources:" in text_of(cell)
        assert "Written by qwen2.5-coder-0.5b-instruct" in text_of(cell)
    assert "38,000" in text_of(asked[0])
    assert "field/instruments/equipment-inventory.csv" in text_of(asked[2])


def test_the_panel_is_shown_with_its_conversation_as_text_beside_it(run_demo: RunDemo) -> None:
    (cell,) = cells_with(run_demo("02-panel"), "locallens_nb.panel()")
    assert "application/vnd.jupyter.widget-view+json" in cell.outputs[0].data
    assert [output.data["text/plain"] for output in cell.outputs][1] == "LocalLens: nothing was asked yet."


def test_your_own_folder_shows_what_was_skipped_and_what_was_left_alone(run_demo: RunDemo) -> None:
    (indexed,) = cells_with(run_demo("03-your-own-folder"), "index demo-notes")
    shown = text_of(indexed)
    assert "Indexed 'demo-notes': 6 files" in shown
    assert "empty.txt: empty" in shown
    assert "photo.jpg: unsupported file type .jpg" in shown
    assert "monday.md" not in shown


def test_your_own_folder_answers_from_the_changed_file_after_a_refresh(run_demo: RunDemo) -> None:
    cells = run_demo("03-your-own-folder")
    before, after = (text_of(cell) for cell in cells_with(cells, "ask Who orders the parts"))
    assert "Caetano" in before
    assert "Yara" in after
    assert "Caetano" not in after
    assert "30" in text_of(cells_with(cells, "How many flares")[0])
    (changes,) = cells_with(cells, "summary.added")
    assert text_of(changes) == (
        "{'added': ('visitors.md',),\n 'changed': ('boat.md',),\n 'removed': ('alarm.toml',),\n 'embedded': 2}"
    )


def test_your_own_folder_embeds_nothing_when_a_file_only_moves(run_demo: RunDemo) -> None:
    (moved,) = cells_with(run_demo("03-your-own-folder"), "visitors-june.md")
    assert moved.outputs[-1].data["text/plain"] == "0"


def test_from_python_gives_tables_and_one_plot(run_demo: RunDemo) -> None:
    cells = run_demo("04-from-python")
    tables = [cell for cell in cells if any("text/html" in output.get("data", {}) for output in cell.outputs)]
    assert len(tables) == 8
    plots = [output for cell in cells for output in cell.outputs if "image/png" in output.get("data", {})]
    assert len(plots) == 1
    assert "07:40" in text_of(cells_with(cells, "print(answer.answer)")[0])
    (sources,) = cells_with(cells, 'sources["used"]')[:1]
    assert "True" in text_of(sources)
    assert "handbook/station-handbook.md" in text_of(sources)


def test_from_python_says_which_question_has_no_answer(run_demo: RunDemo) -> None:
    (cell,) = cells_with(run_demo("04-from-python"), "swimming pool")
    table = re.findall(r"<td>(.*?)</td>", cell.outputs[-1].data["text/html"], re.DOTALL)
    *answered, unanswerable = table[2::3]
    assert answered == [""] * 4
    assert unanswerable in {"evidence", "model", "support"}


def test_models_and_memory_names_the_model_and_what_was_waited_for(run_demo: RunDemo) -> None:
    cells = run_demo("05-models-and-memory")
    listed = text_of(cells_with(cells, "%locallens models")[0])
    assert [line.split()[0] for line in listed.splitlines()[1:5]] == [
        "Qwen/Qwen3-1.7B",
        "Qwen/Qwen3-0.6B",
        "qwen2.5-coder-0.5b-instruct",
        "quotes",
    ]
    assert text_of(cells_with(cells, "print(answer.model)")[0]) == "quotes\nNo other model was tried before it.\n"
    (again,) = cells_with(cells, "again = ")
    assert re.fullmatch(r"waiting for models: [\d.]+ s, then [\d.]+ s\n", again.outputs[-1].text)
    assert "Written by quotes." in text_of(cells_with(cells, 'chat_model = "quotes"')[0])
