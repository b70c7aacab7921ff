"""Finds what a class has handed in, in whatever layout it came, and says who is late, missing or in twice.

A layout is told from the names alone. Folders and zips are read alike, as a list of names with the files behind them;
of a zip only notebooks and programs are unpacked, under names of our own, into a temporary folder.
"""

from __future__ import annotations

import csv
import os
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from ttt.grading.roster import Person, paired, plain

GRADABLE = (".ipynb", ".py")
LARGEST = 20_000_000  # bytes of one submission: notebooks full of plots have a few million
MOST_BYTES = 2_000_000_000  # that a zip may unpack to
MOST_FILES = 50_000
CHUNK = 1 << 20
TIMESTAMP = "timestamp.txt"  # nbgrader's
RESULTS = "grades.db"  # shows that a folder holds results

MISSING, TWICE, PROBLEM = "missing", "submitted twice", "problem"

MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_(?P<file>.*)", re.DOTALL)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)", re.DOTALL)
REPEATED = re.compile(r"(?P<stem>.+?)(?:-(?P<dash>\d+)| ?\((?P<bracket>\d+)\))?")

LAYOUTS = (
    "a folder of STUDENT/{0}.ipynb, of STUDENT.ipynb or of STUDENT.py, an nbgrader tree "
    "submitted/STUDENT/{0}/{0}.ipynb, or a Moodle or Canvas download, zipped or not"
)


class SubmissionsError(ValueError):
    """The submissions, or a list that goes with them, can't be used; the message says why and what could be."""


class UnknownLayout(SubmissionsError):
    """No submission is found in any layout that is known."""


class UnreadableZip(SubmissionsError):
    """A zip is damaged, or unpacks to more than a class can have handed in."""


@dataclass(frozen=True)
class Submission:
    """What one student has handed in: the file to grade, or why there is none.

    Args:
        student: the name, safe to print, of which there is no other.
        file: what is to be graded, or None.
        status: why nothing can be graded: "missing", "submitted twice" or "problem"; else "".
        notes: sentences to tell besides the grade, such as "Handed in late."
        number: what Canvas or Moodle knows the student by, where the name of the file says it.
        handed_in: when, where a time stamp says it.
    """

    student: str
    file: Path | None = None
    status: str = ""
    notes: tuple[str, ...] = ()
    number: str = ""
    handed_in: datetime | None = None

    @property
    def person(self) -> Person:
        """The student, to be looked for in other lists."""
        return Person((self.student,), (self.number,))


@dataclass(frozen=True)
class Entry:
    """One name in a folder or a zip, and the file behind it: None for a folder, or what can't be graded anyway."""

    path: PurePosixPath
    file: Path | None
    folder: bool = False

    @property
    def below(self) -> Entry:
        """The same, as it is named in its topmost folder."""
        return replace(self, path=PurePosixPath(*self.path.parts[1:]))


@dataclass(frozen=True)
class Upload:
    """One file of a student's; path is how the student named it, without what the platform put before it."""

    student: str
    path: PurePosixPath
    file: Path | None
    number: str = ""
    late: bool = False


