"""Which language a question or a sentence is in, by its script and its commonest words: a few words are enough. Pure."""

from __future__ import annotations

import re
from functools import cache

from locallens_nb.language.words import split_words

_FUNCTION_WORDS = {
    "en": "what who whom whose which when where why how is are was were be been do does did has have had can could should "
    "would will the a an of in on at by for from to with and or not if it its this that these those there many much "
    "long my i you we they he she his her their our any about into than",
    "pt": "a que quê quem qual quais quando onde como quanto quanta quantos quantas porque é são era eram foi foram ser "
    "está estão há tem têm pode devo o os as um uma uns umas do da dos das no na nos nas ao aos à às em de por pelo "
    "pela pelos pelas para com sem não sobre e ou se seu sua meu minha este esta isso isto você eu nós",
    "es": "qué que quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas quien quienes cual cuales "
    "cuando donde cuanto cuanta cuantos cuantas por es son era fue fueron ser está están hay tiene tienen puede debo "
    "el la los las un una unos unas del al en de para con sin no sobre y o si su sus mi este esta esto usted yo se lo",
    "de": "welchem was wer wen wem wessen welche welcher welches welchen wann wo wohin woher worauf worüber womit wofür wovon "
    "woraus warum wieso wie viele viel lange ist sind war waren wird werden wurde wurden hat haben kann darf muss "
    "soll der die das den dem des ein eine einen einem einer eines im in am an auf aus bei mit nach von vom zu zum "
    "zur für über unter und oder nicht es ich wir sie man mein dieser diese dieses gibt",
    "fr": "que quoi qui quel quelle quels quelles quand où comment pourquoi combien est sont était été a ont peut dois fait "
    "est-ce le la les un une des du de au aux dans en sur sous par pour avec sans ne pas et ou il elle on nous vous "
    "je ce cette ces son sa ses mon ma y",
    "it": "che chi cosa quale quali quando dove come perché quanto quanta quanti quante è sono era erano stato fu ha hanno "
    "può devo il lo la i gli le un uno una del dello della dei degli delle al alla nel nella nei di da in con su per "
    "tra non e o si suo sua mio questo questa c cos",
    "nl": "wat wie welke welk wanneer waar waarom hoe hoeveel is zijn was waren wordt worden werd werden heeft hebben kan "
    "mag moet de het een van in op aan bij met naar voor uit over door en of niet er ik wij je men mijn deze dit die "
    "dat lang",
    "sv": "vad vem vilka vilken vilket när var varför hur många mycket är var blev har hade kan får ska måste den det de en "
    "ett av i på till från för med om och eller inte jag vi man min denna detta som finns länge heter",
    "da": "hvad hvem hvilke hvilken hvilket hvornår hvor hvorfor hvordan mange meget er var blev har havde kan må skal den "
    "det de en et af i på til fra for med om og eller ikke jeg vi man min denne dette som findes længe hedder",
    "no": "hva hvem hvilke hvilken hvilket når hvor hvorfor hvordan mange mye er var ble har hadde kan må skal den det de "
    "en et av i på til fra for med om og eller ikke jeg vi man min denne dette som finnes lenge heter",
    "fi": "mikä mitä mitkä missä milloin kuka kuinka miksi miten moni monta paljon kenen minkä mihin mistä on ovat oli "
    "olivat onko voiko ja tai ei se ne tämä joka kun minä",
    "pl": "co kto kogo jaki jaka jakie jaką jakim kiedy gdzie dlaczego jak ile jest są był była było były ma mają może czy "
    "w we z ze na do od po przez dla o i lub nie się to ten ta te który która które",
    "cs": "co kdo koho jaký jaká jaké kdy kde proč jak kolik je jsou byl byla bylo byly má mají může v ve z ze na do od po "
    "pro o a nebo ne se si to ten ta te který která které",
    "hu": "mi ki kit mit milyen melyik mikor hol miért hogyan hány mennyi mennyit van vannak volt voltak lesz lehet a az "
    "egy és vagy nem ez hogy kell",
    "ro": "ce cine care când unde de cum cât câtă câți câte este sunt era erau a fost are au poate trebuie un o al ai ale "
    "în la pe cu din pentru și sau nu se lui",
    "tr": "ne kim kimin hangi hangisi ne zaman nerede nereye nasıl neden niçin kaç kadar mi mı mu mü midir var yok bir bu "
    "ve veya ile için olan olarak da de değil dır dir",
    "vi": "gì ai nào khi đâu sao tại thế bao nhiêu là có không được và hoặc của trong ở cho với những các một này bị từ đến "
    "năm",
    "id": "apa siapa mana kapan dimana bagaimana mengapa berapa apakah adalah yang di ke dari dan atau untuk dengan pada "
    "tidak ini itu ada oleh dalam saya bisa boleh harus sebuah para",
    "ru": "что кто кого чей какой какая какое какие каком когда где куда откуда почему зачем как сколько является был была "
    "было были есть в во на с со и или не по о об от до из к у за для это этот эта его её их он она они",
    "uk": "що хто кого чий який яка яке які коли де куди звідки чому навіщо як скільки є був була було були в у на з із зі "
    "і й та або не по про від до за для це цей ця його її їх він вона вони",
    "el": "τι ποιος ποια ποιο ποιοι ποιες πότε πού γιατί πώς πόσο πόσα πόσοι πόσες είναι ήταν ο η το οι τα του της των τον "
    "την σε στο στη στην στον από με για και ή δεν να που",
    "ar": "ما ماذا من متى أين لماذا كيف كم أي أية هل هو هي في على إلى عن مع و أو لا التي الذي كان كانت هذا هذه",
    "fa": "چه چی کی چه‌کسی کجا چرا چگونه چند چقدر کدام آیا است بود در از به با برای و یا که را این آن",
    "he": "מה מי מתי איפה היכן למה מדוע איך כיצד כמה איזה איזו אילו האם הוא היא של על את עם או לא זה זאת היה הייתה",
    "hi": "क्या कौन किसने किसे किस कब कहाँ कहां क्यों कैसे कितना कितने कितनी है हैं था थे थी का के की को में से पर और या नहीं यह वह ने",
    "bn": "কী কি কে কখন কোথায় কেন কীভাবে কত কোন এর এবং বা না এই সেই ছিল হয়",
    "th": "อะไร ใคร เมื่อไหร่ เมื่อไร ที่ไหน ทำไม อย่างไร เท่าไหร่ เท่าไร กี่ คือ เป็น มี ที่ ใน ของ และ หรือ ไม่",
    "zh": "什么 什麼 是什么 是什麼 哪些 哪个 哪個 哪里 哪裡 哪种 哪種 哪一 哪年 谁 誰 何时 何時 什么时候 多少 几个 幾個 "
    "为什么 為什麼 怎么 怎麼 如何 是谁 是誰 吗 嗎",
    "ja": "何 なに 誰 だれ いつ どこ どの どれ なぜ どう どのように いくつ いくら ですか ますか でしたか ましたか とは "
    "という です ます",
    "ko": "무엇 무엇입니까 무엇인가 누구 누가 언제 어디 어디에서 왜 어떻게 얼마나 얼마 몇 어떤 어느 입니까 합니까 은 는 이 "
    "가 을 를 의 에",
}
"""The commonest words of questions by ISO 639-1 code: those that ask, and those that only join others."""

