"""Submissions that are alike, side by side on a page for the instructor: something to look at, and never a mark.

Two signs are shown: the same code but for names and layout, and the same wrong answers that no known mistake explains.
Code is compared as MOSS and JPlag do (Schleimer, Wilkerson and Aiken: Winnowing, 2003): as tokens, of which some runs
are chosen by their hashes. What was handed out is left out of the comparison, and so is what many in the class share,
unless all of the code is the same.
"""

from __future__ import annotations

import builtins
import keyword
import tokenize
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import StringIO
from itertools import combinations, islice
from pathlib import Path
from zlib import crc32

from ttt.grading import pages
from ttt.grading.grade import WRONG
from ttt.grading.gradebook import Record, write
from ttt.grading.release import ROOT
from ttt.grading.source import Unreadable, read_cells
from ttt.grading.submissions import Submission

RUN = 10  # tokens that are hashed together
WINDOW = 6  # of so many hashes in a row at least one is chosen
LEAST_CODE, ALIKE_CODE = 8, 0.75  # rare runs that both have, and the share of all runs of the shorter one
LEAST_ANSWERS, ALIKE_ANSWERS = 20, 0.9  # the same for wrong answers
MOST_SHARING = 30  # a run of code or an answer that more students share tells nothing
MOST_CODE = 20_000  # characters of a submission that are compared
MOST_PAIRS = 40  # on the page
MOST_SAME = 1000  # pairs of students who all have the same code
TEXTS = {kind for kind, name in tokenize.tok_name.items() if "STRING" in name}  # since Python 3.12 f-strings have parts
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
KEPT_NAMES = frozenset(keyword.kwlist) | frozenset(dir(builtins))


@dataclass(frozen=True)
class Code:
    """What is compared of a student's own code: a digest of its tokens, and the runs that were chosen."""

    tokens: str
    runs: frozenset[int]


@dataclass(frozen=True)
class Alike:
    """Two students whose work is alike.

    Args:
        code: the share of the shorter code's runs that are in both; 0 if that is not remarkable.
        same: whether the code is the same but for names and layout.
        answers: on how many boards both gave the same wrong value; 0 if that is not remarkable.
    """

    first: str
    second: str
    code: float
    same: bool
    answers: int

    @property
    def signs(self) -> int:
        """How many signs there are that the two are alike."""
        return len(list(filter(None, (self.same, self.code, self.answers))))


def write_page(path: Path, exercise: str, submissions: Sequence[Submission], records: Sequence[Record]) -> None:
    """Write the page. Raises `GradingError`."""
    handed_out = HandedOut.of(exercise)
    codes = own_codes(handed_out, submissions)
    wrong = {record.student: unexplained(record) for record in records}
    pairs = alike(codes, wrong)
    page = pages.render(
        "similar.html",
        title=pages.title(exercise),
        pairs=[(pair, shown(handed_out, submissions, codes, pair)) for pair in pairs[:MOST_PAIRS]],
        left=max(0, len(pairs) - MOST_PAIRS),
    )
    write(path, page)


def unexplained(record: Record) -> set[tuple[int, float | None]]:
    """The wrong numbers that a student's function gave, if no known mistake explains them."""
    if record.status != WRONG or record.misconception:
        return set()
    return {answer for answer in record.wrong if answer[1] is not None}


def alike(codes: Mapping[str, Code], wrong: Mapping[str, set[tuple[int, float | None]]]) -> list[Alike]:
    """The pairs that are alike, by their code or by their wrong answers, the most alike first.

    Of those with the same signs, the ones whose code many others have, too, come last.
    """
    having = Counter(code.tokens for code in codes.values())
    by_code = dict(_pairs({student: code.runs for student, code in codes.items()}, LEAST_CODE, ALIKE_CODE))
    by_code |= dict.fromkeys(_same(codes), 1.0)
    by_answers = dict(_pairs(wrong, LEAST_ANSWERS, ALIKE_ANSWERS))

    def rank(pair: Alike) -> tuple[int, int, float, int]:
        many = having[codes[pair.first].tokens] if pair.same else 0
        return pair.signs, -many, pair.code, pair.answers

    found = []
    for first, second in sorted(by_code.keys() | by_answers.keys()):
        pair = first, second
        same = pair in by_code and codes[first].tokens == codes[second].tokens
        answers = len(wrong[first] & wrong[second]) if pair in by_answers else 0
        found.append(Alike(first, second, by_code.get(pair, 0.0), same, answers))
    return sorted(found, key=rank, reverse=True)


def _same(codes: Mapping[str, Code]) -> Iterator[tuple[str, str]]:
    """Pairs whose code is the same but for names and layout; where many have the same, more than the page shows."""
    holders = defaultdict(list)
    for student in sorted(codes):
        if len(codes[student].runs) >= LEAST_CODE:
            holders[codes[student].tokens].append(student)
    for students in holders.values():
        yield from islice(combinations(students, 2), MOST_SAME)