@contextmanager
def opened(source: Path, exercise: str = "heuristic_1") -> Iterator[tuple[list[Submission], list[str]]]:
    """The submissions in a folder or a zip, by name, and sentences on what had to be left out.

    Raises `UnknownLayout` and `UnreadableZip`. What was unpacked goes when the block is left.
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
            raise UnknownLayout(f"{_not_there(source)} What can be graded: {LAYOUTS.format(exercise)}.")
        yield _found(entries, exercise, source), notes


def checked_against_roster(submissions: Sequence[Submission], roster: Path) -> list[Submission]:
    """The submissions, with those who are not on the roster told so, and whoever on it has handed in nothing.

    The roster is a CSV file with a column `student`. Raises `SubmissionsError`.
    """
    expected = names_on(roster)
    matches = paired([Person((name,)) for name in expected], [submission.person for submission in submissions])
    known = set(matches.values())
    here = [s if n in known else _noted(s, "Not on the roster.") for n, s in enumerate(submissions)]
    taken = {submission.student for submission in submissions}
    for n, name in enumerate(expected):
        if n not in matches:
            note = "Nothing was handed in under this name."
            here.append(Submission(_another(plain(name), taken), status=MISSING, notes=(note,)))
    return sorted(here, key=_by_name)


def checked_for_lateness(submissions: Sequence[Submission], due: datetime) -> list[Submission]:
    """The submissions, each that its time stamp shows to be late told so, with by how much."""

    def checked(submission: Submission) -> Submission:
        if submission.handed_in is None or submission.handed_in <= due:
            return submission
        late = timedelta(seconds=int((submission.handed_in - due).total_seconds()))
        return _noted(submission, f"Handed in late, by {late}.")

    return [checked(submission) for submission in submissions]


def moment(text: str) -> datetime:
    """The time that a text such as "2026-11-20 18:00" says: here where it names no zone, the day's end without an hour.

    Raises `SubmissionsError`.
    """
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise SubmissionsError(f"{text!r} is no time: write it as 2026-11-20 or 2026-11-20T18:00.") from None
    if len(text.strip()) <= len("2026-11-20"):
        time = time.replace(hour=23, minute=59, second=59, microsecond=999_999)
    return time.astimezone() if time.tzinfo is None else time


# ------------------------------------------------------------------------------------------------- the names and files


def _not_there(source: Path) -> str:
    return f"{source} is neither a folder nor a zip." if source.exists() else f"There is no {source}."


def _hidden(path: PurePosixPath) -> bool:
    return any(part.startswith(".") or part in ("__MACOSX", "__pycache__") for part in path.parts)


def _listed(folder: Path) -> list[Entry]:
    """All names in a folder. Links are not followed out of it: the file behind could be anybody's."""
    entries = []
    for place, folders, files in os.walk(folder):
        here = PurePosixPath(Path(place).relative_to(folder).as_posix())
        entries += [Entry(here / name, None, folder=True) for name in folders]
        entries += [Entry(here / name, _inside(Path(place, name), folder)) for name in files]
    return [entry for entry in entries if not _hidden(entry.path)]


def _inside(file: Path, folder: Path) -> Path | None:
    return file if file.is_file() and file.resolve().is_relative_to(folder.resolve()) else None


def _unpacked(source: Path, place: Path) -> tuple[list[Entry], list[str]]:
    """All names in a zip, with what can be graded unpacked as 0.ipynb, 1.py and so on, and what was left out."""
    try:
        with zipfile.ZipFile(source) as archive:
            return _members(archive, place)
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise UnreadableZip(f"{source} can't be read as a zip: {error}. Is the download complete?") from None


def _members(archive: zipfile.ZipFile, place: Path) -> tuple[list[Entry], list[str]]:
    members = archive.infolist()
    if len(members) > MOST_FILES:
        raise UnreadableZip(f"{archive.filename} holds {len(members):,} files, more than the {MOST_FILES:,} allowed.")
    entries, notes, room = [], [], MOST_BYTES
    for number, member in enumerate(members):
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or not path.parts:
            notes.append(f"{plain(member.filename)!r} was left out: its name leads out of the zip.")
        elif not _hidden(path):
            entries.append(Entry(path, _unpack(archive, member, path, place / str(number)), member.is_dir()))
            room -= entries[-1].file.stat().st_size if entries[-1].file else 0
        if room < 0:
            raise UnreadableZip(f"{archive.filename} unpacks to more than {MOST_BYTES:,} bytes.")
    return entries, notes


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: PurePosixPath, place: Path) -> Path | None:
    """One file unpacked as far as a submission may be large; a damaged one as far as it goes: reading it will tell."""
    suffix = path.suffix.lower()
    if member.is_dir() or (suffix not in GRADABLE and path.name != TIMESTAMP):
        return None
    target = place.with_suffix(suffix)
    damaged = suppress(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)
    with target.open("wb") as file, damaged, archive.open(member) as packed:
        while file.tell() <= LARGEST and (chunk := packed.read(CHUNK)):
            file.write(chunk)
    return target


