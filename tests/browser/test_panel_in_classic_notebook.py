"""The panel in the classic Notebook, whose requirejs loads the widget's module from nbextensions as VS Code does, or cannot."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.conftest import START_SECONDS, take_screenshot, write_notebook
from tests.browser.scripted_panel import (
    QUESTION,
    SAMPLE,
    SCRIPTED,
    SHOWN_MILLISECONDS,
    ask,
    make_brain,
    stop_the_answer,
    wait_for_panel,
    watch_the_answer,
)

MODULE = "/nbextensions/anywidget/index.js"
IS_READY = """() => {
  const kernel = window.Jupyter?.notebook?.kernel;
  return kernel?.widget_manager && window.requirejs?.defined("nbextensions/anywidget/extension") && kernel.is_connected();
}"""
RUN_ALL_CELLS = """async () => {
  const kernel = Jupyter.notebook.kernel;
  const isIdle = (message) => message.content.execution_state === "idle";
  for (let round = 0; round < 3; round += 1)
    await new Promise((resolve) => kernel.execute("", { iopub: { status: (message) => isIdle(message) && resolve() } }));
  Jupyter.notebook.execute_all_cells();
}"""
"""Opening a notebook asks the kernel for the widgets it has, in two questions, and then draws the outputs of all cells anew."""

IS_IN_VIEW_OF_ITS_LOG = """element => {
  const log = element.closest(".ll-log").getBoundingClientRect();
  const own = element.getBoundingClientRect();
  return own.top >= log.top && own.bottom <= log.bottom;
}"""


class Traffic:
    """What a page asks for and what goes wrong in it; other machines than this one are out of its reach.

    Parameters
    ----------
    refused
        Part of the addresses on this machine that the page does not get either.
    """

    def __init__(self, page: Page, *, refused: str = "") -> None:
        self.asked: list[str] = []
        self.failures: list[str] = []
        self._refused = refused
        page.route("**/*", self._answer)
        page.on("pageerror", lambda error: self.failures.append(str(error)))

    @property
    def elsewhere(self) -> list[str]:
        return [url for url in self.asked if not url.startswith(("http://127.0.0.1:", "about:"))]

    def _answer(self, route: Route) -> None:
        url = route.request.url
        self.asked.append(url)
        if url in self.elsewhere or (self._refused and self._refused in url):
            route.abort()
        else:
            route.continue_()


@pytest.fixture
def open_page(
    browser: Browser, server_url: Callable[[str], str], lab_folder: Path
) -> Iterator[Callable[..., tuple[Page, Traffic]]]:
    """Open a notebook that shows a panel in the classic Notebook and run its cells."""
    pages: list[Page] = []
    if not (lab_folder / "sample").exists():
        shutil.copytree(SAMPLE, lab_folder / "sample")

    def open_it(name: str, *, refused: str = "", width: int = 1100) -> tuple[Page, Traffic]:
        write_notebook(lab_folder / name, [SCRIPTED, "locallens_nb.panel(app)"])
        page = browser.new_page(viewport={"width": width, "height": 1000})
        pages.append(page)
        traffic = Traffic(page, refused=refused)
        page.goto(server_url(f"nbclassic/notebooks/{name}"))
        page.wait_for_function(IS_READY, timeout=START_SECONDS * 1000)
        page.evaluate(RUN_ALL_CELLS)
        return page, traffic

    yield open_it
    for page in pages:
        page.close()


def ask_with_the_button(panel: Locator, question: str) -> None:
    box = panel.get_by_role("textbox").last
    box.fill(question)
    box.press("Tab")
    panel.get_by_role("button", name="Send").click()


def stop_and_delete(page: Page, panel: Locator, brain: str) -> None:
    expect(panel).to_contain_text("Sentence number 20 ", timeout=SHOWN_MILLISECONDS)
    assert stop_the_answer(panel) < 1
    expect(panel).to_contain_text("Stopped before its end.", timeout=SHOWN_MILLISECONDS)
    take_screenshot(page, f"classic-{brain}")
    panel.get_by_role("button", name="Delete").click()
    panel.get_by_role("button", name="Yes, delete").click()
    expect(panel).to_contain_text(f"Deleted '{brain}'. Its folder was not touched.", timeout=SHOWN_MILLISECONDS)


def test_a_module_that_requirejs_loads_shows_the_conversation(open_page: Callable[..., tuple[Page, Traffic]]) -> None:
    page, traffic = open_page("taken.ipynb")
    panel = wait_for_panel(page)
    make_brain(panel, "sample", "taken")
    ask(panel, QUESTION)
    expect(panel).to_contain_text("Found in your files", timeout=SHOWN_MILLISECONDS)
    assert watch_the_answer(panel) >= 4
    assert "costs $5 less, later $10" in panel.locator(".ll-log").inner_text()
    assert panel.get_by_role("button", name="Insert as cell").count() == 0
    panel.locator(".ll-log button", has_text="1").first.click()
    expect(panel.locator(".ll-source[open] mark").first).to_be_in_viewport()
    ask(panel, "Tell me all about a night at the station.")
    stop_and_delete(page, panel, "taken")
    assert any(MODULE in url for url in traffic.asked)
    assert (traffic.elsewhere, traffic.failures) == ([], [])


def test_a_front_end_that_refuses_the_module_shows_the_conversation_in_core_widgets(
    open_page: Callable[..., tuple[Page, Traffic]],
) -> None:
    page, traffic = open_page("refused.ipynb", refused=MODULE, width=600)
    page.locator(".jupyter-widgets-error-widget").wait_for(timeout=SHOWN_MILLISECONDS)
    refused_at = time.monotonic()
    panel = wait_for_panel(page)
    assert time.monotonic() - refused_at < 10
    assert panel.locator(".jupyter-widgets-error-widget").count() == 0
    make_brain(panel, "sample", "refused")
    ask_with_the_button(panel, QUESTION)
    expect(panel).to_contain_text("Found in your files", timeout=SHOWN_MILLISECONDS)
    assert watch_the_answer(panel) >= 3
    assert "costs $5 less, later $10" in panel.locator(".ll-log").inner_text()
    expect(panel.get_by_role("textbox").last).to_have_value("")
    source = panel.locator(".ll-source").first
    source.locator("summary").click()
    assert "BRL 60" in source.locator("mark").first.inner_text()
    ask_with_the_button(panel, "Tell me all about a night at the station.")
    stop_and_delete(page, panel, "refused")
    assert panel.locator(".ll-note", has_text="Stopped before its end.").evaluate(IS_IN_VIEW_OF_ITS_LOG)
    assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    assert (traffic.elsewhere, traffic.failures) == ([], [])