def _pairs(
    owned: Mapping[str, Collection[Hashable]], least: int, share: float
) -> Iterator[tuple[tuple[str, str], float]]:
    """The pairs of students who share many rare things and most of all their things, and what share that is."""
    holders = defaultdict(list)
    for student in sorted(owned):
        for thing in owned[student]:
            holders[thing].append(student)
    most = min(MOST_SHARING, max(2, len(owned) // 3))
    rare = Counter(pair for students in holders.values() if len(students) <= most for pair in combinations(students, 2))
    for (first, second), shared in rare.items():
        if shared >= least:
            smaller, larger = sorted((set(owned[first]), set(owned[second])), key=len)
            part = len(smaller & larger) / len(smaller)
            if part >= share:
                yield (first, second), part


# ------------------------------------------------------------------------------------------------- code as tokens


@dataclass(frozen=True)
class HandedOut:
    """What all students were given: cells, and the runs of tokens in them. In an installed package there is none."""

    cells: frozenset[str]
    runs: frozenset[int]

    @classmethod
    def of(cls, exercise: str) -> HandedOut:
        """What was handed out for this exercise."""
        cells = _cells(ROOT / "exercises" / exercise / f"{exercise}.ipynb")
        return cls(frozenset(map(str.strip, cells)), frozenset(run for cell in cells for run, _ in runs(tokens(cell))))

    def own(self, path: Path) -> str:
        """What a submission has besides."""
        return "\n\n".join(cell for cell in _cells(path) if cell.strip() not in self.cells)[:MOST_CODE]


def own_codes(handed_out: HandedOut, submissions: Sequence[Submission]) -> dict[str, Code]:
    """What is compared of each submission."""
    codes = {}
    for one in submissions:
        if one.file:
            found = tokens(handed_out.own(one.file))
            chosen = frozenset(run for run, _ in runs(found)) - handed_out.runs
            digest = sha256("\0".join(text for text, _ in found).encode("utf-8", "replace")).hexdigest()
            codes[one.student] = Code(digest, chosen)
    return codes


def _cells(path: Path) -> list[str]:
    try:
        return read_cells(path)
    except Unreadable:
        return []


def _hash(words: Sequence[str]) -> int:
    return crc32("\0".join(words).encode())


def tokens(source: str) -> list[tuple[str, int]]:
    """The tokens of a program with their lines, without layout, comments and texts on a line of their own.

    Names of the program's own become "name"; keywords, built-in names and what stands after a dot are kept.

    >>> [text for text, _ in tokens("def f(b):  # count\\n    return b.count(1)")]
    ['def', 'name', '(', 'name', ')', ':', 'return', 'name', '.', 'count', '(', '1', ')']
    """
    found: list[tuple[str, int]] = []
    begins = True  # a line
    try:
        for token in tokenize.generate_tokens(StringIO(source).readline):
            if token.type in LAYOUT:
                begins = True
                continue
            if token.type != tokenize.STRING or not begins:
                found.append((_symbol(token, found), token.start[0]))
            begins = False
    except (tokenize.TokenError, SyntaxError):  # what comes before the error is compared
        pass
    return found


def _symbol(token: tokenize.TokenInfo, before: Sequence[tuple[str, int]]) -> str:
    if token.type in TEXTS:
        return "text"
    own = token.type == tokenize.NAME and token.string not in KEPT_NAMES and not (before and before[-1][0] == ".")
    return "name" if own else token.string


def runs(found: Sequence[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """The hashes of some runs of tokens, each with the place where it begins: from each window the smallest."""
    words = [text for text, _ in found]
    hashes = [_hash(words[place : place + RUN]) for place in range(len(words) - RUN + 1)]
    last = -1
    for start in range(max(0, len(hashes) - WINDOW + 1)):
        place = min(range(start, start + WINDOW), key=lambda n: (hashes[n], -n))
        if place != last:
            last = place
            yield hashes[place], place


# ------------------------------------------------------------------------------------------------- what is shown


def shown(
    handed_out: HandedOut, submissions: Sequence[Submission], codes: Mapping[str, Code], pair: Alike
) -> list[tuple[str, list[tuple[str, bool]]]]:
    """Both students with their code, line by line, each line with whether it is in a run that both have."""
    both = codes[pair.first].runs & codes[pair.second].runs
    files = {one.student: one.file for one in submissions if one.student in (pair.first, pair.second)}
    sides = []
    for student, file in sorted(files.items()):
        source = handed_out.own(file) if file else ""
        found = tokens(source)
        places = [place for run, place in runs(found) if run in both]
        marked = {line for place in places for _, line in found[place : place + RUN]}
        sides.append((student, [(line, number in marked) for number, line in enumerate(source.splitlines(), 1)]))
    return sides
