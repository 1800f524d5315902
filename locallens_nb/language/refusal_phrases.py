"""How languages say that an answer was not found. Pure data."""

from __future__ import annotations

NOT_FOUND = {
    "en": "The answer was not found in these files.",
    "ar": "لم يتم العثور على الإجابة في هذه الملفات.",
    "bn": "এই ফাইলগুলিতে উত্তর পাওয়া যায়নি।",
    "cs": "Odpověď nebyla v těchto souborech nalezena.",
    "da": "Svaret blev ikke fundet i disse filer.",
    "de": "Die Antwort wurde in diesen Dateien nicht gefunden.",
    "el": "Η απάντηση δεν βρέθηκε σε αυτά τα αρχεία.",
    "es": "No se encontró la respuesta en estos archivos.",
    "fa": "پاسخ در این فایل‌ها پیدا نشد.",
    "fi": "Vastausta ei löytynyt näistä tiedostoista.",
    "fr": "La réponse n'a pas été trouvée dans ces fichiers.",
    "he": "התשובה לא נמצאה בקבצים האלה.",
    "hi": "इन फ़ाइलों में उत्तर नहीं मिला।",
    "hu": "A válasz nem található ezekben a fájlokban.",
    "id": "Jawaban tidak ditemukan dalam berkas-berkas ini.",
    "it": "La risposta non è stata trovata in questi file.",
    "ja": "これらのファイルには答えが見つかりませんでした。",
    "ko": "이 파일들에서 답을 찾지 못했습니다.",
    "nl": "Het antwoord is niet gevonden in deze bestanden.",
    "no": "Svaret ble ikke funnet i disse filene.",
    "pl": "Nie znaleziono odpowiedzi w tych plikach.",
    "pt": "A resposta não foi encontrada nestes arquivos.",
    "ro": "Răspunsul nu a fost găsit în aceste fișiere.",
    "ru": "Ответ в этих файлах не найден.",
    "sv": "Svaret hittades inte i de här filerna.",
    "th": "ไม่พบคำตอบในไฟล์เหล่านี้",
    "tr": "Yanıt bu dosyalarda bulunamadı.",
    "uk": "Відповідь у цих файлах не знайдено.",
    "vi": "Không tìm thấy câu trả lời trong các tệp này.",
    "zh": "在这些文件中没有找到答案。",
    "zh-Hant": "在這些檔案中沒有找到答案。",
}
"""By ISO 639-1 code; traditional Chinese characters apart."""

NOT_SUPPORTED = {
    "en": "These files do not support this answer.",
    "ar": "هذه الملفات لا تؤيد هذه الإجابة.",
    "bn": "এই ফাইলগুলি এই উত্তর সমর্থন করে না।",
    "cs": "Tyto soubory tuto odpověď nepotvrzují.",
    "da": "Disse filer bekræfter ikke dette svar.",
    "de": "Diese Dateien belegen diese Antwort nicht.",
    "el": "Αυτά τα αρχεία δεν τεκμηριώνουν αυτή την απάντηση.",
    "es": "Estos archivos no respaldan esta respuesta.",
    "fa": "این فایل‌ها این پاسخ را تأیید نمی‌کنند.",
    "fi": "Nämä tiedostot eivät tue tätä vastausta.",
    "fr": "Ces fichiers ne confirment pas cette réponse.",
    "he": "הקבצים האלה אינם תומכים בתשובה הזאת.",
    "hi": "ये फ़ाइलें इस उत्तर की पुष्टि नहीं करतीं।",
    "hu": "Ezek a fájlok nem támasztják alá ezt a választ.",
    "id": "Berkas-berkas ini tidak mendukung jawaban ini.",
    "it": "Questi file non confermano questa risposta.",
    "ja": "これらのファイルはこの答えを裏づけていません。",
    "ko": "이 파일들은 이 답을 뒷받침하지 않습니다.",
    "nl": "Deze bestanden ondersteunen dit antwoord niet.",
    "no": "Disse filene bekrefter ikke dette svaret.",
    "pl": "Te pliki nie potwierdzają tej odpowiedzi.",
    "pt": "Estes arquivos não sustentam esta resposta.",
    "ro": "Aceste fișiere nu confirmă acest răspuns.",
    "ru": "Эти файлы не подтверждают этот ответ.",
    "sv": "De här filerna stöder inte det här svaret.",
    "th": "ไฟล์เหล่านี้ไม่สนับสนุนคำตอบนี้",
    "tr": "Bu dosyalar bu yanıtı desteklemiyor.",
    "uk": "Ці файли не підтверджують цю відповідь.",
    "vi": "Các tệp này không xác nhận câu trả lời này.",
    "zh": "这些文件不支持这个答案。",
    "zh-Hant": "這些檔案不支持這個答案。",
}
"""What is said of an answer that a model has written, by the same codes."""

