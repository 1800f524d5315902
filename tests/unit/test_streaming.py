"""What of a model's raw text is shown, and when it goes round in circles."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from locallens_nb.models.streaming import VisibleText, is_looping


def show(*pieces: str) -> str:
    """Feed the pieces and return the visible text."""
    visible = VisibleText()
    for piece in pieces:
        visible.feed(piece)
    visible.finish()
    return visible.text


def shown_pieces(*pieces: str) -> list[str]:
    visible = VisibleText()
    return [*(visible.feed(piece) for piece in pieces), visible.finish()]


THINKING = [
    pytest.param("<think>\nsecret </b> [9]\n</think>\n\nThe answer [1].", "The answer [1].", id="full"),
    pytest.param("<think></think>The answer [1].", "The answer [1].", id="empty"),
    pytest.param("<think>\n\n</think>\n\nThe answer [1].", "The answer [1].", id="empty-lines"),
    pytest.param("Shown [9]\n</think>\n\nThe answer [1].", "Shown [9]\n\n\nThe answer [1].", id="only-closing"),
    pytest.param("</think>\n\nThe answer [1].", "The answer [1].", id="only-closing-at-the-start"),
    pytest.param("<think>secret [9], never closed", "", id="never-closed"),
    pytest.param("<think>secret </thi", "", id="cut-off-while-it-is-closed"),
    pytest.param("Before. <think>secret</think>After.", "Before. After.", id="in-the-middle"),
    pytest.param("<think>a</think>One. <think>b</think>Two.", "One. Two.", id="twice"),
    pytest.param("The answer [1].<think>secret", "The answer [1].", id="at-the-end"),
]


@pytest.mark.parametrize(("raw", "text"), THINKING)
def test_thinking_is_hidden_in_one_piece(raw: str, text: str):
    assert show(raw) == text


@pytest.mark.parametrize(("raw", "text"), THINKING)
def test_thinking_is_hidden_however_the_text_is_split_in_two(raw: str, text: str):
    for cut in range(len(raw) + 1):
        assert show(raw[:cut], raw[cut:]) == text, cut


@pytest.mark.parametrize(("raw", "text"), THINKING)
def test_thinking_is_hidden_letter_by_letter(raw: str, text: str):
    assert show(*raw) == text


def test_thinking_is_hidden_however_a_text_is_split_in_three():
    raw = "<think>x</think>y<b"
    for first, second in combinations(range(len(raw) + 1), 2):
        assert show(raw[:first], raw[first:second], raw[second:]) == "y<b", (first, second)


@pytest.mark.parametrize(("raw", "text"), THINKING)
def test_the_shown_pieces_make_up_the_text(raw: str, text: str):
    for cut in range(len(raw) + 1):
        assert "".join(shown_pieces(raw[:cut], raw[cut:])) == text


@pytest.mark.parametrize("text", ["a < b and c > d", "</thin", "<thinking>", "<|think|>", "x <th", "<", "</"])
def test_what_only_looks_like_a_tag_is_shown(text: str):
    assert show(*text) == text


def test_the_possible_start_of_a_tag_is_held_back_until_it_is_none():
    assert shown_pieces("a <th", "ing", "") == ["a ", "<thing", "", ""]


def test_the_possible_start_of_a_tag_at_the_end_is_shown_when_the_text_ends():
    assert shown_pieces("a <think") == ["a ", "<think"]


def test_text_without_a_tag_is_shown_at_once():
    assert shown_pieces("The ", "tide ", "is in.") == ["The ", "tide ", "is in.", ""]


def test_leading_white_space_is_never_shown():
    assert shown_pieces("\n", "  ", "\n The", " tide") == ["", "", "The", " tide", ""]


SENTENCE = "The pump was replaced in March by the station crew. "
LOOPS = [
    pytest.param("It says: " + SENTENCE * 3, id="sentence"),
    pytest.param("Start. " + "and so on, " * 12, id="phrase"),
    pytest.param("no " * 30, id="word"),
    pytest.param("The list:\n" + "- item one of the list\n" * 6, id="list-item"),
    pytest.param("A line.\n" + "| station | value | unit |\n" * 4, id="table-row"),
    pytest.param("Ja. " + "ha" * 40, id="syllable"),
    pytest.param("开始。" + "会议在北京举行。" * 8, id="chinese"),
    pytest.param("Text. " + ("x" * 398 + ". ") * 3, id="longest-unit"),
]
NO_LOOPS = [
    pytest.param("", id="empty"),
    pytest.param("no", id="short"),
    pytest.param("No, no, no, no: it was closed.", id="emphasis"),
    pytest.param(SENTENCE * 2, id="said-twice"),
    pytest.param("| station | value |\n|---------|-------|\n" + "|" + "-" * 200, id="table-rule"),
    pytest.param("| a | b |\n" + "|---|---|" * 20, id="table-rules"),
    pytest.param("Title\n" + "=" * 300, id="underline"),
    pytest.param("\n" * 100, id="blank-lines"),
    pytest.param(" " * 100, id="spaces"),
    pytest.param("*" * 100, id="stars"),
    pytest.param("".join(f"| 2031-03-{day:02} | station {day} | {day * 7 % 13}.5 |\n" for day in range(1, 29)), id="table"),
    pytest.param("".join(f"- item {number}\n" for number in range(60)), id="numbered-list"),
    pytest.param(
        "The committee met in Lisbon and approved a budget of 8,200 euros for the archive. Dr. Almeida objected: the "
        "scanners were bought before anyone had counted the boxes. Nobody answered, and the meeting was closed.",
        id="prose",
    ),
]


@pytest.mark.parametrize("text", LOOPS)
def test_a_text_that_goes_round_in_circles_is_found(text: str):
    assert is_looping(text)


@pytest.mark.parametrize("text", NO_LOOPS)
def test_a_text_that_goes_on_is_no_loop(text: str):
    prefixes = [text[:length] for length in range(len(text) + 1)]
    assert [prefix for prefix in prefixes if is_looping(prefix)] == []


def test_a_long_unit_is_found_before_its_third_repetition_is_complete():
    text = "It says: " + SENTENCE * 10
    first = next(length for length in range(len(text)) if is_looping(text[:length]))
    assert len("It says: ") + 2 * len(SENTENCE) < first < len("It says: ") + 3 * len(SENTENCE)


def test_a_loop_that_has_ended_is_no_loop():
    assert not is_looping(SENTENCE * 4 + "After that, it was sold to a museum in Porto.")


def is_looping_for_any_unit(text: str) -> bool:
    """Return what :func:`is_looping` must return, as its rule reads: every unit from 2 to 400 characters is tried."""
    for unit_length in range(2, 401):
        span = max(60, 4 * unit_length) if unit_length < 24 else unit_length * 5 // 2
        tail = text[-span:]
        if len(tail) == span and tail[unit_length:] == tail[:-unit_length] and any(map(str.isalnum, tail[:unit_length])):
            return True
    return False


def draw_repetitive_text(dice: random.Random) -> str:
    """Return a text that ends, or nearly ends, in a repeated unit of a length where the rule changes or far from there."""
    unit = "".join(dice.choices("ab- .|", k=dice.choice([1, 2, 3, 10, 15, 16, 22, 23, 24, 25, 40, 150, 399, 400, 401])))
    before = "".join(dice.choices("ab c.", k=dice.choice([0, 3, 50, 1000])))
    after = dice.choice(["", "", "", "q", "a."])
    return before + unit * dice.randint(1, 30 // len(unit) + 4) + unit[: dice.randint(0, len(unit))] + after


def test_a_loop_is_found_exactly_where_trying_every_unit_finds_it():
    dice = random.Random(0)  # noqa: S311
    texts = [draw_repetitive_text(dice) for _ in range(3000)]
    found = [is_looping(text) for text in texts]
    assert found == [is_looping_for_any_unit(text) for text in texts]
    assert 500 < sum(found) < 2500


class CountedText(str):
    """A text that counts the characters of its slices, those of slices of slices too."""

    __slots__ = ()
    sliced = 0

    def __getitem__(self, key: object) -> CountedText:
        piece = CountedText(super().__getitem__(key))
        CountedText.sliced += len(piece)
        return piece


def test_looking_for_a_loop_costs_no_more_the_longer_a_text_is(monkeypatch: pytest.MonkeyPatch):
    dice = random.Random(0)  # noqa: S311
    monkeypatch.setattr(CountedText, "sliced", 0)
    text = " ".join("".join(dice.choices("abcdefgh", k=5)) for _ in range(5000))
    for length in (2_000, 20_000):
        CountedText.sliced = 0
        assert not is_looping(CountedText(text[:length]))
        assert CountedText.sliced < 1_100
