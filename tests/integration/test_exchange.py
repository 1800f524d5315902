"""The original's store.json schema, out and in."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime

import pytest

from locallens_nb.domain import Brain, LocalDocument, TextChunk
from locallens_nb.errors import ExchangeFormatError
from locallens_nb.exchange import from_exchange, parse_exchange, to_exchange

CREATED = datetime(2025, 1, 31, 12, 0, 0, 250000, tzinfo=UTC)
BRAIN = Brain("b1", "notes", "/home/ana/Anotações", "all-MiniLM-L6-v2", "f1", 384, 1, 0, 2, CREATED, CREATED, 3)
CHUNKS = [
    TextChunk("0123456789ab-0", "b1", "a/é.md", 0, "first ”quoted”\n", "0123456789abcdef", 0, 15, 1, 1),
    TextChunk("0123456789ab-1", "b1", "a/é.md", 1, "second", "0123456789abcdef"),
]
ORIGINAL = {
    "brains": [{"id": "b1", "name": "notes", "rootPath": "/home/ana/notes", "status": "ready"}],
    "chunks": {
        "b1": [
            {"id": "c-1", "brainId": "b1", "relativePath": "n.md", "chunkIndex": 1, "content": "two", "checksum": "c", "x": 1},
            {"id": "c-0", "brainId": "b1", "relativePath": "n.md", "chunkIndex": 0, "content": "one", "checksum": "c"},
        ],
        "gone": [{"anything": "here"}],
    },
}


def broken(change):
    data = copy.deepcopy(ORIGINAL)
    change(data)
    return data


def test_a_brain_is_written_in_the_keys_of_the_original():
    data = to_exchange(BRAIN, CHUNKS)
    assert data["brains"] == [
        {
            "id": "b1",
            "name": "notes",
            "folderPath": "/home/ana/Anotações",
            "createdAt": "2025-01-31T12:00:00.250000Z",
            "embeddingModel": "all-MiniLM-L6-v2",
        }
    ]
    assert list(data["chunks"]) == ["b1"]
    assert data["chunks"]["b1"][1] == {
        "id": "0123456789ab-1",
        "brainId": "b1",
        "relativePath": "a/é.md",
        "chunkIndex": 1,
        "content": "second",
        "checksum": "0123456789abcdef",
    }
    assert data["chunks"]["b1"][0].items() >= {"startOffset": 0, "endOffset": 15, "startLine": 1, "endLine": 1}.items()


def test_what_is_written_is_read_back_the_same():
    (brain,) = parse_exchange(json.dumps(to_exchange(BRAIN, CHUNKS)))
    assert (brain.id, brain.name, brain.folder_path, brain.created_at) == ("b1", "notes", "/home/ana/Anotações", CREATED)
    assert brain.embedding_model == "all-MiniLM-L6-v2"
    assert list(brain.chunks) == CHUNKS
    assert brain.documents == (LocalDocument("a/é.md", "", "0123456789abcdef", 0, 0),)


def test_a_file_of_the_original_is_read_with_its_keys_and_without_what_it_lacks():
    (brain,) = parse_exchange("\ufeff" + json.dumps(ORIGINAL))
    assert (brain.folder_path, brain.created_at, brain.embedding_model) == ("/home/ana/notes", None, "")
    assert brain.chunks == (TextChunk("c-0", "b1", "n.md", 0, "one", "c"), TextChunk("c-1", "b1", "n.md", 1, "two", "c"))


def test_a_time_without_a_zone_is_taken_as_utc():
    (brain,) = from_exchange(broken(lambda data: data["brains"][0].update(createdAt="2025-01-31T12:00:00.250")))
    assert brain.created_at == CREATED


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("brains"), "brains is missing."),
        (lambda d: d.update(brains={}), "brains is not a list."),
        (lambda d: d.pop("chunks"), "chunks is missing."),
        (lambda d: d["chunks"].pop("b1"), "chunks['b1'] is missing."),
        (lambda d: d["brains"].append(7), "brains[1] is not an object."),
        (lambda d: d["brains"][0].pop("rootPath"), "brains[0].folderPath is missing."),
        (lambda d: d["brains"][0].update(name=" "), "brains[0].name is empty."),
        (lambda d: d["brains"][0].update(createdAt="soon"), "brains[0].createdAt is not a date and time"),
        (lambda d: d["brains"].append(dict(d["brains"][0])), "brains[1] has the id of another one before it."),
        (lambda d: d["chunks"]["b1"][1].pop("content"), "chunks['b1'][1].content is missing."),
        (lambda d: d["chunks"]["b1"][1].update(content=3), "chunks['b1'][1].content is not a text."),
        (lambda d: d["chunks"]["b1"][1].update(content="\ud83d"), "chunks['b1'][1].content holds half a character."),
        (lambda d: d["chunks"]["b1"][0].update(brainId="b2"), "chunks['b1'][0].brainId is not 'b1'."),
        (lambda d: d["chunks"]["b1"][0].update(chunkIndex=True), "chunks['b1'][0].chunkIndex is not a whole number from 0."),
        (lambda d: d["chunks"]["b1"][0].update(chunkIndex=None), "chunks['b1'][0].chunkIndex is missing."),
        (lambda d: d["chunks"]["b1"][0].update(startLine=-1), "chunks['b1'][0].startLine is not a whole number from 0."),
        (lambda d: d["chunks"]["b1"][1].update(id="c-1"), "chunks['b1'][1] has the id of another one before it."),
        (lambda d: d["chunks"]["b1"][1].update(chunkIndex=1), "chunks['b1'][1] has the relativePath and chunkIndex of"),
        (lambda d: d["chunks"]["b1"][1].update(checksum="d"), "chunks['b1'][1].checksum differs from another chunk of 'n.md'."),
    ],
)
def test_what_does_not_follow_the_schema_is_refused_with_its_place(change, message):
    with pytest.raises(ExchangeFormatError) as caught:
        from_exchange(broken(change))
    assert message in caught.value.message


@pytest.mark.parametrize("path", ["/etc/passwd", "../n.md", "a/../../n.md", "..\\n.md", "C:\\n.md", "\\\\server\\n.md"])
def test_a_path_that_leaves_the_folder_is_refused(path):
    with pytest.raises(ExchangeFormatError, match="relativePath does not stay below the folder"):
        from_exchange(broken(lambda data: data["chunks"]["b1"][0].update(relativePath=path)))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"brains": ' + "9" * 5000 + "}", "[]", "null"])
def test_a_text_that_is_not_the_file_is_refused(text):
    with pytest.raises(ExchangeFormatError, match="file is"):
        parse_exchange(text)
