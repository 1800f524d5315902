"""The conversation in a front end that is not known: which view is shown, and that it misses nothing."""

from __future__ import annotations

import sys
from types import ModuleType

import ipywidgets
import pytest
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.widgets.widget import _instances

from locallens_nb.notebook.adapting_conversation import AdaptingConversation, make_conversation_view
from locallens_nb.notebook.core_conversation import CoreConversation
from tests.panel_fakes import all_html, all_widgets, find_button
from tests.wire_fakes import FakeTime, Recorder, say


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    shell = InteractiveShell()
    monkeypatch.setattr("locallens_nb.notebook.adapting_conversation.get_ipython", lambda: shell)
    return shell


@pytest.fixture
def view(shell: InteractiveShell, wire: type[Recorder], time: FakeTime) -> AdaptingConversation:
    return AdaptingConversation(call_later=time.call_later)


def own_widget(view: AdaptingConversation) -> ipywidgets.Widget:
    return view._own.widget


def is_own_shown(view: AdaptingConversation) -> bool:
    return view.widget.children == (own_widget(view),)


def end_cell(shell: InteractiveShell) -> None:
    shell.events.trigger("post_run_cell", None)


def begin_cell(shell: InteractiveShell) -> None:
    shell.events.trigger("pre_run_cell", None)


def test_our_own_widget_is_shown_as_soon_as_the_cell_runs_and_stays_once_a_page_has_it(
    view: AdaptingConversation, shell: InteractiveShell, time: FakeTime
) -> None:
    assert is_own_shown(view)
    end_cell(shell)
    time.pass_seconds(1)
    say(own_widget(view), kind="hello")
    end_cell(shell)
    time.pass_seconds(60)
    assert is_own_shown(view)
    assert not [later for later in time.waiting if not later.cancelled]


def test_core_widgets_take_its_place_with_all_that_was_shown_when_no_page_speaks(
    view: AdaptingConversation, shell: InteractiveShell, time: FakeTime
) -> None:
    heard: list[str] = []
    view.on_send(heard.append)
    first = view.add_question("What?")
    view.append_text(first, "Blue")
    view.set_busy(True)
    end_cell(shell)
    time.pass_seconds(5)
    assert not is_own_shown(view)
    assert "What?" in all_html(view.widget)
    assert "<p>Blue</p>" in all_html(view.widget)
    find_button(view.widget, "Stop")
    view.set_busy(False)
    (box,) = [one for one in all_widgets(view.widget) if isinstance(one, ipywidgets.Textarea)]
    box.value = "And then?"
    find_button(view.widget, "Send").click()
    assert heard == ["And then?"]
    second = view.add_question("And then?")
    view.show_answer(second, "<p>Red</p>", "", "", "")
    view.show_error(first, "It broke.")
    assert all(text in all_html(view.widget) for text in ("And then?", "Red", "It broke."))
    view.clear()
    assert "Red" not in all_html(view.widget)


def test_the_page_is_not_waited_for_while_cells_run(
    view: AdaptingConversation, shell: InteractiveShell, time: FakeTime
) -> None:
    time.pass_seconds(60)
    assert is_own_shown(view)
    for _ in range(3):
        end_cell(shell)
        time.pass_seconds(0.1)
        begin_cell(shell)
        time.pass_seconds(60)
        assert is_own_shown(view)
    end_cell(shell)
    time.pass_seconds(5)
    assert not is_own_shown(view)


def test_a_page_that_was_slow_gets_our_own_widget_with_all_that_was_shown_meanwhile(
    view: AdaptingConversation, shell: InteractiveShell, time: FakeTime, wire: type[Recorder]
) -> None:
    end_cell(shell)
    time.pass_seconds(5)
    turn = view.add_question("What?")
    view.show_answer(turn, "<p>Blue</p>", "", "", "Blue")
    say(own_widget(view), kind="hello")
    assert is_own_shown(view)
    (whole,) = [message["data"]["content"] for message in wire.messages if message["data"].get("method") == "custom"]
    assert (whole["turns"][0]["question"], whole["turns"][0]["answer"]) == ("What?", "<p>Blue</p>")
    assert view.add_question("And then?") == turn + 1


@pytest.mark.parametrize("refused", [False, True], ids=["shown", "refused"])
def test_closing_leaves_no_widget_and_nothing_to_wait_for(
    shell: InteractiveShell, wire: type[Recorder], time: FakeTime, refused: bool
) -> None:
    before = set(_instances)
    view = AdaptingConversation(call_later=time.call_later)
    end_cell(shell)
    if refused:
        time.pass_seconds(5)
        view.add_question("What?")
    view.close()
    end_cell(shell)
    time.pass_seconds(60)
    assert set(_instances) - before == set()
    assert not [later for later in time.waiting if not later.cancelled]


def test_without_anywidget_core_widgets_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert isinstance(make_conversation_view(), CoreConversation)


def test_in_colab_core_widgets_do_and_nothing_is_loaded_from_a_cdn(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[bool] = []
    output = ModuleType("google.colab.output")
    output.enable_custom_widget_manager = lambda: allowed.append(True)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    assert isinstance(make_conversation_view(), CoreConversation)
    assert allowed == []
