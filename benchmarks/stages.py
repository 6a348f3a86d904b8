"""Where a push spends its time: each stage alone in one thread, then all together."""

import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .feeds import feed, rows_of
from .peers import ADSCTL
from .running import load_server, measured, signed_in
from .senders import SIGNED
from .table import Table

if TYPE_CHECKING:
    import httpx

    from ads_cli.api.names import Names
    from ads_cli.client.prepared_request import PreparedRequest

ORDER = ("read", "check", "pack", "encode", "sign", "send", "journal", "report")
TWICE = ("read", "check")  # before the first request, and to send
TOGETHER = "together"
TIMEOUT = 30.0  # seconds
DEADLINE = 3600.0  # seconds, for all requests together


def stages(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Measure the stages; compare a whole push to their sum."""
    table.begin(f"the stages of a push of {rows:,} products, 0 ms of latency, medians of {runs}")
    path = feed(folder / "feed.csv", rows)
    spent: dict[str, list[tuple[float, float]]] = {}
    with load_server(0) as address:
        each = Stages(path, folder, address)
        online = {**env, **signed_in(address)}
        tasks = {name: getattr(each, name) for name in ORDER}
        tasks[TOGETHER] = lambda: measured([ADSCTL, "products", "push", str(path)], online)
        for _ in range(runs):
            for name, task in tasks.items():
                spent.setdefault(name, []).append(_timed(task))
    wall, cpu = (
        {name: statistics.median(r[n] for r in found) / rows for name, found in spent.items()} for n in (0, 1)
    )
    for figures in (wall, cpu):  # a stage that cannot run without those before it is what it adds to them
        for later, earlier in (("pack", "check"), ("check", "read")):
            figures[later] = max(figures[later] - figures[earlier], 0.0)
    total = sum(cpu[name] * (2 if name in TWICE else 1) for name in ORDER)
    for name in (*ORDER, TOGETHER):
        times = 2 if name in TWICE else 1
        share = f"{cpu[name] * times / total:6.0%} of the stages' CPU" + (", done twice" if times > 1 else "")
        table.row(
            name,
            f"{1 / wall[name]:,.0f} /s" if wall[name] else "",
            f"{cpu[name] * 1e6:6.1f} µs CPU a row {share}",
        )


def _timed(task: Callable[[], object]) -> tuple[float, float]:
    """Give the seconds and the CPU of a task, of this process and of those that it started."""

    def used() -> float:
        usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    begun, before = time.perf_counter(), used()
    task()
    return time.perf_counter() - begun, used() - before


class Stages:
    """The same rows at each stage of their way."""

    def __init__(self, path: Path, folder: Path, address: str) -> None:
        import msgspec

        from ads_cli.client.prepared_request import UserKeys
        from ads_cli.client.signing import as_user
        from ads_cli.client.transport import ThreadConnections, http_request
        from ads_cli.http.connections import tls_context
        from ads_cli.parallel import process_pool as workers
        from ads_cli.products.normal_form import PRODUCT_SCHEMA
        from ads_cli.products.plans import ProductPlan
        from ads_cli.products.uploads import PushUpload
        from ads_cli.runs.job import Job, JobKey, JobOptions
        from ads_cli.runs.journal import Journal
        from ads_cli.store.epochs import UploadTarget
        from ads_cli.validation.validator import Validator

        workers.MIN_FILE_BYTES = sys.maxsize  # for no other process is to help
        self._rows = rows_of(path)
        validator = Validator(self._rows, PRODUCT_SCHEMA)
        self._plan = ProductPlan(validator, PushUpload("-"), "-", "push")
        validator.validate()
        self._upload = self._plan.upload
        self._encode = msgspec.json.Encoder().encode
        self._auth = as_user(UserKeys("key", "secret", "token", "token-secret"))
        self._address = address
        self._connections = ThreadConnections(None, tls_context(secure=False))
        self._batches = list(self._plan.batches())
        self._items = [checked.item for checked in self._plan.file.checked_rows()]
        self._outgoing = [self._upload.prepare(self, batch) for batch in self._batches]  # type: ignore[arg-type]
        end = time.monotonic() + DEADLINE
        self._requests = [http_request(prepared, TIMEOUT, end) for prepared in self._outgoing]
        for request in self._requests:
            request.headers["Authorization"] = SIGNED
        self._answers = [self._answer(request) for request in self._requests]
        options = JobOptions(format="csv")
        key = JobKey(UploadTarget("stages", "product_catalog", "stages"), "push", "stages", options)
        fields = dict.fromkeys(("job", "noun", "file", "started"), "stages")
        self._journal = Journal(folder, Job(**fields, key=key, rows=0, batches=0), resume=False)

    @property
    def names(self) -> "Names":
        """Stand in for the client."""
        from ads_cli.api.names import GENERIC

        return GENERIC

    def read(self) -> None:
        """Take the file apart."""
        for _ in self._rows:
            pass

    def check(self) -> None:
        """Read, and validate each row against every rule."""
        for _ in self._plan.file.checked_rows():
            pass

    def pack(self) -> None:
        """Read, check, and cut into batches."""
        for _ in self._plan.batches():
            pass

    def encode(self) -> None:
        """Write the items down, and then the requests."""
        for item in self._items:
            self._encode(item)
        for batch in self._batches:
            self._upload.prepare(self, batch)  # type: ignore[arg-type]

    def sign(self) -> None:
        """Make a request for each batch, and sign it."""
        from ads_cli.client.transport import http_request

        for prepared in self._outgoing:
            next(self._auth.auth_flow(http_request(prepared, TIMEOUT, time.monotonic() + TIMEOUT)))

    def send(self) -> None:
        """Send requests that are ready, signed in advance, one after the other."""
        for request in self._requests:
            self._answer(request)

    def journal(self) -> None:
        """Put an acknowledgement of each batch on the disk."""
        from ads_cli.runs.job import Acknowledgement

        for batch in self._batches:
            self._journal.append(Acknowledgement(batch.number, {"created": len(batch.items)}))
        self._journal.flush()

    def report(self) -> None:
        """Read the answers, and find out what became of each row."""
        from ads_cli.client.response import read_response

        for batch, content in zip(self._batches, self._answers, strict=True):
            self._upload.acknowledgement(batch, read_response(200, {}, content))

    def prepare(self, request: Any, pieces: Sequence[bytes]) -> "PreparedRequest":
        """Stand in for the client."""
        from ads_cli.api.parts import request_parts
        from ads_cli.client.prepared_request import build_request

        return build_request(request.endpoint, request_parts(request), self._address, pieces)

    def _answer(self, request: "httpx.Request") -> bytes:
        from ads_cli.http.response_body import read_body

        with closing(self._connections.to(request.url).handle_request(request)) as response:
            return read_body(response)
