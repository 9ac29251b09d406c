"""Whatever a file says, as long as it is text, it is read back as it was written."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dofpilot.corpus.blocks import BlockReader, BlockRow, BlockWriter, Dictionaries
from dofpilot.corpus.building.builder import build
from dofpilot.corpus.corpus import MOST_IDS, Corpus
from dofpilot.corpus.errors import IntegrityError
from dofpilot.corpus.names import parse
from dofpilot.corpus.sources.documents import Document, prepare
from tests.corpus.trees import LAW, path_of, write

PIECES = st.sampled_from(
    [
        "\x00",
        "\r",
        "\r\n",
        "\n",
        "\u2028",
        "\ufeff",
        "\x1f",
        "😀👩‍👩‍👧",
        "حقوق",
        "ñ",
        "e\u0301",
        "# ",
        "## LEY\n",
        "**Artículo 1.-** ",
        "TRANSITORIOS\n",
        "| a | b |\n",
        "|---|---|\n",
        "|" * 700,
        "\n| x |" * 900,
        "palabra " * 700,
        "x" * 9_000,
        "«",
        "\\",
        '"',
        "\U0010ffff",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=60)), min_size=1, max_size=30).map("".join)


def says_something(text: str) -> bool:
    """A file without a letter, a digit or a sign is refused as empty."""
    return any(unicodedata.category(char)[0] in "LNPS" for char in text)


def passages_of(corpus: Corpus, code: int) -> str:
    outline = corpus.get_document_outline(code)
    ids = range(outline.entries[0].first_chunk_id, outline.entries[-1].last_chunk_id + 1)
    batches = (ids[start : start + MOST_IDS] for start in range(0, len(ids), MOST_IDS))
    return "".join(passage.text for batch in batches for passage in corpus.read_chunks(batch))


@settings(max_examples=60)
@given(texts=st.lists(TEXTS.filter(says_something), min_size=1, max_size=4))
@example(texts=["\ufeff\x00\u2028."])
@example(texts=["|" + "a|" * 60_000])
@example(texts=["\n".join("| 1 |" for _ in range(20_000))])
@example(texts=["#" * 50_000])
def test_any_text_is_read_back_exactly(texts: list[str]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for code, text in enumerate(texts, start=1):
            write(folder / "tree", code, text, number=code)
        assert build(folder / "tree", folder / "out").rejected == ()
        with Corpus.open(folder / "out") as corpus:
            for code, text in enumerate(texts, start=1):
                assert corpus.document_text(code) == text
                assert passages_of(corpus, code) == text


@pytest.fixture(scope="module")
def document() -> Document:
    text = LAW + "".join(f"Artículo {n}.- {'Obligación y derecho. ' * 150}\n\n" for n in range(2, 40))
    return prepare(parse(path_of(1)), text.encode())


def trained() -> Dictionaries:
    samples = [f"Artículo {n}.- Obligación y derecho número {n * n}. ".encode() * 40 for n in range(200)]
    return Dictionaries(*(zstandard.train_dictionary(4096, samples, k=64, d=8).as_bytes() for _ in "tc"))


@pytest.fixture(scope="module", params=[Dictionaries, trained])
def dictionaries(request: pytest.FixtureRequest) -> Dictionaries:
    return request.param()


def test_blocks_hold_whole_chunks_and_all_of_them(document: Document, dictionaries: Dictionaries) -> None:
    blocks = BlockWriter(dictionaries).pack(document)
    assert len(blocks) > 2
    rows = [row for block in blocks for row in BlockReader(dictionaries).unpack(block)]
    assert "".join(row.text for row in rows) == document.text
    assert [(row.start, row.end, row.heading_path, row.context) for row in rows] == [
        (chunk.start, chunk.end, chunk.heading_path, chunk.context) for chunk in document.chunks
    ]
    assert all(row.is_intact for row in rows)


def flips(block: BlockRow) -> Iterator[BlockRow]:
    for part in ("text", "chunks", "digests"):
        content = getattr(block, part)
        for place in range(0, len(content), 7):
            changed = content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]
            values = {"text": block.text, "chunks": block.chunks, "digests": block.digests, part: changed}
            yield BlockRow(block.first_chunk_id, **values)


def test_a_flipped_bit_of_a_block_is_never_served(document: Document, dictionaries: Dictionaries) -> None:
    block = BlockWriter(dictionaries).pack(document)[1]
    reader = BlockReader(dictionaries)
    truth = reader.unpack(block)
    for damaged in flips(block):
        try:
            rows = reader.unpack(damaged)
        except IntegrityError:
            continue
        # Whatever differs is not intact; a bit that zstd does not use may change nothing.
        assert all(row == whole or not row.is_intact for row, whole in zip(rows, truth, strict=True))


def test_a_block_that_claims_to_be_enormous_is_damaged_and_costs_no_memory(document: Document) -> None:
    block = BlockWriter(Dictionaries()).pack(document)[0]
    # Magic number, a frame header with eight bytes for the size, and the size.
    enormous = bytes.fromhex("28b52ffd") + b"\xe0" + (2**48).to_bytes(8, "little") + block.text[13:]
    damaged = BlockRow(block.first_chunk_id, enormous, block.chunks, block.digests)
    with pytest.raises(IntegrityError, match="dice medir"):
        BlockReader(Dictionaries()).unpack(damaged)
