"""Whose file is it: how Moodle, Canvas, nbgrader and people name what a class has handed in.

Which of them it was is decided once, for all files. From then on only that platform's own part of a name says who a
file belongs to; the rest of the name is the student's, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import IO, Any

from exercises.grading.people import letters

KINDS = (".ipynb", ".py")
ADDED = (".txt", ".json")  # endings that browsers and mail programs add to a file's name
FORMS = (".csv", ".tsv", ".xlsx", ".ods", ".db", ".md", ".toml")  # an instructor's, beside the submissions
LONGEST = 1000  # characters of a name that a platform may have made
MOST_AROUND = 5  # folders that a class is wrapped in
NBGRADER = ("submitted", "source", "release", "autograded", "feedback")
NBGRADERS_FILES = {"gradebook.db", "nbgrader_config.py"}
TIMESTAMP = "timestamp.txt"  # nbgrader's own, beside what was handed in

# Moodle's mod/assign/classes/downloader.php. A full name has no underscore, a team without a group has no number, and
# only versions before 4.1 end a folder's name with an underscore.
MOODLE = re.compile(r"(?P<name>[^_]+)(?:_(?P<number>\d+))?_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL)
# Canvas's lib/content_zipper.rb: a user's number and an attachment's, or a user's number and "text" or "link".
CANVAS = re.compile(
    r"(?P<late>LATE_)?(?:anon|(?P<name>.*?))_(?P<also_late>LATE_)?"
    r"(?P<number>(?<=anon_)[0-9A-Za-z]+|\d+)_(?:\d+_(?P<file>.+)|(?P<entry>(?:text|link)\.html))",
    re.DOTALL,
)
# A name's end: JupyterLab's and Windows's word for a duplicate, and the number of one that was uploaded again.
REPEATED = re.compile(
    r"(?P<stem>.+?)(?P<copy>-Copy\d+| - Copy(?: \(\d+\))?)?(?:-(?P<dash>\d+)| ?\((?P<bracket>\d+)\))?", re.DOTALL
)


@dataclass(frozen=True)
class File:
    """A file or folder that somebody has handed in.

    Args:
        path: its name, below the folder or zip that was given, and in the end below the student's own part of it.
        open: opens it for reading; None for a folder, and for what has a problem.
        size: in bytes.
        problem: why there is no content to read, such as "A link, and links are not followed".
        student: whose it is, as the platform writes the name.
        number: the student's number on the platform, if the name has it.
        prefix: what the platform puts in front of a student's file names, and reads when feedback comes back.
        late: whether the platform says that it was late.
    """

    path: PurePosixPath
    open: Callable[[], IO[bytes]] | None = None
    size: int = 0
    problem: str = ""
    student: str = ""
    number: str = ""
    prefix: str = ""
    late: bool = False

    @property
    def folder(self) -> bool:
        """Whether it is a folder."""
        return self.open is None and not self.problem

    @property
    def form(self) -> bool:
        """Whether it is an instructor's list beside the submissions."""
        return len(self.path.parts) == 1 and not self.folder and self.path.suffix.lower() in FORMS

    @property
    def kind(self) -> str:
        """What it can be read as, ".ipynb" or ".py", or ""."""
        return kind(self.path.name) if self.open else ""

    @property
    def zip(self) -> bool:
        """Whether it is a zip."""
        return self.open is not None and self.path.suffix.lower() == ".zip"

    @property
    def below(self) -> File:
        """The same file, named from inside its topmost folder."""
        return replace(self, path=PurePosixPath(*self.path.parts[1:]))


