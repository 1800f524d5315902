"""A conversation that says what a test tells it to, for a cell of a notebook: no model, no brain."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from locallens_nb.domain import AnswerSentence, ChatAnswer, Citation, EvidenceFound, Quote, Timings
from locallens_nb.notebook.conversation import ConversationView
from locallens_nb.notebook.markup import answer_html, evidence_html, sources_html

QUESTION = "What does a student pay for a night, and how is the surcharge worked out?"
_HANDBOOK = (
    "## Guests\n\nA guest pays BRL 120 for a night at the station. A student pays BRL 60 for a night, breakfast included. "
    "Bring a sleeping bag.\n\nThe surcharge s for n nights is s = 0.1 n^2, at most BRL 40."
)
CITATIONS = (
    Citation(1, "a1-0", "handbook/station-handbook.md", 0, 0.71, 12, 19, _HANDBOOK),
    Citation(
        2, "b2-3", "logs/<b>2024</b> prices.csv", 3, 0.44, 30, 36, "date,item,price\n2024-01-02,ferry,$5\n2024-07-01,ferry,$10"
    ),
    Citation(3, "c3-1", "notes/kitchen.md", 1, 0.31, 4, 4, "The kitchen closes at nine."),
)
ANSWER = (
    "A student pays **BRL 60** for a night [1], half of what a guest pays. The ferry costs $5, later $10 [2].\n\n"
    "The surcharge follows $s = 0.1 n^2$ and is at most BRL 40 [1]:\n\n$$s = \\min\\left(\\frac{n^2}{10}, 40\\right)$$\n\n"
    "| nights | surcharge |\n|---|--:|\n| 5 | 2.5 |\n| 10 | 10 |\n\n"
    "1. Ask for the student price.\n2. Show `card.id` at the desk:\n\n"
    "```python\ndef surcharge(n):\n    return min(n ** 2 / 10, 40)\n```\n\n"
    "Booking opened in 1987 with 48 beds."
)


def make_answer(text: str = ANSWER, *, stopped: str = "") -> ChatAnswer:
    quoted = "A student pays BRL 60 for a night, breakfast included."
    at = _HANDBOOK.index(quoted)
    sentences = []
    for part, support in (
        ("A student pays **BRL 60** for a night [1]", "supported"),
        ("Booking opened in 1987 with 48 beds.", "unsupported"),
    ):
        if part in text:
            start = text.index(part)
            evidence = (1, at, at + len(quoted)) if support == "supported" else (None, None, None)
            missing = () if support == "supported" else ("1987", "48")
            sentences.append(AnswerSentence(part, start, start + len(part), support, *evidence, missing))
    return ChatAnswer(
        answer=text,
        citations=CITATIONS[:2],
        model="scripted (no model)",
        fallback_reason="",
        stopped=stopped,
        timings=Timings(0, 0.1, 0.2, 1),
        also_read=CITATIONS[2:],
        sentences=tuple(sentences),
        quotes=(Quote(quoted, 1, 0.8, at, at + len(quoted)),),
    )


def make_evidence() -> EvidenceFound:
    answer = make_answer()
    quotes = (*answer.quotes, Quote("2024-07-01,ferry,$10", 2, 0.5, 37, 57))
    return EvidenceFound(quotes, CITATIONS)


class Script:
    """Answers each question in a thread: evidence, pieces, and the whole.

    Parameters
    ----------
    view
        Where it answers.
    text
        What the answer is.
    piece_seconds
        Between two pieces of a word each.
    """

    def __init__(self, view: ConversationView, *, text: str = ANSWER, piece_seconds: float = 0.01) -> None:
        self.view = view
        self.text = text
        self.piece_seconds = piece_seconds
        self.actions: list[tuple[str, int]] = []
        self.stopped_after: float | None = None
        self.gate = threading.Event()
        self.gate.set()
        self._stop = threading.Event()
        view.on_send(self.ask)
        view.on_stop(self._stop_now)
        view.on_action(lambda action, turn: self.actions.append((action, turn)))

    def ask(self, question: str) -> None:
        turn = self.view.add_question(question)
        self._stop.clear()
        self.view.set_busy(True)
        self._start(lambda: self._answer(turn))

    def _answer(self, turn: int) -> None:
        self.view.show_status("Loading scripted 62 % · 2 s")
        self.view.show_evidence(turn, evidence_html(make_evidence()))
        self.gate.wait(60)
        pieces = self.text.replace(" ", " \0").split("\0")
        shown = 0
        for shown, piece in enumerate(pieces, start=1):
            if self._stop.wait(self.piece_seconds):
                break
            self.view.append_text(turn, piece)
            self.view.show_status(f"Writing … · {shown} words")
        is_stopped = self._stop.is_set()
        answer = make_answer("".join(pieces[:shown]), stopped="person" if is_stopped else "")
        note = "Stopped before its end." if is_stopped else "Written by scripted (no model). In 1.2 s."
        stale = {"logs/<b>2024</b> prices.csv"}
        self.view.show_answer(turn, answer_html(answer), sources_html(answer, stale), note, answer.answer)
        self.view.show_status("")
        self.view.set_busy(False)

    def _stop_now(self) -> None:
        self.stopped_after = time.monotonic()
        self._stop.set()

    @staticmethod
    def _start(call: Callable[[], None]) -> None:
        threading.Thread(target=call, daemon=True).start()
