"""A service that records the batches it is sent, and files of targeting criteria."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO

import pytest
from msgspec.structs import replace

from ads_cli.api.targeting import AddCriterion
from ads_cli.cli.tree import root
from tests.conftest import Service
from tests.lists import lag, lie, waits  # noqa: F401

SIZE = 10  # of a batch of criteria, for which the service takes 500
COUNT = 24  # criteria of a file: two batches and a part of one
ADD = ("targeting", "add", "-f", "keywords.csv", "-o", "json")
LINE_ITEMS = ("9d4c1", "9d4c2", "9d4d1")


class BatchService:
    """A served emulator, and the operations of each batch that it was sent."""

    def __init__(self, service: Service, path: str = "/12/batch/") -> None:
        self._path = path
        self.service, self.fail = service, service.fail
        self.sent: list[list[dict]] = []
        self.before: Callable[[int], None] = lambda number: None  # called with the number of earlier batches
        self._answer = service.answer
        service.answer = self.answer

    def answer(self, environ, start_response):
        if environ["PATH_INFO"].startswith(self._path):
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            environ["wsgi.input"] = BytesIO(body)
            self.sent.append(json.loads(body))
            self.before(len(self.sent) - 1)
        return self._answer(environ, start_response)

    def fail_batch(self, number: int, fault: str, line: str = "POST /12/batch/*") -> None:
        """Inject a fault into one batch."""

        def before(current: int) -> None:
            self.fail(*([f"{line} {fault}"] if current == number else []))

        self.before = before

    def keywords(self) -> list[str]:
        """The keywords that the line items target, in the order in which they were added."""
        with self.service.emulator.store.transaction() as database:
            rows = database.execute(
                "SELECT json_extract(data, '$.targeting_value') AS word FROM records"
                " WHERE kind = 'targeting_criterion' AND NOT deleted AND word LIKE 'word %' ORDER BY seq"
            )
            return [word for (word,) in rows]


@pytest.fixture
def batches(service) -> BatchService:
    return BatchService(service)


@pytest.fixture
def small_batches(monkeypatch) -> Iterator[None]:
    small = replace(AddCriterion.endpoint, batch=replace(AddCriterion.endpoint.batch, size=SIZE))
    monkeypatch.setattr(AddCriterion, "endpoint", small)
    yield
    root.cache_clear()  # the help of its commands names the size


def words(count: int) -> list[str]:
    return [f"word {number:04}" for number in range(count)]


def keyword_file(adsctl, count: int, *, wrong: int | None = None) -> None:
    """Write a table of keywords; `wrong` is the number of one whose line item does not exist."""
    lines = ["line_item_id,targeting_type,targeting_value"]
    for number, word in enumerate(words(count)):
        line_item = "none1" if number == wrong else LINE_ITEMS[number * len(LINE_ITEMS) // count]
        lines.append(f"{line_item},PHRASE_KEYWORD,{word}")
    adsctl.file("keywords.csv", "\n".join(lines))
