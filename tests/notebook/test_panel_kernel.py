"""The panel in a real kernel, clicked with the messages that a front end sends; scripted models write the answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from jupyter_client import BlockingKernelClient, KernelManager

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS = 60.0
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

SETUP = f"""
import sys, threading, time
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
import locallens_nb
from locallens_nb.locallens import LocalLensApp
from locallens_nb.notebook.session import SESSION
from locallens_nb.settings import Settings
from tests.fakes import FakeModels, Script, ScriptedChatModel

class PacedModel(ScriptedChatModel):
    seconds = 0.002

    def generate(self, request):
        generation = super().generate(request)
        pieces = generation._pieces

        def paced():
            for piece in pieces:
                yield piece
                time.sleep(self.seconds)

        generation._pieces = paced()
        return generation

Path('notes').mkdir()
Path('notes/water.md').write_text('The cistern holds 4,000 litres of water.')
words = [f'{{word}} ' for n in range(250) for word in f'The cistern of house number{{n}} holds 4,000 litres.'.split()]
models = FakeModels(chat=PacedModel(Script(words)))
app = LocalLensApp(Settings(strictness="off"), models=models)
app.create_brain_from_folder(name='notes', folder_path='notes')
before = set(threading.enumerate())

def new_threads():
    found = set(threading.enumerate()) - before
    # The kernel's own: pyzmq starts one with the first large message.
    return [one.name for one in found if not one.name.startswith('tqdm') and type(one).__name__ != 'GarbageCollectorThread']
