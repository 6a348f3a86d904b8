"""A service that answers one request of a change badly, and what its account has afterwards."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from ads_cli.emulator.core.faults import HEADER
from tests.conftest import Service
from tests.runs.changes import Change


class Fault(NamedTuple):
    """What is wrong with one answer."""

    is_applied: bool = True
    header: str = ""  # which breaks the connection
    of_another: bool = False
    seconds: float = 0.0  # for which lists lack what was created


FAULTS = {
    "is applied, and not answered": Fault(header="reset"),
    "is neither applied nor answered": Fault(is_applied=False, header="reset"),
    "is answered for another record": Fault(of_another=True),
    "is not applied, and answered for another record": Fault(is_applied=False, of_another=True),
    "is answered too late": Fault(header="timeout"),
    "is applied, and listed a minute later": Fault(header="reset", seconds=60.0),
}


class UnreliableService:
    """Answers one request of a change badly, and counts the conversions that it has taken."""

    def __init__(self, service: Service, now: Callable[[], float]) -> None:
        self._answer, self._now = service.answer, now
        self._change: Change | None = None
        self._fault, self._left, self._listed_from = Fault(), 0, 0.0
        self._known: set[str] = set()
        self._database = service.emulator.database
        self.conversions: Counter[str] = Counter()
        service.answer = self.answer

    def misbehave(self, change: Change, fault: Fault) -> None:
        """Answer one of the next requests badly."""
        self._change, self._fault, self._left = change, fault, change.at

    @property
    def is_done(self) -> bool:
        """Whether a request was answered badly."""
        return self._left <= 0

    def answer(self, environ, start_response):
        request = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        is_of_change = self._change is not None and fnmatchcase(request, self._change.route)
        if is_of_change and not request.startswith("GET "):
            self._left -= 1
        is_bad = is_of_change and not request.startswith("GET ") and self._left == 0
        started: list[Any] = []
        if is_bad:
            self._known, self._listed_from = ids_in(self._database), self._now() + self._fault.seconds
        content = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = BytesIO(content)
        with self._undone() if is_bad and not self._fault.is_applied else nullcontext() as undone:
            body = b"".join(self._answer(environ, lambda *values: started.extend(values)))
        if "/measurement/conversions/" in request and started[0].startswith("2") and not undone:
            sent = json.loads(content)["conversions"]
            self.conversions.update(each["identifiers"][0]["platform_click_id"] for each in sent)
        status, headers = started[:2]
        if is_bad and self._fault.header:
            headers = [*headers, (HEADER, self._fault.header)]
        if is_bad and self._fault.of_another and body:
            body = of_another(body)
        if request.startswith("GET ") and self._now() < self._listed_from:
            body = self._without_news(body)
        headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
        start_response(status, [*headers, ("Content-Length", str(len(body)))])
        return [body]

    @contextmanager
    def _undone(self) -> Iterator[bool]:
        """Answer a request, and apply nothing of it."""
        with closing(sqlite3.connect(self._database)) as db, closing(sqlite3.connect(":memory:")) as copy:
            db.backup(copy)
            yield True
            copy.backup(db)

    def _without_news(self, body: bytes) -> bytes:
        content = json.loads(body)
        if isinstance(content, dict) and isinstance(content.get("data"), list):
            content["data"] = [
                record
                for record in content["data"]
                if not isinstance(record, dict) or record.get("id", "") in {*self._known, ""}
            ]
        return json.dumps(content).encode()


def of_another(body: bytes) -> bytes:
    """Return the answer as if it were that to a request with other records."""

    def changed(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: changed(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [changed(item, name) for item in value]
        if name in ("id", "product_key", "media_key") and isinstance(value, str) and value:
            return f"{value[:-1]}{'7' if value[-1] != '7' else '8'}"
        if name in ("name", "targeting_value"):
            return "Spring sale"
        return value + 1 if type(value) is int and name.endswith(("_count", "_processed")) else value

    return json.dumps(changed(json.loads(body))).encode()


def ids_in(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as db:
        return {id for (id,) in db.execute("SELECT id FROM records UNION SELECT id FROM products")}


# Uploads that were begun in vain expire, and the history has a line for each request that was repeated.
UNCOUNTED = ("media_upload", "account_history")
OF_THE_SERVICE = re.compile(r'"(?:[a-z_]+_at|product_key|item_group_key|debug_id)": ?(?:"[^"]*"|null)')


def account_of(database: Path, known: Iterable[str]) -> Counter[str]:
    """Return what an account has; ids that are not known are those of new records, and say only that."""
    with closing(sqlite3.connect(database)) as db:
        records = db.execute("SELECT kind, id, owner, deleted, data FROM records").fetchall()
        records += db.execute("SELECT 'product', '', catalog, 0, data FROM products")
        members = db.execute("SELECT 'member', '', audience, 0, hex(identifier) FROM audience_users")
        records += members
    news = {id for _, id, *_ in records}.difference(known, {""})
    is_new = re.compile("|".join(map(re.escape, news)) or "$^")
    held: Counter[str] = Counter()
    for kind, id, owner, deleted, data in records:
        if kind not in UNCOUNTED:
            text = data.decode() if isinstance(data, bytes) else data
            row = f"{kind} {id} of {owner}, deleted: {deleted}, {OF_THE_SERVICE.sub('', text)}"
            held[is_new.sub("new", row)] += 1
    return held
