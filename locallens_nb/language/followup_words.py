"""The words by which a follow-up question is told, in English, Portuguese, Spanish, German, French and Italian. Data only."""

from __future__ import annotations

from functools import cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


AGREEMENTS = frozenset(
    phrase
    for line in (
        "yes, yes please, yep, yeah, sure, ok, okay, please, please do, go on, continue, more, tell me more, more details",
        "sim, sim por favor, claro, por favor, pode, continue, continua, mais, diga mais, conte mais, fale mais, mais detalhes",
        "sí, si, sí por favor, vale, de acuerdo, sigue, continúa, más, cuéntame más, dime más, más detalles",
        "ja, ja bitte, bitte, gerne, klar, weiter, mehr, mach weiter, erzähl mehr, erzähl mir mehr, mehr dazu, genauer",
        "oui, oui s'il te plaît, oui s'il vous plaît, d'accord, continuez, plus, dis m'en plus, plus de détails",
        "sì, sì grazie, va bene, certo, continua, di più, dimmi di più, più dettagli",
        "是, 是的, 好, 好的, 对, 对的, 继续, 请继续, 更多, 详细说说",
        "はい, ええ, うん, お願いします, 続けて, もっと, もっと詳しく, 詳しく",
    )
    for phrase in line.split(", ")
)
"""What agrees to hear more, as the whole of a question, in small letters and without punctuation."""

OPENINGS = (
    r"(?:and|but|what about|how about|why not|how come|then|also|or|e|mas|que tal|então|também|ou|y|pero|entonces|también"
    r"|qué tal|und|oder|aber|was ist mit|wie sieht es mit|et|alors|aussi|qu'en est-il|ed|allora|anche|che ne dici)\b"
    r"|那|还有|而且|では|じゃあ|それで|それと"
)
"""What goes on from the question before, as a pattern for the start of a question."""

POSSESSIVES = _words("his her hers its their theirs")
"""These point back only where nothing stands before them that they may belong to."""

PERSONS = _words("he him his she her hers ele ela dele dela él ella er ihn ihm lui lei elle")
"""The pronouns of those that point back which stand for one person; some of them for things too."""

REFERENCES = _words(
    """
    he him she they them it this these those
    ele ela eles elas dele dela deles delas nele nela neles nelas isso isto esse essa esses essas este esta estes estas nisso
    disso nesse nessa desse dessa aquele aquela aqueles aquelas aquilo lhe lhes
    él ella ellos ellas eso esto ese esos esas estos aquel aquella aquellos aquellas
    er ihn ihm ihnen dieser diese dieses diesem diesen dafür davon damit daran darin darüber dazu
    elle elles ils lui leur leurs cela ça cet cette ces celui celle ceux celles
    lei loro esso essi questo questa questi queste quello quella quelli quelle ciò
    """
)
"""The words that point back wherever they stand. Those that are common words of another of the languages are left out."""

LAST_REFERENCES = _words("that there lá ali aí allí ahí dort là lì")
"""The words that point back where a question ends with them, and elsewhere mostly do something else."""

EXPLETIVE = (
    r"\bit (?:takes?|took|costs?|means?|possible|necessary|allowed|forbidden|safe|true|ok|okay|legal|worth|important|hard"
    r"|difficult|easy|better|best|good|bad)\b"
)
"""The *it* of "how long does it take to", which stands for nothing."""

NAMING = (
    r"(?:what(?:'s| is| are| was| were)|who(?:'s| is| are| was| were)|tell me (?:more )?about|describe|explain"
    r"|o que (?:é|são|significa)|quem (?:é|foi|são)|fal[ae](?:-me)? (?:mais )?(?:sobre|de|do|da)|explique"
    r"|qué (?:es|son|significa)|quién (?:es|fue)|háblame (?:más )?(?:de|sobre)|explica"
    r"|was (?:ist|sind|war|bedeutet)|wer (?:ist|war)|erzähl(?: mir)? (?:mehr )?(?:von|über)|erkläre?"
    r"|qu'est-ce que?|qui (?:est|était)|parle-moi de|(?:che )?cos(?:a |')è|chi (?:è|era)|parlami di|spiega)\b"
)
"""How a question asks for a thing by its name, which is then all that it has to say; a pattern for its start."""

RELATIONS = _words(
    """
    main key other others similar important common possible different general major typical first next last type types
    kind kinds sort part parts reason reasons effect effects result results factor factors finding findings advantage
    advantages disadvantage disadvantages benefit benefits pros cons difference differences differ similarities example
    examples characteristic characteristics feature features symptom symptoms step steps role purpose price size name
    names history origin origins impact risk risks limit limits rule exception exceptions alternative alternatives
    principal principais outro outros outra outras tipo tipos causa causas motivo motivos razão efeito efeitos resultado
    resultados vantagem vantagens desvantagens diferença diferenças exemplo exemplos característica características
    sintomas papel preço custo tamanho nome nomes origem limite exceção exceções primeiro primeira próximo próxima
    último última
    principales otro otros otras efecto efectos ventajas desventajas diferencia diferencias ejemplo ejemplos síntomas
    precio costo coste tamaño nombre nombres origen límite primero
    wichtigsten andere anderen arten ursache ursachen grund gründe wirkung folgen ergebnis ergebnisse vorteile nachteile
    unterschied unterschiede beispiel beispiele symptome rolle preis größe namen nächste letzte erste
    principaux autre autres raison raisons effet effets résultat résultats avantages inconvénients différence
    différences exemple exemples symptômes rôle prix taille nom noms premier prochain dernier
    altri altre tipi motivi effetti risultati vantaggi svantaggi differenza differenze esempio esempi sintomi ruolo
    prezzo nomi primo prossimo ultimo
    """
)
"""Words for what belongs to something else: a question that has no other words has left that out."""

OF = _words("of de do da dos das del du des di della dello dei von vom d")
"""After one of these a relation says what it belongs to."""

DETERMINERS = _words(
    """
    the a an which whose o os as um uma da do das dos na no nas nos ao aos pela pelo qual quais el la los las un una del al cuál
    der die das den dem des ein eine einen einem einer im am zum zur welche welcher welches le les une du des au aux quel quelle
    il lo gli i uno della dello dei nel nella quale quali
    """
)
"""A question of two words that say something names its subject where it has one of these."""

GERMAN = _words("wie wer wann wo warum welche welcher welches wieviel ist sind")
"""The words of a language in which a capital letter is no sign of a name."""

_QUESTION_WORDS = _words(
    """
    much many long far often would could may might shall ask tell mean means meant happen happens
    quantos quantas onde quais porquê muitos muitas pode podem posso devo deve
    cuánto cuánta cuántos cuántas cuándo dónde quién cuál cuáles qué cómo puedo puede debo
    wer wann warum wieso wieviel viele lange oft kann darf muss
    combien quel quelle quels quelles où quand comment pourquoi peut peux dois doit
    quanti quante quale quali perché posso può devo
    """
)


@cache
def all_function_words() -> frozenset[str]:
    """Return the words that say nothing by themselves."""
    from bm25s import stopwords

    lists = (
        stopwords.STOPWORDS_EN_PLUS,
        stopwords.STOPWORDS_PORTUGUESE,
        stopwords.STOPWORDS_SPANISH,
        stopwords.STOPWORDS_GERMAN,
        stopwords.STOPWORDS_FRENCH,
        stopwords.STOPWORDS_ITALIAN,
    )
    return _QUESTION_WORDS.union(*lists)
