"""Which sentences of an answer are only polite: "Sure!", "I hope this helps", "Let me know if you need more". Pure."""

from __future__ import annotations

import re

_REST = r"(?:\W[^.;:\d\n]{0,100})?"
"""How such a sentence goes on; what has a number in it may be a claim."""
_LAST = r"(?=\W*\Z)"
"""Where going on would name somebody else to ask: "ask the porter" is a claim."""
_IF = r"[^.;:\d\n]{1,80}?"

_OPENINGS = (
    r"sure(?: thing)?|of course|certainly|absolutely|definitely|great|gladly|no problem|with pleasure|hello|hi(?: there)?"
    r"|claro|com certeza|certamente|com prazer|olá|por supuesto|desde luego|con (?:mucho )?gusto|hola"
    r"|(?:aber )?(?:natürlich|selbstverständlich|gerne?|sicher|klar)|hallo|bien sûr|certainement|avec plaisir|volontiers"
    r"|bonjour"
    r"|certo|certamente|volentieri|con piacere|ciao|natuurlijk|zeker|graag|självklart|absolut|javisst|hej|selvfølgelig|hei"
    r"|oczywiście|jasne|samozřejmě|jistě|конечно|разумеется|звичайно|tabii(?: ki)?|elbette|desigur|természetesen"
    r"|tentu(?: saja)?"
    r"|当然(?:可以)?|當然(?:可以)?|好的|没问题|沒問題|您好|你好|もちろん(?:です)?|물론(?:입니다|이죠)?|بالتأكيد|بالطبع|حسنًا"
)
"""With an exclamation mark: without one they may be the whole answer, a yes."""

