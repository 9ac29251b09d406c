"""A page taken apart with the standard parser: enough to ask what is in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta", "wbr"}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str | None]
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its text, with white space as a browser would show it."""
        return re.sub(r"\s+", " ", self._raw()).strip()

    def all(self, tag: str | None = None, **attributes: str) -> list[Node]:
        """Descendants by tag and attributes; ``class_`` names one class, ``_`` stands for a hyphen."""
        found = []
        for child in self.children:
            if isinstance(child, Node):
                if child._matches(tag, attributes):
                    found.append(child)
                found += child.all(tag, **attributes)
        return found

    def one(self, tag: str | None = None, **attributes: str) -> Node:
        (found,) = self.all(tag, **attributes)
        return found

    def _matches(self, tag: str | None, attributes: dict[str, str]) -> bool:
        if tag is not None and self.tag != tag:
            return False
        classes = (self.attributes.get("class") or "").split()
        for name, value in attributes.items():
            if name == "class_":
                if value not in classes:
                    return False
            elif self.attributes.get(name.rstrip("_").replace("_", "-")) != value:
                return False
        return True

    def _raw(self) -> str:
        return "".join(child if isinstance(child, str) else child._raw() for child in self.children)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("document", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self._open[-1].children.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        while len(self._open) > 1 and self._open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def parse(content: bytes | str) -> Node:
    parser = _Parser()
    parser.feed(content.decode() if isinstance(content, bytes) else content)
    return parser.root