# ------------------------------------------------------------------------------------------------- the layouts


def _found(entries: list[Entry], exercise: str, source: Path) -> list[Submission]:
    uploads = defaultdict(list)
    for upload in filter(None, map(_upload, _top(_without_results(entries), exercise))):
        uploads[upload.number or upload.student].append(upload)
    if not any(_gradable(upload) for those in uploads.values() for upload in those):
        raise UnknownLayout(f"{source} holds no submission. What can be graded: {LAYOUTS.format(exercise)}.")
    return _told_apart(_picked(those, exercise) for those in uploads.values())


def _without_results(entries: list[Entry]) -> list[Entry]:
    """Without what an earlier run has written into the same folder, or into one in it."""
    results = {entry.path.parent for entry in entries if entry.path.name == RESULTS}
    if PurePosixPath() in results:
        results = results - {PurePosixPath()} | {PurePosixPath("feedback")}
    return [entry for entry in entries if not results & {entry.path, *entry.path.parents}]


def _top(entries: list[Entry], exercise: str) -> list[Entry]:
    """The entries from the folder on that the students' names stand in: a zip often wraps it in one more."""
    collected = [entry.below for entry in entries if entry.path.parts[0] == "submitted" and len(entry.path.parts) > 1]
    if collected:
        return collected
    if len({entry.path.parts[0] for entry in entries}) != 1 or MOODLE.fullmatch(entries[0].path.parts[0]):
        return entries
    inner = [entry.below for entry in entries if len(entry.path.parts) > 1]
    return _top(inner, exercise) if _wraps(inner, exercise) else entries


def _wraps(inner: list[Entry], exercise: str) -> bool:
    """Whether these are a class's, rather than the files of one student."""
    named = any(_repeat(entry.path)[0] == exercise for entry in inner if len(entry.path.parts) == 1)
    alone = len({entry.path.parts[0] for entry in inner}) <= 1
    students = any(len(entry.path.parts) > 1 and entry.path.parts[0] != exercise for entry in inner)
    listed = any(CANVAS.fullmatch(entry.path.parts[0]) or MOODLE.fullmatch(entry.path.parts[0]) for entry in inner)
    return listed or (not named and (students or not alone))


def _upload(entry: Entry) -> Upload | None:
    """Whose an entry is, by its first name; None for what lies beside the submissions."""
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


def _gradable(upload: Upload) -> bool:
    return upload.path.suffix.lower() in GRADABLE and upload.file is not None


# ------------------------------------------------------------------------------------------------- one student


def _picked(uploads: Sequence[Upload], exercise: str) -> Submission:
    """A student's submission: the file to grade, if the names leave no doubt which one that is."""
    late = ("Handed in late.",) if any(upload.late for upload in uploads) else ()
    found = Submission(plain(uploads[0].student) or "nameless", number=uploads[0].number, notes=late)
    candidates = _candidates(uploads, exercise)
    if not candidates:
        return _nothing(found, uploads)
    newest = _newest(candidates)
    names = _listing(candidates)
    if newest is None:
        note = f"Handed in {len(candidates)} files, and their names don't say which is the newest: {names}."
        return replace(_noted(found, note), status=TWICE)
    if len(candidates) > 1:
        found = _noted(found, f"Handed in {len(candidates)} times ({names}); the newest is graded.")
    if newest.file and newest.file.stat().st_size > LARGEST:
        return replace(_noted(found, f"{names} is larger than {LARGEST:,} bytes."), status=PROBLEM)
    return _timed(replace(found, file=newest.file), newest, uploads)


