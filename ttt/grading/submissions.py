"""Find what a class has handed in, in any layout, and note who is late, missing, or has handed in twice.

The names alone tell the layout. Folders and zips are read alike, as a list of names with the files behind them. Only
notebooks and programs are unpacked from a zip, into a temporary folder and under names of our own.
"""

from __future__ import annotations

import lzma
import os
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from ttt.grading.grade import GradingError
from ttt.grading.roster import Person, paired, plain
from ttt.grading.sheet import Sheet
from ttt.grading.source import LARGEST

GRADABLE = (".ipynb", ".py")
MOST_BYTES = 2_000_000_000  # of everything unpacked from a zip
MOST_FILES = 50_000
CHUNK = 1 << 20
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError)
TIMESTAMP = "timestamp.txt"  # nbgrader's
RESULTS = "grades.db"  # a folder with this file holds results, not submissions

MISSING, TWICE, PROBLEM = "missing", "submitted twice", "problem"

MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_(?P<file>.*)", re.DOTALL)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)", re.DOTALL)
REPEATED = re.compile(r"(?P<stem>.+?)(?:-(?P<dash>\d+)| ?\((?P<bracket>\d+)\))?")

LAYOUTS = (
    "a folder of STUDENT/{0}.ipynb, of STUDENT.ipynb or of STUDENT.py, an nbgrader tree "
    "submitted/STUDENT/{0}/{0}.ipynb, or a Moodle or Canvas download, zipped or not"
)


@dataclass(frozen=True)
class Submission:
    """What one student has handed in: the file to grade, or why there is none.

    Args:
        student: a unique name, safe to print.
        file: the file to grade, or None.
        status: why there is no file: "missing", "submitted twice" or "problem"; otherwise "".
        notes: sentences for the feedback, such as "Handed in late."
        number: the student's number in Canvas or Moodle, if the file name has it.
        handed_in: when, if a time stamp says so.
    """

    student: str
    file: Path | None = None
    status: str = ""
    notes: tuple[str, ...] = ()
    number: str = ""
    handed_in: datetime | None = None

    def noted(self, note: str, **changes: Any) -> Submission:
        """The same with one more note, and with other fields changed."""
        return replace(self, notes=(*self.notes, note), **changes)


@dataclass(frozen=True)
class Entry:
    """A name in a folder or a zip. The file is None for folders, links, and types that can't be graded."""

    path: PurePosixPath
    file: Path | None
    folder: bool = False

    @property
    def below(self) -> Entry:
        """The same entry, named from inside its topmost folder."""
        return replace(self, path=PurePosixPath(*self.path.parts[1:]))


@dataclass(frozen=True)
class Upload:
    """One of a student's files; the path is the student's own, without what Canvas or Moodle put in front of it."""

    student: str
    path: PurePosixPath
    file: Path | None
    number: str = ""
    late: bool = False

    @property
    def gradable(self) -> bool:
        """Whether this is a notebook or a program that can be read."""
        return self.path.suffix.lower() in GRADABLE and self.file is not None


@contextmanager
def opened(source: Path, exercise: str = "heuristic_1") -> Iterator[tuple[list[Submission], list[str]]]:
    """The submissions in a folder or a zip, sorted by name, and sentences on what had to be left out.

    Unpacked files are removed at the end of the block. Raises `GradingError`.
    """
    with TemporaryDirectory(prefix="ttt-grade-") as place:
        notes: list[str] = []
        if source.is_dir():
            entries = _listed(source)
        elif zipfile.is_zipfile(source):
            entries, notes = _unpacked(source, Path(place))
        elif source.is_file() and source.suffix.lower() in GRADABLE:
            entries = [Entry(PurePosixPath(source.name), source)]
        else:
            problem = "is neither a folder nor a zip" if source.exists() else "does not exist"
            raise GradingError(f"{source} {problem}. What can be graded: {LAYOUTS.format(exercise)}.")
        yield _found(entries, exercise, source), notes


