"""A list that would not end is ended, wherever it is followed."""

import json
import re
from itertools import count, cycle

import pytest
from werkzeug import Request, Response

from ads_cli.client import response as paging
from ads_cli.client.response import Response as Page
from tests.conftest import feed


class EndlessList:
    """A service whose lists name a new cursor for ever; the pages are repeated in their order."""

    def __init__(self, httpserver, *pages: list[dict]) -> None:
        self.pages, self.asked = pages, 0
        httpserver.expect_request(re.compile(".*")).respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        page = self.pages[self.asked % len(self.pages)]
        self.asked += 1
        return Response(json.dumps({"data": page, "next_cursor": f"cursor-{self.asked}"}))


ONE, TWO = {"id": "1", "name": "one"}, {"id": "2", "name": "two"}
PAGES = ([],), ([ONE, TWO], [TWO, ONE], [TWO])
ENDLESS_COMMANDS = (
    ("accounts", "list", "--all", "-o", "jsonl"),
    ("accounts", "list", "--limit", "100000"),
    ("campaigns", "list", "-A", "a1", "--all", "-o", "json"),
    ("products", "list", "--catalog", "7", "--all"),
    ("products", "pull", "copy.csv", "--catalog", "7"),
    ("products", "diff", "feed.csv", "--catalog", "7"),
    ("products", "sync", "feed.csv", "--catalog", "7", "--prune", "--yes"),
    ("api", "GET", "/12/accounts", "--paginate"),
    ("campaigns", "tree", "-A", "a1"),
)


@pytest.mark.parametrize(("command", "pages"), [*zip(ENDLESS_COMMANDS, cycle(PAGES), strict=False)])
def test_a_list_that_always_names_a_new_cursor_ends_with_an_error(remote, httpserver, command, pages):
    service = EndlessList(httpserver, *pages)
    remote.file("feed.csv", feed(2))
    done = remote(*command, code=8)
    assert "the last 20 pages have no new record" in done.stderr
    assert service.asked <= 60  # two listings of 20 pages, and those before
    assert not (remote.home / "copy.csv").exists()


def test_a_few_pages_without_a_new_record_are_followed():
    asked = count()

    def fetch(cursor: str | None) -> Page:
        number = next(asked)
        return Page(200, {}, {"data": [], "next_cursor": f"c{number}" if number < 19 else None})

    assert len([*paging.follow(fetch)]) == 20


def test_a_list_is_followed_while_pages_have_new_records():
    """Also where most pages have none, as a filtered list may."""
    most = 60
    asked = count()

    def fetch(cursor: str | None) -> Page:
        number = next(asked)
        data = [{"id": number}] if number % 10 == 0 else []
        return Page(200, {}, {"data": data, "next_cursor": f"c{number}" if number < most else None})

    assert sum(len(page.data) for page in paging.follow(fetch)) == 7
