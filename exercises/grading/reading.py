"""Reads what a class has handed in, in a process of its own with limits on memory and time. None of it is run.

It gets what to read as JSON in its one argument, and writes a line of JSON for each student. Before it opens a
student's files it says whose they are, so that a file that brings it down costs that student's row alone: the process
that listens (`collect.py`) starts another one, which goes on behind that row.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
import tokenize
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from exercises.grading import ROOT
from exercises.grading.alike import code_digest
from exercises.grading.people import listing, plain
from exercises.grading.uploads import KINDS, File, Upload, kind, nearness, unnumbered, uploads

MEMORY = 1 << 30  # bytes, for the whole process
LARGEST = 20 << 20  # bytes of a file; plots make notebooks large
LARGEST_ZIP = 60 << 20  # bytes of all files in a student's zip that are read
LONGEST_CODE = 400_000  # characters
MOST_FILES = 50_000  # in a zip
MOST_RECORDS, LONGEST_RECORD = 100, 2000  # of guesses in a notebook, and characters of one
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack a few bytes to gigabytes
ENCODINGS = ("utf-8", "utf-8-sig", "iso-8859-1", "iso-8859-15", "cp1252")  # that a program may declare
GUESS = "application/vnd.ttt.guess+json"  # what `ttt.guesses` calls its records
SKIPPED = ("__MACOSX", "__pycache__")
TOO_LARGE = f"The file is larger than {LARGEST >> 20} MB."
LINK = "A link, and links are not followed"
NO_NOTEBOOK = "The file is not a Jupyter notebook, or it is damaged."
DAMAGED = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, NotImplementedError, MemoryError)


class Unreadable(ValueError):
    """What is in a file can't be read; the message says why."""


@dataclass(frozen=True)
class Row:
    """What is found of one student: the code to grade, or why there is none; `collect.Submission` says more."""

    student: str
    number: str = ""
    prefix: str = ""
    file: str = ""
    status: str = ""
    notes: list[str] = field(default_factory=list)
    cells: list[str] | None = None
    guesses: list[Any] = field(default_factory=list)
    alike: str = ""

    def noted(self, note: str, **changes: Any) -> Row:
        """The same with one more note, and with other fields changed."""
        return replace(self, notes=[*self.notes, note], **changes)


def main() -> None:
    """Write what there is as JSON: first what holds for all, then a line or two for each student."""
    order = json.loads(sys.argv[1])
    limit_memory()
    source, exercise, leave_out = Path(order["source"]), order["exercise"], order["leave_out"]
    try:
        files, notes = everything(source, Path(leave_out) if leave_out else None)
    except Unreadable as error:
        say({"problem": str(error)})
        return
    found, others, shape = uploads(files, exercise, source.absolute().stem)
    if not any(upload.file.kind or _zipped(upload) for upload in found):
        say({"problem": "nothing to grade was found."})
        return
    if others:
        notes.append(f"Left out, as no submissions: {listing(others)}.")
    students = named(found)
    say({"notes": notes, "shape": shape, "students": len(students)})
    for student, theirs in list(students.items())[order["first"] :]:
        row = Row(student, theirs[0].number, next((one.prefix for one in theirs if one.prefix), ""))
        say({"begun": row.student, "number": row.number, "prefix": row.prefix})
        say(vars(read(row, theirs, exercise)))