def checked_against_roster(submissions: Sequence[Submission], roster: Path) -> list[Submission]:
    """The submissions, with a note for students who are not on the roster, and with those who handed in nothing.

    Raises `GradingError`.
    """
    expected = names_on(roster)
    students = [Person((submission.student,), (submission.number,)) for submission in submissions]
    matches = paired([Person((name,)) for name in expected], students)
    known = set(matches.values())
    found = [one if n in known else one.noted("Not on the roster.") for n, one in enumerate(submissions)]
    taken = {submission.student for submission in submissions}
    for n, name in enumerate(expected):
        if n not in matches:
            note = "Nothing was handed in under this name."
            found.append(Submission(_unique(plain(name), taken), status=MISSING, notes=(note,)))
    return sorted(found, key=_by_name)


def names_on(path: Path) -> list[str]:
    """The names on a roster, a CSV file with a column `student`. Raises `GradingError`."""
    roster = Sheet.read(path)
    if roster.column("student") is None:
        raise GradingError(f"The roster {path} needs a column named student, with a name in each row.")
    return [name for (name,) in roster.cells("student") if name.strip()]


def checked_for_lateness(submissions: Sequence[Submission], due: datetime) -> list[Submission]:
    """The submissions, with a note on each that was late by its time stamp, and by how much."""
    checked = []
    for submission in submissions:
        if submission.handed_in and submission.handed_in > due:
            late = timedelta(seconds=int((submission.handed_in - due).total_seconds()))
            submission = submission.noted(f"Handed in late, by {late}.")
        checked.append(submission)
    return checked


def moment(text: str) -> datetime:
    """The time in a text such as "2026-11-20 18:00": local time unless it names a zone, the day's end without an hour.

    Raises `GradingError`.
    """
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise GradingError(f"{text!r} is not a time: write 2026-11-20 or 2026-11-20T18:00.") from None
    if len(text.strip()) <= len("2026-11-20"):
        time = time.replace(hour=23, minute=59, second=59, microsecond=999_999)
    return time.astimezone() if time.tzinfo is None else time


# ------------------------------------------------------------------------------------------------- the names and files


def _hidden(path: PurePosixPath) -> bool:
    return any(part.startswith(".") or part in ("__MACOSX", "__pycache__") for part in path.parts)


def _listed(folder: Path) -> list[Entry]:
    """Everything in a folder. Links that lead out of it are not followed: they could lead to anybody's file."""
    entries = []
    for place, folders, files in os.walk(folder):
        here = PurePosixPath(Path(place).relative_to(folder).as_posix())
        entries += [Entry(here / name, None, folder=True) for name in folders]
        for name in files:
            file = Path(place, name)
            inside = file.is_file() and file.resolve().is_relative_to(folder.resolve())
            entries.append(Entry(here / name, file if inside else None))
    return [entry for entry in entries if not _hidden(entry.path)]


def _unpacked(source: Path, folder: Path) -> tuple[list[Entry], list[str]]:
    """Everything in a zip, with notes on what was left out. Gradable files are unpacked as 0.ipynb, 1.py and so on."""
    try:
        with zipfile.ZipFile(source) as archive:
            return _members(archive, folder)
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise GradingError(f"{source} can't be read as a zip: {error}. Is the download complete?") from None


def _members(archive: zipfile.ZipFile, folder: Path) -> tuple[list[Entry], list[str]]:
    members = archive.infolist()
    if len(members) > MOST_FILES:
        raise GradingError(f"{archive.filename} has {len(members):,} files, more than the {MOST_FILES:,} allowed.")
    entries, notes, size = [], [], 0
    for number, member in enumerate(members):
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or not path.parts:
            notes.append(f"{plain(member.filename)!r} was left out: its name leads out of the zip.")
        elif not _hidden(path):
            file = _unpack(archive, member, path, folder / str(number))
            entries.append(Entry(path, file, member.is_dir()))
            size += file.stat().st_size if file else 0
        if size > MOST_BYTES:
            raise GradingError(f"{archive.filename} unpacks to more than {MOST_BYTES:,} bytes.")
    return entries, notes


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: PurePosixPath, target: Path) -> Path | None:
    """Unpack one file, up to the size limit. A damaged file is unpacked as far as possible: reading it will tell."""
    suffix = path.suffix.lower()
    if member.is_dir() or (suffix not in GRADABLE and path.name != TIMESTAMP):
        return None
    target = target.with_suffix(suffix)
    with target.open("wb") as file, suppress(*DAMAGED), archive.open(member) as packed:
        while file.tell() <= LARGEST and (chunk := packed.read(CHUNK)):
            file.write(chunk)
    return target


