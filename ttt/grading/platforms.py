"""Whose file is it: how Moodle, Canvas, nbgrader and people name what a class has handed in.

Which of them it was is decided once, for all files. From then on only that platform's own part of a name says who a
file belongs to; the rest of the name is the student's, whatever it looks like.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from ttt.grading.entries import Entry
from ttt.grading.roster import letters
from ttt.grading.source import kind

# Moodle's mod/assign/classes/downloader.php. A full name has no underscore, a team without a group has no number, and
# only versions before 4.1 end a folder's name with an underscore.
MOODLE = re.compile(
    r"(?P<name>[^_]+?)(?:_(?P<number>\d+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
# Canvas's lib/content_zipper.rb: a user's number and an attachment's, or a user's number and "text" or "link".
CANVAS_FILE = r"_(?:\d+_(?P<file>.+)|(?P<entry>(?:text|link)\.html))"
CANVAS = re.compile(r"(?P<name>.*?)_(?P<late>LATE_)?(?P<number>\d+)" + CANVAS_FILE, re.DOTALL)
ANONYMOUS = re.compile(r"(?P<late>LATE_)?anon_(?P<number>[0-9A-Za-z]+)" + CANVAS_FILE, re.DOTALL)

COPY = r"(?:-Copy\d+| - Copy(?: \(\d+\))?)"  # as JupyterLab and Windows name a duplicate
REPEATED = re.compile(rf"(?P<stem>.+?)(?P<copy>{COPY})?(?:-(?P<dash>\d+)| ?\((?P<bracket>\d+)\))?", re.DOTALL)

FORMS = (".csv", ".tsv", ".xlsx", ".ods", ".db", ".md", ".toml")  # an instructor's, beside the submissions
RESULTS = "grades.db"  # beside this file, what the command writes is no submission
WRITTEN = ("feedback", "interface", "feedback.zip", "statistics.html", "similar.html")
NBGRADER = ("submitted", "source", "release", "autograded", "feedback")
NBGRADERS_FILES = {"gradebook.db", "nbgrader_config.py"}
MOST_AROUND = 5  # folders that a class is wrapped in
TIMESTAMP = PurePosixPath("timestamp.txt")


@dataclass(frozen=True)
class Upload:
    """A file, folder or text that one student has handed in.

    Args:
        student: the student's name, as the platform writes it.
        path: the name that the student gave it.
        entry: where its content is.
        number: the student's number on the platform, if the name has it.
        prefix: what the platform puts in front of a student's own file names, and reads when feedback comes back.
        late: whether the platform says that it was late.
        typed: whether it was typed into a form of the platform rather than uploaded.
        stamp: whether it is the platform's word on when the rest was handed in.
    """

    student: str
    path: PurePosixPath
    entry: Entry
    number: str = ""
    prefix: str = ""
    late: bool = False
    typed: bool = False
    stamp: bool = False

    @property
    def kind(self) -> str:
        """What it can be graded as, ".ipynb" or ".py", or ""."""
        return kind(self.path.name) if self.entry.readable and not self.typed and not self.stamp else ""

    @property
    def zipped(self) -> bool:
        """Whether it is a zip that can be opened."""
        return self.entry.readable and self.path.suffix.lower() == ".zip"

    @property
    def original(self) -> str:
        """Its name without its ending, and without what shows that it is a copy or was uploaded again."""
        return unnumbered(self.path.name)[0]

    @property
    def copied(self) -> bool:
        """Whether its name says that it is a copy of another file of the student's."""
        return unnumbered(self.path.name)[1]


def moodle_prefix(name: str, number: str) -> str:
    """How the name of a feedback file begins that Moodle gives to the participant or team with this number.

    Every version takes it: mod/assign/feedback/file/importziplib.php. Only the number matters; without one there is "".
    """
    if not number:
        return ""
    shown = re.sub(r"[^\w .-]|_", " ", name).strip(" .") or "student"
    return f"{shown}_{number}_assignsubmission_file_"


def moodle_number(identifier: str) -> str:
    """The number in a worksheet's identifier, such as "Participant 101"."""
    found = re.search(r"(\d+)\s*$", identifier)
    return found[1] if found else ""


