"""The conversation as it goes over the wire: what a page is sent, how often, and what it says back."""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from typing import Any

import comm
import ipywidgets
import pytest
from comm.base_comm import BaseComm

from locallens_nb.notebook.conversation import ConversationWidget
from locallens_nb.notebook.core_conversation import CoreConversation
from locallens_nb.notebook.markdown import markdown_to_html
from locallens_nb.notebook.streamed_markdown import StreamedMarkdown
from tests.panel_fakes import all_html, all_widgets, find_button
from tests.wire_fakes import FakeTime, Recorder, say, sent

HEADER_BYTES = 700
"""What a message carries besides its content: two headers, identities and a signature; about 600 in JupyterLab 4.6."""

PARAGRAPHS = "The *station* lies on the **coast** [1], and $x^2$ grows.\n\nIt has `beds` for $5, later $10 [2]. " * 100
LIST = "- a point that the model makes [1] about **something**\n" * 170
ONE_PARAGRAPH = "word after word after word " * 330
CODE = "```python\n" + "value = compute(value, 'text')\n" * 280 + "```\n"
TABLE = "| a | b |\n|---|---|\n" + "| some cell | another [1] |\n" * 250


@pytest.fixture
def view(wire: type[Recorder], time: FakeTime) -> ConversationWidget:
    """A conversation that a page shows."""
    made = ConversationWidget(clock=time.clock, call_later=time.call_later)
    say(made.widget, kind="hello")
    wire.messages.clear()
    return made


def replay(messages: list[dict[str, Any]]) -> str:
    """Return the HTML that a page has made of the messages about the text of an answer, as JavaScript would."""
    finished, last = "", ""
    for message in messages:
        if message["kind"] == "text":
            kept = "" if message.get("finished") else last.encode("utf-16-le")[: 2 * message["kept"]].decode("utf-16-le")
            last = kept + message["last"]
            finished += message.get("finished", "")
    return finished + last


def normalise(markup: str) -> str:
    """Return HTML without line breaks, a long list that was sent in parts as one."""
    return markup.replace("\n", "").replace("</ul><ul>", "")


