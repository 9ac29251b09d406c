import pytest

from runs.terminal import harmless


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb", "a\\nb"),
        ("\udcff", "\\udcff"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("año «1o.»\u00a0–", "año «1o.»\u00a0–"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_what_is_to_be_kept_is_kept() -> None:
    assert harmless("a\n\tb\r", keep="\n\t") == "a\n\tb\\r"