SOURCES = {
    "en": r"(?:provided|given|source|above|available|supplied|retrieved)\s+(?:\w+\s+)?(?:excerpts?|texts?|documents?|context"
    r"|passages?|files?"
    r"|information|sources?|materials?|content)|excerpts|(?:the|these|those|your|this)\s+(?:excerpts?|texts?|documents?"
    r"|context|passages?"
    r"|files?|sources?|notes|materials?)",
    "pt": r"(?:trechos?|excertos?|textos?|documentos?|contexto|arquivos?|ficheiros?|fontes?|informaç(?:ão|ões) fornecidas?"
    r"|passagens?)",
    "es": r"(?:fragmentos?|extractos?|textos?|documentos?|contexto|archivos?|fuentes?|pasajes?|información proporcionada)",
    "de": r"(?:auszüg\w*|auszug\w*|text\w*|dokument\w*|kontext\w*|datei\w*|quelle\w*|passage\w*|abschnitt\w*|ausschnitt\w*"
    r"|unterlagen)",
    "fr": r"(?:extraits?|textes?|documents?|contexte|fichiers?|sources?|passages?|informations? fournies?)",
    "it": r"(?:estratt[oi]|brani|brano|test[oi]|document[oi]|contesto|file|font[ei]|passagg\w+|informazioni fornite)",
    "nl": r"(?:fragment\w*|tekst\w*|document\w*|context|bestand\w*|bron\w*|passage\w*|uittreksel\w*)",
    "sv": r"(?:utdrag\w*|text\w*|dokument\w*|kontext\w*|fil\w*|käll\w*|sammanhang\w*)",
    "da": r"(?:uddrag\w*|tekst\w*|dokument\w*|kontekst\w*|fil\w*|kild\w*|sammenhæng\w*|utdrag\w*)",
    "fi": r"(?:ottei\w*|ote\w*|tekst\w*|asiakirj\w*|dokument\w*|tiedosto\w*|lähte\w*|konteksti\w*)",
    "pl": r"(?:fragment\w*|tekst\w*|dokument\w*|kontek\w*|plik\w*|źród\w*)",
    "cs": r"(?:úryv\w*|text\w*|dokument\w*|kontext\w*|soubor\w*|zdroj\w*)",
    "hu": r"(?:részlet\w*|szöveg\w*|dokumentum\w*|kontextus\w*|fájl\w*|forrás\w*)",
    "ro": r"(?:fragment\w*|text\w*|document\w*|context\w*|fișier\w*|surs\w*|extras\w*)",
    "tr": r"(?:alıntı\w*|metin\w*|metn\w*|belge\w*|bağlam\w*|dosya\w*|kayna[kğ]\w*|parça\w*)",
    "ru": r"(?:отрыв\w*|текст\w*|документ\w*|контекст\w*|файл\w*|источник\w*|фрагмент\w*|выдерж\w*)",
    "uk": r"(?:уривк\w*|текст\w*|документ\w*|контекст\w*|файл\w*|джерел\w*|фрагмент\w*)",
    "el": r"(?:αποσπάσμα\w*|κείμεν\w*|κειμέν\w*|έγγραφ\w*|εγγράφ\w*|αρχεί\w*|πηγ\w*)",
    "ar": r"(?:المقتطفات|النصوص|النص|المستندات|المستند|الوثائق|السياق|الملفات|المصادر)",
    "fa": r"(?:متن|گزیده|سند|اسناد|فایل|منابع|زمینه)",
    "he": r"(?:קטעים|הקטעים|בקטעים|טקסט|מסמכים|מסמך|הקשר|קבצים|מקורות)",
    "hi": r"(?:अंश|पाठ|दस्तावेज|दस्तावेज़|संदर्भ|फ़ाइल|फाइल|स्रोत|जानकारी)",
    "bn": r"(?:অংশ|পাঠ্য|নথি|প্রসঙ্গ|ফাইল|উৎস)",
    "id": r"(?:kutipan|teks|dokumen|konteks|berkas|file|sumber|potongan)",
    "vi": r"(?:đoạn|trích|văn bản|tài liệu|ngữ cảnh|tệp|nguồn)",
    "th": r"(?:ข้อความ|เอกสาร|บริบท|ไฟล์|แหล่ง|ข้อมูล|ตัดตอน)",
    "zh": r"(?:摘录|摘錄|片段|节选|節選|文本|文字|文档|文檔|文件|上下文|资料|資料|来源|來源|原文|信息|内容|內容)",
    "ja": r"(?:抜粋|文章|文書|テキスト|文脈|ファイル|資料|ソース|情報源|出典)",
    "ko": r"(?:발췌|텍스트|문서|문맥|파일|자료|출처|본문|내용)",
}
"""What a model calls the excerpts that it was given."""

_PASSIVE = (
    r"(?:(?:is|are|was|were)\s*(?:not|n['’]t)|\Anot)\s+(?:\w+\s+){0,2}?(?:mentioned|specified|stated|found|provided|given"
    r"|included|listed|present"
    r"|contained|available|discussed|described|addressed|answered|indicated|covered|disclosed|explained|possible|enough"
    r"|clear)"
)