_QUESTION_VERBS = {
    language: frozenset(words.split())
    for language, words in (
        ("pt", "custa custam fica ficam abrem fecha fecham contém contêm acontece quer devem faz fazem"),
        ("es", "cuesta cuestan queda quedan encuentra abren cierra cierran contiene contienen llama quiere hace"),
        ("it", "costa costano trova trovano apre aprono chiude chiudono contiene contengono chiama vuole devono"),
        ("da", "åbner"),
        ("no", "åpner"),
    )
}
"""Words that tell a language from its neighbours, *Quanto costa?* from *Quanto custa?*, where another one speaks for it too: by
itself *Costa Rica* is no Italian."""

_SCRIPTS = (
    (r"[\u3040-\u30ff]", "ja"),
    (r"[\uac00-\ud7af\u1100-\u11ff]", "ko"),
    (r"[\u0e00-\u0e7f]", "th"),
    (r"[\u0900-\u097f]", "hi"),
    (r"[\u0980-\u09ff]", "bn"),
    (r"[\u0370-\u03ff]", "el"),
    (r"[\u0590-\u05ff]", "he"),
    (r"[\u0600-\u06ff]", "ar"),
    (r"[\u0400-\u04ff]", "ru"),
    (r"[\u3400-\u9fff]", "zh"),
)
"""Scripts and the language that most who write in them write; the first that is found in the order given wins a tie."""

