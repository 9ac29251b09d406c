"""Markdown of the gazette as safe HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# A passage sits under a card's heading (h3), so its own first level is the fourth of the page.
HEADING_SHIFT = 3
TAGS = {
    "a", "blockquote", "br", "code", "del", "div", "em", "h4", "h5", "h6", "hr", "li", "mark", "ol", "p",
    "pre", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href"}, "div": {"tabindex"}, "ol": {"start"}}
CLASSES = {"div": {"table"}, "td": {"end"}, "th": {"end"}}

# Private-use characters that stand for <mark> and </mark> until the text has become HTML.
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKED = re.compile(f"{_OPEN}([^<>{_OPEN}{_CLOSE}]*){_CLOSE}")

_parser = MarkdownIt("commonmark", {"html": False, "breaks": False}).enable(["table", "strikethrough"])


def render(text: str, marks: Iterable[tuple[int, int]] = ()) -> SafeString:
    """HTML of ``text``: no raw HTML, no images, links only to http(s).

    ``marks`` are character spans to point out; one that would cross an element is left unmarked.
    """
    tokens = _parser.parse(_with_sentinels(text, marks))
    for token in tokens:
        _adapt(token)
    html = _parser.renderer.render(tokens, _parser.options, {})
    html = html.replace("<table>", '<div class="table" tabindex="0"><table>').replace(
        "</table>", "</table></div>"
    )
    html = _MARKED.sub(r"<mark>\1</mark>", html).replace(_OPEN, "").replace(_CLOSE, "")
    # Safe: nh3 parsed it again and kept nothing but the tags and attributes listed above.
    return mark_safe(_sanitise(html))  # noqa: S308


def _with_sentinels(text: str, marks: Iterable[tuple[int, int]]) -> str:
    # Same length, so that the spans still fit.
    clean = text.replace(_OPEN, " ").replace(_CLOSE, " ")
    end_of_text = len(clean)
    for start, end in sorted(set(marks), reverse=True):
        if 0 <= start < end <= end_of_text:
            clean = f"{clean[:start]}{_OPEN}{clean[start:end]}{_CLOSE}{clean[end:]}"
            end_of_text = start
    return clean


def _adapt(token: Token) -> None:
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(6, int(token.tag[1]) + HEADING_SHIFT)}"
    elif token.type in ("td_open", "th_open") and "right" in str(token.attrGet("style") or ""):
        # markdown-it aligns with an inline style, which the page's policy refuses.
        token.attrs = {"class": "end"}


def _sanitise(html: str) -> str:
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes=CLASSES,
        url_schemes={"http", "https"},
        url_relative="deny",
        link_rel="nofollow noopener",
    )
