"""Reads a class's submissions in a process of its own, with limits on memory and time. None of the code is run.

The process lists the students, then writes a line of JSON for each. If a file crashes it, `collect.py`, which
listens, starts another process that continues after that row.
"""

import ast
import builtins
import io
import json
import keyword
import re
import stat
import sys
import tokenize
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from itertools import chain, count
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import IO, Any

from lab.checks.names import DEFINES, UNREADABLE, as_python
from lab.timeouts import timeout

from exercises.grading import ROOT, GradingError
from exercises.grading.intake.uploads import File, Submission, distance, parsed, uploads
from exercises.grading.people import decoded, listing, natural, plain, quoted

ZIPS_DEEP = 2  # a zip that a student handed in, and zips in it
MEMORY = 1 << 30  # bytes, for the whole process
MAX_FILE_BYTES = 20 << 20  # bytes of a file at most; plots make notebooks large
LONGEST_CODE = 400_000  # characters of code at most
CELL_SECONDS = 2.0  # at most, to translate a cell to Python
LONGEST_NAME, DEEPEST = 255, 100  # characters of a name, and depth of folders, at most
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods can expand a few bytes to gigabytes
CURLY = re.compile("[“”„‘’‚]")  # quotation marks as word processors type them
NEWER = re.compile(r"f-string|^[ \t]*((async )?def|class)[ \t]+\w+\[|^[ \t]*type[ \t]+\w+.*=", re.MULTILINE)
ASK = "If your own Python reads it, it is a later one: tell your instructor, since then it isn't your mistake."
HIDDEN = re.compile(r"\.|__MACOSX$|__pycache__$")
CODE = (".ipynb", ".py")
NO_DATE = (1980, 1, 1, 0, 0, 0)  # what a zip says that knows no dates
DAMAGED = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, MemoryError)
# What a file has that isn't the student's work, and what to tell. In a notebook, code never begins a line of the file.
DAMAGE = {
    r"\Aversion https://git-lfs\.": "this is a pointer of Git LFS, which says only where the notebook is. "
    "Run `git lfs pull`, and hand in the notebook itself",
    r"^[ \t{]*(<{7}|>{7}) ": "the file contains `<<<<<<<` and `>>>>>>>`, because Git could not merge two versions "
    "and left both. Delete one of them in a text editor, and the lines with these signs",
    "\0": "the file contains zero bytes (NUL), so it is damaged",
}
LEAST_ALIKE, MOST_ALIKE = 40, 30_000  # tokens at least (short code is alike anyway), characters at most, to compare
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins))  # names with the same meaning in everybody's code


def _main() -> None:
    """Write everything found, one line of JSON each."""
    with suppress(ImportError):  # Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import_module("IPython.core.inputtransformer2")  # import before timing cells
    try:
        for said in found(**json.loads(sys.argv[1])):
            print(json.dumps(said), flush=True)
    except GradingError as error:
        print(json.dumps({"problem": str(error)}))