IGNORANCE = {
    "en": r"\b(?:i|we)(?:\s+am|\s+are|['’]m|['’]re|\s+was|\s+were)?\s+(?:really\s+|currently\s+|simply\s+)?(?:do\s+not"
    r"|don['’]?t|did\s+not|didn['’]t"
    r"|cannot|can\s+not|can['’]t|could\s+not|couldn['’]t|not\s+able\s+to|unable\s+to|not)\s+(?:\w+\s+){0,2}?(?:know|find"
    r"|found|answer"
    r"|determine|tell|locate|say|sure|certain|aware|see\s+any|have\s+(?:\w+\s+){0,3}?(?:information|access|context|data"
    r"|details?|answer)"
    r"|provide\s+(?:\w+\s+){0,3}?(?:answer|information|details?))\b"
    r"|\banswer\s+(?:to\s+[^,.]{1,120}\s+)?(?:is|was|can|could|does)\s*(?:not|n['’]t|nowhere)\s+(?:be\s+)?(?:found|present"
    r"|in|given|available|provided"
    r"|contained|mentioned|stated|included|appear|known|determined)\b"
    r"|\bthere\s+(?:is|are|was|were|isn['’]t|aren['’]t)\s+(?:no|not\s+(?:any|enough)|insufficient"
    r"|any)\s+(?:\w+\s+){0,2}?(?:information|mention|answer"
    r"|details?|indication)\b"
    r"|\bno\s+(?:\w+\s+){0,2}?(?:information|mention|answer|details?)\b[^,.;]{0,100}?\b(?:is|are|was|were|found|given"
    r"|provided|available)\b"
    r"|\b(?:not\s+enough|insufficient)\s+(?:information|context|data)\b"
    r"|\A(?:it|this|that)\s+(?:is|was)\s+not\s+(?:mentioned|stated|specified|provided|answered|possible\s+to\s+(?:determine"
    r"|answer|say|tell))\b"
    r"|\A(?:not\s+(?:found|mentioned|specified|stated|provided|available|given|known|answerable)|unknown|unanswerable|n/a"
    r"|no\s+answer(?:\s+found)?)\W*\Z"
    rf"|\b(?:in|from|within|by|on|to)\s+(?:{SOURCES['en']}).{{0,90}}?\b{_PASSIVE}|{_PASSIVE}[^.]{{0,60}}?\b(?:in|from|within"
    rf"|by)\s+(?:\w+\s+){{0,2}}?(?:{SOURCES['en']})",
    "pt": r"\bnão\s+(?:o\s+)?(?:sei|sabemos|encontrei|consigo|consegui|posso|é\s+possível|foi\s+possível"
    r"|tenho)\s+(?:\w+\s+){0,3}?(?:responder|encontrar"
    r"|determinar|informaç\w+|dizer|localizar|saber|informar|a\s+resposta|resposta)"
    r"|\A\W*(?:eu\s+)?não\s+sei\b|\bnão\s+há\s+(?:\w+\s+){0,2}?(?:informaç\w+|menç\w+|resposta|dados\s+suficientes|detalhes)"
    r"|\bresposta\s+não\s+(?:foi\s+encontrada|está|consta|aparece|se\s+encontra)|\binformaç\w+\s+insuficientes?"
    r"|\bnão\s+foi\s+encontrad\w+\s+(?:\w+\s+)?resposta"
    r"|\A(?:isso\s+)?não\s+(?:encontrad\w|especificad\w|mencionad\w|informad\w|consta)\W*\Z",
    "es": r"\bno\s+(?:lo\s+)?(?:sé|sabemos|encuentro|encontré|he\s+encontrado|puedo|pude|es\s+posible"
    r"|tengo)\s+(?:\w+\s+){0,3}?(?:responder|encontrar|determinar"
    r"|información|decir|localizar|saber|contestar|respuesta)|\A\W*no\s+(?:lo\s+)?sé\b"
    r"|\bno\s+hay\s+(?:\w+\s+){0,2}?(?:información|mención|respuesta|datos\s+suficientes|detalles)"
    r"|\brespuesta\s+no\s+(?:se\s+encuentra|está|aparece|figura|fue\s+encontrada)|\bno\s+se\s+(?:encontró|encuentra"
    r"|ha\s+encontrado)\s+(?:la\s+|una\s+|ninguna\s+)?respuesta"
    r"|\binformación\s+insuficiente|\A(?:eso\s+)?no\s+(?:encontrad\w|especificad\w|mencionad\w|se\s+(?:menciona|especifica"
    r"|indica))\W*\Z",
    "de": r"\bich\s+(?:weiß|weiss)\s+(?:es\s+|das\s+|die\s+antwort\s+)?(?:leider\s+)?nicht\b|\b(?:ich|wir)\s+(?:kann|können"
    r"|konnte|konnten|habe)\s+[^.]{0,100}?(?:nicht|keine?)\b"
    r"[^.]{0,80}?(?:beantworten|finden|gefunden|bestimmen|sagen|antwort|information\w*)|\bes\s+(?:gibt|liegen"
    r"|gab)\s+(?:\w+\s+){0,2}?keine\w*\s+(?:\w+\s+)?(?:information|angabe"
    r"|hinweis|antwort|erwähnung|daten)\w*|\bantwort\b[^.]{0,80}?\bnicht\s+(?:\w+\s+)?(?:gefunden|enthalten|angegeben"
    r"|zu\s+finden|vorhanden)"
    r"|\bkeine\s+(?:ausreichende\w*\s+)?(?:informationen|angaben?|antwort)\b[^.,]{0,100}?(?:gefunden|vorhanden|verfügbar"
    r"|enthalten)"
    r"|\A(?:nicht\s+(?:gefunden|angegeben|erwähnt|bekannt)|unbekannt|keine\s+(?:angabe|antwort|information)(?:en)?)\W*\Z",
    "fr": r"\bje\s+ne\s+(?:le\s+)?(?:sais|peux|trouve|dispose|connais|suis)\s+(?:malheureusement\s+)?pas\b|\bje\s+n['’](?:ai"
    r"|arrive)\s+(?:\w+\s+)?(?:pas|aucune)\b"
    r"|\bil\s+n['’]y\s+a\s+(?:pas|aucune?)\s+(?:d['’]|de\s+)?(?:\w+\s+)?(?:information|mention|réponse|indication|détail)"
    r"|\baucune\s+(?:information|mention|réponse|indication)\b"
    r"|\bréponse\s+n['’](?:est|a|apparaît|y)\s*(?:\w+\s+)?(?:pas|été)|\bil\s+n['’]est\s+pas\s+possible\s+de\s+(?:répondre"
    r"|déterminer)|\A(?:non\s+(?:trouvée?|précisée?|mentionnée?|spécifiée?)|inconnue?)\W*\Z",
    "it": r"\bnon\s+(?:lo\s+)?(?:so|sappiamo|trovo|posso|riesco|è\s+possibile|ho)\s+(?:\w+\s+){0,3}?(?:rispondere|trovare"
    r"|determinare|trovato|informazion\w+|risposta|dire|stabilire)"
    r"|\A\W*non\s+(?:lo\s+)?so\b|\bnon\s+(?:c['’]è|ci\s+sono|vi\s+sono)\s+(?:\w+\s+){0,2}?(?:informazion\w+|menzion\w+"
    r"|rispost\w+|dettagli|indicazion\w+)"
    r"|\brisposta\s+non\s+(?:è|si\s+trova|compare|risulta)|\binformazioni\s+insufficienti|\Anon\s+(?:trovat\w|specificat\w"
    r"|menzionat\w|indicat\w)\W*\Z",
    "nl": r"\bik\s+(?:weet\s+(?:het\s+)?(?:helaas\s+)?niet|kan\s+[^.]{0,80}?(?:niet|geen)\b[^.]{0,80}?(?:vinden|beantwoorden"
    r"|antwoord\w*|informatie|bepalen|zeggen))"
    r"|\ber\s+(?:is|zijn|wordt|staat)\s+(?:\w+\s+){0,2}?(?:geen|niet\s+genoeg)\s+(?:\w+\s+)?(?:informatie|antwoord"
    r"|vermelding|gegevens)"
    r"|\bantwoord\b[^.]{0,80}?\bniet\s+(?:\w+\s+)?(?:gevonden|te\s+vinden|vermeld|gegeven)|\bgeen\s+(?:antwoord"
    r"|informatie)\b[^.,]{0,80}?(?:gevonden|beschikbaar)|\A(?:niet\s+(?:gevonden|vermeld|bekend)|onbekend)\W*\Z",
    "sv": r"\bjag\s+(?:vet\s+(?:tyvärr\s+)?inte|kan\s+(?:tyvärr\s+)?inte\s+(?:svara|hitta|besvara|avgöra)"
    r"|hittar?(?:de)?\s+(?:inte|inget|ingen))|\bdet\s+(?:finns|ges)\s+(?:\w+\s+)?(?:ingen|inget|inga)\s+(?:information|svar"
    r"|uppgift\w*)"
    r"|\bsvaret\b[^.]{0,60}?\b(?:inte|ej)\b|\Ainte\s+(?:angivet|nämnt)\W*\Z",
    "da": r"\bjeg\s+(?:ved\s+(?:det\s+)?(?:desværre\s+)?ikke|vet\s+(?:dessverre\s+)?ikke|kan\s+(?:desværre\s+"
    r"|dessverre\s+)?ikke\s+(?:svare|finde|finne|besvare|afgøre|avgjøre))"
    r"|\bder?t?\s+(?:er|findes|finnes)\s+(?:\w+\s+)?(?:ingen|intet|ikke\s+(?:nok|noget|noe))\s+(?:information\w*|informasjon"
    r"|svar|oplysning\w*|opplysning\w*)|\bsvaret\b[^.]{0,60}?\bikke\b",
    "fi": r"\ben\s+(?:valitettavasti\s+)?(?:tiedä|löydä|löytänyt|osaa\s+(?:sanoa|vastata)|voi\s+vastata)|\bvastausta\s+ei\b"
    r"|\btietoa\s+ei\b|\bei\s+(?:ole\s+|löydy\s+)?(?:riittävästi\s+)?(?:tietoa|tietoja|mainintaa|vastausta)",
    "pl": r"\b(?:niestety\s+)?nie\s+(?:wiem|znam\s+odpowiedzi|mogę\s+(?:\w+\s+)?(?:odpowiedzieć|znaleźć|udzielić|określić)"
    r"|znalazł\w+|znaleziono|mam\s+(?:\w+\s+)?informacji)|\bnie\s+ma\s+(?:\w+\s+){0,2}?(?:informacji|wzmianki|odpowiedzi"
    r"|danych)"
    r"|\bbrak\s+(?:\w+\s+)?(?:informacji|odpowiedzi|danych)",
    "cs": r"\b(?:bohužel\s+)?(?:nevím|nemohu\s+(?:\w+\s+)?(?:odpovědět|najít|určit)|nenašel|nenalezl)\w*"
    r"|\bodpověď\b[^.]{0,60}?\b(?:není|nebyla|neobsahuj\w+)|\bne(?:ní|jsou)\s+(?:\w+\s+)?(?:informace|zmínka|zmíněno)",
    "hu": r"\bnem\s+(?:tudom|található|találtam|találok|tudok\s+válaszolni)\b|\bnincs\s+(?:\w+\s+){0,3}?(?:információ|válasz"
    r"|adat|említés)",
    "ro": r"\bnu\s+(?:știu|stiu|pot\s+(?:\w+\s+)?(?:răspunde|găsi|determina)|am\s+găsit|există\s+(?:\w+\s+)?(?:informați\w+"
    r"|răspuns|mențiun\w+)|sunt\s+(?:\w+\s+)?informați\w+)|\brăspunsul\s+nu\b",
    "tr": r"\bbilmiyorum\b|\bbilgi\s+(?:yok|bulunm[au]\w*|verilmem\w*|mevcut\s+değil|bulamadım)|\b(?:cevap|yanıt|cevabı"
    r"|yanıtı)\s+(?:\w+\s+){0,4}?(?:yok|bulun(?:m|am)\w*|bulamad\w+|veremi?y?o?r?u?m\w*)",
    "ru": r"\bне\s+(?:знаю|могу\s+(?:\w+\s+){0,2}?(?:ответить|найти|определить|сказать)|наш[её]л\w*|удалось\s+найти)\b"
    r"|\bответ\w*\s+(?:\w+\s+){0,5}?(?:не\s+(?:найден\w*|содержит\w*|указан\w*|дан)|нет|отсутству\w+)"
    r"|\bнет\s+(?:\w+\s+){0,2}?(?:информации|ответа|сведений|упоминани\w+|данных)\b"
    r"|\bинформаци\w+[^.]{0,100}?\b(?:отсутствует|не\s+(?:найден\w|содержит\w+|указан\w|предоставлен\w))|\bне\s+(?:указано"
    r"|упоминается|упомянуто|сказано)\W*\Z",
    "uk": r"\b(?:я\s+)?не\s+(?:знаю|можу\s+(?:\w+\s+){0,2}?(?:відповісти|знайти|визначити)|знайш\w+|вдалося\s+знайти)\b"
    r"|\bвідповід\w+\s+(?:\w+\s+){0,5}?(?:не\s+(?:знайден\w*|міститься|вказан\w*)|немає|відсутн\w+)"
    r"|\bнемає\s+(?:\w+\s+){0,2}?(?:інформації|відповіді|відомостей|згад\w+|даних)\b"
    r"|\bінформаці\w+[^.]{0,100}?\b(?:відсутн\w+|не\s+(?:знайден\w|міститься|вказан\w|надан\w))",
    "el": r"\bδεν\s+(?:γνωρίζω|ξέρω|μπορώ\s+να\s+(?:\w+\s+)?(?:απαντήσω|βρω)|βρήκα|υπάρχ\w+\s+(?:\w+\s+){0,2}?(?:πληροφορ\w+"
    r"|απάντηση|αναφορά))|\bαπάντηση\s+δεν\b",
    "ar": r"(?:لا\s+أعرف|لا\s+أعلم|لا\s+أستطيع\s+(?:\w+\s+){0,2}?(?:الإجابة|العثور|تحديد)"
    r"|لا\s+يمكنني\s+(?:\w+\s+){0,2}?(?:الإجابة|العثور|تحديد)|لم\s+أجد|لم\s+يتم\s+العثور|لا\s+(?:توجد"
    r"|يوجد)\s+(?:\w+\s+){0,2}?(?:معلومات|إجابة|ذكر|أي)|الإجابة\s+غير\s+موجودة|غير\s+(?:مذكور|محدد|معروف)ة?\W*\Z)",
    "fa": r"(?:نمی‌?\s?دانم|پیدا\s+نشد|پیدا\s+نکردم|یافت\s+نشد|اطلاعات\w*\s+(?:\w+\s+){0,4}?(?:وجود\s+ندارد|نیست|ندارم)"
    r"|پاسخ\w*\s+(?:\w+\s+){0,4}?(?:وجود\s+ندارد|نیست))",
    "he": r"(?:אני\s+לא\s+יודע|איני\s+יודע|אינני\s+יודע|לא\s+(?:מצאתי|נמצאה|נמצא)\b|אין\s+(?:\w+\s+){0,2}?(?:מידע|תשובה"
    r"|אזכור)|התשובה\s+(?:לא|אינה))",
    "hi": r"(?:मुझे\s+(?:नहीं\s+पता|पता\s+नहीं|(?:\S+\s+){0,3}?नहीं\s+मिल)|मैं\s+नहीं\s+जानत|(?:जानकारी|उत्तर|जवाब"
    r"|उल्लेख)\s+(?:\S+\s+){0,5}?(?:नहीं|उपलब्ध\s+नहीं)|नहीं\s+(?:मिला|मिली|दिया\s+गया|दी\s+गई|बताया\s+गया)\s*(?:है)?[।.]?\Z)",
    "bn": r"(?:আমি\s+জানি\s+না|(?:তথ্য|উত্তর|উল্লেখ)\s+(?:\S+\s+){0,5}?(?:নেই|পাওয়া\s+যায়নি|পাইনি|দেওয়া\s+হয়নি"
    r"|করা\s+হয়নি))",
    "id": r"\b(?:saya\s+)?tidak\s+(?:tahu|mengetahui|dapat\s+(?:\w+\s+)?(?:menemukan|menjawab|menentukan)"
    r"|bisa\s+(?:\w+\s+)?(?:menemukan|menjawab)|menemukan|ada\s+(?:\w+\s+){0,2}?(?:informasi|jawaban|penyebutan"
    r"|keterangan))\b|\b(?:jawaban|informasi)(?:nya)?\s+(?:\w+\s+){0,5}?tidak\s+(?:ditemukan|ada|tersedia|disebutkan"
    r"|terdapat)",
    "vi": r"(?:tôi\s+không\s+(?:biết|thể\s+(?:\w+\s+)?(?:trả\s+lời|tìm|xác\s+định)|tìm\s+thấy"
    r"|có\s+(?:\w+\s+){0,2}?thông\s+tin)|không\s+có\s+(?:\w+\s+){0,2}?(?:thông\s+tin|câu\s+trả\s+lời|đề\s+cập)"
    r"|không\s+tìm\s+thấy|câu\s+trả\s+lời\s+không)",
    "th": r"(?:ไม่ทราบ|ไม่รู้|ไม่พบ|หาไม่พบ|ไม่สามารถ(?:ตอบ|ระบุ|หา|ค้นหา)|ไม่มี(?:ข้อมูล|คำตอบ|การกล่าวถึง)|ไม่ได้(?:ระบุ"
    r"|กล่าวถึง|บอก))",
    "zh": r"(?:我(?:们)?(?:不知道|不清楚|无法|無法|不能)(?:回答|确定|確定|找到|得知|提供)?|(?:没有|沒有|未)(?:能)?(?:找到"
    r"|提及|提到|说明|說明|提供|给出|給出|包含|明确|明確|记载|記載"
    r"|涉及)|无法(?:回答|确定|得知|找到|判断)|無法(?:回答|確定|得知|找到|判斷)|找不到|不知道|(?:没有|沒有|无|無)(?:相关"
    r"|相關|足够|足夠|任何|具体|具體)?的?(?:信息|資訊|资料|資料|答案|内容"
    r"|內容))",
    "ja": r"(?:わかりません|分かりません|不明です|知りません|(?:答え|回答|情報|記載|記述|言及)[^。]{0,20}?(?:ありません"
    r"|見つかりません|含まれていません|されていません|ございません|できません)"
    r"|見つかりません|(?:記載|言及|説明|明記|記述)されていません|答えられません|お答えできません)",
    "ko": r"(?:모르겠|모릅니다|알\s?수\s?없|찾을\s?수\s?없|찾지\s?못|답변할\s?수\s?없|(?:정보|내용|언급|답|답변"
    r"|대답)[은는이가도]?\s?(?:\S+\s+){0,3}?(?:없습니다|없다|없음"
    r"|않습니다|않았습니다)|(?:언급|명시|포함|제공|나와)(?:되어|되지|하지|돼)?\s?(?:있지\s?)?않)",
}
"""What says by itself that an answer is not known; in small letters, to be looked for in one sentence."""

