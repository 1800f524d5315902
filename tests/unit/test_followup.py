"""Which questions need the ones before them, and what they become."""

from __future__ import annotations

import pytest

from locallens_nb.errors import InvalidQuestionError
from locallens_nb.questions.followup import MOST_EARLIER_CHARACTERS, continue_thread, find_names, join_thread, stands_alone

TYRES = "What does a tyre change cost for a car?"


def ask_in_turn(*questions: str) -> str:
    thread: tuple[str, ...] = ()
    for question in questions:
        thread = continue_thread(question, thread)
    return join_thread(thread)


# Which questions stand alone


@pytest.mark.parametrize(
    "question",
    [
        "and a service?",
        "And for a lorry?",
        "What about supper?",
        "Where is it?",
        "What happens if her contract falls vacant?",
        "How many people work there?",
        "Why?",
        "how much?",
        "What are the main advantages?",
        "yes",
        "Tell me more!",
        "e por meio dia?",
        "Quanto custa?",
        "Por que ela está lá?",
        "Quantas pessoas ficam na ilha durante esse período?",
        "Sim, por favor.",
        "¿Y en verano?",
        "¿Por qué?",
        "Cuéntame más",
        "Und im Winter?",
        "Wie lange dauert das?",
        "Was ist mit Kindern?",
        "Et pour les enfants ?",
        "Combien de temps ?",
        "Qu’en est-il du dimanche ?",
        "E per i bambini?",
        "Quanto costa?",
        "为什么？",
        "那学生呢？",
        "它在哪里？",
        "いくら？",
        "それはどこですか？",
        "学生は？",
        "in:admin and the staff?",
        "???",
    ],
)
def test_a_follow_up_is_told_by_its_words(question: str):
    assert not stands_alone(question)


@pytest.mark.parametrize(
    "question",
    [
        "On which date did the station first open its doors?",
        "How long does it take to restore the database?",
        "If I get the bends, which hospital has a recompression chamber?",
        "What is a caixote?",
        "Tell me about lung cancer.",
        "Who is Mirko?",
        "What does flag 3 mean?",
        "What are the advantages of steel?",
        "What if the electors don’t vote for the pledged candidate?",
        "O que é a Bigorna?",
        "Há muitos mosquitos na ilha?",
        "Quanto recebo por quilômetro quando viajo com meu próprio carro?",
        "¿Qué es la septicemia?",
        "¿Cuánto cuesta la entrada del museo?",
        "Wo steht die alte Waage?",
        "Wann fährt die Fähre am Freitag zurück?",
        "Où se trouve la clé du laboratoire ?",
        "Dove si trova la chiave del laboratorio?",
        "潮位计的支架是什么时候损坏的？",
        "カメラの電池は何時間もちますか？",
        "Сколько стоит ночь на станции?",
    ],
)
def test_a_question_that_names_its_subject_stands_alone(question: str):
    assert stands_alone(question)


# What they become


def test_the_first_question_stays_as_it_is():
    assert continue_thread("and a service?", ()) == ("and a service?",)


def test_a_follow_up_stands_behind_the_question_that_it_goes_on_from():
    assert ask_in_turn(TYRES, "and a service?") == f"{TYRES} And a service?"


def test_agreeing_asks_the_same_again():
    assert ask_in_turn(TYRES, "and a service?", "yes") == f"{TYRES} And a service?"


def test_a_new_subject_leaves_the_earlier_ones_behind():
    assert ask_in_turn(TYRES, "When does the ferry leave Porto Velame?", "and on Sundays?") == (
        "When does the ferry leave Porto Velame? And on Sundays?"
    )


def test_a_long_thread_keeps_its_first_question_and_the_last_two():
    assert ask_in_turn(TYRES, "and a service?", "and for a lorry?", "how long?") == f"{TYRES} And for a lorry? How long?"


def test_a_long_question_is_carried_along_by_its_end():
    pasted = "word " * 1000 + "what is wrong with the old gauge?"
    earlier, asked = continue_thread("and the new one?", continue_thread(pasted, ()))
    assert asked == "and the new one?"
    assert earlier.startswith("word ")
    assert earlier.endswith("what is wrong with the old gauge?")
    assert len(earlier) <= MOST_EARLIER_CHARACTERS


def test_questions_without_a_question_mark_are_kept_apart():
    assert ask_in_turn("tell me about the ferry", "how much") == "Tell me about the ferry? How much?"


def test_a_filter_at_the_start_of_a_question_still_works_in_what_it_becomes():
    assert ask_in_turn("in:admin what does the staff cost?", "and diesel?") == "in:admin what does the staff cost? And diesel?"


def test_a_filter_without_a_question_is_refused():
    with pytest.raises(InvalidQuestionError, match="no question beside in:admin"):
        continue_thread("in:admin", (TYRES,))


def test_a_person_is_named_in_place_of_the_question_before():
    thread = continue_thread("What did he vote against?", ("Who is the skipper?",), names=["Caetano Brum"])
    assert thread == ("What did he vote against (Caetano Brum)?",)


def test_names_are_not_needed_where_no_person_is_meant():
    thread = continue_thread("and a service?", (TYRES,), names=["Caetano Brum"])
    assert thread == (TYRES, "and a service?")


# Names in an answer


def test_the_names_in_an_answer_are_found_in_order():
    answer = "Yara Tindal does it [1]. Before, it was Ilse Mourão Vacker with the Fundação da Orla [2], and Rute."
    assert find_names(answer, "Who does it?") == ["Yara Tindal", "Ilse Mourão Vacker"]


def test_a_name_that_was_asked_for_is_no_news():
    assert find_names("The treasurer is Benvinda Sales.", "Is Benvinda Sales the treasurer?") == []


@pytest.mark.parametrize("answer", ["Breakfast is at seven.", "Yes. Breakfast is free.", "- Breakfast\n- Supper", "", "42"])
def test_a_capital_letter_at_the_start_of_a_sentence_is_no_name(answer: str):
    assert find_names(answer, "What is free?") == []


def test_articles_before_a_name_are_left_out():
    assert find_names("The Fundação Orla Serena owns it.", "Who owns it?") == ["Fundação Orla Serena"]


def test_german_nouns_are_no_names():
    assert find_names("Das ist der Kapitän Caetano Brum.", "Wer ist der Kapitän?") == []