def unnumbered(name: str) -> tuple[str, bool, int]:
    """A file's name without its ending and without additions; whether it is a copy; which of several uploads it is.

    >>> unnumbered("work-Copy1.ipynb"), unnumbered("work-2.py"), unnumbered("work (3).ipynb.txt")
    (('work', True, 0), ('work', False, 2), ('work', False, 3))
    """
    found = REPEATED.fullmatch(_stem(name))
    if found is None:
        return name, False, 0
    return found["stem"], found["copy"] is not None, int(found["dash"] or found["bracket"] or 0)


def _stem(name: str) -> str:
    """A file's name without its ending, also if something was added to that."""
    ending = kind(name)
    return name[: name.lower().rindex(ending)] if ending else PurePosixPath(name).stem


# ------------------------------------------------------------------------------------------------- one name

Reader = Callable[[Entry], Upload | None]


def _moodle(entry: Entry) -> Upload | None:
    """`Ann Lee_101_assignsubmission_file/work.ipynb`, or `Ann Lee_101_assignsubmission_file_work.ipynb`."""
    first, *rest = entry.path.parts
    found = MOODLE.fullmatch(first)
    if found is None:
        return None
    name, number = found["name"], found["number"] or ""
    path = PurePosixPath(found["file"] or "", *rest)
    return Upload(name, path, entry, number, moodle_prefix(name, number), typed=found["plugin"] == "onlinetext")


def _canvas(entry: Entry) -> Upload | None:
    """`leeann_7_71_work.ipynb`, or `leeann_LATE_7_71_work.ipynb`."""
    found = CANVAS.fullmatch(entry.path.parts[0])
    return _from_canvas(entry, found, found["name"]) if found else None


def _anonymous(entry: Entry) -> Upload | None:
    """`anon_h7Gk2_71_work.ipynb`: Canvas, with the students' names hidden."""
    found = ANONYMOUS.fullmatch(entry.path.parts[0])
    return _from_canvas(entry, found, f"anon {found['number']}") if found else None


def _from_canvas(entry: Entry, found: re.Match[str], name: str) -> Upload | None:
    if entry.folder or len(entry.path.parts) > 1:  # Canvas makes no folders
        return None
    prefix = found.string.removesuffix(found["file"]) if found["file"] else ""
    path = PurePosixPath(found["file"] or found["entry"])
    return Upload(name, path, entry, found["number"], prefix, bool(found["late"]), typed=found["entry"] is not None)


def _nbgrader(entry: Entry, exercise: str) -> Upload | None:
    """`ann/heuristic_1/heuristic_1.ipynb`, with nbgrader's own `timestamp.txt` beside it."""
    student, *rest = entry.path.parts
    if not rest:
        return _plain(entry)
    if rest[0] != exercise:
        return Upload(student, PurePosixPath(), Entry(PurePosixPath(student), folder=True))
    path = PurePosixPath(*rest[1:])
    return Upload(student, path, entry, stamp=path == TIMESTAMP)


def _plain(entry: Entry) -> Upload | None:
    """`ann/work.ipynb`, or `ann.ipynb`."""
    first, *rest = entry.path.parts
    if rest or entry.folder:
        return Upload(first, PurePosixPath(*rest), entry)
    if entry.path.suffix.lower() in FORMS:
        return None
    original, copied, _ = unnumbered(first)
    return Upload(original if copied else _stem(first), entry.path, entry)


# ------------------------------------------------------------------------------------------------- one decision


def uploads(entries: Sequence[Entry], exercise: str, name: str = "") -> tuple[list[Upload], list[str]]:
    """What each student has handed in, and the names of files that belong to no student.

    Args:
        entries: everything in the folder or zip.
        exercise: the name of the exercise.
        name: the name of the folder or zip.
    """
    reader, entries = _decided(entries, exercise, name)
    found, others = [], []
    for entry in entries:
        if entry.folder and len(entry.path.parts) > 1 and not entry.problem:
            continue
        upload = reader(entry) or _plain(entry)
        if upload:
            found.append(upload)
        else:
            others.append(entry.path.name)
    return found, others


