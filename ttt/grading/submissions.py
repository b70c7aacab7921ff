"""Find what a class has handed in, in any layout, and note who has handed in nothing, or twice.

Each student gets one submission, and each odd upload a sentence that says what was found and what is graded.
"""

from __future__ import annotations

import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from ttt.grading import platforms
from ttt.grading.entries import Entry, in_folder, in_zip, on_disk, opened_zip
from ttt.grading.grade import MISSING, PROBLEM, TWICE, GradingError
from ttt.grading.gradebook import moodle_rows, moodle_sheet
from ttt.grading.inside.submission import CELL_END, seems_to_define
from ttt.grading.platforms import Upload, is_named, nearness, unnumbered
from ttt.grading.roster import Person, listing, plain
from ttt.grading.source import Unreadable, kind, read_source, untouched
from ttt.store import written_whole

KINDS = {".ipynb": "a notebook", ".py": "a program"}
WHAT_TO_DO = "Delete or rename files until one is the newest and run the command again, or give marks in review.csv."
MOST_COMPARED = 20  # of a student's files with what was handed out
PAGE = "feedback.html"  # what a student finds on Moodle or Canvas

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
        status: why there is no file: `MISSING`, `TWICE` or `PROBLEM`; otherwise "".
        notes: sentences for the feedback, such as "Handed in late."
        doubts: sentences for the instructor alone, such as "Somebody else has the number 7, too."
        number: the student's number in Canvas or Moodle, if it is known.
        prefix: how a file's name must begin for Canvas or Moodle to give it back to this student, if that is known.
    """

    student: str
    file: Path | None = None
    status: str = ""
    notes: tuple[str, ...] = ()
    number: str = ""
    prefix: str = ""
    doubts: tuple[str, ...] = ()

    def noted(self, note: str, **changes: Any) -> Submission:
        """The same with one more note, and with other fields changed."""
        return replace(self, notes=(*self.notes, note), **changes)

    def doubted(self, doubt: str, **changes: Any) -> Submission:
        """The same with one more sentence for the instructor, and with other fields changed."""
        return replace(self, doubts=(*self.doubts, doubt), **changes)


@contextmanager
def opened(
    source: Path, exercise: str = "heuristic_1", out: Path | None = None
) -> Iterator[tuple[list[Submission], list[str]]]:
    """The submissions in a folder or a zip, sorted by name, and sentences on what had to be left out.

    Unpacked files are removed at the end of the block. Raises `GradingError`.

    Args:
        out: where results are written; if that is among the submissions, it is not one of them.
    """
    with TemporaryDirectory(prefix="ttt-grade-") as place, ExitStack() as archives:
        entries, notes = _entries(source, exercise, archives)
        entries = _outside(entries, source, out)
        found, others = platforms.uploads(entries, exercise, source.absolute().stem)
        if not any(upload.kind or upload.zipped for upload in found):
            raise GradingError(f"{source} contains no submissions. What can be graded: {LAYOUTS.format(exercise)}.")
        if others:
            notes.append(f"Left out, as no submissions: {listing(others)}.")
        students = defaultdict(list)
        for upload in found:
            students[upload.student, upload.number].append(upload)
        picker = _Picker(exercise, Path(place))
        submissions = [picker.submission(uploads) for uploads in students.values()]
        yield _with_unique_names(_without_shared_numbers(submissions)), notes


def _outside(entries: list[Entry], source: Path, out: Path | None) -> list[Entry]:
    """The entries of a folder that are not in the folder for results."""
    within, results = source.absolute(), out.absolute() if out else None
    if results is None or within not in results.parents:
        return entries
    return [entry for entry in entries if not (within / entry.path).is_relative_to(results)]


def _entries(source: Path, exercise: str, archives: ExitStack) -> tuple[list[Entry], list[str]]:
    """Everything in the folder or zip, or the one file, and sentences on names that were left out."""
    if source.is_dir():
        return in_folder(source), []
    if source.is_file() and kind(source.name):
        return [Entry(PurePosixPath(source.name), source)], []
    if not zipfile.is_zipfile(source):
        problem = "is neither a folder nor a zip" if source.exists() else "does not exist"
        raise GradingError(f"{source} {problem}. What can be graded: {LAYOUTS.format(exercise)}.")
    try:
        return in_zip(archives.enter_context(opened_zip(source)))
    except Unreadable as unreadable:
        raise GradingError(f"{source}: {unreadable} Is the download complete?") from None


def require_exercise(submissions: Sequence[Submission], exercise: str, others: Iterable[str]) -> None:
    """Make sure that these are not the submissions of another exercise.

    Raises `GradingError` if no file has the exercise's function, and most have that of another one.
    """
    functions = {exercise, *others}
    found: Counter[str] = Counter()
    files = [one.file for one in submissions if one.file]
    for file in files:
        defined = _defined(file, functions)
        if exercise in defined:
            return
        found.update(defined)
    for other, times in found.most_common(1):
        if 2 * times > len(files):
            raise GradingError(
                f"No file has a function {exercise}, and {times} of {len(files)} have {other}, so nothing is graded. "
                f"Are these submissions of that exercise? Then add --exercise {other}."
            )


def _defined(file: Path, functions: Iterable[str]) -> list[str]:
    """The functions of these that a file seems to define."""
    try:
        source = read_source(file).replace(CELL_END, "\n")
    except Unreadable:
        return []
    return [name for name in functions if seems_to_define(source, name)]


# ------------------------------------------------------------------------------------------------- one student


class _Picker:
    """Finds the file to grade among a student's uploads. What has to be unpacked becomes 0.ipynb, 1.py and so on."""

    def __init__(self, exercise: str, place: Path) -> None:
        self._exercise, self._place = exercise, place
        self._numbers = count()

    def submission(self, uploads: Sequence[Upload]) -> Submission:
        """A student's submission: the file to grade, if the names leave no doubt which one that is."""
        first = uploads[0]
        late = ["Handed in late."] if any(upload.late for upload in uploads) else []
        with ExitStack() as archives:
            uploads, notes = self._with_zips_opened(uploads, archives)
            name = plain(first.student) or "nameless"
            found = Submission(name, notes=(*late, *notes), number=first.number, prefix=first.prefix)
            return self._picked(found, uploads)

    def _picked(self, found: Submission, uploads: Sequence[Upload]) -> Submission:
        """The submission with its file, or with why there is none."""
        candidates = _candidates(uploads, self._exercise)
        if not candidates:
            return _nothing_gradable(found, uploads)
        newest = _newest(candidates)
        if newest is None and len(candidates) <= MOST_COMPARED:
            candidates = [one for one in candidates if not self._untouched(one)] or candidates
            newest = _newest(candidates)
        if newest is None:
            note = f"Handed in {len(candidates)} files, and their names don't say which is the newest"
            return found.noted(f"{note}: {_names(candidates)}.", status=TWICE).doubted(WHAT_TO_DO)
        if len(candidates) > 1:
            found = found.noted(f"Handed in {len(candidates)} times ({_names(candidates)}); the newest is graded.")
        try:
            file = on_disk(newest.entry, self._target(newest.kind))
        except Unreadable as unreadable:
            return found.noted(f"{_names([newest])}: {unreadable}", status=PROBLEM)
        return _explained(replace(found, file=file, prefix=newest.prefix), newest, candidates, uploads)

    def _untouched(self, upload: Upload) -> bool:
        """Whether a file is the exercise's notebook as it is handed out."""
        unpacked = self._target(upload.kind)
        try:
            return untouched(on_disk(upload.entry, unpacked), self._exercise)
        except Unreadable:
            return False
        finally:
            unpacked.unlink(missing_ok=True)

    def _target(self, ending: str) -> Path:
        return self._place / f"{next(self._numbers)}{ending}"

    def _with_zips_opened(self, uploads: Sequence[Upload], archives: ExitStack) -> tuple[list[Upload], list[str]]:
        """The uploads and what is in their zips, unless the exercise itself is among them; and what went wrong."""
        found = list(uploads)
        notes: list[str] = []
        if any(upload.kind and is_named(upload.original, self._exercise) for upload in uploads):
            return found, notes
        for upload in uploads:
            if upload.zipped:
                try:
                    inside, left_out = self._opened(upload, archives)
                    found += inside
                    notes += left_out
                except Unreadable as unreadable:
                    notes.append(f"{_names([upload])}: {unreadable}")
        return found, notes

    def _opened(self, upload: Upload, archives: ExitStack) -> tuple[list[Upload], list[str]]:
        """What is in a student's zip, with notes; zips inside it stay closed. Raises `Unreadable`."""
        unpacked = self._target(".zip")
        archives.callback(unpacked.unlink, missing_ok=True)
        file = on_disk(upload.entry, unpacked)
        entries, notes = in_zip(archives.enter_context(opened_zip(file)))
        files = [entry for entry in entries if not entry.folder]
        return [replace(upload, path=upload.path / entry.path, entry=entry) for entry in files], notes