DENIALS = {
    "en": r"(?:(?:do|does|did)\s+not|(?:do|does|did)n['’]t|never|nowhere|fails?\s+to)\s+(?:\w+\s+){0,2}?(?:contain|mention"
    r"|provide|specify|state|say|include|answer"
    r"|address|give|indicate|discuss|describe|list|tell|have|explain|reveal|cover|refer|offer|disclose|detail|appear)"
    r"|(?:contain|provide|give|make|include|offer|have|has|is|are)s?\s+no\s+(?:\w+\s+){0,2}?(?:mention|information|details?"
    r"|data|answer|evidence|indication|reference)"
    r"|\A(?:\w+,\s+)?no\s+(?:\w+\s+){0,2}?(?:mention|information|details?|answer)|(?:can\s*not|can['’]t"
    r"|could\s+not)\s+be\s+(?:found|determined|answered)|not\s+(?:enough|sufficient)|insufficient",
    "pt": r"não\s+(?:se\s+)?(?:\w+\s+)?(?:cont[êé]m|menciona\w*|informa\w*|especifica\w*|fornece\w*|diz\w*|indica\w*"
    r"|respond\w+|trata\w*|apresenta\w*|inclu\w+|há|traz\w*|consta\w*|aparece\w*|encontr\w+|foi|foram|é|são|está)\b",
    "es": r"no\s+(?:se\s+)?(?:\w+\s+)?(?:contien\w+|mencion\w+|inform\w+|especific\w+|proporcion\w+|dice\w*|indic\w+"
    r"|respond\w+|incluy\w+|hay|aparece\w*|figura\w*|encuentr\w+|ofrece\w*|da|dan)\b",
    "de": r"(?:enthalten|enthält|geben|gibt|bieten|liefern|liefert|machen|finden\s+sich|findet\s+sich|steht"
    r"|stehen)\s+(?:\w+\s+){0,3}?(?:keine\w*|nichts?)\b|(?:nicht|nirgends)\s+(?:\w+\s+)?(?:erwähn\w+|genannt|angegeben"
    r"|enthalten|gefunden|hervor|beantwort\w+|beschrieben|aufgeführt|zu\s+finden)"
    r"|erwähn\w+\s+(?:\w+\s+){0,6}?nicht\b|keine?\w*\s+(?:\w+\s+){0,3}?(?:erwähnt|genannt|angegeben|beschrieben)\b"
    r"|keine\w*\s+(?:\w+\s+)?(?:information|angabe|hinweis|antwort|erwähnung)\w*",
    "fr": r"(?:ne|n['’])\s*\w+\s+(?:\w+\s+)?(?:pas|aucune?|rien)\b|(?:pas|non)\s+(?:mentionnée?s?|précisée?s?|indiquée?s?"
    r"|spécifiée?s?)",
    "it": r"non\s+(?:\w+\s+)?(?:contien\w+|contengono|menziona\w*|specifica\w*|fornisc\w+|dic\w+|indica\w*|rispond\w+"
    r"|includ\w+|è|sono|compar\w+|riport\w+|viene|si)\b",
    "nl": r"(?:bevat|bevatten|vermeld\w*|noem\w*|geeft|geven|staat|staan|bieden?)\s+(?:\w+\s+){0,4}?(?:geen|niet|niets)\b"
    r"|niet\s+(?:\w+\s+)?(?:vermeld|genoemd|gegeven|gevonden|te\s+vinden|beschreven)",
    "sv": r"(?:innehåller|nämner|anger|ger|finns|nämns|anges|framgår|står)\s+(?:\w+\s+){0,4}?(?:inte|ingen|inget|inga)\b"
    r"|(?:inte|ej)\s+(?:\w+\s+)?(?:nämn\w+|ang\w+|framgår|med)",
    "da": r"(?:indeholder|inneholder|nævner|nevner|angiver|giver|gir|findes|finnes|står|nævnes|nevnes|fremgår"
    r"|fremgår)\s+(?:\w+\s+){0,4}?(?:ikke|ingen|intet)\b|ikke\s+(?:\w+\s+)?(?:nævnt|nevnt|angivet|oppgitt|fundet|funnet)",
    "fi": r"(?:ei|eivät)\s+(?:\w+\s+)?(?:mainit\w*|sisällä|kerro\w*|ole|anna|löydy|ilmene|vastaa)",
    "pl": r"nie\s+(?:\w+\s+)?(?:zawiera\w*|wspomina\w*|podaj\w+|podano|określ\w+|ma|odpowiada\w*|mówi\w*|wymieni\w+"
    r"|wspomnian\w+|informuj\w+)|brak",
    "cs": r"(?:neobsahuj\w+|nezmiňuj\w+|neuvád\w+|není|nejsou|neřík\w+|neodpovíd\w+|nebyl\w*)",
    "hu": r"(?:nem\s+(?:\w+\s+)?(?:tartalmaz\w*|említ\w*|szerepel\w*|ad\w*|közöl\w*|található)|nincs)",
    "ro": r"nu\s+(?:\w+\s+)?(?:conțin\w*|menționea\w+|specific\w+|ofer\w+|indic\w+|apare|este|sunt|se)",
    "tr": r"(?:belirtilme\w+|bahsedilme\w+|bahsetmi\w+|içermi\w+|yer\s+alm[ıa]\w+|bulunm[au]\w+|verilme\w+|yok\b|geçmi\w+"
    r"|değinilme\w+)",
    "ru": r"не\s+(?:\w+\s+)?(?:содерж\w+|упомина\w+|упомян\w+|указ\w+|сообща\w+|говор\w+|найден\w*|привод\w+|дан\w*"
    r"|описан\w*|отвеча\w+)|нет\b|отсутств\w+",
    "uk": r"не\s+(?:\w+\s+)?(?:міст\w+|згад\w+|вказ\w+|повідомля\w+|йдеться|знайден\w*|наведен\w*|зазнач\w+)|немає|відсутн\w+",
    "el": r"δεν\s+(?:\w+\s+)?(?:περιέχ\w+|αναφέρ\w+|περιλαμβάν\w+|δίν\w+|παρέχ\w+|υπάρχ\w+|προσδιορίζ\w+|απαντ\w+)",
    "ar": r"(?:لا|لم)\s+(?:\w+\s+)?(?:تحتوي|يحتوي|تذكر|يذكر|تتضمن|يتضمن|توفر|يوفر|تشير|يشير|تقدم|يقدم|يرد|يتم|توجد|يوجد|تحدد"
    r"|يحدد)|غير\s+(?:مذكور|موجود|محدد)",
    "fa": r"(?:ذکر\s+نشده|نیامده|وجود\s+ندارد|اشاره\s+نشده|نیست)",
    "he": r"(?:לא|אינם|אינו|אינה)\s+(?:\w+\s+)?(?:מזכיר\w*|מוזכר\w*|מציינ\w*|מצוין|מופיע\w*|מכיל\w*|כולל\w*|מספק\w*)|אין",
    "hi": r"(?:नहीं|उल्लेख\s+नहीं)",
    "bn": r"(?:নেই|হয়নি|করে\s+না|যায়নি)",
    "id": r"tidak\s+(?:\w+\s+)?(?:menyebutkan|menyebut|memuat|mengandung|memberikan|menjelaskan|disebutkan|dijelaskan|ada"
    r"|terdapat|berisi|mencantumkan|menyatakan)",
    "vi": r"không\s+(?:\w+\s+)?(?:đề\s+cập|nói|chứa|có|cung\s+cấp|nêu|được|cho\s+biết)",
    "th": r"(?:ไม่ได้|ไม่มี|ไม่ระบุ|ไม่กล่าว|ไม่ปรากฏ)",
    "zh": r"(?:没有|沒有|未|并未|並未|不)(?:能|曾|被)?(?:直接|明确|明確|具体|具體)?(?:提及|提到|说明|說明|提供|给出|給出"
    r"|包含|包括|指出|涉及|记载|記載|回答|描述|说|說)",
    "ja": r"(?:ありません|含まれていません|されていません|書かれていません|触れられていません|ていません|ない。?\Z)",
    "ko": r"(?:없습니다|없다|없음|않습니다|않았습니다|않다)",
}
"""What says that something is missing from what a sentence also has to name, one of :data:`SOURCES`."""

