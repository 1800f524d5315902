"""The conversation in JupyterLab: what a person types, clicks, sees and hears of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import find_low_contrast, take_screenshot
from tests.browser.scripted_conversation import QUESTION

ROOT = Path(__file__).parents[2]
SETUP = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
VIEW = """
from locallens_nb.notebook.adapting_conversation import make_conversation_view
from tests.browser.scripted_conversation import Script
view = make_conversation_view()
script = Script(view, piece_seconds={piece_seconds})
view.widget
"""
WAIT = 120_000

OpenNotebook = Callable[[str, list[str]], Page]

RUN_CELL = """source => {
  const content = window.jupyterapp.shell.currentWidget.content;
  const cells = content.model.sharedModel;
  cells.insertCell(cells.cells.length, { cell_type: 'code', source, metadata: {} });
  content.activeCellIndex = cells.cells.length - 1;
  window.jupyterapp.commands.execute('notebook:run-cell');
}"""


def show_conversation(open_notebook: OpenNotebook, name: str, *, piece_seconds: float = 0.01) -> Page:
    page = open_notebook(name, [SETUP + VIEW.format(piece_seconds=piece_seconds)])
    page.locator(".ll-box").wait_for(timeout=WAIT)
    return page


def ask(page: Page, text: str = QUESTION) -> None:
    page.locator(".ll-box").fill(text)
    page.locator(".ll-box").press("Enter")


def wait_for_answer(page: Page) -> None:
    page.locator(".ll-conversation:not(.ll-busy) .ll-source").first.wait_for(timeout=WAIT)


def run_cell(page: Page, source: str) -> None:
    page.evaluate(RUN_CELL, source)


def count_cells(page: Page) -> int:
    return int(page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.cells.length"))


def test_an_answer_streams_in_and_its_sources_are_one_click_away(open_notebook: OpenNotebook) -> None:
    page = show_conversation(open_notebook, "conversation.ipynb")
    box = page.locator(".ll-box")
    box.press_sequentially("What does a student pay")
    box.press("Shift+Enter")
    box.press_sequentially("for a night?")
    assert box.input_value() == "What does a student pay\nfor a night?"
    box.press("Enter")
    page.locator(".ll-busy").wait_for(timeout=WAIT)
    page.locator(".ll-busy .ll-answer p").first.wait_for(timeout=WAIT)
    assert page.locator(".ll-send").inner_text() == "Stop"
    wait_for_answer(page)
    assert box.input_value() == ""
    assert page.locator(".ll-question").inner_text() == "What does a student pay\nfor a night?"
    assert page.locator(".ll-answer math").count() == 2
    assert "costs $5, later $10" in page.locator(".ll-answer").inner_text()
    assert page.locator(".ll-answer td").last.inner_text() == "10"
    assert "min(n ** 2 / 10, 40)" in page.locator(".ll-answer pre").inner_text()
    assert page.locator(".ll-unsupported").inner_text() == "Booking opened in 1987 with 48 beds."
    assert page.locator(".ll-evidence").get_attribute("open") is None
    assert page.locator(".ll-also-read").get_attribute("open") is None
    assert page.locator(".ll-sources > .ll-source[open]").count() == 2
    assert "logs/<b>2024</b> prices.csv" in page.locator(".ll-source").nth(1).inner_text()
    assert page.locator(".ll-badge").inner_text() == "changed since it was indexed"
    assert page.locator("[role=status]", has_text="A student pays BRL 60").count() == 1

    reference = page.locator(".ll-answer .ll-citation").first
    reference.focus()
    reference.press("Enter")
    mark = page.locator(".ll-source mark")
    expect(mark).to_be_in_viewport()
    assert mark.inner_text() == "A student pays BRL 60 for a night, breakfast included."
    assert page.evaluate("() => document.activeElement.closest('.ll-source').dataset.number") == "1"
    take_screenshot(page, "conversation-source")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.className") == "ll-citation"
    expect(reference).to_be_in_viewport()
    reference.click()
    page.get_by_role("button", name="Back to the answer").click()
    assert page.evaluate("() => document.activeElement.className") == "ll-citation"


def test_what_is_being_written_stays_when_another_question_is_asked(open_notebook: OpenNotebook) -> None:
    page = show_conversation(open_notebook, "draft.ipynb")
    box = page.locator(".ll-box")
    box.fill("What does a")
    run_cell(page, "view.add_question('asked from Python')")
    page.locator(".ll-question").wait_for(timeout=WAIT)
    assert box.input_value() == "What does a"
    ask(page)
    wait_for_answer(page)
    assert box.input_value() == ""


@pytest.mark.parametrize(("theme", "width"), [("Light", 1100), ("Dark", 1100), ("Light", 600), ("Dark", 600)])
def test_everything_is_readable(open_notebook: OpenNotebook, theme: str, width: int) -> None:
    page = show_conversation(open_notebook, f"readable-{theme}-{width}.ipynb", piece_seconds=0.001)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", f"JupyterLab {theme}")
    page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=str(theme == "Light").lower())
    assert find_low_contrast(page, ".ll-conversation") == []
    run_cell(page, "script.gate.clear()")
    ask(page)
    page.locator(".ll-quote").first.wait_for(timeout=WAIT)
    take_screenshot(page, f"conversation-found-{theme.lower()}-{width}")
    assert find_low_contrast(page, ".ll-conversation") == []
    run_cell(page, "script.gate.set()")
    wait_for_answer(page)
    page.locator(".ll-also-read > summary").click()
    assert find_low_contrast(page, ".ll-conversation") == []
    take_screenshot(page, f"conversation-sources-{theme.lower()}-{width}")
    page.evaluate("() => { document.querySelector('.ll-log').scrollTop = 0; }")
    take_screenshot(page, f"conversation-{theme.lower()}-{width}")
    assert (
        page.evaluate("() => { const log = document.querySelector('.ll-log'); return log.scrollWidth - log.clientWidth; }") <= 0
    )


def test_stop_is_heard_while_another_cell_runs(open_notebook: OpenNotebook) -> None:
    page = show_conversation(open_notebook, "stop.ipynb", piece_seconds=0.5)
    ask(page)
    page.locator(".ll-busy .ll-answer p").first.wait_for(timeout=WAIT)
    run_cell(
        page,
        "import time\nprint('begun')\nend = time.monotonic() + 60\n"
        "while script.stopped_after is None and time.monotonic() < end:\n    time.sleep(0.05)\n"
        "print('stopped while the cell ran' if script.stopped_after else 'not heard')",
    )
    page.get_by_text("begun").last.wait_for(timeout=WAIT)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator(".jp-OutputArea-output", has_text="stopped while the cell ran").wait_for(timeout=WAIT)
    page.locator(".ll-note", has_text="Stopped before its end.").wait_for(timeout=WAIT)
    assert page.locator(".ll-send").inner_text() == "Send"
    assert page.locator(".ll-status").inner_text() == "Enter sends, Shift+Enter breaks the line"


def test_where_the_kernel_cannot_hear_the_page_says_so(open_notebook: OpenNotebook) -> None:
    page = open_notebook("deaf.ipynb", [SETUP])
    kernel = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    page.evaluate(f"() => {{ {kernel}.commsOverSubshells = 'disabled'; }}")
    run_cell(page, VIEW.format(piece_seconds=0.2))
    page.locator(".ll-box").wait_for(timeout=WAIT)
    ask(page)
    page.locator(".ll-busy .ll-answer p").first.wait_for(timeout=WAIT)
    run_cell(page, "import time\nprint('begun')\ntime.sleep(4)")
    page.get_by_text("begun").last.wait_for(timeout=WAIT)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator(".ll-status", has_text="Will stop when the running cell ends.").wait_for(timeout=3_000)
    page.locator(".ll-note", has_text="Stopped before its end.").wait_for(timeout=WAIT)


def test_a_page_that_is_loaded_again_shows_the_conversation_and_so_does_a_second_view(open_notebook: OpenNotebook) -> None:
    page = show_conversation(open_notebook, "again.ipynb", piece_seconds=0.001)
    ask(page)
    wait_for_answer(page)
    before = page.locator(".ll-log").inner_text()
    run_cell(page, "view.widget")
    expect(page.locator(".ll-conversation")).to_have_count(2)
    assert page.locator(".ll-log").nth(1).inner_text() == before
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    page.reload()
    page.locator(".ll-source").first.wait_for(timeout=WAIT)
    assert page.locator(".ll-log").first.inner_text() == before
    ask_box = page.locator(".ll-box").first
    ask_box.fill("And again?")
    ask_box.press("Enter")
    expect(page.locator(".ll-log").nth(0).locator(".ll-turn")).to_have_count(2)
    expect(page.locator(".ll-log").nth(1).locator(".ll-turn")).to_have_count(2)


def test_keys_belong_to_the_conversation_and_buttons_do_what_they_say(open_notebook: OpenNotebook) -> None:
    page = show_conversation(open_notebook, "keys.ipynb", piece_seconds=0.001)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    box = page.locator(".ll-box")
    box.fill("にほん")
    box.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    box.dispatch_event("keydown", {"key": "Enter", "keyCode": 229})
    assert box.input_value() == "にほん"
    ask(page)
    wait_for_answer(page)
    assert page.locator(".ll-turn").count() == 1
    cells = count_cells(page)
    page.locator(".ll-log").focus()
    page.keyboard.press("d")
    page.keyboard.press("d")
    page.keyboard.press("a")
    assert count_cells(page) == cells
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_role("button", name="Copied").wait_for(timeout=WAIT)
    assert "BRL 60" in page.evaluate("() => navigator.clipboard.readText()")
    page.get_by_role("button", name="Insert as cell").click()
    assert count_cells(page) == cells + 1
    inserted = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.cells.get(1).sharedModel.source")
    assert inserted.startswith("A student pays **BRL 60** for a night [1]")
    run_cell(page, "script.actions")
    page.locator(".jp-OutputArea-output", has_text="[('copy', 1)]").wait_for(timeout=WAIT)


def test_the_readers_place_is_kept_while_an_answer_grows(open_notebook: OpenNotebook) -> None:
    page = show_conversation(open_notebook, "place.ipynb", piece_seconds=0.02)
    ask(page)
    wait_for_answer(page)
    ask(page)
    page.locator(".ll-turn").nth(1).locator(".ll-answer p").first.wait_for(timeout=WAIT)
    page.locator(".ll-log").hover()
    page.mouse.wheel(0, -5000)
    page.wait_for_function("() => document.querySelector('.ll-log').scrollTop === 0")
    page.get_by_role("button", name="New text below").wait_for(timeout=WAIT)
    page.locator(".ll-conversation:not(.ll-busy)").wait_for(timeout=WAIT)
    assert page.evaluate("() => document.querySelector('.ll-log').scrollTop") == 0
    page.get_by_role("button", name="New text below").click()
    left = (
        "() => { const log = document.querySelector('.ll-log'); return log.scrollHeight - log.scrollTop - log.clientHeight; }"
    )
    assert page.evaluate(left) < 30