def _candidates(uploads: Iterable[Upload], exercise: str) -> list[Upload]:
    """The files that could be the submission: those whose names are nearest to the exercise's, originals before copies.

    Of these, those nearest to the top.
    """
    ranked = defaultdict(list)
    for upload in uploads:
        if upload.kind:
            rank = (nearness(upload.original, exercise), upload.copied, len(upload.path.parts))
            ranked[rank].append(upload)
    return ranked[min(ranked)] if ranked else []


def _newest(candidates: Sequence[Upload]) -> Upload | None:
    """The last of several that differ only in a number at the end, as in work.ipynb, work-1.ipynb, work-2.ipynb."""
    names, versions = set(), {}
    for upload in candidates:
        parts = [unnumbered(part) for part in upload.path.parts]
        names.add((upload.kind, tuple(stem for stem, _, _ in parts)))
        versions[tuple(number for _, _, number in parts)] = upload
    return versions[max(versions)] if len(names) == 1 and len(versions) == len(candidates) else None


def _explained(
    found: Submission, graded: Upload, candidates: Sequence[Upload], uploads: Sequence[Upload]
) -> Submission:
    """The submission, with a note if there was anything to choose from, or the file is not what its name says."""
    others = [
        one for one in uploads if one not in candidates and (one.kind or one.typed or one.zipped or one.entry.problem)
    ]
    others = [one for one in others if one.path != PurePosixPath(graded.path.parts[0])]  # the zip that it is in
    told = f"Graded: {_names([graded])}"
    if graded.path.suffix.lower() != graded.kind:
        told += f", read as {KINDS[graded.kind]}"
    if others:
        return found.noted(f"{told}. Also handed in: {_names(others)}.")
    if len(graded.path.parts) > 1 or graded.copied or graded.path.suffix.lower() != graded.kind:
        return found.noted(f"{told}.")
    return found