def limit_memory() -> None:
    """Let this process take no more memory than it may, for good."""
    with suppress(ImportError):  # Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def say(what: object) -> None:
    """Write a line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def named(found: Iterable[Upload]) -> dict[str, list[Upload]]:
    """Each student's uploads, by a name that is safe to print and nobody else's, sorted.

    A number that two names have is nobody's, so that no grade can reach the wrong person.
    """
    people: defaultdict[tuple[str, str], list[Upload]] = defaultdict(list)
    for upload in found:
        people[upload.student, upload.number].append(upload)
    plainly = {person: plain(person[0]) or "nameless" for person in people}
    names = Counter(plainly.values())
    numbers = Counter(number for _, number in people)
    students: dict[str, list[Upload]] = {}
    for person in sorted(people, key=lambda person: (plainly[person].casefold(), plainly[person], person)):
        name, number, theirs = plainly[person], person[1], people[person]
        if number and numbers[number] > 1:
            theirs = [replace(upload, number="", prefix="") for upload in theirs]
        own = unique = name if names[name] == 1 else f"{name} {number}".strip()
        count = 1
        while unique in students or (unique != name and unique in names):
            count += 1
            unique = f"{own} ({count})"
        students[unique] = theirs
    return students


# ---------------------------------------------------------------------------------------------- one student


def read(row: Row, theirs: Sequence[Upload], exercise: str) -> Row:
    """The row with the code of the file to grade, or with why there is none. Nothing that goes wrong goes further."""
    if any(upload.late for upload in theirs):
        row = row.noted("Handed in late.")
    try:
        files, notes = _with_zips_opened(theirs, exercise)
        return _picked(replace(row, notes=[*row.notes, *notes]), files, theirs, exercise)
    except MemoryError:
        return row.noted("The files take more memory than they may.", status="problem")
    except Exception as error:
        said = plain(f"{type(error).__name__}: {error}", 200)
        return row.noted(f"The files can't be read: {said}.", status="problem")


def _picked(row: Row, files: Sequence[File], theirs: Sequence[Upload], exercise: str) -> Row:
    """The row with the one file's code, if the names leave no doubt which one that is."""
    candidates = _candidates(files, exercise)
    if not candidates:
        return _nothing(row, files, theirs)
    newest = _newest(candidates)
    if newest is None:
        candidates = [file for file in candidates if not _untouched(file, exercise)] or candidates
        newest = _newest(candidates)
    if newest is None:
        what = f"Handed in {len(candidates)} files, and their names don't say which is the newest"
        return row.noted(f"{what}: {_names(candidates)}.", status="submitted twice")
    if len(candidates) > 1:
        row = row.noted(f"Handed in {len(candidates)} times ({_names(candidates)}); the newest is graded.")
    row = replace(row, file=plain(str(newest.path)))
    for upload in theirs:
        if upload.file == newest and upload.prefix:  # Canvas wants each file back under its own name
            row = replace(row, prefix=upload.prefix)
    try:
        cells, guesses = contents(newest)
    except Unreadable as error:
        return row.noted(f"{_names([newest])}: {error}", status="problem")
    others = [file for file in files if file not in candidates and (file.kind or file.problem or _zip(file))]
    others = [file for file in others if file.path != PurePosixPath(newest.path.parts[0])]  # the zip that it is in
    exact = newest.path.suffix.lower() == newest.kind
    if others or len(newest.path.parts) > 1 or unnumbered(newest.path.name)[1] or not exact:
        told = f"Graded: {_names([newest])}" + ("" if exact else f", read as {newest.kind}")
        row = row.noted(f"{told}. Also handed in: {_names(others)}." if others else f"{told}.")
    return replace(row, cells=cells, guesses=guesses, alike=code_digest(cells, handed_out(exercise)))


def _candidates(files: Iterable[File], exercise: str) -> list[File]:
    """Of the files that can be read, those named nearest to the exercise, originals before copies, nearest the top."""
    ranked = defaultdict(list)
    for file in files:
        if file.kind:
            copied = unnumbered(file.path.name)[1]
            ranked[nearness(file.path.name, exercise), copied, len(file.path.parts)].append(file)
    return ranked[min(ranked)] if ranked else []


def _newest(candidates: Sequence[File]) -> File | None:
    """The last of several that differ only in a number at the end, as in work.ipynb, work-1.ipynb, work-2.ipynb."""
    names, versions = set(), {}
    for file in candidates:
        parts = [unnumbered(part) for part in file.path.parts]
        names.add((file.kind, tuple(own for own, _, _ in parts)))
        versions[tuple(number for _, _, number in parts)] = file
    return versions[max(versions)] if len(names) == 1 and len(versions) == len(candidates) else None


