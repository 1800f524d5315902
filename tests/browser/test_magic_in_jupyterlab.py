"""What a person sees in JupyterLab: an answer that grows, sources that unfold, and nothing hostile come alive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.conftest import take_screenshot
from tests.browser.hostile_folder import QUESTION as HOSTILE_QUESTION
from tests.browser.hostile_folder import write_hostile_folder

SAMPLE = Path(__file__).parents[2] / "notebooks" / "sample"
ANSWER_MILLISECONDS = 400_000
RENDERED = ".jp-OutputArea-output.jp-RenderedHTML"

OpenNotebook = Callable[[str, list[str]], Page]


def test_an_answer_by_the_packaged_qwen_streams_in_with_its_sources_under_it(open_notebook: OpenNotebook) -> None:
    page = open_notebook(
        "answer.ipynb",
        [
            "%env LOCALLENS_CHAT_MODEL=qwen2.5-coder-0.5b-instruct\n%load_ext locallens_nb",
            f"%locallens index {SAMPLE} --name station",
            "%locallens ask What does a student pay for a night at the station?",
        ],
    )
    answer = page.locator(RENDERED).last
    page.get_by_text("▍").wait_for(timeout=ANSWER_MILLISECONDS)
    page.get_by_text("Written by qwen2.5-coder-0.5b-instruct").wait_for(timeout=ANSWER_MILLISECONDS)
    assert "60" in answer.inner_text()
    assert "Sources" in answer.inner_text()
    first = answer.locator("details").first
    assert "handbook/station-handbook.md:" in first.locator("summary").inner_text()
    assert not first.locator("pre").is_visible()
    first.locator("summary").click()
    assert first.locator("pre").is_visible()
    assert "BRL 60" in first.locator("pre").inner_text()
    assert page.get_by_text("▍").count() == 0
    answer.scroll_into_view_if_needed()
    take_screenshot(page, "answer")


def test_nothing_in_a_hostile_folder_comes_alive(
    open_notebook: OpenNotebook, tmp_path: Path, listener: tuple[str, list[str]]
) -> None:
    address, asked = listener
    folder = tmp_path / "hostile"
    write_hostile_folder(folder, address=address)
    page = open_notebook(
        "hostile.ipynb",
        [
            "%env LOCALLENS_CHAT_MODEL=quotes\n%load_ext locallens_nb",
            f"%locallens index {folder} --name hostile",
            f"answer = %locallens ask {HOSTILE_QUESTION}",
            "%locallens ask What does a ticket for the ferry cost?",
            "%locallens search budget for 2031",
            "from IPython.display import Markdown\n"
            "from locallens_nb.notebook.answer_rendering import render_answer\n"
            "Markdown(render_answer(answer).markdown)",
        ],
    )
    outputs = page.locator(RENDERED)
    as_markdown = page.locator(".jp-OutputArea-output.jp-RenderedMarkdown")
    as_markdown.get_by_text("Sources").wait_for(timeout=ANSWER_MILLISECONDS)
    for details in page.locator("details").all():
        details.locator("summary").first.click()
    assert "costs $5 and later $10" in outputs.nth(2).locator("ul").inner_text()
    for answer in (outputs.nth(1), as_markdown):
        assert "48,000 euros <img src=" in answer.locator("ul").inner_text()
        assert "[click](javascript:window.pwned=3)" in answer.locator("ul").inner_text()
        assert "<img src=x onerror=pwned=5>.md:1" in answer.inner_text()
    live = ("img", "iframe", "script", "mjx-container", "a[href^=javascript]")
    found = page.locator(", ".join(f".jp-OutputArea-output {one}" for one in live))
    assert found.evaluate_all("all => all.map(one => one.outerHTML)") == []
    assert page.evaluate("() => window.pwned") is None
    assert asked == []
    take_screenshot(page, "hostile")