def found(source: str, exercise: str, leave_out: str = "", first: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the general data, with an empty row per student; then the rows, starting with `first`."""
    path, notes = Path(source), []
    top, *files = on_disk(path, path if path.is_dir() else path.parent, leave_out)
    if top.problem:
        raise GradingError(top.problem)
    if top.kind in CODE:
        files = [top]
    elif not top.folder:
        files, outside = in_zip(path)
        if outside:
            names = listing(quoted(name, 58) for name in outside)
            notes.append(f"Left out: {names}. A name must not be too long, or point outside the zip.")
    owned, others = uploads(files, exercise)
    if not any(file.kind for file in owned):
        raise GradingError("nothing to grade was found")
    if others:
        notes.append(f"Left out as something other than a submission: {listing(others)}.")
    rows = [(Submission(name, own[0].number, max(one.prefix for one in own)), own) for name, own in by_student(owned)]
    yield {"notes": notes, "rows": [vars(row) for row, _ in rows]}
    for row, own in rows[first:]:
        yield vars(read_submission(row, own, exercise))


def by_student(found: Iterable[File]) -> Iterator[tuple[str, list[File]]]:
    """Each student's files, under a unique name that is safe to print. A number shared by two is ignored."""
    people: defaultdict[tuple[str, str, str], list[File]] = defaultdict(list)
    for file in found:
        people[plain(file.student) or "nameless", file.student, file.number].append(file)
    numbers = Counter(number for _, _, number in people)
    names = Counter(name for name, _, _ in people)
    for (name, _, number), own in sorted(people.items(), key=lambda item: (natural(item[0][0]), item[0])):
        if names[name] > 1:
            longer = f"{name} {number}".strip()
            name = next(one for one in chain([longer], (f"{longer} ({n})" for n in count(2))) if one not in names)
            names[name] = 1
        yield name, own if numbers[number] == 1 else [replace(file, number="", prefix="") for file in own]


def read_submission(row: Submission, files: Sequence[File], exercise: str) -> Submission:
    """Add to the row the code of the file to grade, or why there is none. Errors don't propagate."""
    try:
        if not any(file.kind in CODE and distance(file.path.name, exercise) == 0 for file in files):
            files = [one for file in files for one in _with_contents(file, ZIPS_DEEP)]
        best = _best(files, exercise)
        if best:
            return _graded(row, _latest(best, _rivals(files, best, exercise), exercise), files, exercise)
        there = [file for file in files if file.problem or not file.folder]
        for problem in dict.fromkeys(file.problem for file in there):
            names = listing(str(file) for file in there if file.problem == problem)
            nothing = f"You handed in no notebook (.ipynb) or program (.py), only {names}."
            row = row.noted(f"{names}: {problem}." if problem else nothing, status="problem")
        return row if there else row.noted("You handed in nothing.", status="missing")
    except Exception as error:
        said = plain(f"{type(error).__name__} {error}", 200)
        return row.noted(f"Your files can't be read: {said}.", status="problem")


def _with_contents(file: File, deep: int) -> list[File]:
    """The file, followed by its contents if it is a zip, and by those of zips in it, so many levels deep."""
    if file.kind != ".zip" or not deep:
        return [file]
    try:
        inside, _ = in_zip(io.BytesIO(content(file)))
    except GradingError as error:
        return [replace(file, open=None, problem=str(error))]
    found = [replace(one, path=file.path / one.path) for one in inside if not one.folder]
    return [file, *(each for one in found for each in _with_contents(one, deep - 1))]


def _best(files: Iterable[File], exercise: str) -> list[File]:
    """The best files with code: named most like the exercise, not copies, and nearest the top."""
    ranked = defaultdict(list)
    for file in files:
        if file.kind in CODE:
            copied = parsed(file.path.name)["copy"] is not None
            ranked[distance(file.path.name, exercise), copied, len(file.path.parts)].append(file)
    return ranked[min(ranked)] if ranked else []


def _rivals(files: Iterable[File], best: Sequence[File], exercise: str) -> list[File]:
    """Other versions with the function next to the best files: `heuristic_1_final.py`, `heuristic_1-Copy1.ipynb`."""
    found = []
    stems = {(one.path.parent, parsed(one.path.name)["stem"]) for one in best}
    near = {one.path.parent for one in best if distance(one.path.name, exercise) == 0}
    for file in files:
        name, folder = parsed(file.path.name), file.path.parent
        checkpoint = (name["copy"] or "").lower() == "-checkpoint"  # an old state that JupyterLab keeps
        like = (folder, name["stem"]) in stems or (folder in near and distance(file.path.name, exercise) == 1)
        if like and file.kind in CODE and file not in best and not checkpoint:
            with suppress(GradingError):
                found += [file] if defines(code_cells(file), exercise) else []
    return found


def _latest(best: Sequence[File], rivals: Sequence[File], exercise: str) -> Sequence[File]:
    """Of all versions that were changed, those with the latest date, if there are dates; a copy only if need be."""
    versions = [file for file in (*best, *rivals) if not _untouched(file, exercise)] or best
    copies = [file for file in versions if parsed(file.path.name)["copy"]]
    if (rivals or copies) and all(file.date for file in versions):
        latest = max(file.date for file in versions)
        versions = [file for file in versions if file.date == latest]
    return [file for file in versions if file not in copies] or versions


def _untouched(file: File, exercise: str) -> bool:
    """Whether a file is the exercise as it was handed out."""
    with suppress(GradingError):
        return code_cells(file) == handed_out(exercise)
    return False


@cache
def handed_out(exercise: str) -> list[str]:
    """The code cells of an exercise's notebook as handed out."""
    path = ROOT / "exercises" / exercise / f"{exercise}.ipynb"
    return code_cells(next(on_disk(path, path.parent))) if path.exists() else []


def _graded(row: Submission, candidates: Sequence[File], files: Iterable[File], exercise: str) -> Submission:
    """Add the newest file's code to the row, if the files differ only in numbers in their or their folders' names."""
    versions = {}
    for file in candidates:
        parts = [parsed(part) for part in file.path.parts]
        numbers = tuple(int((part["dash"] or part["bracket"] or "0")[:9]) for part in parts)
        versions[numbers] = file, (file.kind, *(part["stem"] for part in parts))
    if len(versions) < len(candidates) or len({name for _, name in versions.values()}) > 1:
        what = f"You handed in {len(candidates)} files whose names don't show which is the newest"
        return row.noted(f"{what}: {listing(map(str, candidates))}.", status="submitted twice")
    newest, _ = versions[max(versions)]
    try:
        cells = code_cells(newest)
    except GradingError as error:
        return row.noted(f"{listing([str(newest)])}: {error}.", status="problem")
    own = [cell for cell in cells if cell not in handed_out(exercise)]
    alike = code_digest([cell for cell in own if defines([cell], exercise)]) or code_digest(own)
    around = {newest.path, *newest.path.parents}  # itself, and the zips it is in
    others = [str(file) for file in files if (file.kind or file.problem) and file.path not in around]
    end = monotonic() + 3 * CELL_SECONDS
    for number, cell in enumerate(cells):
        try:
            if monotonic() > end:
                raise TimeoutError
            with timeout(CELL_SECONDS):
                cells[number] = as_python(cell)
        except TimeoutError:  # left as it is; Python will report the problem
            row = row.noted(f"Your code cell {number + 1} takes too long to read.")
    beside, version = about(newest)
    if wrong := not_python(cells, exercise, version):
        row = row.noted(wrong, status="problem")
    name = parsed(newest.path.name)
    odd = name["ending"].lower() != newest.kind
    if others or odd or name["copy"] or len(newest.path.parts) > 1:
        told = f"Graded: {newest}" + (f", read as {newest.kind}" if odd else "")
        row = row.noted(f"{told}. Also handed in: {listing(others)}." if others else f"{told}.")
    prefix = newest.prefix or row.prefix  # Canvas expects each file back under its original name
    row = replace(row, graded=str(newest), others=tuple(others))
    return replace(row, prefix=prefix, cells=tuple(cells), beside=beside, alike=alike)


def on_disk(path: Path, above: Path, leave_out: str = "") -> Iterator[File]:
    """A file on this machine, or a folder with its contents except hidden files; named relative to a folder above."""
    name = PurePosixPath(path.relative_to(above))
    try:
        found = path.lstat()
        inside = sorted(path.iterdir()) if stat.S_ISDIR(found.st_mode) and len(name.parts) < DEEPEST else []
    except OSError as error:
        yield File(name, problem=f"can't be opened ({error.strerror})")
        return
    yield _file(name, found.st_mode, lambda: path.open("rb"))
    for one in inside:
        if not HIDDEN.match(one.name) and str(one) != leave_out:
            yield from on_disk(one, above, leave_out)


def in_zip(source: Path | IO[bytes]) -> tuple[list[File], list[str]]:
    """Everything in a zip, and the names that point outside it or are too long. Raises `GradingError`."""
    try:
        archive = zipfile.ZipFile(source)
    except DAMAGED as error:
        raise GradingError(f"the zip can't be read ({plain(str(error), 100)}; is the download complete?)") from None
    files, outside = [], []
    for member in archive.infolist():
        path = PurePosixPath(member.filename.replace("\\", "/"))
        mode = stat.S_IFDIR if member.is_dir() else member.external_attr >> 16
        if path.is_absolute() or ".." in path.parts or not path.parts or max(map(len, path.parts)) > LONGEST_NAME:
            outside.append(member.filename)
        elif member.compress_type not in PACKINGS:
            files.append(File(path, problem="compressed in a way the grader can't read"))
        elif not any(map(HIDDEN.match, path.parts)):
            mode = mode if stat.S_IFMT(mode) else stat.S_IFREG  # zipped by a non-Unix program
            date = member.date_time if member.date_time > NO_DATE else ()
            files.append(replace(_file(path, mode, partial(archive.open, member)), date=date))
    return files, outside


def _file(path: PurePosixPath, mode: int, opened: Callable[[], IO[bytes]]) -> File:
    ordinary = stat.S_ISREG(mode)
    known = ordinary or stat.S_ISDIR(mode)
    return File(path, opened if ordinary else None, "" if known else "not an ordinary file; links are not followed")


def content(file: File) -> bytes:
    """A file's contents, if it is not too large. Raises `GradingError`."""
    try:
        assert file.open is not None
        with file.open() as opened:
            data = opened.read(MAX_FILE_BYTES + 1)
    except DAMAGED as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise GradingError(f"the file can't be opened, or is damaged ({plain(said, 100)})") from None
    if len(data) > MAX_FILE_BYTES:
        raise GradingError(f"the file is larger than {MAX_FILE_BYTES >> 20} MB")
    return data


def code_cells(file: File) -> list[str]:
    """The code cells of a notebook or program. Raises `GradingError`."""
    data = content(file)
    if not data.strip():
        raise GradingError("the file is empty")
    try:
        text, _ = decoded(data)
        if damage := next((told for pattern, told in DAMAGE.items() if re.search(pattern, text, re.MULTILINE)), ""):
            raise GradingError(damage)
        cells = [text]
        if file.kind == ".ipynb":
            cells = _cells_of(json.loads(text))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise GradingError("the file is no notebook, or damaged: hand in one that Jupyter opens") from None
    if sum(map(len, cells)) > LONGEST_CODE:
        raise GradingError(f"the code has more than {LONGEST_CODE:,} characters")
    if re.search("[\0\ud800-\udfff]", "".join(cells)):
        raise GradingError("the code contains invalid characters")
    return cells


def _cells_of(notebook: Any) -> list[str]:
    if "worksheets" in notebook:
        raise GradingError("the notebook is in an old format (nbformat 3). Save it in Jupyter and hand it in again")
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def about(file: File) -> tuple[tuple[str, ...], str]:
    """The texts of a notebook's cells that aren't code, and the version of Python it was written with, if known."""
    texts: tuple[str, ...] = ()
    version = ""
    with suppress(GradingError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        if file.kind == ".ipynb":
            notebook = json.loads(decoded(content(file))[0])
            texts = tuple("".join(one["source"]) for one in notebook["cells"] if one["cell_type"] != "code")
            version = str(notebook["metadata"]["language_info"]["version"])
    return texts, version


def is_newer(version: str) -> bool:
    """Whether a version of Python, such as "3.13.1", is newer than the one that runs the grader."""
    numbers = re.match(r"(\d{1,3})\.(\d{1,3})\b", version)
    return numbers is not None and (*map(int, numbers.groups()),) > sys.version_info[:2]


def defines(cells: Iterable[str], function: str) -> bool:
    """Whether code seems to define a function of this name; it is not parsed, since it might not be valid Python."""
    pattern = re.compile(rf"^[ \t]*(?:async )?def[ \t]+{function}\b|^[ \t]*{function}[ \t]*=(?!=)", re.MULTILINE)
    return any(pattern.search(cell) for cell in cells)


def not_python(cells: Sequence[str], function: str, version: str = "") -> str:
    """Why Python can't read the cell that should define a function, and in which line; "" if it can."""
    defining = [place for place, cell in enumerate(cells) if defines([cell], function)]
    called = [place for place, cell in enumerate(cells) if f"{function}(" in cell]
    helping = [place for place in range(len(cells)) if is_newer(version) and _helps(cells[place], cells, defining)]
    for place in [*(defining[-1:] or called), *helping]:
        try:
            ast.parse(cells[place])
        except SyntaxError as error:
            what = f"code cell {place + 1}" if len(cells) > 1 else "program"
            line = plain((error.text or "").replace("`", "'"), 58)
            why = re.sub("'([^']+)'", r"`\1`", plain(error.msg, 100)).rstrip("?.")
            advice = " Type a straight quotation mark instead." if CURLY.search(why) else ""
            mine = f"{sys.version_info.major}.{sys.version_info.minor}"
            if is_newer(version):
                told = f"Your {what} was written with Python {plain(version, 10)} and is marked with Python {mine},"
                told = f"{told} which can't read line {error.lineno}: `{line}`. It says: {why}."
                return f"{told} {ASK}"
            if not version and NEWER.search(f"{error.msg}\n{error.text}"):
                told = f"Your {what} is not valid in Python {mine}, which marks it, in line {error.lineno}: `{line}`."
                return f"{told} It says: {why}. {ASK}"
            return f"Your {what} is not valid Python, in line {error.lineno}: `{line}`. Python says: {why}.{advice}"
        except UNREADABLE:
            continue
    return ""


def _helps(cell: str, cells: Sequence[str], defining: Iterable[int]) -> bool:
    """Whether a cell defines something that a cell with the function mentions."""
    words = {word for place in defining for word in re.findall(r"\w+", cells[place])}
    return not words.isdisjoint(name for names in DEFINES.findall(cell) for name in names if name)


def code_digest(cells: Iterable[str]) -> str:
    """A digest of code that ignores names and layout; "" for short code. A hint to check, not proof."""
    numbers: dict[str, str] = {}
    tokens = []
    with suppress(tokenize.TokenError, SyntaxError, ValueError):  # compare the code before the error
        for token in tokenize.generate_tokens(io.StringIO("\n".join(cells)[:MOST_ALIKE]).readline):
            docstring = token.type == tokenize.STRING and token.line.strip() == token.string
            if token.type == tokenize.NAME and token.string not in KEPT:
                tokens.append(numbers.setdefault(token.string, f"name {len(numbers)}"))
            elif token.type not in LAYOUT and not docstring:
                tokens.append(token.string)
    return sha256("\n".join(tokens).encode("utf-8", "replace")).hexdigest()[:16] if len(tokens) >= LEAST_ALIKE else ""


if __name__ == "__main__":
    _main()