def _nothing(row: Row, files: Sequence[File], theirs: Sequence[Upload]) -> Row:
    """The row of somebody who has handed in nothing that can be graded: what there is instead."""
    problems = defaultdict(list)
    for file in files:
        if file.problem:
            problems[file.problem].append(file)
    for problem, those in problems.items():
        row = row.noted(f"{problem}: {_names(those)}.")
    others = [file for file in files if file.path.name and not file.problem and not file.folder]
    if others:
        typed = " A text typed into a form can't be graded." if any(one.typed for one in theirs) else ""
        row = row.noted(f"No notebook (.ipynb) or program (.py) was handed in, only {_names(others)}.{typed}")
    if row.notes and (problems or others or any(map(_zipped, theirs))):
        return replace(row, status="problem")
    return row.noted("Nothing was handed in.", status="missing")


def _with_zips_opened(theirs: Sequence[Upload], exercise: str) -> tuple[list[File], list[str]]:
    """A student's files with what is in their zips, unless the exercise itself is among them; and what went wrong."""
    files = [one.file for one in theirs]
    if any(file.kind and nearness(file.path.name, exercise) == 0 for file in files):
        return files, []
    notes = []
    for file in [file for file in files if _zip(file)]:
        try:
            inside, left_out = _zips_files(file)
            files += [replace(one, path=file.path / one.path) for one in inside if not one.folder]
            notes += left_out
        except Unreadable as error:
            notes.append(f"{_names([file])}: {error}")
    return files, notes


def _zips_files(file: File) -> tuple[list[File], list[str]]:
    """What is in a student's zip; zips inside it stay closed. Raises `Unreadable`."""
    files, notes = in_zip(zipfile_in(io.BytesIO(content(file))))
    if sum(one.size for one in files if one.kind) > LARGEST_ZIP:
        raise Unreadable(f"The zip's files take more than {LARGEST_ZIP >> 20} MB.")
    return files, notes


def _zip(file: File) -> bool:
    return file.open is not None and file.path.suffix.lower() == ".zip"


def _zipped(upload: Upload) -> bool:
    return _zip(upload.file)


def _names(files: Iterable[File]) -> str:
    return listing(str(file.path) if file.path.parts else "the folder" for file in files)


@cache
def handed_out(exercise: str) -> list[str]:
    """The code cells of an exercise's notebook as it is handed out."""
    path = ROOT / "exercises" / exercise / f"{exercise}.ipynb"
    if not path.exists():
        return []
    return contents(on_disk(PurePosixPath(path.name), path))[0]


def _untouched(file: File, exercise: str) -> bool:
    try:
        return contents(file)[0] == handed_out(exercise)
    except Unreadable:
        return False


# ---------------------------------------------------------------------------------------------- folders and zips


def everything(source: Path, leave_out: Path | None) -> tuple[list[File], list[str]]:
    """Everything in a folder or zip, or the one file, and sentences on names left out. Raises `Unreadable`."""
    if source.is_dir():
        return in_folder(source, leave_out), []
    if source.is_file() and kind(source.name):
        return [on_disk(PurePosixPath(source.name), source)], []
    if not source.exists():
        raise Unreadable("it does not exist.")
    if not zipfile.is_zipfile(source):
        raise Unreadable("it is neither a folder nor a zip.")
    return in_zip(zipfile_in(source))


def in_folder(folder: Path, leave_out: Path | None) -> list[File]:
    """Everything in a folder, sorted by name, but hidden files and the folder of results. Raises `Unreadable`."""
    files, waiting = [], [PurePosixPath()]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(folder / here) as entries:
                inside = [_listed(here / one.name, one) for one in entries if not _hidden(one.name)]
        except OSError as error:
            if not here.parts:
                raise Unreadable(f"it can't be read: {error.strerror}.") from None
            files.append(File(here, problem=f"Can't be opened ({error.strerror})"))
            continue
        if leave_out:
            inside = [file for file in inside if (folder / file.path).absolute() != leave_out]
        files += inside
        waiting += [file.path for file in inside if file.folder]
    return sorted(files, key=lambda file: file.path)


