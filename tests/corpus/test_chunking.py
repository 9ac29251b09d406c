import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.corpus.sources.chunking import MAXIMUM, Chunk, chunk

# Pieces that the chunker gives a meaning to, so that random texts reach its rules.
_PIECES = st.sampled_from(
    [
        "\n", "\r\n", "\n\n", "# ", "## Título\n", "### CAPÍTULO II\n", "Artículo 5o.- ",
        "**ARTICULO 47-** B.- ",
        "TRANSITORIOS\n", "PRIMERO. ", "5.2 Del", "| a | b |\n", "|---|---|\n", "x" * 900, "palabra " * 300,
        "Fin. ", "\x00", "\ufeff", "́", "𝄞", " ", "\u2028",
    ]
)  # fmt: skip
_TEXTS = st.lists(_PIECES | st.text(max_size=40), max_size=60).map("".join)


def _paths(text: str) -> list[tuple[str, ...]]:
    return [piece.heading_path for piece in chunk(text)]


def _filler(words: int) -> str:
    return "El patrón pagará lo debido. " * words


def assert_partition(text: str, chunks: tuple[Chunk, ...]) -> None:
    assert [piece.start for piece in chunks] == [0, *(piece.end for piece in chunks[:-1])][: len(chunks)]
    assert "".join(text[piece.start : piece.end] for piece in chunks) == text
    assert all(0 < piece.end - piece.start <= MAXIMUM for piece in chunks)


@given(_TEXTS)
def test_any_text_chunks_and_reads_back_exactly(text: str) -> None:
    chunks = chunk(text)
    assert_partition(text, chunks)
    assert chunk(text) == chunks


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 50_000,
        "x" * 1_000_000,
        "9" * 1_000_000,
        " " * 1_000_000,
        "#" * 1_000_000,
        "# " + "a" * 1_000_000,
        "| " * 500_000,
        "|a|\n" * 250_000,
        "1.1 A\n" * 150_000,
        "Artículo 1.- a\n" * 60_000,
        "CAPÍTULO I\n" * 80_000,
        "**" * 500_000,
        "\x00\r\n" * 200_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_strange_megabyte_chunks_and_reads_back_exactly(text: str) -> None:
    # Anything worse than linear would keep this test for hours.
    assert_partition(text, chunk(text))


def test_articles_start_chunks_and_label_them() -> None:
    text = f"## LEY\n\n**Artículo 1o.-** {_filler(60)}\n\n**ARTÍCULO 47-** B.- {_filler(60)}\n"
    assert _paths(text) == [("LEY", "Artículo 1o"), ("LEY", "Artículo 47-B")]


def test_short_articles_share_a_chunk_and_each_keeps_its_label() -> None:
    text = "## LEY\n\nArtículo 76.- Uno.\n\nArtículo 77 Bis. Dos.\n\nArtículo 78.- Tres.\n"
    (only,) = chunk(text)
    assert only.heading_path == ("LEY", "Artículo 76 – Artículo 78")
    assert only.labels[-3:] == ("Artículo 76", "Artículo 77 Bis", "Artículo 78")


def test_a_sentence_about_an_article_is_no_article() -> None:
    (only,) = chunk("Artículo 5 de la Ley manda lo contrario.\n\nartículo 6.- tampoco.\n")
    assert only.labels == ()


def test_numerals_and_transitorios_are_labels() -> None:
    numerals = f"### 5. Obligaciones\n\n5.1 {_filler(70)}\n\n5.2 {_filler(70)}\n\n"
    text = f"{numerals}TRANSITORIOS\n\nPRIMERO.- {_filler(40)}"
    assert _paths(text) == [
        ("5. Obligaciones", "5.1"),
        ("5. Obligaciones", "5.2"),
        ("5. Obligaciones", "TRANSITORIOS", "PRIMERO"),
    ]


def test_a_figure_at_the_start_of_a_line_is_no_numeral() -> None:
    (only,) = chunk("5.2 por ciento de la base\n")
    assert only.labels == ()


def test_transitorios_are_not_part_of_the_last_chapter() -> None:
    body = f"## TÍTULO NOVENO\n\n### CAPÍTULO II\n\nArtículo 9.- {_filler(80)}\n\n"
    text = f"{body}**TRANSITORIOS**\n\nÚNICO.- Rige."
    assert _paths(text)[-1] == ("TRANSITORIOS", "ÚNICO")


def test_a_chapter_and_its_name_on_the_next_line_are_one_heading() -> None:
    text = "### CAPITULO IV\n\nDe las vacaciones\n\nArtículo 76.- Doce días."
    assert _paths(text) == [("CAPITULO IV. De las vacaciones", "Artículo 76")]


def test_a_long_article_is_cut_between_its_paragraphs() -> None:
    text = "Artículo 132.- Son obligaciones:\n\n" + "\n\n".join(f"{n}. {_filler(20)}" for n in range(20))
    chunks = chunk(text)
    assert len(chunks) > 2
    assert all(text[piece.start - 2 : piece.start] == "\n\n" for piece in chunks[1:])
    assert {piece.heading_path for piece in chunks} == {("Artículo 132",)}


def test_a_table_is_cut_between_rows_and_repeats_its_header_outside_the_text() -> None:
    header = "| Oficio | Salario |\n|---|---:|"
    text = f"## TABLA\n\n{header}\n" + "".join(f"| Oficio {n} | {n}.50 |\n" for n in range(400)) + "\nFin."
    first, *rest = chunk(text)
    assert first.context == ""
    assert len(rest) > 2
    for piece in rest:
        assert text[piece.start - 1] == "\n"
        assert piece.context == header
        assert header not in text[piece.start : piece.end]


def test_text_after_a_table_has_no_header() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n\n" + _filler(150)
    assert [piece.context for piece in chunk(text)] == ["", ""]