"""


class Kernel:
    """Runs cells as JupyterLab does, with the id of the cell, and keeps every message that comes back."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self._client = client
        self._said = 0
        self.messages: list[dict[str, Any]] = []

    def run(self, code: str, *, cell_id: str = "cell") -> list[dict[str, Any]]:
        """Run a cell to its end and return the messages that belong to it."""
        message = self._client.session.msg("execute_request", {"code": code, "silent": False}, metadata={"cellId": cell_id})
        self._client.shell_channel.send(message)
        run_id = message["header"]["msg_id"]

        def is_idle(sent: dict[str, Any]) -> bool:
            own = sent["parent_header"].get("msg_id") == run_id
            return own and sent["msg_type"] == "status" and sent["content"]["execution_state"] == "idle"

        self.wait_for(is_idle)
        found = [sent for sent in self.messages if sent["parent_header"].get("msg_id") == run_id]
        assert [sent["content"] for sent in found if sent["msg_type"] == "error"] == []
        return found

    def value(self, expression: str) -> str:
        printed = [sent["content"]["text"] for sent in self.run(f"print({expression})") if sent["msg_type"] == "stream"]
        return "".join(printed).strip()  # a kernel may send the end of a line by itself

    def wait_for(self, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read messages until the one that is waited for."""
        limit = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < limit:
            try:
                sent = self._client.get_iopub_msg(timeout=1)
            except Empty:
                continue
            sent["at"] = time.monotonic()
            self.messages.append(sent)
            if is_it(sent):
                return sent
        latest = [(sent["msg_type"], kind_of(sent)) for sent in self.messages[-20:]]
        raise AssertionError(f"the message that the test waits for did not come; the latest are {latest}")

    def say(self, comm_id: str, content: dict[str, Any]) -> None:
        """Send what the browser side of a widget sends, under a number of its own."""
        self._said += 1
        data = {"method": "custom", "content": {**content, "id": self._said}}
        self._client.shell_channel.send(self._client.session.msg("comm_msg", {"comm_id": comm_id, "data": data}))

    def conversation(self) -> str:
        """Return the comm of the newest conversation."""
        opened = [sent["content"] for sent in self.messages if sent["msg_type"] == "comm_open"]
        return str([one["comm_id"] for one in opened if one["data"]["state"].get("_esm")][-1])


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("panel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCALLENS_HOME", str(folder / ".locallens"))
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel(cwd=str(folder))
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=LIMIT_SECONDS)
        kernel = Kernel(client)
        kernel.run(SETUP)
        yield kernel
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def kind_of(sent: dict[str, Any]) -> str:
    return str(sent["content"].get("data", {}).get("content", {}).get("kind", "")) if sent["msg_type"] == "comm_msg" else ""


def is_kind(kind: str) -> Callable[[dict[str, Any]], bool]:
    return lambda sent: kind_of(sent) == kind


def show_panel(kernel: Kernel, cell_id: str = "panel") -> str:
    kernel.run("p = locallens_nb.panel(app); p", cell_id=cell_id)
    return kernel.conversation()


def ask(kernel: Kernel, comm: str, question: str = "How many litres does the cistern hold?") -> None:
    kernel.say(comm, {"kind": "send", "text": question})


def test_the_cell_shows_the_panel_and_the_conversation_as_text(kernel: Kernel) -> None:
    sent = kernel.run("p = locallens_nb.panel(app); p", cell_id="panel")
    shown = [one["content"] for one in sent if one["msg_type"] == "display_data"]
    assert [set(one["data"]) for one in shown] == [{WIDGET_VIEW, "text/html", "text/plain"}, {"text/html", "text/plain"}]
    assert shown[1]["data"]["text/plain"] == "LocalLens: nothing was asked yet."
    assert [one["msg_type"] for one in sent if one["msg_type"] == "execute_result"] == []


def test_an_answer_never_lands_in_the_cell_that_runs_meanwhile_and_is_whole(kernel: Kernel) -> None:
    comm = show_panel(kernel)
    ask(kernel, comm)
    kernel.wait_for(is_kind("evidence"))
    outputs = [one for one in kernel.run("print(1)", cell_id="other") if one["msg_type"] in {"stream", "display_data", "error"}]
    assert [one["content"].get("text") for one in outputs] == ["1\n"]
    answer = kernel.wait_for(is_kind("answer"))["content"]["data"]["content"]
    assert all(f"number{number} " in answer["html"] for number in range(250))
    stays = kernel.wait_for(lambda sent: sent["msg_type"] == "update_display_data")
    assert "number249" in stays["content"]["data"]["text/plain"]
    assert "water.md" in stays["content"]["data"]["text/html"]


def test_two_thousand_tokens_are_few_messages_and_less_than_a_megabyte(kernel: Kernel) -> None:
    comm = show_panel(kernel)
    kernel.messages.clear()
    started = time.monotonic()
    ask(kernel, comm)
    kernel.wait_for(lambda sent: sent["msg_type"] == "update_display_data")
    seconds = time.monotonic() - started
    size_bytes = sum(len(json.dumps(sent["content"])) for sent in kernel.messages)
    print(f"{len(kernel.messages)} messages, {size_bytes} bytes, {seconds:.1f} s")
    assert len(kernel.messages) <= 20 + 20 * seconds
    assert size_bytes < 1_000_000


def test_two_thousand_tokens_of_the_magic_are_few_messages_and_less_than_a_megabyte(kernel: Kernel) -> None:
    kernel.run("%load_ext locallens_nb\nget_ipython().magics_manager.registry['LocalLensMagics']._app = app")
    started = time.monotonic()
    sent = [one for one in kernel.run("%locallens ask How many litres does the cistern hold?") if "data" in one["content"]]
    seconds = time.monotonic() - started
    size_bytes = sum(len(json.dumps(one["content"])) for one in sent)
    print(f"{len(sent)} messages, {size_bytes} bytes, {seconds:.1f} s")
    assert len(sent) <= 20 + 20 * seconds
    assert size_bytes < 1_000_000
    assert "number249" in sent[-1]["content"]["data"]["text/markdown"]
    assert [set(one["content"]["data"]) for one in sent[:-1]] == [{"text/html", "text/plain"}] * (len(sent) - 1)
    kernel.run("get_ipython().magics_manager.registry['LocalLensMagics']._app = None")


def test_a_stop_is_handled_while_the_model_runs_and_the_next_question_works(kernel: Kernel) -> None:
    comm = show_panel(kernel)
    kernel.run("PacedModel.seconds = 0.02")
    ask(kernel, comm)
    kernel.wait_for(is_kind("text"))
    clicked = time.monotonic()
    kernel.say(comm, {"kind": "stop"})
    free = kernel.wait_for(lambda sent: kind_of(sent) == "busy" and not sent["content"]["data"]["content"]["busy"])
    assert free["at"] - clicked < 1
    kernel.wait_for(is_kind("answer"))
    assert int(kernel.value("models.chat.generations[-1].pieces_after_stop")) <= 1
    assert int(kernel.value("models.chat.generations[-1].answer_tokens")) < 2000
    kernel.run("PacedModel.seconds = 0.0")
    ask(kernel, comm)
    answer = kernel.wait_for(is_kind("answer"))["content"]["data"]["content"]
    assert "number249" in answer["html"]


def test_running_the_cell_again_closes_the_panel_before_and_leaves_no_thread(kernel: Kernel) -> None:
    comm = show_panel(kernel)
    kernel.run("PacedModel.seconds = 0.02")
    ask(kernel, comm)
    kernel.wait_for(is_kind("text"))
    kernel.run("first = p")
    generations = int(kernel.value("len(models.chat.generations)"))
    show_panel(kernel)
    assert kernel.value("first is p, first._closed, p._closed") == "False True False"
    kernel.run("limit = time.monotonic() + 20\nwhile (left := new_threads()) and time.monotonic() < limit: time.sleep(0.05)")
    assert kernel.value("left") == "[]"
    assert kernel.value("models.chat.generations[-1].is_stopped") == "True"
    assert int(kernel.value("len(models.chat.generations)")) == generations
    kernel.run("q = locallens_nb.panel(app)", cell_id="another")
    assert kernel.value("p._closed, q._closed") == "False False"


def test_the_panels_and_the_magic_of_a_process_share_one_workflow(kernel: Kernel) -> None:
    kernel.run("%load_ext locallens_nb\na = locallens_nb.panel()", cell_id="a")
    sent = kernel.run("%locallens panel notes", cell_id="b")
    kinds = [set(one["content"]["data"]) for one in sent if one["msg_type"] == "display_data"]
    assert WIDGET_VIEW in kinds[0]
    kernel.run("b = _", cell_id="c")
    magic = "get_ipython().magics_manager.registry['LocalLensMagics'].app"
    assert kernel.value(f"a._conversing._app is b._conversing._app is {magic} is SESSION.app()") == "True"


def test_the_list_follows_what_other_cells_do(kernel: Kernel) -> None:
    kernel.run("r = locallens_nb.panel(app); r", cell_id="r")
    kernel.run("app.create_brain_from_folder(name='made in a cell', folder_path='notes');")
    assert kernel.value("[state.brain.name for state in r._brains.states]") == "['made in a cell', 'notes']"
    kernel.run("app.delete_brain('made in a cell')")
    assert kernel.value("[state.brain.name for state in r._brains.states]") == "['notes']"
