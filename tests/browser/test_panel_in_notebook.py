"""The panel in Notebook 7: the same widgets as in JupyterLab, in another shell."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.conftest import run_all_cells, take_screenshot, wait_for_kernel, write_notebook
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


def test_a_question_is_answered_and_stopped_in_notebook_7(
    browser: Browser, server_url: Callable[[str], str], lab_folder: Path
) -> None:
    shutil.copytree(SAMPLE, lab_folder / "sample")
    write_notebook(lab_folder / "seven.ipynb", [SCRIPTED, "locallens_nb.panel(app)"])
    page = browser.new_page(viewport={"width": 1100, "height": 1000})
    page.goto(server_url("notebooks/seven.ipynb"))
    wait_for_kernel(page)
    run_all_cells(page)
    panel = wait_for_panel(page)
    make_brain(panel, "sample", "station")
    ask(panel, QUESTION)
    expect(panel).to_contain_text("Found in your files", timeout=SHOWN_MILLISECONDS)
    assert watch_the_answer(panel) >= 4
    panel.locator(".ll-log button", has_text="1").first.click()
    mark = panel.locator(".ll-source[open] mark").first
    expect(mark).to_be_visible()
    expect(mark).to_be_in_viewport()
    take_screenshot(page, "notebook-7")

    ask(panel, "Tell me all about a night at the station.")
    expect(panel).to_contain_text("Sentence number 20 ", timeout=SHOWN_MILLISECONDS)
    assert stop_the_answer(panel) < 1
    expect(panel).to_contain_text("Stopped before its end.", timeout=SHOWN_MILLISECONDS)
    take_screenshot(page, "notebook-7-stopped")
    page.close()
