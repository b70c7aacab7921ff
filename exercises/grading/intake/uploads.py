"""Whose file is it? How Moodle, Canvas and people name submissions, decided once for all files."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import IO, Any, Self

from exercises.grading.people import letters, quoted

FORMS = (".csv", ".tsv", ".xlsx", ".ods", ".db", ".md", ".toml")  # an instructor's own files next to the submissions
MOST_AROUND = 5  # max. folders wrapped around a class

# Moodle's mod/assign/classes/downloader.php. A full name has no underscore, a team without a group has no number, and
# only versions before 4.1 end a folder's name with an underscore.
MOODLE = re.compile(r"(?P<name>[^_]+)(?:_(?P<number>\d+))?_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL)
# Canvas's lib/content_zipper.rb: a user's number and an attachment's, or a user's number and "text" or "link".
CANVAS = re.compile(
    r"(?:LATE_)?(?:anon|(?P<name>.*?))_(?:LATE_)?"
    r"(?P<number>(?<=anon_)[0-9A-Za-z]+|\d+)_(?:\d+_(?P<file>.+)|(?P<entry>(?:text|link)\.html))",
    re.DOTALL,
)
# JupyterLab's and Windows's words for a duplicate, the number of a file that was uploaded again, and its ending, to
# which browsers and mail programs add another.
_NAME = re.compile(
    r"(?P<stem>.+?)(?P<copy>-Copy\d+|-checkpoint| - Copy(?: \(\d+\))?)?(?:-(?P<dash>\d+)| ?\((?P<bracket>\d+)\))?"
    r"(?P<ending>(?P<kind>\.ipynb|\.py|\.zip)(?:\.txt|\.json)*|\.[^.]+)?",
    re.DOTALL | re.IGNORECASE,
)


def parsed(name: str) -> re.Match[str]:
    """Split a file's name into its parts."""
    return _NAME.fullmatch(name or " ")  # type: ignore[return-value]  # it matches every name


def distance(name: str, exercise: str) -> int:
    """How far a file's name is from the exercise's: 0 if equal, 1 if it contains it, otherwise 2."""
    own, wanted = letters(parsed(name)["stem"]), letters(exercise)
    return 0 if own == wanted else 1 if wanted in own else 2


@dataclass(frozen=True)
class File:
    """A file or folder somebody handed in."""

    path: PurePosixPath  # relative to the source, and finally to the student's own part of it
    open: Callable[[], IO[bytes]] | None = None  # None for a folder or a file with a problem
    problem: str = ""  # why there are no contents to read
    student: str = ""  # the owner's name, as the platform writes it
    number: str = ""  # the student's number on the platform
    prefix: str = ""  # the platform's prefix to a student's file names, used to match feedback
    date: tuple[int, ...] = ()  # when it was last changed, if an archive says so

    def __str__(self) -> str:
        return quoted(str(self.path), 58) if self.path.parts else "the folder"

    @property
    def folder(self) -> bool:
        return self.open is None and not self.problem

    @property
    def form(self) -> bool:
        """Whether it is an instructor's list next to the submissions."""
        return len(self.path.parts) == 1 and not self.folder and self.path.suffix.lower() in FORMS

    @property
    def kind(self) -> str:
        """The type to read it as: ".ipynb" (also "work.ipynb.txt"), ".py", ".zip", or ""."""
        return (parsed(self.path.name)["kind"] or "").lower() if self.open else ""


@dataclass(frozen=True)
class Submission:
    """One student's submission: the code to grade, or why there is none."""

    student: str  # a unique name, safe to print
    number: str = ""  # the student's number on the platform
    prefix: str = ""  # the prefix a file name needs for the platform to return it to this student
    status: str = ""  # why there is nothing to grade: "missing", "submitted twice" or "problem"
    notes: tuple[str, ...] = ()  # notes for the student on what was found
    cells: tuple[str, ...] | None = None  # of a notebook; a program is one cell
    beside: tuple[str, ...] = ()  # the texts of cells that aren't code
    alike: str = ""  # a digest of the code that ignores names and layout
    graded: str = ""  # the file with this code
    others: tuple[str, ...] = ()  # files that were not graded, which a person may want to look at
    called: str = ""  # the name in the platform's sheet, which is without a group's name in front

    def noted(self, note: str, **changes: Any) -> Self:
        """A copy with one more note and other fields changed."""
        return replace(self, notes=(*self.notes, note), **changes)


