"""axe-core, which reports what people who can't see a page, or can't use a mouse, would stumble over.

Deque's axe-core, MPL-2.0, comes from npm once for each virtual environment and is not part of the lab.
"""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

VERSION = "4.11.0"
FILE = Path(sys.prefix) / "share" / f"axe-core-{VERSION}.min.js"


def violations(page, selector):
    """What axe finds in a part of the page: the rule, what is wrong, and the element, one line each."""
    page.evaluate(source())
    found = page.evaluate("selector => axe.run(selector, {resultTypes: ['violations']})", selector)  # in detail
    assert found["passes"], f"axe found nothing to look at in {selector}"
    return [
        f"{rule['id']}: {node['failureSummary']} {node['html'][:200]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def source():
    """The script, downloaded if it isn't there yet."""
    if not FILE.exists():
        fetch()
    return FILE.read_text("utf-8")


def fetch():
    folder = FILE.parent / "axe-core"
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--silent", f"axe-core@{VERSION}", "--pack-destination", folder]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    with tarfile.open(folder / f"axe-core-{VERSION}.tgz") as pack:
        script = pack.extractfile("package/axe.min.js").read()
    FILE.write_bytes(script)
    shutil.rmtree(folder)
