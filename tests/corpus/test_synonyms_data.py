from __future__ import annotations

from collections import Counter

from dofpilot.corpus.text.analysis import STOP_WORDS, WORD, term, terms
from dofpilot.corpus.text.folding import fold
from dofpilot.corpus.text.wordlists import DATA, words

UNSAID = STOP_WORDS | words("question_words")


def written() -> list[str]:
    lines = (DATA / "synonyms.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def entries(line: str) -> list[str]:
    return line.replace(" > ", ", ").split(", ")


def lefts(line: str) -> list[str]:
    """What is looked for in a query: the one entry before ``>``, or each of a group of equals."""
    return line.split(" > ")[0].split(", ")


def as_looked_for(left: str) -> tuple[str, ...]:
    """Stems, and function words as they are."""
    return tuple(term(word) or fold(word) for word in WORD.findall(left))


def test_each_line_is_a_group_or_one_saying_with_its_answers() -> None:
    for line in written():
        assert line.count(">") == line.count(" > ") <= 1, line
        assert 2 <= len(entries(line)) <= 5, line
        assert len(lefts(line)) == (1 if ">" in line else len(entries(line))), line


def test_each_entry_is_one_to_four_folded_words() -> None:
    for entry in (entry for line in written() for entry in entries(line)):
        assert entry == fold(" ".join(entry.split()))
        assert 1 <= len(WORD.findall(entry)) == len(entry.split()) <= 4, entry


def test_each_entry_leaves_something_to_search() -> None:
    assert [entry for line in written() for entry in entries(line) if not terms(entry)] == []


def test_no_line_repeats_an_entry_or_an_inflection_of_it() -> None:
    for line in written():
        analysed = [tuple(terms(entry)) for entry in entries(line)]
        assert len(set(analysed)) == len(analysed), line


def test_no_single_word_of_asking_or_joining_is_looked_for() -> None:
    assert [left for line in written() for left in lefts(line) if left in UNSAID] == []


def test_no_saying_is_looked_for_by_two_lines() -> None:
    times = Counter(as_looked_for(left) for line in written() for left in lefts(line))
    assert [saying for saying, found in times.items() if found > 1] == []
