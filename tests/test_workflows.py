"""What the workflows run can be run: commands, targets, files and extras are there under these names."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

from exercises.grading.release import NAME

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
HAS_FILES = 'for name; do case "$name" in */*) test -s "$name" || exit 1; esac; done'
STANDING_IN = {  # programs that would install, test or publish: these look only at what they are given
    "apt-get": "exit 0",
    "gh": HAS_FILES,
    "git": 'test "$1" != diff || grep --quiet "(../../deployments/github-pages)" README.md',
    "make": 'exec {make} --just-print "$@"',
    "ttt": f'test "$1" = release && mkdir "$2" && echo zip > "$2/{NAME}.zip"',
    "python": 'case "$2" in pip) ;; pytest) ' + HAS_FILES + ' ;; *) exec {python} "$@" ;; esac',
}


def commands():
    """Each command of each job; what GitHub fills in is its last word."""
    for workflow in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for name, job in yaml.safe_load(workflow.read_text())["jobs"].items():
            steps = [step["run"] for step in job["steps"] if "run" in step]
            yield pytest.param([re.sub(r"\$\{\{.*?([\w.-]+)'? \}\}", r"\1", step) for step in steps], id=name)


@pytest.fixture
def run(tmp_path):
    """Runs a step as a workflow does, in a folder that has what the repository has."""
    checkout, programs = tmp_path / "checkout", tmp_path / "programs"
    checkout.mkdir()
    programs.mkdir()
    for path in ROOT.iterdir():
        (checkout / path.name).symlink_to(path)
    for name, script in STANDING_IN.items():
        path = programs / name
        path.write_text("#!/bin/sh\n" + script.format(make=shutil.which("make"), python=sys.executable))
        path.chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    tag = {"PATH": path, "GITHUB_REF_NAME": f"v{PROJECT['version']}"}

    def run(step):
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step], cwd=checkout, env=os.environ | tag, capture_output=True, text=True
        )

    return run


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
@pytest.mark.parametrize("steps", [*commands()])
def test_each_step_of_a_job_ends_well(run, steps):
    for step in steps:
        done = run(step)
        assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"


def test_the_readme_gets_the_address_of_the_site(run, tmp_path):
    [step] = [step for steps in commands() for step in steps.values[0] if "README.md" in step]
    readme = tmp_path / "checkout/README.md"
    readme.unlink()
    readme.write_text("[Play](../../deployments/github-pages)")
    assert run(step).returncode == 0 and readme.read_text() == "[Play](steps.pages.outputs.page_url)"


def test_the_version_is_the_one_to_cite_and_the_newest_of_the_changes():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    newest = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert PROJECT["version"] == str(cited) == newest[1]
