"""Which languages texts are in, and what is said when a model does not know one."""

from __future__ import annotations

import pytest

from locallens_nb.language.languages import (
    detect_language,
    explain_unknown_languages,
    share_languages,
    suggest_multilingual_model,
)

ENGLISH = "The council approved the budget for the new roof after a long debate about the pump in the cellar."
PORTUGUESE = "O conselho aprovou o orçamento para o novo telhado depois de um longo debate sobre a bomba na cave."
GERMAN = "Der Rat genehmigte nach langer Aussprache über die Pumpe im Keller den Haushalt für das neue Dach."
CHINESE = "经过长时间的讨论，委员会批准了新屋顶的预算，并决定修理地下室的水泵。"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (PORTUGUESE, "pt"),
        (GERMAN, "de"),
        (CHINESE, "zh"),
        ("会議は午後三時に始まります。資料を持って来てください。", "ja"),
        ("Встреча начнётся в три часа, возьмите документы с собой, пожалуйста, и паспорта.", "ru"),
        ("وافق المجلس على ميزانية السقف الجديد بعد نقاش طويل حول المضخة الموجودة في القبو.", "ar"),
        (ENGLISH.upper(), "en"),
        (f"# Título\n\n- {PORTUGUESE}\n- Ver https://example.org/the/long/english/address", "pt"),
    ],
)
def test_the_language_of_prose_is_told(text: str, language: str):
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "O gato.",
        "| a | b |\n|---|---|\n| 1 | 2 |\n" * 20,
        "def load(path):\n    return json.loads(path.read_text())[0]['key'] + {x: y for x, y in rows}\n" * 5,
        "12:30:01.123 10.0.0.1 -> 10.0.0.2 443 0x7f 0x80\n" * 20,
    ],
)
def test_what_is_short_or_no_prose_is_in_no_language(text: str):
    assert detect_language(text) == ""


def test_shares_are_by_letters_and_the_greatest_comes_first():
    shares = share_languages([PORTUGUESE, PORTUGUESE, ENGLISH, "O gato."])
    assert list(shares) == ["pt", "en"]
    assert shares["pt"] == pytest.approx(0.674, abs=0.02)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert share_languages([]) == {}


def explain(texts: list[str]) -> str:
    return explain_unknown_languages(texts, model="all-MiniLM-L6-v2", knows=lambda language: language == "en")


def test_languages_that_a_model_does_not_know_are_named_with_their_share():
    assert explain([PORTUGUESE] * 3) == (
        "Much of the text is Portuguese (100%), which all-MiniLM-L6-v2 does not know: "
        "it is found by its words, not by its meaning."
    )
    assert "is German (67%) and Portuguese (33%), which" in explain([GERMAN, PORTUGUESE, GERMAN])


def test_nothing_is_said_of_a_language_that_is_known_or_rare_or_cannot_be_told():
    assert explain([ENGLISH] * 3) == ""
    assert explain([*[ENGLISH] * 9, PORTUGUESE]) == ""
    assert explain(["O gato.", "12 34"]) == ""
    assert explain([]) == ""


def test_a_model_that_knows_many_languages_is_suggested():
    assert suggest_multilingual_model() == (
        "Set LOCALLENS_EMBEDDING_MODEL to multilingual-e5-small (or Qwen/Qwen3-Embedding-0.6B) and refresh the brain."
    )


@pytest.mark.timeout(60)
def test_a_long_word_is_read_once():
    assert detect_language("A" * 200_000 + "1") == ""
    assert detect_language(ENGLISH + " /" + "A" * 200_000) == ""