def _hidden(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED


def _listed(path: PurePosixPath, found: os.DirEntry[str]) -> File:
    try:
        if found.is_symlink():
            return File(path, problem=LINK)
        if found.is_dir(follow_symlinks=False):
            return File(path)
        if found.is_file(follow_symlinks=False):
            return on_disk(path, Path(found.path))
    except OSError as error:
        return File(path, problem=f"Can't be opened ({error.strerror})")
    return File(path, problem="Not an ordinary file")


def on_disk(path: PurePosixPath, file: Path) -> File:
    """A file of this machine. Raises `OSError`."""
    return File(path, partial(_opened, file), file.lstat().st_size)


def _opened(file: Path) -> IO[bytes]:
    """An ordinary file, opened; a link or a pipe that has taken its place since is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(file, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "Not an ordinary file")
    return os.fdopen(descriptor, "rb")


def zipfile_in(source: Path | IO[bytes]) -> zipfile.ZipFile:
    """A zip, opened. Raises `Unreadable`."""
    try:
        return zipfile.ZipFile(source)
    except DAMAGED as error:
        raise Unreadable(f"The zip can't be read: {plain(str(error), 100)}. Is the download complete?") from None


def in_zip(archive: zipfile.ZipFile) -> tuple[list[File], list[str]]:
    """Everything in a zip, and a sentence on names that lead out of it. Raises `Unreadable`."""
    members = archive.infolist()
    if len(members) > MOST_FILES:
        raise Unreadable(f"There are {len(members):,} files in the zip, more than the {MOST_FILES:,} allowed.")
    files, outside = [], []
    for member in members:
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or not path.parts:
            outside.append(member.filename)
        elif not any(map(_hidden, path.parts)):
            files.append(_packed(path, archive, member))
    return files, [f"Left out, as the name leads out of the zip: {listing(outside)}."] if outside else []


def _packed(path: PurePosixPath, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> File:
    if stat.S_ISLNK(member.external_attr >> 16):
        return File(path, problem=LINK)
    if member.is_dir():
        return File(path)
    if member.flag_bits & 1:
        return File(path, problem="Protected by a password")
    if member.compress_type not in PACKINGS:
        return File(path, problem="Packed in a way that is not read")
    return File(path, partial(archive.open, member), member.file_size)


# ---------------------------------------------------------------------------------------------- one file


def content(file: File) -> bytes:
    """What is in a file, if it is not too large. Raises `Unreadable`."""
    if file.size > LARGEST:
        raise Unreadable(TOO_LARGE)
    try:
        assert file.open is not None
        with file.open() as opened:
            data = opened.read(LARGEST + 1)
    except DAMAGED as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise Unreadable(f"The file can't be opened, or is damaged: {plain(said, 100)}.") from None
    if len(data) > LARGEST:
        raise Unreadable(TOO_LARGE)
    return data


def contents(file: File) -> tuple[list[str], list[Any]]:
    """The code cells of a notebook or a program, and the records of guesses in its outputs. Raises `Unreadable`."""
    data = content(file)
    if file.kind == KINDS[0]:
        cells, guesses = _notebook(_decoded(data, "utf-8-sig"))
    else:
        cells, guesses = [_decoded(data, _declared(data))], []
    if sum(map(len, cells)) > LONGEST_CODE:
        raise Unreadable(f"There are more than {LONGEST_CODE:,} characters of code.")
    if re.search("[\0\ud800-\udfff]", "".join(cells)):
        raise Unreadable("The code has characters in it that no program can have.")
    return cells, guesses


def _notebook(text: str) -> tuple[list[str], list[Any]]:
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        return ["".join(cell["source"]) for cell in cells], list(_records(cells))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise Unreadable(NO_NOTEBOOK) from None


def _records(cells: Sequence[Any]) -> Iterator[Any]:
    """The records of guesses in the outputs, not too many and not too long."""
    found = 0
    for cell in cells:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            data = output.get("data") if isinstance(output, dict) else None
            record = data.get(GUESS) if isinstance(data, dict) else None
            if record is not None and found < MOST_RECORDS and len(json.dumps(record)) <= LONGEST_RECORD:
                found += 1
                yield record


def _declared(data: bytes) -> str:
    """The encoding that a program declares in its first lines, as Python reads it; UTF-8 if it is not a usual one."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        return "utf-8-sig"
    return encoding if encoding in ENCODINGS else "utf-8-sig"


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8.") from None


if __name__ == "__main__":
    main()
