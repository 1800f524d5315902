"""The magic in a real kernel, driven through nbclient, with SmolLM2-135M writing the answers."""

from __future__ import annotations

import asyncio
import html
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

SAMPLE = Path(__file__).parents[2] / "notebooks" / "sample"
QUESTION = "How much luggage am I allowed to take on the ferry?"


class Kernel(NotebookClient):
    """Runs one cell after the other, keeps what the kernel sent and when, and can interrupt it at a moment."""

    def start(self, stack: Any) -> None:
        self.sent: list[tuple[float, str, dict[str, Any]]] = []
        self.interrupt_when: Callable[[str], bool] | None = None
        stack.enter_context(self.setup_kernel())

    def run(self, source: str) -> list[Any]:
        self.sent.clear()
        cell = nbformat.v4.new_code_cell(source)
        self.nb.cells.append(cell)
        self.execute_cell(cell, len(self.nb.cells) - 1)
        return cell.outputs

    def fail(self, source: str) -> CellExecutionError:
        with pytest.raises(CellExecutionError) as failure:
            self.run(source)
        return failure.value

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        self.sent.append((time.monotonic(), msg["msg_type"], msg["content"]))
        text = read_text(msg["content"].get("data", {}))
        if self.interrupt_when and self.interrupt_when(text):
            self.interrupt_when = None
            self.interrupting = asyncio.ensure_future(self.km.interrupt_kernel())
        return super().process_message(msg, cell, cell_index)

    @property
    def shown(self) -> list[str]:
        kinds = {"display_data", "update_display_data"}
        return [read_text(content["data"]) for _, kind, content in self.sent if kind in kinds]


def read_text(bundle: dict[str, str]) -> str:
    """Return what a person reads of an output as front ends show it."""
    return html.unescape(re.sub("<[^>]*>", "", bundle.get("text/html", ""))).strip()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("kernel")
    chosen = {
        "LOCALLENS_HOME": str(folder / ".locallens"),
        "LOCALLENS_CACHE": str(model_cache),
        "LOCALLENS_CHAT_MODEL": "smollm2-135m-instruct",
        "LOCALLENS_STRICTNESS": "off",  # what is shown is tested here, not what can be answered
    }
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        for name, value in chosen.items():
            patch.setenv(name, value)
        kernel = Kernel(
            nbformat.v4.new_notebook(), timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        kernel.start(stack)
        kernel.run("%load_ext locallens_nb")
        kernel.run(f"%locallens index {SAMPLE} --name sample")
        yield kernel


def test_indexing_ends_in_one_output_that_says_what_was_done(kernel: Kernel) -> None:
    kernel.run("%locallens delete sample")
    (output,) = kernel.run(f"%locallens index {SAMPLE} --name sample")
    assert output.output_type == "display_data"
    assert output.data["text/plain"].startswith("Indexed 'sample': 19 files, ")


def test_an_answer_streams_into_one_output_and_stays_in_every_form(kernel: Kernel) -> None:
    (output,) = kernel.run(f"%locallens ask {QUESTION}")
    above = [text.partition("Found in your files")[0].strip() for text in kernel.shown]
    assert "" in above  # the quotations alone
    *partial, whole = [text for text in above if text and not text.endswith("…") and "loading" not in text]
    assert len(partial) >= 3
    written = [text.removesuffix("▍").rstrip() for text in partial]
    assert all(later.startswith(earlier) for earlier, later in pairwise(written))
    assert whole.startswith(written[-1])
    times = [moment for moment, kind, _ in kernel.sent if kind == "update_display_data"]
    assert times[-1] - times[0] > 0.2
    assert set(output.data) == {"text/html", "text/markdown", "text/plain"}
    assert "<details><summary>[1] handbook/station-handbook.md:" in output.data["text/html"]
    assert "[1] handbook/station-handbook.md:" in output.data["text/plain"]
    assert "<details><summary>[1] handbook/station-handbook.md:" in output.data["text/markdown"]
    assert "Written by smollm2-135m-instruct" in output.data["text/plain"]


def test_an_assigned_answer_is_an_object_and_is_shown_once(kernel: Kernel) -> None:
    outputs = kernel.run(f"answer = %locallens ask {QUESTION}")
    assert [output.output_type for output in outputs] == ["display_data"]
    (shown,) = kernel.run("answer")
    assert shown.data["text/markdown"] == outputs[0].data["text/markdown"]
    (printed,) = kernel.run("print(type(answer).__name__, len(answer.citations + answer.also_read), answer.question)")
    assert re.fullmatch(rf"ChatAnswer [1-5] {re.escape(QUESTION)}\n", printed.text)


def test_an_interrupt_stops_the_model_and_the_next_question_works(kernel: Kernel) -> None:
    kernel.run("from locallens_nb.models import chat; before = set(map(id, chat._running))")
    kernel.interrupt_when = lambda text: len(text.partition("▍")[0].split()) > 3 and "▍" in text
    failure = kernel.fail("%locallens ask Tell me everything about the station, in as many words as you can.")
    assert (failure.ename, failure.evalue) == ("StoppedByPersonError", "Stopped.")
    assert "Stopped before its end." in kernel.nb.cells[-1].outputs[0].data["text/plain"]
    (printed,) = kernel.run("print([g.wait(10) and g.answer_tokens < 100 for g in chat._running if id(g) not in before])")
    assert printed.text in {"[True]\n", "[]\n"}
    (output,) = kernel.run(f"%locallens ask {QUESTION}")
    assert "[1] handbook/station-handbook.md" in output.data["text/plain"]
    assert "Written by smollm2-135m-instruct" in output.data["text/plain"]


def test_an_interrupt_while_indexing_leaves_no_half_brain_and_keeps_what_was_embedded(kernel: Kernel) -> None:
    kernel.run("import pathlib, random; random.seed(5); words = [f'w{n}' for n in range(3000)]")
    kernel.run(
        "pathlib.Path('big').mkdir(exist_ok=True)\n"
        "for n in range(60): pathlib.Path(f'big/{n}.txt').write_text('\\n\\n'.join("
        "' '.join(random.choices(words, k=60)) for _ in range(8)))"
    )
    kernel.interrupt_when = lambda text: "embedding" in text and " 0 %" not in text
    failure = kernel.fail("%locallens index big")
    assert failure.evalue.startswith("Stopped. What was embedded is kept")
    assert kernel.nb.cells[-1].outputs[0].data["text/plain"] == "Nothing was indexed."
    (listing,) = kernel.run("%locallens brains")
    assert "big" not in listing.data["text/plain"].split()
    kernel.run("%locallens index big")
    totals = [text for text in kernel.shown if "embedding" in text]
    assert kernel.run("%locallens brains")[0].data["text/plain"].split().count("big") == 1
    assert totals


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ask --brain nobody what is this?", "LocalLens: No brain is called 'nobody'. Brains here: "),
        ("ask ", "LocalLens: The question is empty."),
        ("index nowhere", "LocalLens: Folder not found: "),
        (f"index {SAMPLE} --name sample", "LocalLens: A brain called 'sample' exists already."),
        ("delete nobody", "LocalLens: No brain is called 'nobody'."),
        ("use nobody", "LocalLens: No brain is called 'nobody'."),
    ],
)
def test_bad_input_gets_one_clean_line(kernel: Kernel, line: str, message: str) -> None:
    kernel.run("%locallens use sample")
    kernel.fail(f"%locallens {line}")
    error = kernel.nb.cells[-1].outputs[-1]
    assert len(error.traceback) == 1
    assert error.traceback[0].startswith(message)


