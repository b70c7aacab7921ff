"""Reads what a class has handed in, in a process of its own with limits on memory and time. None of it is run.

It gets what to read as JSON in its one argument, and writes a line of JSON for each student. Before it opens a
student's files it says whose they are, so that a file that brings it down costs that student's row alone: the process
that listens (`collect.py`) starts another one, which goes on behind that row.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import stat
import sys
import tokenize
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from exercises.grading import ROOT
from exercises.grading.alike import code_digest
from exercises.grading.people import listing, plain
from exercises.grading.uploads import KINDS, File, Submission, nearness, unnumbered, uploads

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
DAMAGED = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, NotImplementedError, MemoryError)


class Unreadable(ValueError):
    """What is in a file can't be read; the message says why."""


def main() -> None:
    """Write what there is as JSON: first what holds for all, then a line or two for each student."""
    order = json.loads(sys.argv[1])
    limit_memory()
    source, exercise = Path(order["source"]), order["exercise"]
    try:
        files, notes = everything(source, order["leave_out"])
    except Unreadable as error:
        say({"problem": str(error)})
        return
    found, others, shape = uploads(files, exercise, source.absolute().stem)
    if not any(file.kind or file.zip for file in found):
        say({"problem": "nothing to grade was found."})
        return
    if others:
        notes.append(f"Left out, as no submissions: {listing(others)}.")
    students = named(found)
    say({"notes": notes, "shape": shape, "students": len(students)})
    for student, theirs in list(students.items())[order["first"] :]:
        row = Submission(student, theirs[0].number, next((one.prefix for one in theirs if one.prefix), ""))
        say({"begun": vars(row)})
        say(vars(read(row, theirs, exercise)))


def limit_memory() -> None:
    """Let this process take no more memory than it may, for good."""
    with suppress(ImportError):  # Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def say(what: object) -> None:
    """Write a line of JSON."""
    print(json.dumps(what), flush=True)


def named(found: Iterable[File]) -> dict[str, list[File]]:
    """Each student's files, by a name that is safe to print and nobody else's, sorted.

    A number that two names have is nobody's, so that no grade can reach the wrong person.
    """
    people: defaultdict[tuple[str, str, str], list[File]] = defaultdict(list)
    for file in found:
        people[plain(file.student) or "nameless", file.student, file.number].append(file)
    names = Counter(name for name, _, _ in people)
    numbers = Counter(number for _, _, number in people)
    students: dict[str, list[File]] = {}
    for (name, _, number), theirs in sorted(people.items(), key=lambda item: (item[0][0].casefold(), item[0])):
        if number and numbers[number] > 1:
            theirs = [replace(file, number="", prefix="") for file in theirs]
        own = name if names[name] == 1 else f"{name} {number}".strip()
        others = (f"{own} ({count})" for count in itertools.count(2))
        free = (one for one in (own, *itertools.islice(others, len(people))) if one not in students)
        students[next(one for one in free if one == name or one not in names)] = theirs
    return students


# ---------------------------------------------------------------------------------------------- one student


def read(row: Submission, theirs: Sequence[File], exercise: str) -> Submission:
    """The row with the code of the file to grade, or with why there is none. Nothing that goes wrong goes further."""
    if any(file.late for file in theirs):
        row = row.noted("Handed in late.")
    try:
        files, notes = _with_zips_opened(theirs, exercise)
        return _picked(replace(row, notes=(*row.notes, *notes)), files, exercise)
    except MemoryError:
        return row.noted("The files take more memory than they may.", status="problem")
    except Exception as error:
        said = plain(f"{type(error).__name__}: {error}", 200)
        return row.noted(f"The files can't be read: {said}.", status="problem")


def _picked(row: Submission, files: Sequence[File], exercise: str) -> Submission:
    """The row with the one file's code, if the names leave no doubt which one that is."""
    candidates = _candidates(files, exercise)
    if not candidates:
        return _nothing(row, files)
    newest = _newest(candidates)
    if newest is None:
        candidates = [file for file in candidates if not _untouched(file, exercise)] or candidates
        newest = _newest(candidates)
    if newest is None:
        what = f"Handed in {len(candidates)} files, and their names don't say which is the newest"
        return row.noted(f"{what}: {_names(candidates)}.", status="submitted twice")
    if len(candidates) > 1:
        row = row.noted(f"Handed in {len(candidates)} times ({_names(candidates)}); the newest is graded.")
    row = replace(row, prefix=newest.prefix or row.prefix)  # Canvas wants each file back under its own name
    try:
        cells, guesses = contents(newest)
    except Unreadable as error:
        return row.noted(f"{_names([newest])}: {error}", status="problem")
    others = [file for file in files if file not in candidates and (file.kind or file.problem or file.zip)]
    others = [file for file in others if file.path != PurePosixPath(newest.path.parts[0])]  # the zip that it is in
    exact = newest.path.suffix.lower() == newest.kind
    if others or len(newest.path.parts) > 1 or unnumbered(newest.path.name)[1] or not exact:
        told = f"Graded: {_names([newest])}" + ("" if exact else f", read as {newest.kind}")
        row = row.noted(f"{told}. Also handed in: {_names(others)}." if others else f"{told}.")
    alike = code_digest(cells, handed_out(exercise))
    return replace(row, cells=tuple(cells), guesses=tuple(guesses), alike=alike)


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


