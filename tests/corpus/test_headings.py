import pytest

from dofpilot.corpus.sources.headings import is_sample, read_head

DISCLAIMER = "> Texto escrito para dofpilot a la manera del Diario Oficial; no es una publicación oficial."


def test_it_takes_the_publication_as_title_and_the_organ_as_institution() -> None:
    head = read_head("# PODER LEGISLATIVO\n\n**CONGRESO DE LA UNIÓN**\n\n## LEY DEL SEGURO SOCIAL\n\nTexto.")
    assert head.title == "LEY DEL SEGURO SOCIAL"
    assert head.institution == "CONGRESO DE LA UNIÓN"


@pytest.mark.parametrize(
    "before",
    [
        "## II. DEL PROGRAMA",
        "## CONSIDERANDO",
        "## DECRETO",
        "# SECRETARÍA DE BIENESTAR",
        DISCLAIMER,
        "### CAPÍTULO PRIMERO",
        "## A) Antecedentes",
    ],
)
def test_a_fragment_is_no_title(before: str) -> None:
    title = "ACUERDO por el que se emiten las Reglas de Operación"
    assert read_head(f"{before}\n\nAlgo.\n\n## {title}\n\nTexto.").title == title


def test_the_gazettes_capitals_tell_a_title_from_an_organ() -> None:
    head = read_head(
        "# INSTITUTO NACIONAL DE ESTADÍSTICA Y GEOGRAFÍA\n\n## UNIDAD de Medida y Actualización\n"
    )
    assert head.title == "UNIDAD de Medida y Actualización"
    assert head.institution == "INSTITUTO NACIONAL DE ESTADÍSTICA Y GEOGRAFÍA"


def test_a_law_about_an_organ_is_a_title() -> None:
    assert read_head("# PODER LEGISLATIVO\n\n## LEY DEL BANCO DE MÉXICO\n").institution == "PODER LEGISLATIVO"


def test_without_headings_the_text_names_the_publication_and_the_seal_the_organ() -> None:
    head = read_head(
        "Al margen un sello, que dice: Estados Unidos Mexicanos.- Secretaría de Salud.\n\n"
        "AVISO por el que se dan a conocer los domicilios.\n"
    )
    assert head.title == "AVISO por el que se dan a conocer los domicilios."
    assert head.institution == "Secretaría de Salud"


def test_a_text_without_words_takes_the_fallback() -> None:
    assert read_head("\n\n---\n", fallback="001.md").title == "---"
    assert read_head("\n\n#\n>\n", fallback="001.md").title == "001.md"


def test_a_title_has_no_control_characters_and_an_end() -> None:
    title = read_head("# ACUERDO \x00\x1b[31m " + "palabra " * 500).title
    assert "\x00" not in title
    assert "\x1b" not in title
    assert len(title) <= 601


def test_only_the_opening_line_makes_a_document_a_sample() -> None:
    assert is_sample(f"{DISCLAIMER}\n\n# LEY")
    assert not is_sample(f"# LEY\n\n{DISCLAIMER}")