def test_an_empty_folder_is_named(kernel: Kernel) -> None:
    kernel.run("import pathlib; pathlib.Path('empty').mkdir(exist_ok=True)")
    kernel.fail("%locallens index empty")
    (line,) = kernel.nb.cells[-1].outputs[-1].traceback
    assert line.startswith("LocalLens: There is nothing to index in 'empty'")


def test_an_exception_in_the_model_is_shown_with_what_had_come_and_the_next_question_works(kernel: Kernel) -> None:
    kernel.run(
        "model = get_ipython().magics_manager.registry['LocalLensMagics'].app._models.chat_model().model._model\n"
        "calls = []\n"
        "def fail(*_):\n"
        "    calls.append(1)\n"
        "    if len(calls) == 8: raise RuntimeError('the device went away')\n"
        "hook = model.get_decoder().layers[2].register_forward_pre_hook(fail)"
    )
    kernel.fail(f"%locallens ask {QUESTION}")
    outputs = kernel.nb.cells[-1].outputs
    assert "the device went away" in outputs[-1].traceback[0]
    assert len(outputs[-1].traceback) == 1
    assert "handbook/station-handbook.md:" in outputs[0].data["text/plain"]
    kernel.run("hook.remove()")
    (answered,) = kernel.run(f"%locallens ask {QUESTION}")
    assert "handbook/station-handbook.md:" in answered.data["text/plain"]
    assert "Cut off" not in answered.data["text/plain"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "%locallens index PATH"),
        ("help", "%locallens index PATH"),
        ("brains", "sample"),
        ("use sample", "Questions now go to 'sample'."),
        ("status", "brain in use"),
        ("models", "qwen2.5-coder-0.5b-instruct"),
        ("search How many litres does the cistern hold?", "handbook/station-handbook.md"),
        ("refresh sample", "0 added, 0 changed, 0 removed; 0 chunks embedded."),
    ],
)
def test_each_command_answers_in_html_markdown_and_plain_text(kernel: Kernel, line: str, words: str) -> None:
    (output,) = kernel.run(f"%locallens {line}")
    assert set(output.data) == {"text/html", "text/markdown", "text/plain"}
    assert words in output.data["text/plain"]
    assert words in html.unescape(output.data["text/html"])


def test_the_doctor_finds_this_machine_usable(kernel: Kernel) -> None:
    findings = kernel.run("%locallens doctor")[0].data["text/plain"]
    assert "Python" in findings