@dataclass(frozen=True)
class Submission:
    """What one student has handed in: the code to grade, or why there is none.

    Args:
        student: a unique name, safe to print.
        number: the student's number on the platform, if it is known.
        prefix: how a file's name must begin for the platform to give it back to this student, if that is known.
        status: why there is nothing to grade: "missing", "submitted twice" or "problem"; otherwise "".
        notes: sentences on what was found, for the student.
        cells: the code cells of a notebook; a program is one cell.
        guesses: the records of guesses in the notebook's outputs, as `ttt.guesses` writes them. Anybody can write one.
        alike: a digest of the code, the same for any names and layout; "" where there is little code.
    """

    student: str
    number: str = ""
    prefix: str = ""
    status: str = ""
    notes: tuple[str, ...] = ()
    cells: tuple[str, ...] | None = None
    guesses: tuple[Any, ...] = ()
    alike: str = ""

    def noted(self, note: str, **changes: Any) -> Submission:
        """The same with one more note, and with other fields changed."""
        return replace(self, notes=(*self.notes, note), **changes)


def kind(name: str) -> str:
    """What a file's name says it is: ".ipynb" (also of "work.ipynb.txt"), ".py", or ""."""
    name = name.lower()
    for added in ADDED:
        name = name.removesuffix(added)
    return next((ending for ending in KINDS if name.endswith(ending)), "")


def stem(name: str) -> str:
    """A file's name without its ending, also if something was added to that."""
    ending = kind(name)
    return name[: name.lower().rindex(ending)] if ending else PurePosixPath(name).stem


def unnumbered(name: str) -> tuple[str, bool, int]:
    """A file's name without its ending and without additions; whether it is a copy; which of several uploads it is."""
    found = REPEATED.fullmatch(stem(name)) if len(name) <= LONGEST else None
    if found is None:
        return name, False, 0
    return found["stem"], found["copy"] is not None, int((found["dash"] or found["bracket"] or "0")[:9])


def nearness(name: str, exercise: str) -> int:
    """How near a file's name is to the exercise's: 0 if it is the same, 1 if it contains it, otherwise 2."""
    own, wanted = letters(unnumbered(name)[0]), letters(exercise)
    if own == wanted:
        return 0
    return 1 if wanted in own else 2


def moodle_prefix(name: str, number: str) -> str:
    """How the name of a feedback file begins that Moodle gives to the participant or team with this number, or "".

    Every version takes it: mod/assign/feedback/file/importziplib.php. Only the number matters.
    """
    if not number:
        return ""
    shown = re.sub(r"[^\w .-]|_", " ", name).strip(" .-") or "student"
    return f"{shown}_{number}_assignsubmission_file_"


# ---------------------------------------------------------------------------------------------- one name

Reader = Callable[[File], File | None]  # the file as its student's, if the name says whose it is


def _moodle(file: File) -> File | None:
    """`Ann Lee_101_assignsubmission_file/work.ipynb`, or `Ann Lee_101_assignsubmission_file_work.ipynb`."""
    first, *rest = file.path.parts
    found = MOODLE.fullmatch(first) if len(first) <= LONGEST else None
    if found is None:
        return None
    name, number = found["name"], found["number"] or ""
    own = PurePosixPath(found["file"] or "", *rest)
    return replace(file, path=own, student=name, number=number, prefix=moodle_prefix(name, number))


def _canvas(file: File) -> File | None:
    """`leeann_7_71_work.ipynb`, `leeann_LATE_7_71_work.ipynb`, or with names hidden `anon_h7Gk2_71_work.ipynb`."""
    first, *rest = file.path.parts
    found = CANVAS.fullmatch(first) if len(first) <= LONGEST else None
    if found is None or file.folder or rest:  # Canvas makes no folders
        return None
    return replace(
        file,
        path=PurePosixPath(found["file"] or found["entry"]),
        student=f"anon {found['number']}" if found["name"] is None else found["name"],
        number=found["number"],
        prefix=first.removesuffix(found["file"]) if found["file"] else "",
        late=bool(found["late"] or found["also_late"]),
    )


def _plain(file: File) -> File | None:
    """`ann/work.ipynb`, or `ann.ipynb`. An instructor's table beside the submissions is nobody's."""
    first, *rest = file.path.parts
    if rest or file.folder:
        return replace(file.below, student=first)
    original, copied, _ = unnumbered(first)
    return None if file.form else replace(file, student=original if copied else stem(first))