COURTESIES = (
    r"\A\W*(?:i['’]?\s?a?m\s+(?:very\s+)?sorry|sorry|unfortunately|apologies|my\s+apologies|desculpe\w*|lamento|infelizmente"
    r"|sinto\s+muito|lo\s+siento|disculp\w+|lamentablemente"
    r"|(?:es\s+)?tut\s+mir\s+leid|leider|entschuldig\w+|désolée?|je\s+suis\s+désolée?|malheureusement|mi\s+dispiace"
    r"|spiacente|purtroppo|helaas|sorry|het\s+spijt\s+me|tyvärr|jag\s+är\s+ledsen"
    r"|desværre|beklager|dessverre|valitettavasti|przepraszam|przykro\s+mi|niestety|bohužel|omlouvám\s+se|sajnos|sajnálom"
    r"|îmi\s+pare\s+rău|din\s+păcate|üzgünüm|maalesef|ne\s+yazık\s+ki"
    r"|извините|к\s+сожалению|вибачте|на\s+жаль|δυστυχώς|λυπάμαι|عذرًا|عذرا|آسف|للأسف|متأسف|मुझे\s+खेद\s+है|क्षमा\s+करें"
    r"|दुर्भाग्य\s?वश|maaf|xin\s+lỗi|rất\s+tiếc|ขออภัย|ขอโทษ|抱歉|很抱歉|对不起|對不起"
    r"|申し訳ありません|申し訳ございません|すみません|죄송합니다|죄송하지만|유감)\w*\W*\Z",
    r"\A\W*(?:please|you\s+(?:may|might|can|could|should|would|will)|if\s+you|let\s+me\s+know|feel\s+free|i\s+(?:recommend"
    r"|suggest|would\s+(?:recommend|suggest)|can\s+only)|for\s+(?:more|further|additional)"
    r"|(?:more|further|additional)\s+(?:information|context|details?)|could\s+you|would\s+you|por\s+favor|se\s+(?:você"
    r"|precisar|quiser|tiver)|você\s+pode|recomendo|sugiro|si\s+(?:tiene|necesita|desea|quiere|puede)|puede|le\s+recomiendo"
    r"|te\s+recomiendo"
    r"|bitte|wenn\s+sie|falls\s+sie|sie\s+(?:können|sollten)|veuillez|si\s+vous|vous\s+pouvez|n['’]hésitez|per\s+favore"
    r"|se\s+(?:hai|vuoi|desideri|ha)|als\s+(?:u|je)|om\s+du|hvis\s+du|proszę|jeśli|pokud|lütfen|eğer|пожалуйста|если\s+(?:вы"
    r"|у)|будь\s+ласка|якщо"
    r"|يرجى|إذا|कृपया|यदि|silakan|jika|mohon|vui\s+lòng|nếu|กรุณา|หาก|请|請|如果|如需|もし|詳細|別の|만약|추가|더\s+(?:자세"
    r"|많은))",
)
"""What a model says around an "I don't know": that it is sorry, and where to look or what to ask instead."""