def _nothing_gradable(found: Submission, uploads: Sequence[Upload]) -> Submission:
    problems = defaultdict(list)
    for upload in uploads:
        if upload.entry.problem:
            problems[upload.entry.problem].append(upload)
    for problem, those in problems.items():
        found = found.noted(f"{problem}: {_names(those)}.")
    others = [upload for upload in uploads if upload.path.name and not upload.entry.problem and not upload.stamp]
    if others:
        typed = " A text typed into a form can't be graded." if any(upload.typed for upload in others) else ""
        found = found.noted(f"No notebook (.ipynb) or program (.py) was handed in, only {_names(others)}.{typed}")
    if problems or others:
        return replace(found, status=PROBLEM)
    return found.noted("Nothing was handed in.", status=MISSING)


def _names(uploads: Sequence[Upload]) -> str:
    return listing([str(upload.path) if upload.path.parts else "the folder" for upload in uploads])


def _without_shared_numbers(submissions: Sequence[Submission]) -> list[Submission]:
    """The submissions; a number that two names have is nobody's, so that no grade can reach the wrong person."""
    times = Counter(submission.number for submission in submissions if submission.number)
    return [
        one.doubted(f"Somebody else has the number {one.number}, too.", number="", prefix="")
        if times[one.number] > 1
        else one
        for one in submissions
    ]


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


# ------------------------------------------------------------------------------------------------- Moodle's worksheet


def checked_with_worksheet(submissions: Sequence[Submission], worksheet: Path) -> list[Submission]:
    """The submissions, with what a Moodle worksheet knows of them: their numbers, and who was late.

    Raises `GradingError`.
    """
    sheet, _ = moodle_sheet(worksheet)
    told = sheet.cells("identifier", "status")
    found = list(submissions)
    owners = moodle_rows(sheet, [Person((one.student,), (one.number,)) for one in submissions])
    rows = {owner: row for row, owner in owners.items()}  # all rows of a team say the same
    for owner, row in rows.items():
        identifier, status = told[row]
        if sheet.column("group") is None:
            found[owner] = _numbered(found[owner], platforms.moodle_number(identifier))
        found[owner] = _with_lateness(found[owner], status)
    return found


def _numbered(submission: Submission, number: str) -> Submission:
    """The submission with its number in Moodle, unless it has one."""
    number = submission.number or number
    prefix = submission.prefix or platforms.moodle_prefix(submission.student, number)
    return replace(submission, number=number, prefix=prefix)


def _with_lateness(found: Submission, status: str) -> Submission:
    """The submission, with what its status in a worksheet says of lateness."""
    for part in status.split(" - "):
        if part.strip().endswith(" late"):
            found = found.noted(f"Moodle says: {plain(part, 60)}.")
    return found


# ------------------------------------------------------------------------------------------------- what goes back


def write_feedback_zip(target: Path, submissions: Iterable[Submission], pages: Mapping[str, Path]) -> list[str]:
    """Write the feedback pages as a zip that gives every student theirs; returns a sentence on those left out.

    Moodle takes it under "Upload multiple feedback files in a zip", Canvas under "Upload submissions". Where no student
    is known to a platform, no zip is written.

    Args:
        target: the zip.
        submissions: the class.
        pages: each student's feedback page.

    Raises `GradingError`.
    """
    submissions = list(submissions)
    known = [one for one in submissions if one.prefix and one.student in pages]
    try:
        target.unlink(missing_ok=True)
        if not known:
            return []
        with written_whole(target) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as bundle:
            for one in known:
                bundle.writestr(zipfile.ZipInfo(one.prefix + PAGE), pages[one.student].read_bytes())
    except OSError as error:
        raise GradingError(f"{target} can't be written: {error.strerror}.") from None
    left = [one for one in submissions if not one.prefix and one.student in pages and one.status != MISSING]
    nothing = [one.student for one in left if one.number]
    unknown = [one.student for one in left if not one.number]
    notes = []
    if nothing:
        notes.append(f"{target.name} has no page for {listing(nothing)}, who handed in no file.")
    if unknown:
        notes.append(f"{target.name} has no page for {listing(unknown)}, whose numbers are not known.")
    return notes
