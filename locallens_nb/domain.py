"""The records that LocalLens passes around: frozen, plain data, no behaviour beyond their text form.

The names are those of the original LocalLens in Python spelling. A *brain* is one indexed folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Role = Literal["system", "user", "assistant"]
Stage = Literal["fetching", "converting", "loading", "reading", "chunking", "embedding", "saving", "answering", "done"]
Support = Literal["supported", "weak", "unsupported", "unchecked"]
Refusal = Literal["", "evidence", "model", "support"]


@dataclass(frozen=True, slots=True)
class LocalDocument:
    r"""One text file that was read.

    Attributes
    ----------
    relative_path
        Path below the folder, with ``/`` on every system.
    content
        The text, with LF line ends and without a byte order mark; of a PDF with a form feed where a page ends.
    checksum
        SHA-256 of ``relative_path + "\0" + content`` in UTF-8, as 64 hexadecimal digits.
    size_bytes
        Size of the file on disk, in bytes.
    modified_ns
        Modification time of the file, in nanoseconds since the epoch.
    """

    relative_path: str
    content: str
    checksum: str
    size_bytes: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as it was when it was indexed.

    Attributes
    ----------
    size_bytes
        Its size on disk, in bytes; 0 when it is not known, as in a brain that was imported.
    modified_ns
        Its modification time, in nanoseconds since the epoch.
    checksum
        That of its document.
    chunk_count
        How many chunks it was cut into.
    """

    relative_path: str
    size_bytes: int
    modified_ns: int
    checksum: str
    chunk_count: int


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file, or a folder, that was seen and not indexed, with the reason in plain words.

    Attributes
    ----------
    size_bytes, modified_ns
        As of an indexed file, where the reason holds as long as they are the same; None where it may be gone all the same, as
        a missing permission, or is found without reading the file.
    """

    relative_path: str
    reason: str
    size_bytes: int | None = None
    modified_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a folder holds: documents, skipped files, and files that were not read again; each ordered by relative path."""

    documents: tuple[LocalDocument, ...]
    skipped: tuple[SkippedFile, ...]
    unchanged: tuple[IndexedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A verbatim slice of a document: ``document.content[start_offset:end_offset] == content``.

    Attributes
    ----------
    id
        ``checksum[:12]-chunk_index``: the same file gives the same ids.
    start_offset, end_offset
        Character offsets into the document, end excluded; None for a chunk imported from a file that lacks them.
    start_line, end_line
        1-based line numbers of the first and the last character; of a PDF, whose lines mean nothing, page numbers. None as
        above.
    """

    id: str
    brain_id: str
    relative_path: str
    chunk_index: int
    content: str
    checksum: str
    start_offset: int | None = None
    end_offset: int | None = None
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class Brain:
    """One indexed folder.

    Attributes
    ----------
    embedding_model
        Name of the model that embedded it: a hub id, a packaged name or a local path.
    embedding_fingerprint
        Identifies the weights of that model; vectors of different fingerprints are never compared.
    dimension
        Length of its vectors.
    generation
        Counts the times that the brain was written; a reader that holds an older one reloads.
    """

    id: str
    name: str
    folder_path: str
    embedding_model: str
    embedding_fingerprint: str
    dimension: int
    document_count: int
    skipped_count: int
    chunk_count: int
    created_at: datetime
    indexed_at: datetime
    generation: int


@dataclass(frozen=True, slots=True)
class RefreshSummary:
    """What a refresh changed: relative paths of documents, and how many chunks had to be embedded."""

    brain: Brain
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    embedded_chunk_count: int


@dataclass(frozen=True, slots=True)
class Progress:
    """One report while a person waits.

    ``done`` and ``total`` count what the stage works on: bytes while a model is fetched, files while they are cut into
    chunks, texts while they are embedded. A total of 0 means that it is not known.
    """

    stage: Stage
    done: int
    total: int
    detail: str = ""

    def __str__(self) -> str:
        """Return one line for a person."""
        counts = f" {self.done}/{self.total}" if self.total else ""
        detail = f" {self.detail}" if self.detail else ""
        return f"{self.stage}{counts}{detail}"


ReportProgress = Callable[[Progress], object]


def report(on_progress: ReportProgress | None, progress: Progress) -> None:
    """Pass a report on, if anybody wants it."""
    if on_progress is not None:
        on_progress(progress)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A chunk that was found.

    Attributes
    ----------
    score
        Its cosine similarity to the question, from -1 to 1.
    start_offset
        Where its document has it, in characters; None when that is not known.
    text_before
        What stands before it there, as far as it helps to read it: the end of that, or the head of a table of data. Empty at
        the start of a document, and where nobody asked for it.
    """

    id: str
    relative_path: str
    chunk_index: int
    content: str
    score: float
    start_line: int | None = None
    end_line: int | None = None
    start_offset: int | None = None
    text_before: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A source of an answer: the excerpt that the answer's ``[number]`` refers to."""

    number: int
    id: str
    relative_path: str
    chunk_index: int
    score: float
    start_line: int | None
    end_line: int | None
    content: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of an excerpt, word for word.

    Attributes
    ----------
    number
        The excerpt's number in the prompt, from 1.
    evidence
        How well it answers the question, from about 0 to 1.
    start_offset, end_offset
        Where it stands in the excerpt's content: ``content[start_offset:end_offset] == text``.
    shown
        How it reads by itself where that is more or less than its text: a row of a table with the names of its columns, an
        item with what leads on to its list, a setting with its section. Every word of it stands in the same document.
    """

    text: str
    number: int
    evidence: float
    start_offset: int
    end_offset: int
    shown: str = ""

    def __str__(self) -> str:
        return " ".join((self.shown or self.text).split())


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of an answer and what stands behind it.

    Attributes
    ----------
    start_offset, end_offset
        Where it stands in the answer, its citations included: ``answer.answer[start_offset:end_offset] == text``.
    support
        *supported* by an excerpt, *weak* when only part of it is, *unsupported* when no excerpt says it or it has a number,
        date or name that none has; *unchecked* when it claims nothing (a heading, a question, "I do not know", "I hope
        this helps").
    number
        The excerpt that supports it best, in the numbers of the prompt; None for a sentence that none supports.
    evidence_start, evidence_end
        What of that excerpt's content supports it, as character offsets, end excluded; None as above.
    missing
        The numbers, dates and names that stand in no excerpt.
    """

    text: str
    start_offset: int
    end_offset: int
    support: Support
    number: int | None = None
    evidence_start: int | None = None
    evidence_end: int | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """The first event of an answer: the best quotations, before a model has written anything.

    ``citations`` are all the excerpts that were found, which the quotations' numbers refer to. Where ``is_answerable`` is
    False, these are only the closest ones, and no model will be asked.
    """

    quotes: tuple[Quote, ...]
    citations: tuple[Citation, ...]
    is_answerable: bool = True


@dataclass(frozen=True, slots=True)
class TextPiece:
    """The next piece of an answer's text; all pieces joined are the answer."""

    text: str


AnswerEvent = EvidenceFound | TextPiece


@dataclass(frozen=True, slots=True)
class Timings:
    """Where the time of one question went, in seconds, and its size in tokens.

    ``load_seconds`` is what this question waited for models to load, ``first_piece_seconds`` runs from the
    start of generation to the first visible text (None when there was none). Token counts are None for an
    answer that no language model wrote.
    """

    load_seconds: float
    search_seconds: float
    first_piece_seconds: float | None
    total_seconds: float
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """An answer and the evidence that it was written from.

    Attributes
    ----------
    answer
        Its text in Markdown. Every ``[number]`` in it refers to one of ``citations``.
    citations
        The excerpts that the answer uses, in the order in which it first does, numbered as in the prompt.
    model
        Name and precision of what wrote the answer.
    fallback_reason
        Why a model before it on the ladder was not used, a sentence for each; empty when it was the first choice.
    stopped
        What cut the answer short: "" (nothing), "person", "length", "repetition" or "error".
    also_read
        The other excerpts that the model was given.
    sentences
        The answer sentence by sentence, in order, each with its support.
    quotes
        The sentences of the excerpts that answer the question best, the best first; they may cite ``also_read`` too.
    refusal
        Why there is no answer to rely on: "evidence" (the search found nothing that answers; no model was asked), "model" (it
        said that it does not know), "support" (no excerpt supports what it wrote), or "" when there is one.
    standalone_question
        What was searched and answered in place of ``question``, when that needs the questions before it; empty otherwise.
    """

    answer: str
    citations: tuple[Citation, ...]
    model: str
    fallback_reason: str
    stopped: str
    timings: Timings
    question: str = field(default="", kw_only=True)
    also_read: tuple[Citation, ...] = field(default=(), kw_only=True)
    sentences: tuple[AnswerSentence, ...] = field(default=(), kw_only=True)
    quotes: tuple[Quote, ...] = field(default=(), kw_only=True)
    refusal: Refusal = field(default="", kw_only=True)
    standalone_question: str = field(default="", kw_only=True)