def _decided(entries: Sequence[Entry], exercise: str, name: str) -> tuple[Reader, Sequence[Entry]]:
    """How the names are to be read, and the entries, named from inside the folder that lists the students."""
    nbgrader = partial(_nbgrader, exercise=exercise)
    for _ in range(MOST_AROUND):
        entries = _without_results(entries)
        tree = _inside("submitted", entries)
        if _is_nbgraders(tree, exercise) and not _beside_nbgrader(entries):
            return nbgrader, tree
        if name == "submitted" and _is_nbgraders(entries, exercise):
            return nbgrader, entries
        reader = _most_common_reader(entries)
        tops = {entry.path.parts[0] for entry in entries if not _is_form(entry)}
        if reader is not _plain or len(tops) != 1:
            return reader, entries
        (name,) = tops
        inner = _inside(name, entries)
        if not _is_class(inner, exercise):
            break
        entries = inner
    return _plain, entries


def _inside(folder: str, entries: Sequence[Entry]) -> list[Entry]:
    return [entry.below for entry in entries if entry.path.parts[0] == folder and len(entry.path.parts) > 1]


def _is_form(entry: Entry) -> bool:
    """Whether it is an instructor's list beside the submissions."""
    return len(entry.path.parts) == 1 and not entry.folder and entry.path.suffix.lower() in FORMS


def _is_nbgraders(entries: Sequence[Entry], exercise: str) -> bool:
    """Whether these are folders of students with a folder for each exercise, and nothing to grade outside of those."""
    places = [entry.path.parts for entry in entries if kind(entry.path.name)]
    return all(len(parts) > 2 for parts in places) and any(parts[1] == exercise for parts in places)


def _beside_nbgrader(entries: Sequence[Entry]) -> bool:
    """Whether there is more to grade beside nbgrader's folders: then `submitted` is a student."""
    if any(entry.path.name in NBGRADERS_FILES for entry in entries if len(entry.path.parts) == 1):
        return False
    return any(kind(entry.path.name) and entry.path.parts[0] not in NBGRADER for entry in entries)


def _most_common_reader(entries: Sequence[Entry]) -> Reader:
    """The reader that finds the most students by itself. In doubt nobody has a number."""
    tops: dict[str, Entry] = {}
    for entry in entries:
        top = PurePosixPath(entry.path.parts[0])
        if not _is_form(entry):
            tops[top.name] = Entry(top, folder=entry.folder or len(entry.path.parts) > 1)
    students: defaultdict[Reader, set[str]] = defaultdict(set)
    for entry in tops.values():
        found = ((reader, reader(entry)) for reader in (_moodle, _anonymous, _canvas, _plain))
        reader, upload = next((reader, upload) for reader, upload in found if upload)
        students[reader].add(f"{upload.student} {upload.number}")
    return max(students, key=lambda reader: (len(students[reader]), reader is _plain), default=_plain)


def _is_class(inner: Sequence[Entry], exercise: str) -> bool:
    """Whether a folder's entries belong to a whole class rather than to one student."""
    if _most_common_reader(inner) is not _plain:
        return True
    files = [entry for entry in inner if len(entry.path.parts) == 1]
    if any(is_named(unnumbered(entry.path.name)[0], exercise) for entry in files if kind(entry.path.name)):
        return False
    folders = {entry.path.parts[0] for entry in inner if len(entry.path.parts) > 1}
    return bool(folders - {exercise}) or len({entry.path.parts[0] for entry in inner}) > 1


def is_named(stem: str, exercise: str) -> bool:
    """Whether a file is named after the exercise, but for capitals, blanks and hyphens."""
    return letters(stem) == letters(exercise)


def nearness(stem: str, exercise: str) -> int:
    """How near a file's name is to the exercise's: 0 if it is the same, 1 if it contains it, otherwise 2."""
    if is_named(stem, exercise):
        return 0
    return 1 if letters(exercise) in letters(stem) else 2


def _without_results(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without what earlier runs have written here, unless there is something to grade in it."""
    paths = {entry.path for entry in entries if entry.readable}
    tops = {entry.path.parts[0] for entry in entries}
    results = tops & set(WRITTEN) if PurePosixPath(RESULTS) in paths else set()
    results -= {entry.path.parts[0] for entry in entries if kind(entry.path.name)}
    return [entry for entry in entries if entry.path.parts[0] not in results]