# ------------------------------------------------------------------------------------------------- the layouts


def _found(entries: list[Entry], exercise: str, source: Path) -> list[Submission]:
    uploads = defaultdict(list)
    for upload in filter(None, map(_upload, _students_folder(_without_results(entries), exercise))):
        uploads[upload.number or upload.student].append(upload)
    if not any(upload.gradable for files in uploads.values() for upload in files):
        raise GradingError(f"{source} contains no submissions. What can be graded: {LAYOUTS.format(exercise)}.")
    return _with_unique_names(_submission(files, exercise) for files in uploads.values())


def _without_results(entries: list[Entry]) -> list[Entry]:
    """The entries without what an earlier run has written into this folder, or into one inside it."""
    results = {entry.path.parent for entry in entries if entry.path.name == RESULTS}
    if PurePosixPath() in results:
        results = results - {PurePosixPath()} | {PurePosixPath("feedback")}
    return [entry for entry in entries if not results & {entry.path, *entry.path.parents}]


def _students_folder(entries: list[Entry], exercise: str) -> list[Entry]:
    """The entries, named from inside the folder that lists the students; zips often put it into another one."""
    collected = [entry.below for entry in entries if entry.path.parts[0] == "submitted" and len(entry.path.parts) > 1]
    if collected:
        return collected
    if len({entry.path.parts[0] for entry in entries}) != 1 or MOODLE.fullmatch(entries[0].path.parts[0]):
        return entries
    inner = [entry.below for entry in entries if len(entry.path.parts) > 1]
    return _students_folder(inner, exercise) if _is_class(inner, exercise) else entries


def _is_class(inner: list[Entry], exercise: str) -> bool:
    """Whether these entries belong to a whole class rather than to one student."""
    named = any(_repeat(entry.path)[0] == exercise for entry in inner if len(entry.path.parts) == 1)
    alone = len({entry.path.parts[0] for entry in inner}) <= 1
    students = any(len(entry.path.parts) > 1 and entry.path.parts[0] != exercise for entry in inner)
    listed = any(CANVAS.fullmatch(entry.path.parts[0]) or MOODLE.fullmatch(entry.path.parts[0]) for entry in inner)
    return listed or (not named and (students or not alone))


def _upload(entry: Entry) -> Upload | None:
    """The student's file that an entry is, by the first part of its name; None if it belongs to nobody."""
    first, rest = entry.path.parts[0], entry.path.parts[1:]
    if entry.folder and rest:
        return None
    if moodle := MOODLE.fullmatch(first):
        return Upload(moodle["name"], PurePosixPath(moodle["file"], *rest), entry.file, moodle["number"])
    if rest or entry.folder:
        return Upload(first, PurePosixPath(*rest), entry.file)
    if canvas := CANVAS.fullmatch(first):
        return Upload(canvas["name"], PurePosixPath(canvas["file"]), entry.file, canvas["number"], bool(canvas["late"]))
    if entry.path.suffix.lower() in GRADABLE:
        return Upload(entry.path.stem, PurePosixPath(first), entry.file)
    return None


# ------------------------------------------------------------------------------------------------- one student


