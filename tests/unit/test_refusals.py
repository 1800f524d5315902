"""What is said when nothing was found, and what counts as a model saying that it does not know."""

from __future__ import annotations

import pytest

from locallens_nb.language.question_language import guess_language
from locallens_nb.language.refusal_phrases import DENIALS, IGNORANCE, NOT_FOUND, NOT_SUPPORTED, SOURCES
from locallens_nb.language.refusals import is_refusal, refusal_text, unsupported_text

QUESTIONS = {
    "en": "Who runs the lab?",
    "pt": "Qual é o telefone do posto policial da ilha?",
    "es": "¿Quién dirige el laboratorio?",
    "de": "Wer leitet das Labor?",
    "fr": "Qui dirige le laboratoire ?",
    "it": "Chi dirige il laboratorio?",
    "nl": "Wie leidt het lab?",
    "sv": "Vem leder labbet?",
    "da": "Hvem leder laboratoriet?",
    "no": "Hva heter hunden?",
    "fi": "Kuka johtaa laboratoriota?",
    "pl": "Kto kieruje laboratorium?",
    "cs": "Kdo vede laboratoř?",
    "hu": "Ki vezeti a labort?",
    "ro": "Cine conduce laboratorul?",
    "tr": "Laboratuvarı kim yönetiyor?",
    "ru": "Кто руководит лабораторией?",
    "uk": "Хто керує лабораторією?",
    "el": "Ποιος διευθύνει το εργαστήριο;",
    "ar": "من يدير المختبر؟",
    "fa": "چه کسی آزمایشگاه را اداره می‌کند؟",
    "he": "מי מנהל את המעבדה?",
    "hi": "प्रयोगशाला कौन चलाता है?",
    "bn": "গবেষণাগার কে চালায়?",
    "zh": "谁管理实验室？",
    "zh-Hant": "誰管理實驗室？",
    "ja": "研究所を運営しているのは誰ですか？",
    "ko": "누가 연구실을 운영합니까?",
    "th": "ใครเป็นผู้ดูแลห้องปฏิบัติการ",
    "vi": "Ai điều hành phòng thí nghiệm?",
    "id": "Siapa yang menjalankan laboratorium?",
}

REFUSALS = """
I don't know.
I'm sorry, but I cannot find any information about that in the provided excerpts.
The provided excerpts do not contain information about the swimming pool.
The answer is not in the excerpts.
There is no mention of a swimming pool in the excerpts [1][2].
I could not find that in the excerpts. I hope this helps!
The excerpts do not mention a swimming pool. They discuss the ferry and the cistern.
Based on the provided excerpts, there is no information about the monthly salary of the scientific director.
The text does not specify which company made the radar sensors.
I couldn't find that in your files. Please check the original documents.
The monthly salary of the director is not mentioned in the provided source excerpts.
**Answer:** Not mentioned.
It is not possible to determine this from the excerpts.
Não sei.
A resposta não está nos trechos fornecidos.
Desculpe, mas não consigo encontrar essa informação nos trechos.
O telefone do posto policial não é mencionado nos trechos fornecidos.
No lo sé.
Lo siento, pero no puedo responder a esa pregunta con los fragmentos proporcionados.
Ich weiß es nicht.
Die Auszüge enthalten keine Informationen über das Schwimmbad.
In den bereitgestellten Auszügen wird kein Schwimmbad erwähnt.
Es tut mir leid, aber ich kann die Frage nicht beantworten.
Je ne sais pas.
Les extraits ne mentionnent pas de piscine.
Non lo so.
Ik weet het niet.
Jag vet inte.
Jeg ved det ikke.
En tiedä.
Nie wiem.
Nevím.
Nem tudom.
Nu știu.
Metinde bu konuda bilgi bulunmamaktadır.
В предоставленных отрывках нет информации о бассейне.
У наданих уривках немає інформації про басейн.
لا توجد معلومات عن المسبح في المقتطفات.
दिए गए अंशों में इस बारे में कोई जानकारी नहीं है।
提供的摘录中没有提到游泳池。
抜粋にはプールに関する情報はありません。
제공된 발췌문에는 수영장에 대한 정보가 없습니다.
ไม่มีข้อมูลเกี่ยวกับสระว่ายน้ำในเอกสารที่ให้มา
Các đoạn trích không đề cập đến hồ bơi.
Kutipan tidak menyebutkan kolam renang.
""".strip().splitlines()

ANSWERS = """
The station does not have a swimming pool.
The station opened in 1990 [1]. The exact date is not mentioned in the excerpts.
The excerpts do not give the exact day, but the station opened in August 2009 [1].
The excerpts do not give the exact day, only that it opened in August 2009 [1].
No student pays more than BRL 60 [2].
The Act does not mention slavery.
He did not know the answer until 1912.
The documents were not found in the archive until 1990.
I cannot be blamed for this, said the minister.
No information may be shared with third parties [3].
The reader raises FileNotFoundError when the file is not found.
Es gibt keine Schwimmhalle.
A estação não aceita animais.
No se permite fumar.
La gare n'est pas ouverte le dimanche.
Het station is niet open op zondag.
На станции нет бассейна.
لا يوجد مسبح في المحطة.
Istasyonda havuz yok.
车站没有游泳池。
駅にはプールがありません。
역에는 수영장이 없습니다.
""".strip().splitlines()


@pytest.mark.parametrize("language", QUESTIONS)
def test_the_refusal_is_in_the_language_of_a_short_question(language: str):
    assert refusal_text(QUESTIONS[language]) == NOT_FOUND[language]
    assert unsupported_text(QUESTIONS[language]) == NOT_SUPPORTED[language]


def test_every_language_of_the_refusal_is_tested():
    assert set(QUESTIONS) == set(NOT_FOUND) == set(NOT_SUPPORTED)


@pytest.mark.parametrize("question", ["", "42?", "E-4071", "Trama-7"])
def test_the_refusal_is_in_english_when_nothing_tells_the_language(question: str):
    assert refusal_text(question) == "The answer was not found in these files."


def test_a_foreign_name_does_not_change_the_language():
    assert guess_language("Who wrote Война?") == "en"
    assert guess_language("Что такое Kubernetes?") == "ru"
    assert guess_language("In which year was 東京タワー built?") == "en"
    assert guess_language("Tokyo Tower の高さは?") == "ja"


@pytest.mark.parametrize("language", NOT_FOUND)
def test_our_own_refusal_is_recognised(language: str):
    assert is_refusal(NOT_FOUND[language])


@pytest.mark.parametrize("text", REFUSALS)
def test_an_answer_that_only_says_that_it_does_not_know_is_a_refusal(text: str):
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_that_says_something_is_no_refusal(text: str):
    assert not is_refusal(text)


def test_nothing_is_no_refusal():
    assert not is_refusal("")
    assert not is_refusal("Sorry.")


def test_every_language_has_its_phrases():
    spoken = {language for language in NOT_FOUND if language not in {"no", "zh-Hant"}}
    assert set(SOURCES) == set(IGNORANCE) == set(DENIALS) == spoken


@pytest.mark.timeout(60)
def test_a_long_run_of_white_space_is_read_once():
    assert is_refusal("I do not know." + " " * 200_000 + "[1]")
    assert not is_refusal("It is here." + " " * 200_000 + "I do not know.")