_OTHERS = (
    # English
    rf"(?:i |we )?(?:really |sincerely )?hope (?:this|that|it|these)(?: \w+){{0,3}}? (?:help\w*|answers?|clarif\w+){_REST}",
    rf"(?:please |just |also )*let me know{_REST}",
    r"(?:please )?(?:feel free|do(?: not|n't) hesitate) to "
    rf"(?:(?:ask|reach out)(?:{_LAST}| (?:me|if|any|more|further|again)\b)|let me know|contact me){_REST}",
    rf"(?:if|should) (?:you|there) {_IF}\b(?:let me know{_REST}|i(?:'m| am|'ll be| will be|'d be"
    rf"| would be) (?:\w+ )?(?:here|happy|glad)"
    rf"{_REST}|(?:feel free|hesitate) to (?:ask|reach out)(?: me| to me)?{_LAST}|(?:just|please) ask(?: me| away"
    rf"| again)?{_LAST})",
    rf"(?:i(?:'m| am|'ll be| will be|'d be| would be) )?(?:always )?(?:here|happy|glad) to (?:help|assist){_REST}",
    r"here(?:'s| is| are) (?:the|your) (?:answer|information|summary|details?)(?: (?:to|for|about) your question)?",
    r"you(?:'re| are) (?:very |most )?welcome|(?:thanks|thank you)(?: (?:very|so) much)?(?: for (?:asking|your question))?",
    r"(?:(?:that(?:'s| is) |what )?an? )?(?:great|good|excellent|interesting) question|good luck|have a (?:great|nice"
    r"|good) \w+",
    # Portuguese
    rf"espero (?:que )?(?:isso|isto|ess[ea]|est[ea]|ter|tenha)(?: \w+){{0,3}}? (?:ajud\w+|útil|esclare\w+|respond\w+){_REST}",
    rf"(?:(?:se|caso) {_IF}\b)?(?:por favor,? )?(?:(?:me avise|avise-me|me diga|diga-me){_REST}|(?:é só|pode"
    rf"|fique à vontade para"
    rf"|não hesite em) (?:me )?(?:perguntar|avisar|dizer|chamar)(?:-me)?{_LAST}"
    rf"|(?:estou|fico) (?:aqui para ajudar|à (?:sua )?disposição){_REST})",
    r"de nada|obrigad[oa](?: pela pergunta)?|(?:boa|ótima|excelente) pergunta",
    # Spanish
    rf"espero (?:que )?(?:esto|est[ea]|haber\w*)(?: \w+){{0,3}}? ?(?:ayud\w+|útil|sirva|aclar\w+|respond\w+){_REST}"
    rf"|espero haber\w+ ayudado",
    rf"(?:si {_IF}\b)?(?:por favor,? )?(?:(?:h[aá]zmelo saber|hágamelo saber|avísame|avíseme|dímelo|dígamelo){_REST}"
    rf"|no dud[ea]s? en (?:preguntar|consultar)(?:me)?{_LAST}|estoy aquí para ayudar\w*{_REST})",
    r"gracias(?: por (?:su|tu) pregunta)?|(?:buena|excelente) pregunta",
    # German
    rf"(?:ich )?hoffe,? (?:dass )?(?:das|dies|diese)(?: \w+){{0,3}}? (?:hilft|hilfreich|geholfen|beantwortet|helfen){_REST}",
    rf"(?:(?:wenn|falls|sollten|solltest) {_IF}\b)?(?:bitte )?(?:lass(?:en)? (?:sie )?(?:es )?mich(?: bitte)? wissen{_REST}"
    rf"|(?:frag\w*|melde\w*) (?:sie )?(?:mich|sich|dich )?(?:gerne?|einfach|nach|jederzeit){_LAST}"
    rf"|(?:stehe|bin|helfe) ich{_REST}|ich (?:helfe|stehe) (?:ihnen|dir|gerne?){_REST}"
    rf"|zöger\w* (?:sie )?nicht,? (?:mich )?zu fragen)",
    r"bitte sehr|gern geschehen|vielen dank(?: für (?:ihre|deine) frage)?|gute frage",
    # French
    rf"j'espère que (?:cela|ceci|ça|cette)(?: \w+){{0,3}}? (?:aide\w*|utile|répond\w*|éclair\w+){_REST}",
    rf"(?:si (?:vous|tu) {_IF}\b)?(?:n'hésite[sz]? pas(?:{_LAST}| à (?:me \w+|poser d)\b{_REST}|.à (?:le )?demander{_LAST})"
    rf"|(?:faites-le-moi|fais-le-moi) savoir{_REST}|dites-le-moi|je suis (?:là pour|à votre disposition){_REST})",
    r"de rien|je vous en prie|merci(?: pour votre question)?|(?:bonne|excellente) question",
    # Italian
    rf"spero (?:che )?(?:questo|questa|ciò|di)(?: \w+){{0,3}}? (?:aiut\w+|utile|chiar\w+|rispo\w+){_REST}",
    rf"(?:se {_IF}\b)?(?:(?:fammelo|fammi|mi faccia|me lo faccia) sapere{_REST}|non esit\w+ a chieder\w*{_LAST}"
    rf"|chied\w+ pure{_LAST}|sono qui per aiutar\w+{_REST})",
    r"prego|grazie(?: per la domanda)?|(?:ottima|bella|buona) domanda",
    # Dutch, Swedish, Danish, Norwegian
    rf"(?:ik )?hoop (?:dat )?dit(?: \w+){{0,3}}? (?:helpt|nuttig|beantwoordt){_REST}|graag gedaan|goede vraag",
    rf"(?:(?:als|mocht) {_IF}\b)?(?:laat het (?:me|mij) (?:\w+ )?weten{_REST}|vraag (?:het )?gerust{_LAST})",
    rf"(?:jag )?hoppas (?:att )?det(?:ta| här)?(?: \w+){{0,2}}? (?:hjälp\w*|svar\w*){_REST}|varsågod|bra fråga",
    rf"(?:om du {_IF}\b)?(?:(?:hör av dig|säg (?:bara )?till|tveka inte att fråga|fråga gärna)(?:{_LAST}| om du{_REST})"
    rf"|låt mig veta{_REST})",
    rf"(?:jeg )?hå(?:ber|per),? (?:at )?det(?:te|ta)?(?: \w+){{0,2}}? (?:hj[æe]lp\w*|svar\w*){_REST}|godt spørgsmål"
    rf"|godt spørsmål",
    rf"(?:(?:hvis|om) du {_IF}\b)?(?:(?:sig|si|spørg|spør) (?:endelig|gjerne|bare|gerne)?\W*(?:til|fra|ifra)?{_LAST}"
    rf"|(?:lad|la) (?:mig|meg) vi[dt]e{_REST})",
    # Polish, Czech, Russian, Ukrainian, Turkish
    rf"mam nadzieję,? że to(?: \w+){{0,2}}? pom\w+{_REST}|(?:jeśli {_IF}\b)?(?:daj(?:cie)? mi znać{_REST}"
    rf"|proszę (?:dać mi znać|pytać){_LAST}"
    rf"|śmiało pytaj{_LAST}|chętnie pomogę{_REST})|dobre pytanie",
    rf"doufám,? že(?: \w+){{0,4}}? pom\w+{_REST}|(?:pokud {_IF}\b)?(?:dejte mi vědět{_REST}|neváhejte se (?:zeptat"
    rf"|ptát){_LAST})",
    rf"надеюсь,? (?:что )?это(?: \w+){{0,2}}? (?:помо\w+|ответ\w+){_REST}|(?:если {_IF}\b)?(?:дайте (?:мне )?знать{_REST}"
    rf"|(?:не стесняйтесь )?(?:обращайтесь|спрашивайте|спрашивать){_LAST}|буду рад\w? помочь{_REST})|хороший вопрос"
    rf"|пожалуйста",
    rf"сподіваюся,? (?:що )?це(?: \w+){{0,2}}? допо\w+{_REST}|(?:якщо {_IF}\b)?(?:дайте (?:мені )?знати{_REST}"
    rf"|запитуйте{_LAST})",
    rf"umarım(?: \w+){{0,3}}? (?:yardımcı|faydalı) ol\w+{_REST}|(?:{_IF}\b)?(?:sormaktan çekinmeyin|bana bildirin){_LAST}",
    # Chinese, Japanese, Korean, Arabic
    r"我?希望(?:这|這|以上)[^。\d]{0,20}(?:帮助|幫助|帮到|幫到|有用)[^。\d]{0,10}|不客气|不客氣",
    r"(?:如果|如|若)[^。\d]{1,40}(?:告诉我|告訴我|问我|問我|提问|提問)[^。\d]{0,4}",
    r"[^。\d]{0,30}(?:お役に立てば|お役に立てれば|参考になれば)[^。\d]{0,10}|どういたしまして",
    r"(?:[^。\d]{1,50}(?:ば|たら|場合は|際は)、?)?(?:お気軽に|遠慮なく)(?:ご質問|お尋ね|お聞き|お知らせ)[^。\d]{0,10}",
    r"[^.\d]{0,30}도움이 (?:되었|되셨|되)[^.\d]{0,15}|천만에요|[^.\d]{0,50}(?:질문|문의)[^.\d]{0,20}(?:언제든지"
    r"|편하게)[^.\d]{0,20}",
    r"(?:أتمنى|آمل)[^.\d]{1,40}(?:مفيد|يساعد|ساعد|أفاد)[^.\d]{0,30}|(?:إذا[^.\d]{1,60})?(?:لا تتردد في (?:السؤال|طرح)"
    r"|أخبرني)[^.\d]{0,40}",
)
_PLEASANTRY = re.compile(rf"(?:(?:{_OPENINGS})\W*[!！]\W*|(?:{'|'.join(_OTHERS)})\W*)")
_MARKS = re.compile(r"\A\W+|[*_`]+")


def is_pleasantry(sentence: str) -> bool:
    """Return whether a sentence claims nothing: it agrees to answer, offers more help or hopes to have helped."""
    plain = " ".join(_MARKS.sub("", sentence.casefold().replace("’", "'")).split())
    return _PLEASANTRY.fullmatch(plain) is not None