def _candidates(uploads: Iterable[Upload], exercise: str) -> list[Upload]:
    """The files that are named for the exercise, those least deep; if there are none, all that lie on top."""
    gradable = [upload for upload in uploads if _gradable(upload)]
    named = [upload for upload in gradable if _repeat(upload.path)[0] == exercise]
    depth = min((len(upload.path.parts) for upload in named), default=1)
    return [upload for upload in named or gradable if len(upload.path.parts) == depth]


def _newest(candidates: Sequence[Upload]) -> Upload | None:
    """The last of several that differ in a number at the end alone, as in work.ipynb, work-1.ipynb, work-2.ipynb."""
    names = {(upload.path.parent, _repeat(upload.path)[0], upload.path.suffix) for upload in candidates}
    numbers = {_repeat(upload.path)[1]: upload for upload in candidates}
    return numbers[max(numbers)] if len(names) == 1 and len(numbers) == len(candidates) else None


def _repeat(path: PurePosixPath) -> tuple[str, int]:
    """A name without the number that a platform or a browser adds to a repeated one, and that number."""
    name = REPEATED.fullmatch(path.stem)
    return (name["stem"], int(name["dash"] or name["bracket"] or 0)) if name else (path.stem, 0)


def _nothing(found: Submission, uploads: Sequence[Upload]) -> Submission:
    linked = [upload for upload in uploads if upload.path.suffix.lower() in GRADABLE]
    if linked:
        note = f"A link was handed in, which is not followed: {_listing(linked)}."
        return replace(_noted(found, note), status=PROBLEM)
    others = [upload for upload in uploads if upload.path.name]
    note = f"There is no notebook among what was handed in: {_listing(others)}." if others else "Nothing was handed in."
    return replace(_noted(found, note), status=PROBLEM if others else MISSING)


def _timed(found: Submission, picked: Upload, uploads: Iterable[Upload]) -> Submission:
    """With the time that nbgrader's timestamp.txt beside the file gives."""
    for upload in uploads:
        if upload.file and upload.path == picked.path.with_name(TIMESTAMP):
            time = _timestamp(upload.file.read_bytes()[:100].decode(errors="replace"))
            return replace(found, handed_in=time) if time else _noted(found, "Its time stamp can't be read.")
    return found


def _timestamp(text: str) -> datetime | None:
    """nbgrader's way to write a time: "2026-11-20 18:00:00.000000 UTC", or with another zone's name."""
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


def _noted(submission: Submission, note: str) -> Submission:
    return replace(submission, notes=(*submission.notes, note))


def _told_apart(submissions: Iterable[Submission]) -> list[Submission]:
    """All by name; those of the same name with what tells them apart behind it."""
    found = sorted(submissions, key=_by_name)
    names = Counter(submission.student for submission in found)
    taken = {name for name, times in names.items() if times == 1}
    told = []
    for one in found:
        alone = names[one.student] == 1
        name = one.student if alone else _another(f"{one.student} {one.number}".strip(), taken)
        taken.add(name)
        told.append(replace(one, student=name))
    return told


def _another(name: str, taken: set[str]) -> str:
    return next(new for n in count(1) if (new := name if n == 1 else f"{name} ({n})") not in taken)


def _by_name(submission: Submission) -> tuple[str, str, str]:
    return submission.student.casefold(), submission.student, submission.number


def names_on(path: Path) -> list[str]:
    """The names on a roster, a CSV file with a column `student`. Raises `SubmissionsError`."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            column = next((name for name in rows.fieldnames or () if name.strip().casefold() == "student"), None)
            names = [row[column] or "" for row in rows] if column else None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SubmissionsError(f"The roster {path} can't be read: {error}.") from None
    if names is None:
        raise SubmissionsError(f"The roster {path} needs a column named student, with a name in each row.")
    return [name for name in names if name.strip()]