def cut_into_tokens(text: str, count: int = 2000) -> list[str]:
    size = max(1, len(text) // count)
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize(
    ("text", "tokens_per_second"),
    [(PARAGRAPHS, 5), (PARAGRAPHS, 20), (PARAGRAPHS, 1000), (LIST, 8), (ONE_PARAGRAPH, 20), (CODE, 8), (TABLE, 100)],
    ids=["paragraphs-5", "paragraphs-20", "paragraphs-1000", "list-8", "one-paragraph-20", "code-8", "table-100"],
)
def test_a_long_answer_is_few_messages_and_less_than_a_megabyte(
    view: ConversationWidget, wire: type[Recorder], time: FakeTime, text: str, tokens_per_second: int
) -> None:
    moments: list[float] = []
    wire.listeners.append(lambda: moments.append(time.now))
    turn = view.add_question("What?")
    for number, token in enumerate(cut_into_tokens(text)):
        view.append_text(turn, token)
        if number % tokens_per_second == 0:
            view.show_status(f"Writing … · {number} s")
        time.pass_seconds(1 / tokens_per_second)
    time.pass_seconds(2)
    for first in range(len(moments) - 20):
        assert moments[first + 20] - moments[first] >= 1
    assert sum(len(json.dumps(message["data"])) + HEADER_BYTES for message in wire.messages) < 1_000_000
    assert normalise(replay(sent(wire))) == normalise(markdown_to_html(text, citations=None))


def test_text_that_comes_alone_goes_at_once_and_what_follows_soon(
    view: ConversationWidget, wire: type[Recorder], time: FakeTime
) -> None:
    turn = view.add_question("What?")
    time.pass_seconds(1)
    view.append_text(turn, "Blue")
    assert sent(wire)[-1]["last"] == "<p>Blue</p>\n"
    view.append_text(turn, " and")
    view.append_text(turn, " red")
    assert sent(wire)[-1]["last"] == "<p>Blue</p>\n"
    time.pass_seconds(0.1)
    assert replay(sent(wire)) == "<p>Blue and red</p>\n"
    assert [later for later in time.waiting if not later.cancelled] == []


def test_a_status_that_changes_all_the_time_is_sent_now_and_then(
    view: ConversationWidget, wire: type[Recorder], time: FakeTime
) -> None:
    for percent in range(1000):
        view.show_status(f"Loading {percent / 10} %")
        time.pass_seconds(0.001)
    time.pass_seconds(1)
    assert len(sent(wire)) <= 20
    assert sent(wire)[-1] == {"kind": "status", "text": "Loading 99.9 %"}


def test_a_status_that_is_taken_back_before_it_was_sent_does_not_hold_up_what_follows(
    view: ConversationWidget, wire: type[Recorder], time: FakeTime
) -> None:
    turn = view.add_question("What?")
    for status in ("Searching …", "Stopped.", "Searching …"):
        view.show_status(status)
    time.pass_seconds(1)
    view.append_text(turn, "Blue")
    time.pass_seconds(1)
    assert [message["kind"] for message in sent(wire)] == ["question", "status", "text"]


def test_what_waits_goes_before_what_follows_it(view: ConversationWidget, wire: type[Recorder]) -> None:
    turn = view.add_question("What?")
    view.append_text(turn, "a")
    view.append_text(turn, "b")
    view.show_status("Writing")
    view.show_error(turn, "No <memory>.")
    assert [message["kind"] for message in sent(wire)] == ["question", "text", "status", "text", "error"]
    assert sent(wire)[-1] == {"kind": "error", "turn": turn, "text": "No <memory>."}


def test_an_answer_takes_the_place_of_what_was_not_sent_yet(
    view: ConversationWidget, wire: type[Recorder], time: FakeTime
) -> None:
    turn = view.add_question("What?")
    view.append_text(turn, "a")
    view.append_text(turn, "b")
    view.show_answer(turn, "<p>ab</p>", "<details></details>", "Written.", "ab")
    time.pass_seconds(5)
    assert [message["kind"] for message in sent(wire)] == ["question", "text", "answer"]
    assert sent(wire)[-1] == {
        "kind": "answer",
        "turn": turn,
        "html": "<p>ab</p>",
        "sources": "<details></details>",
        "note": "Written.",
        "copy": "ab",
    }


def test_nothing_is_sent_before_a_page_has_said_something_and_all_of_it_then(wire: type[Recorder], time: FakeTime) -> None:
    view = ConversationWidget(clock=time.clock, call_later=time.call_later)
    pages: list[int] = []
    view.on_page(lambda: pages.append(view.loads))
    turn = view.add_question("What?")
    view.append_text(turn, "Blue")
    view.set_busy(True)
    time.pass_seconds(5)
    assert sent(wire) == []
    say(view.widget, kind="hello")
    say(view.widget, kind="hello")
    assert pages == [0]
    whole = sent(wire)[-1]
    assert (whole["kind"], whole["busy"], whole["turns"][0]["last"]) == ("all", True, "<p>Blue</p>\n")


def test_a_page_that_was_loaded_again_is_sent_all_of_it(view: ConversationWidget, wire: type[Recorder]) -> None:
    first = view.add_question("One?")
    view.show_evidence(first, "<p>found</p>")
    view.show_answer(first, "<p>1</p>", "", "Written.", "1")
    second = view.add_question("Two?")
    view.append_text(second, "a\n\nb")
    view.set_busy(True)
    view.show_status("Writing")
    assert view.loads == 1
    wire.messages.clear()
    say(view.widget, kind="hello")
    assert view.loads == 2
    assert [message["kind"] for message in sent(wire)] == ["status", "all"]
    whole = sent(wire)[-1]
    assert (whole["busy"], whole["status"], whole["left_out"]) == (True, "Writing", 0)
    assert [turn["question"] for turn in whole["turns"]] == ["One?", "Two?"]
    assert (whole["turns"][0]["answer"], whole["turns"][0]["evidence"], whole["turns"][0]["answered"]) == (
        "<p>1</p>",
        "<p>found</p>",
        True,
    )
    assert whole["turns"][1]["finished"] + whole["turns"][1]["last"] == "<p>a</p>\n<p>b</p>\n"


def test_a_page_that_was_loaded_again_writes_the_text_of_the_conversation_itself(
    view: ConversationWidget, wire: type[Recorder]
) -> None:
    view.keep_transcript("p1", {"text/plain": "one"})
    assert sent(wire) == []
    say(view.widget, kind="hello")
    view.keep_transcript("p1", {"text/plain": "two"})
    assert [message["kind"] for message in sent(wire)] == ["all", "transcript", "transcript"]
    assert [message["data"] for message in sent(wire)[1:]] == [{"text/plain": "one"}, {"text/plain": "two"}]
    assert sent(wire)[1]["panel"] == "p1"


def test_a_very_long_conversation_comes_back_without_its_beginning(view: ConversationWidget, wire: type[Recorder]) -> None:
    for number in range(8):
        turn = view.add_question(f"{number}?")
        view.show_answer(turn, f"<p>{'x' * 100_000}</p>", "", "", "")
    say(view.widget, kind="hello")
    whole = sent(wire)[-1]
    assert [turn["question"] for turn in whole["turns"]] == ["4?", "5?", "6?", "7?"]
    assert whole["left_out"] == 4


def test_the_page_sends_questions_stops_and_actions(view: ConversationWidget, wire: type[Recorder]) -> None:
    heard: list[object] = []
    view.on_send(heard.append)
    view.on_stop(lambda: heard.append("stop"))
    view.on_action(lambda action, turn: heard.append((action, turn)))
    say(view.widget, kind="send", id=1, text="  What is it? \n")
    say(view.widget, kind="send", id=2, text=" \n ")
    say(view.widget, kind="stop", id=3)
    say(view.widget, kind="action", id=4, action="copy", turn=1)
    assert heard == ["What is it?", "stop", ("copy", 1)]
    assert sent(wire) == [{"kind": "heard", "id": number} for number in (1, 2, 3, 4)]


def test_what_the_page_says_is_acknowledged_before_it_is_done(view: ConversationWidget, wire: type[Recorder]) -> None:
    acknowledged: list[bool] = []
    view.on_stop(lambda: acknowledged.append({"kind": "heard", "id": 7} in sent(wire)))
    say(view.widget, kind="stop", id=7)
    assert acknowledged == [True]


def test_what_is_said_twice_is_done_once(view: ConversationWidget, wire: type[Recorder]) -> None:
    heard: list[str] = []
    view.on_send(heard.append)
    say(view.widget, kind="send", id="a", text="What?")
    say(view.widget, kind="send", id="a", text="What?")
    assert heard == ["What?"]
    assert sent(wire) == [{"kind": "heard", "id": "a"}] * 2


def test_a_line_of_its_own_reaches_its_conversation_and_no_other(view: ConversationWidget, wire: type[Recorder]) -> None:
    other = ConversationWidget()
    heard: list[str] = []
    view.on_send(heard.append)
    other.on_send(lambda text: heard.append(f"other {text}"))
    line = BaseComm(target_name="locallens.line", primary=False)
    opening = {"content": {"data": {"line": view.widget.line}}}
    comm.get_comm_manager().targets["locallens.line"](line, opening)
    line.handle_msg({"content": {"data": {"kind": "send", "id": 1, "text": "What?"}}})
    assert heard == ["What?"]
    view.close()
    line.handle_msg({"content": {"data": {"kind": "send", "id": 2, "text": "Again?"}}})
    assert heard == ["What?"]


def test_a_turn_that_was_cleared_is_not_written_to_any_more(
    view: ConversationWidget, wire: type[Recorder], time: FakeTime
) -> None:
    first = view.add_question("One?")
    view.append_text(first, "a")
    view.append_text(first, "b")
    view.clear()
    wire.messages.clear()
    view.append_text(first, "c")
    view.show_answer(first, "x", "", "", "")
    view.show_error(first, "x")
    time.pass_seconds(5)
    assert sent(wire) == []
    assert view.add_question("Two?") != first


def test_a_closed_conversation_says_nothing_and_leaves_nothing_open(wire: type[Recorder], time: FakeTime) -> None:
    view = ConversationWidget(clock=time.clock, call_later=time.call_later)
    turn = view.add_question("What?")
    view.append_text(turn, "a")
    view.append_text(turn, "b")
    opened = {message["comm"] for message in wire.messages if message["type"] == "comm_open"}
    view.close()
    wire.messages.clear()
    view.append_text(turn, "c")
    view.show_status("x")
    view.set_busy(True)
    time.pass_seconds(5)
    assert wire.messages == []
    assert opened <= set(wire.closed)


def test_every_method_may_be_called_from_any_thread(wire: type[Recorder]) -> None:
    view = ConversationWidget()
    say(view.widget, kind="hello")
    turns = [view.add_question(str(number)) for number in range(4)]

    def write(turn: int) -> None:
        for number in range(200):
            view.append_text(turn, f"{number} ")
            view.show_status(f"{turn} {number}")
        view.show_answer(turn, f"<p>{turn}</p>", "", "", "")

    threads = [threading.Thread(target=write, args=(turn,)) for turn in turns]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    answers = [message for message in sent(wire) if message["kind"] == "answer"]
    assert sorted(message["turn"] for message in answers) == turns
    for before, after in pairwise(message for message in sent(wire) if message.get("turn") == turns[0]):
        assert (before["kind"], after["kind"]) != ("answer", "text")
    view.close()


def test_streamed_text_stays_harmless_and_ends_as_the_whole() -> None:
    text = "A [x](javascript:alert(1)) 😀\n\n- **b**\n- <img src=x onerror=alert(1)> 😀 c\n\n```\n<b>\n```\n\nend [1] $x^2$"
    streamed = StreamedMarkdown()
    messages = []
    for character in text:
        change = streamed.append(character)
        messages.append({"kind": "text", "kept": change.kept, "last": change.last, "finished": change.finished})
        assert "<img" not in replay(messages)
    assert normalise(replay(messages)) == normalise(markdown_to_html(text, citations=None))
    assert replay(messages) == streamed.finished_html + streamed.last_html


def test_the_module_and_the_style_come_with_the_package(view: ConversationWidget) -> None:
    assert "export default" in view.widget._esm
    assert "http" not in view.widget._esm
    assert ".ll-conversation" in view.widget._css


@pytest.fixture
def core(wire: type[Recorder], time: FakeTime) -> CoreConversation:
    made = CoreConversation(clock=time.clock, call_later=time.call_later)
    wire.messages.clear()
    return made


def test_core_widgets_show_the_same_conversation(core: CoreConversation, time: FakeTime) -> None:
    turn = core.add_question("What is <b>it</b>?")
    core.show_status("Loading <b> 62 %")
    core.show_evidence(turn, "<p>key</p>")
    core.append_text(turn, "Blue <img src=x> [1]")
    assert "What is &lt;b&gt;it&lt;/b&gt;?" in all_html(core.widget)
    assert "<p>Blue &lt;img src=x&gt; [1]</p>" not in all_html(core.widget)
    time.pass_seconds(1)
    core.show_error(turn, "<img src=x>")
    assert "<p>Blue &lt;img src=x&gt; [1]</p>" in all_html(core.widget)
    assert "&lt;img src=x&gt;" in all_html(core.widget)
    core.show_answer(
        turn, markdown_to_html("Blue [1]", citations=None), '<details class="a" open="">s</details>', "By <b>.", ""
    )
    assert '<p>Blue [1]</p>\n<p class="ll-note">By &lt;b&gt;.</p>' in all_html(core.widget)
    assert '<details class="a">s</details>' in all_html(core.widget)
    assert "key" not in all_html(core.widget)
    core.clear()
    assert "Blue" not in all_html(core.widget)


@pytest.mark.parametrize("text", [PARAGRAPHS, LIST, CODE], ids=["paragraphs", "list", "code"])
def test_core_widgets_are_written_to_five_times_a_second_at_most(
    core: CoreConversation, wire: type[Recorder], time: FakeTime, text: str
) -> None:
    turn = core.add_question("What?")
    time.pass_seconds(1)
    moments: list[float] = []
    wire.listeners.append(lambda: moments.append(time.now))
    for token in cut_into_tokens(text):
        core.append_text(turn, token)
        time.pass_seconds(0.05)
    time.pass_seconds(5)
    assert normalise(markdown_to_html(text, citations=None, is_interactive=False)) in normalise(all_html(core.widget))
    assert min(after - before for before, after in pairwise(sorted(set(moments)))) >= 0.199
    assert sum(len(json.dumps(message["data"])) + HEADER_BYTES for message in wire.messages) < 1_000_000


def test_the_core_button_sends_and_stops(core: CoreConversation) -> None:
    heard: list[object] = []
    core.on_send(heard.append)
    core.on_stop(lambda: heard.append("stop"))
    core.on_action(lambda *action: heard.append(action))
    button = find_button(core.widget, "Send")
    (box,) = [one for one in all_widgets(core.widget) if isinstance(one, ipywidgets.Textarea)]
    button.click()
    box.value = "  What? "
    button.click()
    core.add_question("What?")
    assert box.value == ""
    box.value = "And"
    core.add_question("asked from Python")
    assert box.value == "And"
    core.set_busy(True)
    assert button.description == "Stop"
    button.click()
    core.set_busy(False)
    assert button.description == "Send"
    assert heard == ["What?", "stop"]


def test_closed_core_widgets_leave_nothing_open(wire: type[Recorder], time: FakeTime) -> None:
    core = CoreConversation(clock=time.clock, call_later=time.call_later)
    turn = core.add_question("What?")
    core.append_text(turn, "a")
    core.append_text(turn, "b")
    opened = {message["comm"] for message in wire.messages if message["type"] == "comm_open"}
    core.close()
    time.pass_seconds(5)
    assert opened == set(wire.closed)
    assert isinstance(core.widget, ipywidgets.Widget)
