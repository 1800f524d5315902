"""The panel as a person uses it in JupyterLab: a brain from a folder, an answer that grows, Stop, delete, reload."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import SCREENSHOTS, START_SECONDS, find_low_contrast, take_screenshot
from tests.browser.hostile_folder import QUESTION as HOSTILE_QUESTION
from tests.browser.hostile_folder import write_hostile_folder
from tests.browser.scripted_panel import (
    QUESTION,
    ROOT,
    SAMPLE,
    SCRIPTED,
    SHOWN_MILLISECONDS,
    ask,
    make_brain,
    stop_the_answer,
    wait_for_panel,
    watch_the_answer,
)

ANSWER_MILLISECONDS = 400_000

OpenNotebook = Callable[[str, list[str]], Page]


@pytest.fixture
def panel_in(open_notebook: OpenNotebook, lab_folder: Path) -> Callable[..., tuple[Page, Locator]]:
    """Open a notebook whose last cell shows a panel; return the page and the panel."""
    if not (lab_folder / "sample").exists():
        shutil.copytree(SAMPLE, lab_folder / "sample")

    def open_panel(name: str, cells: list[str]) -> tuple[Page, Locator]:
        page = open_notebook(name, cells)
        return page, wait_for_panel(page)

    return open_panel


def find_controls(panel: Locator, condition: str) -> list[str]:
    """Return the HTML of the controls in the page for which a condition in JavaScript holds."""
    shown = "[...panel.querySelectorAll('button, input, select, textarea')].filter(one => one.offsetParent !== null)"
    found: list[str] = panel.evaluate(f"panel => {shown}.filter(one => {condition}).map(one => one.outerHTML)")
    return found


def save_notebook(page: Page, file: Path) -> nbformat.NotebookNode:
    """Save as a person does and return what is in the file."""
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    return nbformat.read(file, as_version=4)


def test_a_brain_is_made_asked_stopped_deleted_and_all_is_there_after_a_reload(
    panel_in: Callable[..., tuple[Page, Locator]], lab_folder: Path
) -> None:
    page, panel = panel_in("scripted.ipynb", [SCRIPTED, "locallens_nb.panel(app)"])
    take_screenshot(page, "panel-empty")
    make_brain(panel, "sample", "station")
    expect(panel.locator(".locallens-brain")).to_contain_text("19 files", timeout=SHOWN_MILLISECONDS)
    ask(panel, QUESTION)
    expect(panel).to_contain_text("Found in your files", timeout=SHOWN_MILLISECONDS)
    assert watch_the_answer(panel) >= 4
    expect(panel).to_contain_text("Qwen3-1.7B does not fit in memory.")
    assert "costs $5 less, later $10" in panel.locator(".ll-log").inner_text()
    assert panel.locator("mjx-container").count() == 0
    panel.locator(".ll-log button", has_text="1").first.click()
    mark = panel.locator(".ll-source[open] mark").first
    expect(mark).to_be_visible()
    expect(mark).to_be_in_viewport()
    take_screenshot(page, "panel-highlight")

    panel.get_by_role("button", name="Insert as cell").click()
    inserted = page.locator(".jp-MarkdownCell")
    expect(inserted).to_contain_text("costs $5 less, later $10", timeout=SHOWN_MILLISECONDS)
    assert inserted.locator("mjx-container").count() == 0
    os.utime(lab_folder / "sample" / "handbook" / "station-handbook.md", (1, 1))

    ask(panel, "Tell me all about a night at the station.")
    expect(panel).to_contain_text("Sentence number 20 ", timeout=SHOWN_MILLISECONDS)
    assert stop_the_answer(panel) < 1
    expect(panel).to_contain_text("Stopped before its end.", timeout=SHOWN_MILLISECONDS)
    take_screenshot(page, "panel-stopped")
    ask(panel, QUESTION)
    expect(panel).to_contain_text("It is BRL 60", timeout=SHOWN_MILLISECONDS)
    expect(panel.locator(".ll-badge").first).to_have_text("changed since it was indexed", timeout=SHOWN_MILLISECONDS)
    expect(panel.locator(".locallens-chip").first).to_have_text("stale")
    panel.get_by_role("button", name="Refresh").click()
    expect(panel).to_contain_text("Refreshed 'station': 19 files", timeout=SHOWN_MILLISECONDS)
    expect(panel.locator(".locallens-chip").first).to_have_text("ready", timeout=SHOWN_MILLISECONDS)

    saved = save_notebook(page, lab_folder / "scripted.ipynb")
    assert "widgets" not in saved.metadata
    first, second = saved.cells[1].outputs
    assert "application/vnd.jupyter.widget-view+json" in first.data
    assert "A student pays **BRL 60** a night" in second.data["text/plain"]
    assert "station-handbook.md" in second.data["text/html"]
    assert not page.locator(".locallens-transcript").is_visible()

    page.reload()
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=START_SECONDS * 1000)
    panel = wait_for_panel(page)
    expect(panel).to_contain_text("It is BRL 60", timeout=SHOWN_MILLISECONDS)
    expect(panel).to_contain_text("Stopped before its end.")
    ask(panel, "And after the page was loaded again?")
    page.wait_for_function("() => document.querySelector('.locallens-transcript')?.textContent.includes('loaded again?')")
    shown, kept = save_notebook(page, lab_folder / "scripted.ipynb").cells[1].outputs
    assert "And after the page was loaded again?" in kept.data["text/plain"]
    assert kept.data["text/html"].count("It is BRL 60") == 2
    assert "application/vnd.jupyter.widget-view+json" in shown.data
    expect(panel).to_contain_text("And after the page was loaded again?")
    (lab_folder / "sample" / "new.md").write_text("A note that was not there.", encoding="utf-8")
    panel.locator(".locallens-brain-name").click()
    expect(panel.locator(".locallens-brain")).to_contain_text("1 new file", timeout=SHOWN_MILLISECONDS)
    expect(panel.locator(".locallens-chip").first).to_have_text("stale")
    take_screenshot(page, "panel-new-file")
    (lab_folder / "sample" / "new.md").unlink()
    panel.get_by_role("button", name="Delete").click()
    take_screenshot(page, "panel-delete")
    panel.get_by_role("button", name="Yes, delete").click()
    expect(panel).to_contain_text("Deleted 'station'. Its folder was not touched.", timeout=SHOWN_MILLISECONDS)
    assert (lab_folder / "sample" / "README.md").is_file()
    expect(panel).to_contain_text("There is no brain yet.")


def test_a_notebook_without_a_kernel_shows_the_conversation(
    panel_in: Callable[..., tuple[Page, Locator]], lab_folder: Path, open_saved: Callable[[str], Page]
) -> None:
    page, panel = panel_in("kept.ipynb", [SCRIPTED, "locallens_nb.panel(app)"])
    make_brain(panel, "sample", "kept")
    ask(panel, QUESTION)
    expect(panel).to_contain_text("Written by scripted", timeout=SHOWN_MILLISECONDS)
    page.wait_for_function("() => document.querySelector('.locallens-transcript')?.textContent.includes('BRL 60')")
    save_notebook(page, lab_folder / "kept.ipynb")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()
    page = open_saved("kept.ipynb")
    transcript = page.locator(".locallens-transcript")
    expect(transcript).to_contain_text("BRL 60", timeout=SHOWN_MILLISECONDS)
    expect(transcript).to_be_visible()
    for text in ("Loading widget", "Error displaying widget"):
        expect(page.get_by_text(text)).to_be_hidden()
    take_screenshot(page, "panel-without-kernel")


@pytest.mark.parametrize(("theme", "width"), [("JupyterLab Dark", 1100), ("JupyterLab Light", 600)])
def test_the_panel_fits_the_dark_theme_and_a_narrow_page(
    panel_in: Callable[..., tuple[Page, Locator]], theme: str, width: int
) -> None:
    name = f"{theme.split()[1].lower()}-{width}"
    page, panel = panel_in(f"{name}.ipynb", [SCRIPTED, f"locallens_nb.panel(app)  # {name}"])
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.set_viewport_size({"width": width, "height": 1000})
    if width < 800:
        page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
    page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=str("Light" in theme).lower())
    take_screenshot(page, f"panel-form-{name}")
    assert find_low_contrast(page, ".locallens-panel") == []
    make_brain(panel, "sample", name)
    panel.get_by_role("button", name="Delete").last.click()
    assert find_low_contrast(page, ".locallens-panel") == []
    panel.get_by_role("button", name="Keep it").click()
    ask(panel, QUESTION)
    expect(panel).to_contain_text("Written by scripted", timeout=SHOWN_MILLISECONDS)
    panel.scroll_into_view_if_needed()
    take_screenshot(page, f"panel-{name}")
    assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    assert find_controls(panel, "one.getBoundingClientRect().right > panel.getBoundingClientRect().right + 1") == []
    assert find_controls(panel, "!one.textContent.trim() && !one.labels?.length && !one.ariaLabel && !one.title") == []


def test_uploaded_files_become_a_brain(panel_in: Callable[..., tuple[Page, Locator]], tmp_path: Path) -> None:
    page, panel = panel_in("upload.ipynb", [SCRIPTED, "locallens_nb.panel(app)"])
    note = tmp_path / "water.md"
    note.write_text("The cistern holds 4,000 litres of water.\n", encoding="utf-8")
    if panel.get_by_role("button", name="New brain").is_enabled():
        panel.get_by_role("button", name="New brain").click()
    panel.get_by_role("button", name="Files to upload").click()
    with page.expect_file_chooser() as chosen:
        panel.get_by_role("button", name="Choose files").click()
    chosen.value.set_files(note)
    expect(panel).to_contain_text("1 chosen", timeout=SHOWN_MILLISECONDS)
    panel.get_by_role("button", name="Create brain").click()
    expect(panel).to_contain_text("Indexed 'my files': 1 file, 1 chunk.", timeout=SHOWN_MILLISECONDS)


def test_nothing_in_a_hostile_folder_comes_alive_in_the_panel(
    panel_in: Callable[..., tuple[Page, Locator]], lab_folder: Path, listener: tuple[str, list[str]]
) -> None:
    address, asked = listener
    hostile = write_hostile_folder(lab_folder / "hostile", address=address)
    script = f"models.chat = ScriptedChatModel(Script([{json.dumps(hostile + ' [1].')}]))"
    page, panel = panel_in("hostile-panel.ipynb", [SCRIPTED, script, "locallens_nb.panel(app)"])
    make_brain(panel, "hostile", "<img src=x onerror=pwned=7>")
    panel.locator(".locallens-brain", has_text="onerror=pwned=7").get_by_role("button", name="Details").click()
    expect(panel).to_contain_text("<img src=x onerror=pwned=6>.png", timeout=SHOWN_MILLISECONDS)
    ask(panel, f"{HOSTILE_QUESTION} <img src=x onerror=pwned=8>")
    expect(panel).to_contain_text("Written by scripted", timeout=SHOWN_MILLISECONDS)
    for summary in panel.locator("summary").all():
        summary.click()
    assert panel.locator("img, iframe, script").count() == 0
    assert panel.locator("a[href^='javascript']").count() == 0
    take_screenshot(page, "panel-hostile")
    assert page.evaluate("() => window.pwned") is None
    assert asked == []


def test_the_notebook_of_the_panel_answers_with_the_packaged_model(
    panel_in: Callable[..., tuple[Page, Locator]], lab_folder: Path
) -> None:
    demo = nbformat.read(ROOT / "notebooks" / "02-panel.ipynb", as_version=4)
    (shown,) = [cell.source for cell in demo.cells if cell.cell_type == "code" and "panel()" in cell.source]
    page, panel = panel_in("02-panel.ipynb", ["%env LOCALLENS_CHAT_MODEL=qwen2.5-coder-0.5b-instruct", shown])
    page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
    make_brain(panel, "sample", "station")
    panel.get_by_role("button", name="Close").click()
    started = time.monotonic()
    ask(panel, "How many litres does the rainwater cistern hold?")
    expect(panel).to_contain_text("Found in your files", timeout=ANSWER_MILLISECONDS)
    evidence_seconds = time.monotonic() - started
    expect(panel).to_contain_text("Written by qwen2.5-coder-0.5b-instruct", timeout=ANSWER_MILLISECONDS)
    print(f"evidence after {evidence_seconds:.1f} s, the whole answer after {time.monotonic() - started:.1f} s")
    take_screenshot(page, "panel-packaged")
    assert "38,000" in panel.locator(".ll-log").inner_text()
    panel.locator(".ll-citation").first.click()
    expect(panel.locator(".ll-source[open] mark").first).to_be_in_viewport()
    panel.screenshot(path=SCREENSHOTS / "panel.png")