_TELLING_LETTERS = (
    ("ru", r"[іїєґ]", "uk"),
    ("ar", r"[پچژگکی]", "fa"),
    ("zh", r"[這個們嗎麼會時為後說國學對開關過還間現發經問題應當與從無網據檔誰號樣種數點長東車電話請裡]", "zh-Hant"),
)
"""Letters that tell a language from another of the same script."""

_LATIN_LETTERS = {
    letter: language
    for language, letters in (
        ("de", "ß"),
        ("es", "ñ¿¡"),
        ("pt", "ãõ"),
        ("pl", "łąęśż"),
        ("cs", "řěů"),
        ("hu", "őű"),
        ("tr", "ğış"),
        ("ro", "șță"),
        ("vi", "ơưđạảếệốộủ"),
        ("fr", "œ"),
    )
    for letter in letters
}
"""Letters that among these languages only one has, or nearly so."""

_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?:['’-][^\W\d_]+)*(?![\w-])")
_LATIN = re.compile(r"[a-z\u00df-\u024f\u1e00-\u1eff]")
_LETTER_SHARE = 1.5
"""What a letter that only one language has counts, in function words."""
_LETTERS_OF_A_SIGN = 2
"""As how many letters a character of Chinese, Japanese or Korean counts."""


def guess_language(text: str) -> str:
    """Return which language a question or another short text is most likely in; English when nothing tells.

    Returns
    -------
    str
        An ISO 639-1 code, or ``zh-Hant`` for traditional Chinese.
        :func:`~locallens_nb.language.languages.detect_language` rather gives none than a wrong one.
    """
    folded = text.casefold()
    counts = {language: len(re.findall(script, folded)) for script, language in _SCRIPTS}
    if counts["ja"]:
        counts["ja"] += counts.pop("zh")
    language, count = max(counts.items(), key=lambda item: item[1])
    votes = count_latin_votes(text)
    letters = count * (_LETTERS_OF_A_SIGN if language in {"zh", "ja", "ko"} else 1)
    if count and (letters > len(_LATIN.findall(folded)) or not any(votes.values())):
        for written, telling, instead in _TELLING_LETTERS:
            if language == written and re.search(telling, folded):
                return instead
        return language
    return max(votes, key=lambda known: votes[known])


def is_english(question: str) -> bool:
    """Return whether something tells that a question is in English."""
    return guess_language(question) == "en" and count_latin_votes(question)["en"] > 0


def is_foreign(text: str, language: str) -> bool:
    """Return whether something tells that a text is in another language than this one, if that is known.

    Parameters
    ----------
    language
        An ISO 639-1 code, or "" where it is not known.
    """
    own = guess_language(text).partition("-")[0]
    votes = count_latin_votes(text)
    is_told = own not in votes or votes[own] > votes.get(language, 0.0)
    return language not in {"", own} and is_told


def count_latin_votes(text: str) -> dict[str, float]:
    """Return how many words of a text speak for each language of the Latin script, English first."""
    folded = text.casefold()
    words = _WORD.findall(folded)
    votes = {language: float(sum(word in known for word in words)) for language, known in _latin_words().items()}
    for near, verbs in _QUESTION_VERBS.items():
        if votes[near]:
            votes[near] += sum(word in verbs for word in words)
    for letter in folded:
        if language := _LATIN_LETTERS.get(letter):
            votes[language] += _LETTER_SHARE
    return votes


@cache
def function_words(language: str) -> frozenset[str]:
    """Return the words that say nothing by themselves in questions of a language, as :func:`split_words` gives them."""
    return frozenset(split_words(_FUNCTION_WORDS.get(language.removesuffix("-Hant"), "")))


@cache
def _latin_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items() if _LATIN.search(words)}