def moodle_prefix(name: str, number: str) -> str:
    """The prefix of a feedback file that Moodle returns to the participant or team with this number, or ""."""
    # mod/assign/feedback/file/importziplib.php; only the number matters
    shown = re.sub(r"[^\w .-]|_", " ", name).strip(" .-") or "student"
    return f"{shown}_{number}_assignsubmission_file_" if number else ""


Reader = Callable[[File], File | None]


def _moodle(file: File) -> File | None:
    """`Ann Lee_101_assignsubmission_file/work.ipynb`, or `Ann Lee_101_assignsubmission_file_work.ipynb`."""
    first, *rest = file.path.parts
    if (found := MOODLE.fullmatch(first)) is None:
        return None
    name, number = found["name"], found["number"] or ""
    own = PurePosixPath(found["file"] or "", *rest)
    return replace(file, path=own, student=name, number=number, prefix=moodle_prefix(name, number))


def _canvas(file: File) -> File | None:
    """`leeann_7_71_work.ipynb`, `leeann_LATE_7_71_work.ipynb`, or with names hidden `anon_h7Gk2_71_work.ipynb`."""
    found = CANVAS.fullmatch(str(file.path))
    if found is None or file.folder or len(file.path.parts) > 1:  # Canvas never makes folders
        return None
    own, number = found["file"] or found["entry"], found["number"]
    name = found["name"] if found["name"] is not None else f"anon {number}"
    prefix = file.path.name.removesuffix(own) if found["file"] else ""
    return replace(file, path=PurePosixPath(own), student=name, number=number, prefix=prefix)


def _plain(file: File) -> File | None:
    """`ann/work.ipynb`, or `ann.ipynb`. An instructor's table next to the submissions is nobody's."""
    first, *rest = file.path.parts
    if rest or file.folder:
        return replace(file, path=PurePosixPath(*rest), student=first)
    name = parsed(first)
    own = name["stem"] if name["copy"] else first.removesuffix(name["ending"] or "")
    return None if file.form else replace(file, student=own)


def uploads(files: Sequence[File], exercise: str) -> tuple[list[File], list[str]]:
    """Everybody's files in a folder or zip, and the names of nobody's."""
    for _ in range(MOST_AROUND):
        if (reader := _most_common(files)) is not _plain:
            break
        name, *more = {file.path.parts[0] for file in files if not file.form} or {""}
        inner = _inside(name, files)
        tops = {file.path.parts[0]: len(file.path.parts) > 1 for file in sorted(inner, key=lambda file: file.path)}
        students = not any(distance(top, exercise) == 0 for top in tops) and (len(tops) > 1 or any(tops.values()))
        if more or not (students or _most_common(inner) is not _plain):
            break  # the contents belong to one student
        files = inner
    owned = [(file, reader(file) or _plain(file)) for file in files]
    found = [own for file, own in owned if own and not (file.folder and len(file.path.parts) > 1)]
    return found, sorted({file.path.name for file, own in owned if own is None})


def _inside(folder: str, files: Sequence[File]) -> list[File]:
    """The files in a folder, named relative to it."""
    parts = [(file, file.path.parts) for file in files]
    return [replace(file, path=PurePosixPath(*rest)) for file, (first, *rest) in parts if first == folder and rest]


def _most_common(files: Sequence[File]) -> Reader:
    """The reader that finds the most students on its own; if in doubt, one that finds no numbers."""
    students: dict[Reader, set[tuple[str, str]]] = {_plain: set(), _moodle: set(), _canvas: set()}
    for file in files:
        top = File(PurePosixPath(file.path.parts[0])) if len(file.path.parts) > 1 else file
        reader = next((one for one in (_moodle, _canvas) if one(top)), _plain)
        if own := reader(top):
            students[reader].add((own.student, own.number))
    return max(students, key=lambda reader: len(students[reader]))
