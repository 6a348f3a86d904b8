"""The service of a run, which reads what the client has stored at each request; the result of a run."""

import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from ads_cli.audiences.sealing import KEY_FILE, Sealer
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.responses import AuthenticationError
from tests.adsctl import Adsctl
from tests.products.stopping import acknowledgements
from tests.stored import stored

from .kinds import UploadKind


@dataclass
class Result:
    """The result of a run."""

    seed: int
    kind: str
    occurred: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    lost: int = 0  # rows
    twice: int = 0  # rows sent again after their acknowledgement
    wrong: list[str] = field(default_factory=list)  # false reports

    @property
    def failed(self) -> bool:
        return bool(self.lost or self.twice or self.wrong)


class Watched:
    """A service that reads what the client has stored when a request arrives."""

    def __init__(self, emulator: Emulator, kind: UploadKind, adsctl: Adsctl, result: Result) -> None:
        self.emulator, self.kind, self.adsctl, self.result = emulator, kind, adsctl, result
        self.file = Path()
        self.clock = 0  # timestamps to reject
        self.arrived = threading.Condition()
        self.requests = self.busy = 0

    def __call__(self, environ, start_response):
        with self.arrived:
            self.busy += 1
        try:
            return self._respond(environ, start_response)
        finally:
            with self.arrived:
                self.busy -= 1
                self.arrived.notify_all()

    def _respond(self, environ, start_response):
        method = environ["REQUEST_METHOD"]
        if method in self.kind.methods and environ["PATH_INFO"].endswith(self.kind.path_suffix):
            length = int(environ["CONTENT_LENGTH"])
            body = environ["wsgi.input"].read(length)
            if len(body) < length:
                start_response("400 Cut Off", [])  # the client is gone
                return [b""]
            environ["wsgi.input"] = BytesIO(body)
            self._record(method, body)
            if self.clock:
                self.clock -= 1
                self.result.occurred["clock jumps"] += 1
                error = AuthenticationError(135, "Timestamp out of bounds.")
                return error.to_response({}).send(start_response)
        return self.emulator(environ, start_response)

    def _record(self, method: str, body: bytes) -> None:
        acknowledged = [ack for job in self.unfinished() for ack in acknowledgements(self.adsctl, job)]
        twice, wrong = self.kind.judge(method, body, acknowledged)
        self.result.twice += twice
        if wrong:
            self.result.wrong.append(wrong)
        with self.arrived:
            self.requests += 1
            self.arrived.notify_all()

    def unfinished(self) -> list[str]:
        """Return the ids of the unfinished jobs of the current file."""
        digest = sha256(self.file.read_bytes()).hexdigest()
        contents = [digest, digest]
        with suppress(FileNotFoundError):
            key = (self.adsctl.home / "state" / KEY_FILE).read_bytes()
            contents[1] = Sealer(key).sealed(digest)
        query = "SELECT id FROM runs WHERE ended IS NULL AND content IN (?, ?) ORDER BY id"
        return stored(self.adsctl, query, *contents)

    def settle(self) -> None:
        with self.arrived:
            assert self.arrived.wait_for(lambda: self.busy == 0, 30), "requests stay open"