def _submission(uploads: Sequence[Upload], exercise: str) -> Submission:
    """A student's submission: the file to grade, if the names leave no doubt which one that is."""
    late = ("Handed in late.",) if any(upload.late for upload in uploads) else ()
    found = Submission(plain(uploads[0].student) or "nameless", number=uploads[0].number, notes=late)
    candidates = _candidates(uploads, exercise)
    if not candidates:
        return _nothing_gradable(found, uploads)
    newest, names = _newest(candidates), _listing(candidates)
    if newest is None or newest.file is None:
        note = f"Handed in {len(candidates)} files, and their names don't say which is the newest: {names}."
        return found.noted(note, status=TWICE)
    if len(candidates) > 1:
        found = found.noted(f"Handed in {len(candidates)} times ({names}); the newest is graded.")
    if newest.file.stat().st_size > LARGEST:
        return found.noted(f"{names} is larger than {LARGEST:,} bytes.", status=PROBLEM)
    return _timed(replace(found, file=newest.file), newest, uploads)


def _candidates(uploads: Iterable[Upload], exercise: str) -> list[Upload]:
    """The files named after the exercise that are nearest to the top; if there are none, all files at the top."""
    gradable = [upload for upload in uploads if upload.gradable]
    named = [upload for upload in gradable if _repeat(upload.path)[0] == exercise]
    depth = min((len(upload.path.parts) for upload in named), default=1)
    return [upload for upload in named or gradable if len(upload.path.parts) == depth]


def _newest(candidates: Sequence[Upload]) -> Upload | None:
    """The last of several that differ only in a number at the end, as in work.ipynb, work-1.ipynb, work-2.ipynb."""
    names = {(upload.path.parent, _repeat(upload.path)[0], upload.path.suffix) for upload in candidates}
    numbers = {_repeat(upload.path)[1]: upload for upload in candidates}
    return numbers[max(numbers)] if len(names) == 1 and len(numbers) == len(candidates) else None


def _repeat(path: PurePosixPath) -> tuple[str, int]:
    """A name without the number that a platform or browser adds to repeated ones, and that number."""
    name = REPEATED.fullmatch(path.stem)
    return (name["stem"], int(name["dash"] or name["bracket"] or 0)) if name else (path.stem, 0)


def _nothing_gradable(found: Submission, uploads: Sequence[Upload]) -> Submission:
    links = [upload for upload in uploads if upload.path.suffix.lower() in GRADABLE]
    if links:
        return found.noted(f"A link was handed in, and links are not followed: {_listing(links)}.", status=PROBLEM)
    others = [upload for upload in uploads if upload.path.name]
    if others:
        return found.noted(f"No notebook was handed in, only {_listing(others)}.", status=PROBLEM)
    return found.noted("Nothing was handed in.", status=MISSING)


def _timed(found: Submission, picked: Upload, uploads: Iterable[Upload]) -> Submission:
    """The submission with the time from nbgrader's timestamp.txt beside the file."""
    for upload in uploads:
        if upload.file and upload.path == picked.path.with_name(TIMESTAMP):
            time = _timestamp(upload.file.read_bytes()[:100].decode(errors="replace"))
            return replace(found, handed_in=time) if time else found.noted("Its time stamp can't be read.")
    return found


def _timestamp(text: str) -> datetime | None:
    """A time as nbgrader writes it: "2026-11-20 18:00:00.000000 UTC", or with another zone's name."""
    day, _, rest = text.strip().partition(" ")
    hour, _, zone = rest.partition(" ")
    try:
        time = datetime.fromisoformat(f"{day} {hour}".strip())
        named = UTC if zone in ("", "UTC") else ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=named)


def _listing(uploads: Sequence[Upload]) -> str:
    names = sorted(plain(str(upload.path), 60) for upload in uploads)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _with_unique_names(submissions: Iterable[Submission]) -> list[Submission]:
    """The submissions sorted by name, with the number or a counter added to names that occur more than once."""
    found = sorted(submissions, key=_by_name)
    times = Counter(submission.student for submission in found)
    taken = {name for name in times if times[name] == 1}
    return [
        one if times[one.student] == 1 else replace(one, student=_unique(f"{one.student} {one.number}".strip(), taken))
        for one in found
    ]


def _unique(name: str, taken: set[str]) -> str:
    """The name, with a counter if it is taken; then it is taken too."""
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name} ({number})"
    taken.add(unique)
    return unique


def _by_name(submission: Submission) -> tuple[str, str, str]:
    return submission.student.casefold(), submission.student, submission.number