CONTRASTS = (
    r"[,;:–—]\s*(?:but|however|although|though|only|yet|mas|porém|contudo|embora|apenas|pero|sin\s+embargo|aunque|sólo|solo"
    r"|aber|jedoch|allerdings|sondern|nur|mais|cependant|toutefois|seulement"
    r"|ma|però|tuttavia|maar|echter|men|dock|mutta|ale|jednak|de|azonban|dar|însă|ama|ancak|fakat|но|однако|але|однак|проте"
    r"|αλλά|όμως|لكن|ولكن|إلا|اما|אבל|אך|लेकिन|किंतु|परंतु|কিন্তু|tetapi|namun|nhưng|แต่)\s"
    r"|[，,；]?\s*(?:但是|但|不过|不過|然而|只是)|(?<=ん)が[、,]|しかし|ただし|하지만|그러나|(?<=[다요])만\s|지만\s"
)
"""What parts a sentence in two of which the second may say more than that nothing was found."""

TALK = (
    r"\b(?:they|it|this|these|which|excerpts?|texts?|documents?|context|passages?|files?|sources?"
    r"|information)\b[^.]{0,40}?\b(?:discuss\w*|focus\w*|describe\w*"
    r"|talk\w*|deals?|provides?\s+information|contains?\s+information|is\s+about|are\s+about|covers?|relates?)\b"
    r"|\b(?:eles|elas|trechos?|textos?|documentos?|excertos?)\b[^.]{0,40}?\b(?:tratam?|descrevem?|falam?|abordam?)\b"
    r"|\b(?:fragmentos?|textos?|documentos?|extractos?)\b[^.]{0,40}?\b(?:tratan?|describen?|hablan?)\b"
    r"|\b(?:sie|auszüge|text\w*|dokument\w*|ausschnitte)\b[^.]{0,40}?\b(?:beschreib\w*|behandel\w*|beziehen|handel\w*)\b"
    r"|\b(?:ils|extraits?|textes?|documents?)\b[^.]{0,40}?\b(?:décri\w*|traite\w*|parle\w*|concerne\w*)\b"
)
"""What says what the excerpts are about instead."""
