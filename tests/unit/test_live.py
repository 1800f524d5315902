"""One output that grows while an answer is written, and what it sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from locallens_nb.domain import ChatAnswer, Citation, EvidenceFound, Progress, Quote, TextPiece, Timings
from locallens_nb.notebook import live
from locallens_nb.notebook.live import LiveOutput
from locallens_nb.notebook.rendering import render_text

CITATION = Citation(1, "abc-1", "a.md", 0, 0.5, 3, 9, "The cistern holds <b>4,000</b> litres of water. " * 20)
EVIDENCE = EvidenceFound(tuple(Quote(f"The cistern holds {n} litres.", 1, 0.9, 0, 20) for n in range(5)), (CITATION,))


class Screen:
    """A front end with a clock: keeps every bundle, and when it came."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.bundles: list[dict[str, str]] = []
        self.times: list[float] = []
        monkeypatch.setattr(live.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(live, "display", self._display)

    def _display(self, bundle: dict[str, str], *, raw: bool, display_id: bool) -> Screen:
        assert self.bundles == [], "a second output was made"
        self.update(bundle, raw=raw)
        return self

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.bundles.append(bundle)
        self.times.append(self.now)

    @property
    def sent_bytes(self) -> int:
        return sum(len(form.encode()) for bundle in self.bundles for form in bundle.values())


class Stream:
    """Gives evidence and then pieces, one after so many seconds."""

    standalone_question = ""
    citations = (CITATION,)

    def __init__(
        self,
        screen: Screen,
        pieces: list[str],
        *,
        piece_seconds: float,
        evidence: EvidenceFound = EVIDENCE,
        fails_with: BaseException | None = None,
    ) -> None:
        self.result = ChatAnswer("".join(pieces), self.citations, "fake", "", "", Timings(0, 0, 0, 0))
        self._screen = screen
        self._pieces = pieces
        self._piece_seconds = piece_seconds
        self._evidence = evidence
        self._fails_with = fails_with

    def events(self) -> Iterator[EvidenceFound | TextPiece]:
        yield self._evidence
        for piece in self._pieces:
            self._screen.now += self._piece_seconds
            yield TextPiece(piece)
        if self._fails_with is not None:
            raise self._fails_with

    def close(self) -> None:
        self.result = replace(self.result, stopped="error")


def words(count: int) -> list[str]:
    """Return pieces of 4 or 5 characters, as long as the tokens of English text are."""
    return [f"w{n % 100:02d}" + (".\n\n" if n % 60 == 59 else " ") for n in range(count)]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    return Screen(monkeypatch)


@pytest.mark.parametrize("piece_seconds", [0.2, 0.05, 0.01])
def test_2000_tokens_come_often_enough_and_under_a_megabyte(screen: Screen, piece_seconds: float) -> None:
    with LiveOutput(updates=True, failure=render_text("No answer.")) as output:
        output.show_stream(Stream(screen, words(2000), piece_seconds=piece_seconds))
    assert screen.sent_bytes < 1_000_000
    assert len(screen.bundles) > 30
    gaps = [later - earlier for earlier, later in zip(screen.times[1:], screen.times[2:], strict=False)]
    assert min(gaps[:-1]) >= 0.1
    assert all(len([at for at in screen.times if moment <= at < moment + 1]) <= 20 for moment in screen.times)
    assert max(gaps[:20]) < 1
    assert max(gaps) < 60 * piece_seconds + 2


def test_what_streams_is_html_and_what_stays_has_every_form(screen: Screen) -> None:
    with LiveOutput(updates=True, failure=render_text("No answer.")) as output:
        output.report(Progress("loading", 1, 2, "fake"))
        output.show_stream(Stream(screen, ["The **", "<b>4", "</b>** litres [1]."], piece_seconds=1))
    *streamed, last = screen.bundles
    assert all(set(bundle) == {"text/html", "text/plain"} for bundle in streamed)
    assert "Found in your files" in streamed[-1]["text/html"]
    assert "<p>The <strong>&lt;b&gt;4&lt;/b&gt;</strong> litres [1]. ▍</p>" in streamed[-1]["text/html"]
    assert set(last) == {"text/html", "text/markdown", "text/plain"}
    assert "▍" not in str(last)
    assert "Found in your files" not in str(last)


def test_what_is_done_before_there_is_an_answer_is_told(screen: Screen) -> None:
    with LiveOutput(updates=True, failure=render_text("No answer.")) as output:
        output.report(Progress("loading", 1, 2, "fake"))
        screen.now += 10
        output.show_stream(Stream(screen, ["Blue."], piece_seconds=1))
    loading, searching, *_ = (bundle["text/plain"] for bundle in screen.bundles)
    assert "50 % loading fake" in loading
    assert searching == "Searching …"


def test_what_was_found_is_shown_at_once_and_an_update_too_many_is_not(screen: Screen) -> None:
    with LiveOutput(updates=True, failure=render_text("No answer.")) as output:
        output.report(Progress("loading", 1, 2, "fake"))
        output.report(Progress("loading", 2, 2, "fake"))
        output.show_stream(Stream(screen, ["Blue."], piece_seconds=0))
    loading, found, _ = (bundle["text/plain"] for bundle in screen.bundles)
    assert "50 % loading fake" in loading
    assert found.startswith("Found in your files")


def test_quotations_that_do_not_answer_are_not_shown_as_found(screen: Screen) -> None:
    evidence = replace(EVIDENCE, is_answerable=False)
    with LiveOutput(updates=True, failure=render_text("No answer.")) as output:
        output.show_stream(Stream(screen, ["I do not know.", " Ask otherwise."], piece_seconds=1, evidence=evidence))
    assert "Found in your files" not in str(screen.bundles)


@pytest.mark.parametrize("failure", [RuntimeError("the device went away"), KeyboardInterrupt()])
def test_a_failure_keeps_what_was_written(screen: Screen, failure: BaseException) -> None:
    output = LiveOutput(updates=True, failure=render_text("No answer."))
    stream = Stream(screen, ["Four ", "thousand."], piece_seconds=1, fails_with=failure)
    with pytest.raises(type(failure)), output:
        output.show_stream(stream)
    assert stream.result.stopped == "error"
    assert screen.bundles[-1]["text/plain"].startswith("Four thousand.\n\nSources:\n[1] a.md:3-9")


def test_a_failure_before_anything_was_found_takes_the_place_of_the_progress(screen: Screen) -> None:
    stream = Stream(screen, [], piece_seconds=1, fails_with=RuntimeError("the device went away"))
    stream.citations = ()
    with pytest.raises(RuntimeError), LiveOutput(updates=True, failure=render_text("No answer.")) as output:
        output.show_stream(stream)
    assert screen.bundles[-1]["text/plain"] == "No answer."


def test_a_failure_before_anything_was_shown_shows_nothing(screen: Screen) -> None:
    with pytest.raises(RuntimeError), LiveOutput(updates=True, failure=render_text("No answer.")):
        raise RuntimeError("no brain")
    assert screen.bundles == []


def test_a_terminal_gets_the_whole_answer_once(screen: Screen) -> None:
    with LiveOutput(updates=False, failure=render_text("No answer.")) as output:
        output.show_stream(Stream(screen, words(20), piece_seconds=1))
    assert len(screen.bundles) == 1


@pytest.mark.parametrize("failure", [RuntimeError("the device went away"), KeyboardInterrupt()])
def test_a_terminal_gets_what_was_written_before_a_failure_once(screen: Screen, failure: BaseException) -> None:
    output = LiveOutput(updates=False, failure=render_text("No answer."))
    with pytest.raises(type(failure)), output:
        output.show_stream(Stream(screen, ["Four ", "thousand."], piece_seconds=1, fails_with=failure))
    (bundle,) = screen.bundles
    assert bundle["text/plain"].startswith("Four thousand.\n\nSources:\n[1] a.md:3-9")
