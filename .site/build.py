"""Builds the site: the lab as students get it, in the browser, with nothing to install; and the reference for `ttt`.

Python itself (Pyodide), `ttt` and every package in plain Python are part of the site. The few compiled packages, such
as numpy, matplotlib and pandas, are Pyodide's own builds and come from its public server when a notebook first needs
them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL, PYODIDE_PYTHON_VERSION, PYODIDE_VERSION
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pkginfo import Wheel

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
PLAY = "▶ Play in your browser"  # links GitHub's page on deployments, until the workflow puts in the site's address
QUIET = ("-W", "ignore")  # no warnings meant for the tools' authors
NOTEBOOKS = sorted((HERE.parent / "notebooks").glob("[0-9]*.ipynb"))
START = HERE.parent / "notebooks/index.ipynb"
EXERCISES = sorted((HERE.parent / "exercises").glob("*/*.ipynb"))
DARK = Path(sys.prefix) / "share/jupyter/nbconvert/templates/lab/static/theme-dark.css"
IS_DARK = 'matchMedia("(prefers-color-scheme: dark)").matches'
KERNELSPEC = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
KERNEL = ("ipython", "jedi", "micropip")  # what the kernel loads when it starts
WIDGETS = ("anywidget", "comm", "ipywidgets", "psygnal")  # kernel and page need the same versions, or no board is shown
EXTENSIONS = (
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
    "anywidget",
    "ttt-lab",
)
BROWSER = {
    "sys_platform": "emscripten",
    "platform_system": "Emscripten",
    "platform_machine": "wasm32",
    "python_version": PYODIDE_PYTHON_VERSION,
}

Lock = dict[str, dict[str, Any]]  # what Pyodide knows about each package


def build(site: Path) -> None:
    """Build the site in a folder, replacing what was there."""
    shutil.rmtree(site, ignore_errors=True)
    with TemporaryDirectory() as folder:
        work = Path(folder)
        run(sys.executable, "-m", "lab.grader", "release", work)
        bundle = work / "tic-tac-toe-lab"
        add_pyodide(work / "lite/static/pyodide", bundle)
        add_lab(site, work / "lite", bundle)
        add_reference(site / "reference", bundle)
    (site / ".nojekyll").touch()  # or GitHub Pages leaves out names that begin with an underscore
    add_pages(site)


def add_pages(site: Path) -> None:
    """Add the page that visitors see first, and each lesson and exercise as a page that needs no kernel."""
    add_readings(site / "read", [START, *NOTEBOOKS, *EXERCISES])
    (site / "index.html").write_text(first_page(os.environ.get("GITHUB_REPOSITORY", "")), encoding="utf-8")


def add_readings(folder: Path, notebooks: list[Path]) -> None:
    """Add notebooks as pages, with their images next to them: when nbconvert embeds those, it unfolds all answers."""
    config = HERE.parent / "notebooks/lab/jupyter/nbconvert.json"
    options = ("--to=html", f"--config={config}", f"--output-dir={folder}", "--log-level=ERROR")
    run(sys.executable, *QUIET, "-m", "nbconvert", *options, *notebooks)
    for notebook in notebooks:
        path = folder / f"{notebook.stem}.html"
        path.write_text(as_page(path.read_text(encoding="utf-8"), notebook), encoding="utf-8")
    shutil.copytree(HERE.parent / "notebooks/images", folder / "images", ignore=shutil.ignore_patterns("*.png"))


def first_page(repository: str) -> str:
    """The page that visitors see first: README's groups of lessons; what each lesson teaches, and its minutes."""
    rows = re.findall(r"^\| (\*\*.+?)<br>(.+?) \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    groups = "\n".join(group(promise, links) for promise, links in rows)
    project = f'<a href="https://github.com/{repository}">The project</a> has a plan for teachers and a grader. '
    page = (HERE / "index.html").read_text(encoding="utf-8").replace("LESSONS", groups)
    return page.replace("MORE", project if repository else "")


def group(promise: str, links: str) -> str:
    """Some lessons under what they promise."""
    heading = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", promise)
    lessons = "\n".join(entry(HERE.parent / path) for path in re.findall(r"\]\((.+?)\)", links))
    return f"<h3>{heading}</h3>\n<ul>\n{lessons}\n</ul>"


def entry(notebook: Path) -> str:
    """A lesson in the list: its title, to read and to open in the lab; its minutes; what you will be able to do."""
    cells = json.loads(START.read_text(encoding="utf-8"))["cells"]
    table = "".join(line for cell in cells for line in cell["source"])
    row = re.search(rf"\| \[(.+?)\]\(\S*\b{notebook.stem}\.ipynb\) \| (.)(.+?) \| (\S+) \| (\d+) \|", table)
    assert row, notebook
    title, first, rest, core, whole = row.groups()
    more = f" + {int(whole) - int(core)}" if core not in ("–", whole) else ""
    time = f"{whole if core == '–' else core}{more} min"
    read = f'<a href="read/{notebook.stem}.html">{title[0].upper()}{title[1:]}</a>'
    about = f"{first.upper()}{rest}."
    return f"  <li><div>{read}<small>{about}</small></div> <span>{time}<br>{opened(notebook, '.', 'open')}</span></li>"


def opened(notebook: Path, site: str, words: str) -> str:
    """A link that opens a notebook in the lab; `site` is the way there."""
    return f'<a href="{site}/lab/index.html?path={notebook.relative_to(HERE.parent).as_posix()}">{words}</a>'


def as_page(text: str, notebook: Path) -> str:
    """A converted notebook in the colours of the reader's system, with links to the lab and the other pages.

    All pages are in one folder, whichever the notebooks were in.
    """
    if notebook != START:
        link = opened(notebook, "..", f"▶ Open this {'exercise' if notebook in EXERCISES else 'lesson'}")
        text = text.replace("</h1>", f"</h1><p>{link} to play on its boards and to write in it.</p>", 1)
    look = f":root {{ color-scheme: light dark; }}\n@media (prefers-color-scheme: dark) {{\n{DARK.read_text()}}}\n"
    text = re.sub(
        r"(<body [^>]*>)", rf"\1<script>document.body.dataset.jpThemeLight = !{IS_DARK}</script>", text, count=1
    )
    text = re.sub(r'href="(?:[\w./]*/)?(\w+)\.ipynb', r'href="\1.html', text)
    return text.replace("</head>", f"<style>{look}</style></head>", 1)


def add_pyodide(pyodide: Path, bundle: Path) -> None:
    """Add Python for the browser, with `ttt` and everything it needs."""
    pyodide.mkdir(parents=True)
    run("npm", "pack", "--silent", f"pyodide@{PYODIDE_VERSION}", cwd=pyodide.parent, stdout=subprocess.DEVNULL)
    with tarfile.open(pyodide.parent / f"pyodide-{PYODIDE_VERSION}.tgz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian's Python 3.11.2 doesn't have it yet
        for member in archive.getmembers():
            member.name = member.name.removeprefix("package/")
            archive.extract(member, pyodide)
    pip("wheel", "--no-deps", "--wheel-dir", pyodide, bundle)
    download(pyodide, [f"{name}=={version(name)}" for name in WIDGETS])
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    for wheel in sorted(pyodide.glob("*.whl")):
        add_wheel(wheel, lock["packages"])
    needed = [lock["packages"][name] for name in with_what_they_need((*KERNEL, "ttt"), lock["packages"])]
    plain = [package for package in needed if package["file_name"].endswith("-none-any.whl")]
    missing = [package for package in plain if not (pyodide / package["file_name"]).exists()]
    download(pyodide, [f"{package['name']}=={package['version']}" for package in missing])
    for package in lock["packages"].values():
        locate(package, pyodide)
    (pyodide / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def add_wheel(wheel: Path, lock: Lock) -> None:
    """Add a wheel to Pyodide's lock file; requirements that Pyodide does not know are left out."""
    about = Wheel(str(wheel))
    wanted = map(Requirement, about.requires_dist)
    depends = {canonicalize_name(need.name) for need in wanted if not need.marker or need.marker.evaluate(BROWSER)}
    roots = {Path(name).parts[0] for name in ZipFile(wheel).namelist()}
    lock[canonicalize_name(about.name)] = {
        "name": canonicalize_name(about.name),
        "version": about.version,
        "file_name": wheel.name,
        "install_dir": "site",
        "package_type": "package",
        "imports": sorted(root for root in roots if "." not in root),
        "depends": sorted(name for name in depends if name in lock or name in WIDGETS),
    }


def with_what_they_need(names: Iterable[str], lock: Lock) -> set[str]:
    """These packages and everything they depend on."""
    found, fresh = set(), set(names)
    while fresh:
        found |= fresh
        fresh = {canonicalize_name(need) for name in fresh for need in lock[name]["depends"]} - found
    return found


def locate(package: dict[str, Any], pyodide: Path) -> None:
    """Set the address of a package: next to the lock file, or on Pyodide's public server."""
    path = pyodide / package["file_name"]
    if path.exists():
        package["sha256"] = sha256(path.read_bytes()).hexdigest()
    else:
        package["file_name"] = f"{PYODIDE_CDN_URL}/{package['file_name']}"


def add_lab(site: Path, lite: Path, bundle: Path) -> None:
    """Add JupyterLab for the browser, with the notebooks and the exercises."""
    for name in ("notebooks", "exercises"):
        shutil.copytree(bundle / name, lite / "files" / name, ignore=shutil.ignore_patterns("lab"))
    for path in (lite / "files").rglob("*.ipynb"):
        content = json.loads(path.read_text(encoding="utf-8")) | {"metadata": {"kernelspec": KERNELSPEC}}
        path.write_text(json.dumps(content), encoding="utf-8")
    repository = os.environ.get("GITHUB_REPOSITORY", "")  # "OWNER/NAME", where GitHub builds the site
    text = addressed(README.read_text(encoding="utf-8"), repository)
    (lite / "files" / README.name).write_text(text, encoding="utf-8")
    config = {
        "federated_extensions": [str(Path(sys.prefix) / "share/jupyter/labextensions" / name) for name in EXTENSIONS],
        "ignore_sys_prefix": ["federated_extensions"],
        "no_sourcemaps": True,
        "apps": ["lab"],
    }
    (lite / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": config}), encoding="utf-8")
    command = (sys.executable, *QUIET, "-m", "jupyterlite_core", "build", "--log-level=ERROR", f"--output-dir={site}")
    run(*command, cwd=lite, stdout=subprocess.DEVNULL)


def addressed(readme: str, repository: str) -> str:
    """The README with the addresses of the site, the repository and its Binder, if the repository is known."""
    if not repository:
        return readme
    owner, _, name = repository.partition("/")
    github, binder = f"https://github.com/{repository}", f"https://mybinder.org/v2/gh/{repository}/HEAD"
    text = readme.replace("paste this page's address into [Binder](https://mybinder.org)", f"use [Binder]({binder})")
    text = re.sub(rf"(\[{PLAY}\])\(\S+\)", rf"\1(https://{owner.lower()}.github.io/{name}/)", text)
    text = text.replace("git clone ADDRESS lab  # this page's address", f"git clone {github} lab")
    return re.sub(r"\]\((?!http|notebooks/|exercises/\w+/\w+\.ipynb)", f"]({github}/blob/HEAD/", text)


def add_reference(reference: Path, bundle: Path) -> None:
    """Add a page for each module that notebooks import from, made from its docstrings."""
    arguments = ["--docformat=google", f"--template-directory={HERE}", f"--output-directory={reference}"]
    names = [name for package in ("ttt", "notebooks/lab") for name in modules(bundle / package)]
    run(sys.executable, *QUIET, "-m", "pdoc", *arguments, *names, cwd=bundle)


def modules(package: Path) -> list[str]:
    """A package, and the modules and packages that students have in it."""
    paths = (*package.glob("[!_]*.py"), *(path.parent for path in package.glob("*/__init__.py")))
    return sorted([package.name, *(f"{package.name}.{path.stem}" for path in paths)])


def download(folder: Path, requirements: list[str]) -> None:
    """Download packages in plain Python, for the kernel's version of Python."""
    kind = ("--only-binary=:all:", "--platform=any", f"--python-version={PYODIDE_PYTHON_VERSION}")
    pip("download", "--no-deps", *kind, "--dest", folder, *requirements)


def pip(command: str, *arguments: str | Path) -> None:
    run(sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check", *arguments)


def run(*command: str | Path, **options: Any) -> None:
    subprocess.run(command, check=True, **options)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve())
