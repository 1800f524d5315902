"""The panel with a scripted model in a page: what a test writes into cells, and what a person does there."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "notebooks" / "sample"
SHOWN_MILLISECONDS = 180_000
QUESTION = "What does a student pay for a night at the station?"

SCRIPTED = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
import locallens_nb
from locallens_nb.locallens import LocalLensApp
from locallens_nb.settings import Settings
from tests.fakes import FakeModels, Script, ScriptedChatModel

class PacedModel(ScriptedChatModel):
    def generate(self, request):
        generation = super().generate(request)
        pieces = generation._pieces

        def paced():
            for piece in pieces:
                yield piece
                time.sleep(0.05)

        generation._pieces = paced()
        return generation

ANSWER = '''A student pays **BRL 60** a night [1]. A room costs $5 less, later $10.

```python
print("a block of code")
```
'''
LONG = [f'Sentence number {{n}} is about a night at the station. ' for n in range(2000)]
chat = PacedModel(Script([f'{{word}} ' for word in ANSWER.split(' ')]), Script(LONG), Script(['It is BRL 60 [1].']))
models = FakeModels(chat=chat, fallback_reason='Qwen3-1.7B does not fit in memory.')
app = LocalLensApp(Settings(strictness="off"), models=models)
"""


def wait_for_panel(page: Page) -> Locator:
    panel = page.locator(".locallens-panel").first
    panel.get_by_role("button", name="Send").wait_for(timeout=SHOWN_MILLISECONDS)
    panel.scroll_into_view_if_needed()
    return panel


def make_brain(panel: Locator, folder: str, name: str) -> None:
    """Make a brain by hand, with the form that is open when there is none yet."""
    if panel.get_by_role("button", name="New brain").is_enabled():
        panel.get_by_role("button", name="New brain").click()
    panel.get_by_label("In it").select_option(folder)
    expect(panel.get_by_label("Name", exact=True)).to_have_value(folder)
    panel.get_by_label("Name", exact=True).fill(name)
    panel.get_by_label("Name", exact=True).press("Tab")
    panel.get_by_role("button", name="Create brain").click()
    expect(panel).to_contain_text(f"Indexed '{name}'", timeout=SHOWN_MILLISECONDS)


def ask(panel: Locator, question: str) -> None:
    box = panel.get_by_role("textbox").last
    box.fill(question)
    box.press("Enter")


def watch_the_answer(panel: Locator) -> int:
    """Look at the conversation until an answer is written, and return how many states of it were seen."""
    seen: set[str] = set()
    while not panel.get_by_text("Written by scripted").is_visible():
        seen.add(panel.locator(".ll-log").inner_text())
        assert len(seen) < 2000
    return len(seen)


def stop_the_answer(panel: Locator) -> float:
    """Press Stop and return how many seconds it took until the next question could be sent, as the page measures it."""
    return float(
        panel.evaluate(
            """panel => new Promise((resolve, reject) => {
                const find = text => [...panel.querySelectorAll("button")].find(one => one.textContent === text && !one.hidden);
                const pressed = performance.now();
                find("Stop").click();
                const look = () => find("Send") ? resolve((performance.now() - pressed) / 1000)
                    : performance.now() - pressed > 30000 ? reject(new Error("it did not stop")) : setTimeout(look, 10);
                look();
            })"""
        )
    )
