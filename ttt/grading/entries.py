"""The files of a class, in a folder or a zip: listed alike, and read only when they are to be graded.

Links are never followed, wherever they lead. Nothing is unpacked under a name that somebody else chose.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ttt.grading.grade import GradingError
from ttt.grading.roster import listing, plain
from ttt.grading.source import LARGEST, Unreadable

MOST_FILES = 50_000  # in a zip
CHUNK = 1 << 20
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, RuntimeError, ValueError, MemoryError),
)
TOO_LARGE = f"The file is larger than {LARGEST >> 20} MB."
LINK = "A link, and links are not followed"
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others make gigabytes of a few bytes in one step
SKIPPED = ("__MACOSX", "__pycache__")


@dataclass(frozen=True)
class Entry:
    """A name in a folder or in a zip, and where its content is.

    Args:
        path: the name, below the folder or zip.
        file: the file on this machine, if it is one.
        packed: the zip that it is in, and its place there.
        folder: whether it is a folder.
        problem: why there is no content to read, such as "A link, and links are not followed".
    """

    path: PurePosixPath
    file: Path | None = None
    packed: tuple[zipfile.ZipFile, zipfile.ZipInfo] | None = field(default=None, repr=False)
    folder: bool = False
    problem: str = ""

    @property
    def readable(self) -> bool:
        """Whether there is content to read."""
        return self.file is not None or self.packed is not None

    @property
    def below(self) -> Entry:
        """The same entry, named from inside its topmost folder."""
        return replace(self, path=PurePosixPath(*self.path.parts[1:]))


def _hidden(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED


# ------------------------------------------------------------------------------------------------- folders


def in_folder(folder: Path) -> list[Entry]:
    """Everything in a folder, sorted by name. Raises `GradingError` if the folder itself can't be read."""
    entries = []
    waiting = [Entry(PurePosixPath(), folder=True)]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(folder / here.path) as found:
                inside = [_listed(here.path / one.name, one) for one in found if not _hidden(one.name)]
        except OSError as error:
            if not here.path.parts:
                raise GradingError(f"{folder} can't be read: {error.strerror}.") from None
            entries.append(replace(here, problem=f"Can't be opened ({error.strerror})"))
            continue
        entries += inside
        waiting += [entry for entry in inside if entry.folder]
    return sorted(entries, key=lambda entry: entry.path)


def _listed(path: PurePosixPath, found: os.DirEntry[str]) -> Entry:
    try:
        if found.is_symlink():
            return Entry(path, problem=LINK)
        if found.is_dir(follow_symlinks=False):
            return Entry(path, folder=True)
        if found.is_file(follow_symlinks=False):
            return Entry(path, file=Path(found.path))
    except OSError as error:
        return Entry(path, problem=f"Can't be opened ({error.strerror})")
    return Entry(path, problem="Not an ordinary file")


# ------------------------------------------------------------------------------------------------- zips


def opened_zip(path: Path) -> zipfile.ZipFile:
    """The zip in a file. Raises `Unreadable`."""
    try:
        return zipfile.ZipFile(path)
    except DAMAGED as error:
        raise Unreadable(f"The zip can't be read: {plain(str(error), 100)}.") from None


def in_zip(archive: zipfile.ZipFile) -> tuple[list[Entry], list[str]]:
    """Everything in a zip, and a sentence if there are names that lead out of it. Raises `Unreadable`."""
    members = archive.infolist()
    if len(members) > MOST_FILES:
        raise Unreadable(f"There are {len(members):,} files in the zip, more than the {MOST_FILES:,} allowed.")
    entries, outside = [], []
    for member in members:
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or not path.parts:
            outside.append(member.filename)
        elif not any(map(_hidden, path.parts)):
            entries.append(_packed(path, archive, member))
    return entries, [f"Left out, as the name leads out of the zip: {listing(outside)}."] if outside else []


def _packed(path: PurePosixPath, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Entry:
    if stat.S_ISLNK(member.external_attr >> 16):
        return Entry(path, problem=LINK)
    if member.is_dir():
        return Entry(path, folder=True)
    if member.flag_bits & 1:
        return Entry(path, problem="Protected by a password")
    if member.compress_type not in PACKINGS:
        return Entry(path, problem="Packed in a way that is not read; use your system's own zip")
    if member.file_size > LARGEST:
        return Entry(path, problem=TOO_LARGE.removesuffix("."))
    return Entry(path, packed=(archive, member))


def on_disk(entry: Entry, target: Path) -> Path:
    """A file with an entry's content: its own if that has the ending of `target`, else `target`, written from it.

    Raises `Unreadable` if the content is too large, damaged, or out of reach.
    """
    try:
        if entry.file and entry.file.suffix.lower() == target.suffix:
            if entry.file.lstat().st_size > LARGEST:
                raise Unreadable(TOO_LARGE)
            return entry.file
        with target.open("wb") as out:
            for chunk in _chunks(entry):
                out.write(chunk)
                if out.tell() > LARGEST:
                    raise Unreadable(TOO_LARGE)
    except OSError as error:
        raise Unreadable(f"The file can't be read or unpacked: {error.strerror or error}.") from None
    return target


def _chunks(entry: Entry) -> Iterator[bytes]:
    """The content of an entry, piece by piece. Raises `Unreadable` where it is damaged."""
    try:
        if entry.file:
            with entry.file.open("rb") as whole:
                while chunk := whole.read(CHUNK):
                    yield chunk
        elif entry.packed:
            archive, member = entry.packed
            with archive.open(member) as part:
                while chunk := part.read(CHUNK):
                    yield chunk
    except DAMAGED as error:
        raise Unreadable(f"The file is damaged: {plain(str(error), 100) or type(error).__name__}.") from None
