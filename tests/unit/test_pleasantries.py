"""What an answer says to be polite claims nothing; what sounds like it and says something does."""

from __future__ import annotations

import pytest

from locallens_nb.language.pleasantries import is_pleasantry

POLITE = """
Sure!
**Certainly!**
Of course!
I hope this helps!
I hope this information helps you.
I hope that answers your question.
Hope it helps 😊
Let me know if you need more.
Please let me know if you need any further details about the ferry.
Feel free to ask if you have any other questions!
If you have any more questions, feel free to ask!
If you need further assistance, please don’t hesitate to ask.
If you have other questions, I'm here to help.
I'm happy to help!
You're welcome!
That's a great question!
Claro!
Com certeza!
Espero que isso ajude!
Espero ter ajudado!
Se precisar de mais alguma coisa, é só perguntar.
Se tiver mais perguntas, me avise!
Estou à disposição para ajudar.
¡Claro!
¡Por supuesto!
Espero que esto te ayude.
Espero haberte ayudado.
Si necesitas más información, no dudes en preguntar.
¡Hágamelo saber si necesita algo más!
Natürlich!
Gerne!
Ich hoffe, das hilft Ihnen weiter.
Ich hoffe, dass diese Informationen Ihnen helfen!
Lassen Sie es mich wissen, wenn Sie mehr brauchen.
Wenn Sie weitere Fragen haben, stehe ich Ihnen gerne zur Verfügung.
Falls du noch Fragen hast, frag einfach!
Bien sûr !
J'espère que cela vous aide.
J'espère que cela répond à votre question.
Si vous avez d'autres questions, n'hésitez pas à me demander.
N'hésitez pas !
Certo!
Spero che questo ti aiuti.
Spero di essere stato utile!
Se hai altre domande, fammi sapere.
Se ha bisogno di altro, non esiti a chiedere.
Natuurlijk!
Ik hoop dat dit helpt.
Als je nog vragen hebt, laat het me weten.
Jag hoppas att det hjälper!
Säg till om du behöver mer.
Jeg håber, det hjælper.
Hvis du har flere spørgsmål, så spørg endelig!
Mam nadzieję, że to pomoże.
Jeśli masz więcej pytań, daj mi znać.
Doufám, že vám to pomůže.
Надеюсь, это поможет!
Если у вас есть ещё вопросы, дайте мне знать.
Umarım bu yardımcı olur.
希望这对您有帮助！
如果您有其他问题，请随时告诉我。
当然！
お役に立てば幸いです。
他にご質問があれば、お気軽にお尋ねください。
도움이 되었기를 바랍니다.
추가 질문이 있으시면 언제든지 물어보세요.
آمل أن يكون هذا مفيدًا.
Here is the answer to your question.
"""
CLAIMS = """
Sure.
Claro.
Certainly, a student pays 12 euros.
Of course, guests pay more.
If you need help, ask the porter.
If you have questions, contact the reception.
Feel free to ask the porter for the key.
Feel free to bring your dog.
Let me know before 5 pm.
Guests hope this helps them.
You are welcome to use the kitchen.
If you are early, please ask at the gate.
Great rooms cost more.
Hello Kitty is a cat.
Thank you notes are sent by the office.
Se precisar de ajuda, é só perguntar na recepção.
Si necesitas ayuda, no dudes en preguntar al portero.
Falls Sie zu spät kommen, melden Sie sich an der Rezeption.
Wenn Sie Fragen haben, fragen Sie gerne den Hausmeister.
N'hésitez pas à demander la clé au gardien.
Se hai bisogno di aiuto, chiedi pure al portiere.
Wenn Sie das tun, steht die Fähre still.
Если заблудились, обращайтесь в полицию.
Пожалуйста, закройте дверь.
如果您迟到，请告知前台。
受付でお気軽にお尋ねください。
언제든지 방문해 주세요.
Sicher ist sicher!
Gracias a la lluvia hay agua.
Good questions are answered first.
I hope this helps: guests pay 30 euros.
I hope this helps 30 guests.
"""


@pytest.mark.parametrize("sentence", POLITE.strip().split("\n"))
def test_a_sentence_that_only_opens_or_closes_an_answer_is_a_pleasantry(sentence: str):
    assert is_pleasantry(sentence)


@pytest.mark.parametrize("sentence", CLAIMS.strip().split("\n"))
def test_a_sentence_that_also_says_something_is_none(sentence: str):
    assert not is_pleasantry(sentence)
