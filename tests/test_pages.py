"""The pages of the repository: how long they are, and where their links lead."""

import re

import pytest
from conftest import ROOT

README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "exercises").glob("*.md")]


def anchors(page):
    """The headings of a page as GitHub links them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_to_files_and_headings_that_are_there(page):
    links = re.findall(r"\]\(((?!http|\.\./\.\./deployments)[^)]*)\)", page.read_text())
    for link in links:
        name, _, heading = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), link
        assert not heading or heading in anchors(target), link


def test_the_readme_has_at_most_700_words_and_does_not_say_who_wins_on_the_cube():
    assert len(README.split()) <= 700
    assert not re.search("X wins 4|first player wins", README)