def _nbgrader(exercise: str) -> Reader:
    """`ann/heuristic_1/heuristic_1.ipynb`, and nothing of other exercises."""

    def read(file: File) -> File | None:
        student, *rest = file.path.parts
        if not rest:
            return _plain(file)
        own = rest[0] == exercise and rest[1:] != [TIMESTAMP]
        return replace(file.below.below if own else File(PurePosixPath()), student=student)

    return read


# ---------------------------------------------------------------------------------------------- one decision


def uploads(files: Sequence[File], exercise: str, name: str = "") -> tuple[list[File], list[str], str]:
    """Everybody's files; the names of those that belong to nobody; and whose tree it is.

    Args:
        files: everything in the folder or zip.
        exercise: the name of the exercise.
        name: the name of the folder or zip.
    """
    reader, files, shape = _decided(files, exercise, name)
    owned = [(file, reader(file) or _plain(file)) for file in files]
    found = [own for file, own in owned if own and not (file.folder and len(file.path.parts) > 1)]
    return found, [file.path.name for file, own in owned if own is None], shape


def _decided(files: Sequence[File], exercise: str, name: str) -> tuple[Reader, Sequence[File], str]:
    """How the names are to be read, the files named from inside the folder that lists the students, and the shape."""
    for _ in range(MOST_AROUND):
        tree = _inside("submitted", files)
        if _is_nbgraders(tree, exercise) and not _beside_nbgrader(files):
            return _nbgrader(exercise), tree, "nbgrader"
        if name == "submitted" and _is_nbgraders(files, exercise):
            return _nbgrader(exercise), files, "nbgrader"
        reader = _most_common(files)
        tops = {file.path.parts[0] for file in files if not file.form}
        if reader is not _plain or len(tops) != 1:
            return reader, files, "plain" if reader is _plain else "platform"
        (name,) = tops
        inner = _inside(name, files)
        if not _is_class(inner, exercise):
            break
        files = inner
    return _plain, files, "plain"


def _inside(folder: str, files: Sequence[File]) -> list[File]:
    return [file.below for file in files if file.path.parts[0] == folder and len(file.path.parts) > 1]


def _is_nbgraders(files: Sequence[File], exercise: str) -> bool:
    """Whether these are folders of students with a folder for each exercise, and nothing to grade outside of those."""
    places = [file.path.parts for file in files if file.kind]
    return all(len(parts) > 2 for parts in places) and any(parts[1] == exercise for parts in places)


def _beside_nbgrader(files: Sequence[File]) -> bool:
    """Whether there is more to grade beside nbgrader's folders: then `submitted` is a student."""
    if any(str(file.path) in NBGRADERS_FILES for file in files):
        return False
    return any(file.kind and file.path.parts[0] not in NBGRADER for file in files)


def _most_common(files: Sequence[File]) -> Reader:
    """The reader that finds the most students by itself. In doubt nobody has a number."""
    tops = {
        file.path.parts[0]: file if len(file.path.parts) == 1 else File(PurePosixPath(file.path.parts[0]))
        for file in files
        if not file.form
    }
    students: dict[Reader, set[str]] = {_plain: set(), _moodle: set(), _canvas: set()}
    for file in tops.values():
        reader = next((reader for reader in (_moodle, _canvas) if reader(file)), _plain)
        if own := reader(file):
            students[reader].add(f"{own.student} {own.number}")
    return max(students, key=lambda reader: len(students[reader]))


def _is_class(inner: Sequence[File], exercise: str) -> bool:
    """Whether a folder's files belong to a whole class rather than to one student."""
    if _most_common(inner) is not _plain:
        return True
    if any(file.kind and len(file.path.parts) == 1 and nearness(file.path.name, exercise) == 0 for file in inner):
        return False
    tops = {file.path.parts[0]: len(file.path.parts) > 1 for file in sorted(inner, key=lambda file: file.path)}
    return len(tops) > 1 or any(deep and top != exercise for top, deep in tops.items())
