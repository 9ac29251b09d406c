"""``make messages``: brings the English catalogue in step with the strings in code and templates.

Babel does it all, so that no machine needs the gettext tools. New strings come without a translation, which
a test refuses; strings that are gone leave the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "dofpilot" / "locale" / "en" / "LC_MESSAGES"
PO, MO = FOLDER / "django.po", FOLDER / "django.mo"
ROOMS = ("dofpilot", "runs", "feedback", "evaluation", "templates")
KEYWORDS = {"_": None, "gettext": None, "gettext_lazy": None, "gettext_noop": None, "ngettext": (1, 2)}
# A fixed date: the file changes only when the strings do.
SINCE = datetime(2026, 1, 1, tzinfo=UTC)


def extracted() -> Catalog:
    """All strings of the project that are marked for translation."""
    catalog = Catalog()
    for path in _sources():
        source = path.read_text(encoding="utf-8")
        code = templatize(source) if path.suffix == ".html" else source
        name = path.relative_to(ROOT).as_posix()
        for line, message, comments, _context in extract("python", BytesIO(code.encode()), KEYWORDS):
            catalog.add(message, locations=[(name, line)], auto_comments=comments)
    return catalog


def english() -> Catalog:
    """The catalogue as it is written."""
    with PO.open("rb") as file:
        return read_po(file, locale="en")


def messages(catalog: Catalog) -> list[Message]:
    """Its messages, without the header."""
    return [message for message in catalog if message.id]


def compiled(catalog: Catalog) -> bytes:
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def main() -> None:
    catalog = english() if PO.exists() else Catalog(locale="en")
    catalog.update(extracted(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    catalog.project, catalog.version, catalog.fuzzy = "dofpilot", "0", False
    catalog.last_translator, catalog.language_team, catalog.msgid_bugs_address = "dofpilot", "dofpilot", ""
    catalog.creation_date = catalog.revision_date = SINCE
    catalog.header_comment = "# English words of dofpilot; the msgids are its Spanish ones."
    FOLDER.mkdir(parents=True, exist_ok=True)
    with PO.open("wb") as file:
        write_po(file, catalog, width=110, sort_output=True, include_lineno=False)
    MO.write_bytes(compiled(english()))


def _sources() -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".py", ".html") and "migrations" not in path.parts:
                yield path


if __name__ == "__main__":
    main()