def _untouched(file: File, exercise: str) -> bool:
    with suppress(Unreadable):
        return contents(file)[0] == handed_out(exercise)
    return False


@cache
def handed_out(exercise: str) -> list[str]:
    """The code cells of an exercise's notebook as it is handed out."""
    path = ROOT / "exercises" / exercise / f"{exercise}.ipynb"
    return contents(on_disk(path, path.parent))[0] if path.exists() else []


def _nothing(row: Submission, files: Sequence[File]) -> Submission:
    """The row of somebody who has handed in nothing that can be graded: what there is instead."""
    for problem in dict.fromkeys(file.problem for file in files if file.problem):
        row = row.noted(f"{problem}: {_names(file for file in files if file.problem == problem)}.")
    others = [file for file in files if file.path.name and not file.problem and not file.folder]
    if others:
        row = row.noted(f"No notebook (.ipynb) or program (.py) was handed in, only {_names(others)}.")
    if others or any(file.problem for file in files):
        return replace(row, status="problem")
    return row.noted("Nothing was handed in.", status="missing")


def _with_zips_opened(files: Sequence[File], exercise: str) -> tuple[list[File], list[str]]:
    """A student's files with what is in their zips, unless the exercise itself is among them; and what went wrong.

    Zips inside a zip stay closed.
    """
    opened, notes = list(files), []
    if not any(file.kind and nearness(file.path.name, exercise) == 0 for file in files):
        for file in files:
            try:
                inside, left_out = in_zip(io.BytesIO(content(file))) if file.zip else ([], [])
                if sum(one.size for one in inside if one.kind) > LARGEST_ZIP:
                    raise Unreadable(f"The zip's files take more than {LARGEST_ZIP >> 20} MB.")
                opened += [replace(one, path=file.path / one.path) for one in inside if not one.folder]
                notes += left_out
            except Unreadable as error:
                notes.append(f"{_names([file])}: {error}")
    return opened, notes


def _names(files: Iterable[File]) -> str:
    return listing(str(file.path) if file.path.parts else "the folder" for file in files)


# ---------------------------------------------------------------------------------------------- folders and zips


def everything(source: Path, leave_out: str = "") -> tuple[list[File], list[str]]:
    """Everything in a folder or zip, or the one file, and sentences on names left out. Raises `Unreadable`."""
    if source.is_dir():
        return in_folder(source, leave_out), []
    if not source.exists():
        raise Unreadable("it does not exist.")
    alone = on_disk(source, source.parent)
    if alone.kind:
        return [alone], []
    if not zipfile.is_zipfile(source):
        raise Unreadable("it is neither a folder nor a zip.")
    return in_zip(source)


def in_folder(folder: Path, leave_out: str = "") -> list[File]:
    """Everything in a folder, sorted by name, but hidden files and the folder of results. Raises `Unreadable`."""
    files = []

    def shut(error: OSError) -> None:
        if Path(error.filename) == folder:
            raise Unreadable(f"it can't be read: {error.strerror}.")
        path = PurePosixPath(Path(error.filename).relative_to(folder))
        files.append(File(path, problem=f"Can't be opened ({error.strerror})"))

    for place, folders, names in os.walk(folder, onerror=shut):
        here = Path(place)
        folders[:] = [name for name in folders if not _hidden(name) and str((here / name).absolute()) != leave_out]
        files += [on_disk(here / name, folder) for name in (*folders, *names) if not _hidden(name)]
    return sorted(files, key=lambda file: file.path)


def _hidden(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED


def on_disk(path: Path, above: Path) -> File:
    """A file or folder of this machine, named from a folder above it."""
    name = PurePosixPath(path.relative_to(above))
    try:
        found = path.lstat()
    except OSError as error:
        return File(name, problem=f"Can't be opened ({error.strerror})")
    if stat.S_ISDIR(found.st_mode):
        return File(name)
    if stat.S_ISREG(found.st_mode):
        return File(name, partial(_opened, path), found.st_size)
    return File(name, problem=LINK if stat.S_ISLNK(found.st_mode) else "Not an ordinary file")


def _opened(file: Path) -> IO[bytes]:
    """An ordinary file, opened; a link or a pipe that has taken its place since is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(file, flags), "rb")


def in_zip(source: Path | IO[bytes]) -> tuple[list[File], list[str]]:
    """Everything in a zip, and a sentence on names that lead out of it. Raises `Unreadable`."""
    try:
        archive = zipfile.ZipFile(source)
    except DAMAGED as error:
        raise Unreadable(f"The zip can't be read: {plain(str(error), 100)}. Is the download complete?") from None
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
        outputs = [output for cell in cells for output in cell.get("outputs") or [] if isinstance(output, dict)]
        records = [output["data"][GUESS] for output in outputs if GUESS in (output.get("data") or ())]
        kept = [record for record in records if len(json.dumps(record)) <= LONGEST_RECORD]
        return ["".join(cell["source"]) for cell in cells], kept[:MOST_RECORDS]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise Unreadable("The file is not a Jupyter notebook, or it is damaged.") from None


def _declared(data: bytes) -> str:
    """The encoding that a program declares in its first lines, as Python reads it; UTF-8 if it is not a usual one."""
    with suppress(SyntaxError):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return encoding if encoding in ENCODINGS else "utf-8-sig"
    return "utf-8-sig"


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8.") from None


if __name__ == "__main__":
    main()
