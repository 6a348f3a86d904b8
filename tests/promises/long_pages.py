"""Every command of the documentation is run, in the order of its page, and prints what the page quotes.

With WRITE_PAGES=1, pages are changed to quote what their commands print now; review the difference.
"""

import os
import re

import pytest

from tests.conftest import ROOT
from tests.promises import pages

PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    if "```console" in path.read_text() and path.name != "feeds.md"  # tests/promises/test_feeds_page.py
)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_prints_what_it_quotes(adsctl, page):
    printed = pages.run(adsctl, page)
    if os.environ.get("WRITE_PAGES"):
        pages.write(page, printed)
    for (command, expected), output in zip(pages.quoted(page), printed, strict=True):
        if expected is None:
            assert "[exit" not in output, (command, output)
        else:
            assert pages.plain(output) == pages.plain(expected), command


@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_to_a_page_and_a_heading(page):
    for target, _, heading in (
        link.partition("#") for link in re.findall(r"\]\(([^):]+)\)", pages.text_of(page))
    ):
        linked = (ROOT / page).parent / target if target else ROOT / page
        assert linked.exists(), target
        assert not heading or heading in anchors(linked.read_text()), f"{target}#{heading}"


def anchors(text: str) -> set[str]:
    """Return the names under which headings are linked."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
