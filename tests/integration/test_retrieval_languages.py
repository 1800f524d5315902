"""Questions in many languages find their chunk by words, also where the embedding model knows none of them."""

from __future__ import annotations

import numpy as np
import pytest

from locallens_nb.search.index import VectorIndex
from locallens_nb.search.retrieval import BrainIndex

NOTES = {
    "Russian": [
        "Станция на острове открылась в 1962 году и изучает приливы.",
        "Козу станции зовут Хлорофилла, она живёт в старом сарае.",
        "Совет утвердил бюджет на следующий год единогласно.",
        "Паром отходит от причала каждый день в полдень.",
    ],
    "Arabic": [
        "افتتحت المحطة في الجزيرة عام 1962 وهي تدرس المد والجزر.",
        "اسم عنزة المحطة كلوروفيلا وهي تعيش في الحظيرة القديمة.",
        "وافق المجلس على ميزانية السنة القادمة بالإجماع.",
        "تغادر العبّارة الرصيف كل يوم عند الظهر.",
    ],
    "Japanese": [
        "島の観測所は1962年に開設され、潮の満ち引きを研究している。",
        "観測所のヤギの名前はクロロフィラで、古い小屋に住んでいる。",
        "評議会は来年の予算を全会一致で承認した。",
        "フェリーは毎日正午に桟橋を出発する。",
    ],
    "Korean": [
        "섬의 관측소는 1962년에 문을 열었고 조석을 연구한다.",
        "관측소 염소의 이름은 클로로필라이며 낡은 헛간에서 산다.",
        "위원회는 내년 예산을 만장일치로 승인했다.",
        "여객선은 매일 정오에 부두를 떠난다.",
    ],
    "Thai": [
        "สถานีบนเกาะเปิดในปี 1962 และศึกษาน้ำขึ้นน้ำลง",
        "แพะของสถานีชื่อคลอโรฟิลลา และอาศัยอยู่ในโรงนาเก่า",
        "สภาอนุมัติงบประมาณของปีหน้าเป็นเอกฉันท์",
        "เรือข้ามฟากออกจากท่าเรือทุกวันตอนเที่ยง",
    ],
    "Hindi": [
        "द्वीप पर स्टेशन 1962 में खुला और वह ज्वार का अध्ययन करता है।",
        "स्टेशन की बकरी का नाम क्लोरोफिला है और वह पुराने बाड़े में रहती है।",
        "परिषद ने अगले वर्ष का बजट सर्वसम्मति से स्वीकृत किया।",
        "नौका हर दिन दोपहर को घाट से निकलती है।",
    ],
    "Hebrew": [
        "התחנה באי נפתחה בשנת 1962 והיא חוקרת גאות ושפל.",
        "שם העז של התחנה כלורופילה והיא גרה באסם הישן.",
        "המועצה אישרה את התקציב לשנה הבאה פה אחד.",
        "המעבורת יוצאת מהמזח בכל יום בצהריים.",
    ],
    "Turkish": [
        "Adadaki istasyon 1962 yılında açıldı ve gelgiti inceliyor.",
        "İstasyonun keçisinin adı Klorofila ve eski ahırda yaşıyor.",
        "Kurul gelecek yılın bütçesini oybirliğiyle onayladı.",
        "Feribot her gün öğle vakti iskeleden kalkar.",
    ],
    "Finnish": [
        "Saaren asema avattiin vuonna 1962 ja se tutkii vuorovesiä.",
        "Aseman vuohen nimi on Klorofylla ja se asuu vanhassa ladossa.",
        "Valtuusto hyväksyi ensi vuoden talousarvion yksimielisesti.",
        "Lautta lähtee laiturista joka päivä keskipäivällä.",
    ],
    "Greek": [
        "Ο σταθμός στο νησί άνοιξε το 1962 και μελετά τις παλίρροιες.",
        "Η κατσίκα του σταθμού λέγεται Χλωροφύλλα και ζει στον παλιό στάβλο.",
        "Το συμβούλιο ενέκρινε ομόφωνα τον προϋπολογισμό του επόμενου έτους.",
        "Το πλοίο φεύγει από την αποβάθρα κάθε μέρα το μεσημέρι.",
    ],
}
"""In each language: when the station opened, its goat's name, who approved the budget, when the ferry leaves."""

QUESTIONS = {
    "Russian": ("Когда открыли станцию на острове?", "Как зовут козу?", "Кто утверждал бюджет?", "Когда отходят паромы?"),
    "Arabic": ("متى افتُتحت محطة الجزيرة؟", "ما اسم العنزة؟", "من وافق على الميزانية؟", "متى تغادر العبارات؟"),
    "Japanese": (
        "観測所はいつ開設されましたか。",
        "ヤギの名前は何ですか。",
        "誰が予算を承認しましたか。",
        "フェリーは何時に出発しますか。",
    ),
    "Korean": ("관측소는 언제 문을 열었습니까?", "염소 이름이 무엇입니까?", "누가 예산을 승인했나요?", "여객선은 언제 떠나요?"),
    "Thai": ("สถานีเปิดเมื่อไร", "แพะชื่ออะไร", "ใครอนุมัติงบประมาณ", "เรือข้ามฟากออกกี่โมง"),
    "Hindi": ("स्टेशन कब खुला?", "बकरी का नाम क्या है?", "बजट किसने स्वीकृत किया?", "नौका कब निकलती है?"),
    "Hebrew": ("מתי נפתחה התחנה?", "מה שם העז?", "מי אישר את התקציב?", "מתי יוצאת המעבורת?"),
    "Turkish": ("İstasyon ne zaman açıldı?", "Keçinin adı ne?", "Bütçeyi kim onayladı?", "Feribotlar ne zaman kalkıyor?"),
    "Finnish": ("Milloin asema avattiin?", "Mikä vuohen nimi on?", "Kuka hyväksyi talousarvion?", "Milloin lautat lähtevät?"),
    "Greek": ("Πότε άνοιξε ο σταθμός;", "Πώς λέγεται η κατσίκα;", "Ποιος ενέκρινε τον προϋπολογισμό;", "Πότε φεύγει το πλοίο;"),
}


@pytest.fixture(scope="module")
def mixed() -> BrainIndex:
    """Give one brain of all the notes, whose vectors say nothing: what a model makes of a language that it does not know."""
    texts = [note for notes in NOTES.values() for note in notes]
    random = np.random.default_rng(3)
    rows = 1.0 + 0.2 * random.standard_normal((len(texts), 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    keys = np.arange(len(texts), dtype=np.int64)
    files = ["." * (1 + place) for place in range(len(texts))]
    return BrainIndex(VectorIndex.build(keys, rows, dimension=16), keys.tolist(), files, texts)


@pytest.mark.parametrize("language", QUESTIONS)
def test_every_question_finds_its_note_first_whatever_the_vectors_say(mixed: BrainIndex, language: str):
    query = np.full(16, 0.25, dtype=np.float32)
    start = list(NOTES).index(language) * 4
    found = [mixed.search(query, question=question, count=1)[0].chunk_key - start for question in QUESTIONS[language]]
    assert found == [0, 1, 2, 3]
