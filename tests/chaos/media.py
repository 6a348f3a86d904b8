"""python -m tests.chaos.media [RUNS] [SEED]: uploads of a video through faults and kills.

Nothing is uploaded again once its end was acknowledged, unless the service has lost it, and what is in the
library is a whole video that was processed.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random

import msgspec

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.faults import parse_fault
from ads_cli.emulator.resources.media import LIBRARY, UPLOAD, owner_of
from ads_cli.emulator.resources.media_uploads import open_media
from ads_cli.emulator.server import running
from ads_cli.media.journal import Begun
from tests.adsctl import Adsctl, reset_ignored_signals
from tests.media.made import box, sample
from tests.stored import stored

from .proxy import Proxy

SEGMENT = 1024 * 1024
STARTS_WITH_FAULTS, MAX_STARTS = 5, 8
FAULTS = {
    "413": "POST /2/media/upload/*/append status=413 times=1",
    "503": "* /2/media/* status=503 rate=0.3 times=4",
    "reset": "POST * reset rate=0.3 times=3",
    "reset-after": "POST * reset-after rate=0.3 times=3",
    "truncate": "* * truncate rate=0.3 times=3",
    "processing failed": "POST /2/media/upload/*/finalize processing=failed times=1",
    "processing never": "POST /2/media/upload/*/finalize processing=never times=1",
    "library away": "POST /12/accounts/*/media_library status=503 times=2",
}
OPTIONS = ("--resume", "--timeout", "2s", "--max-wait", "4s", "-o", "json", "-q")
EXIT_CODES = (0, 3, 6, 7, 8, -signal.SIGKILL, 143, -signal.SIGTERM)


class MediaResult(msgspec.Struct):
    """What a run came to."""

    seed: int
    occurred: Counter[str] = msgspec.field(default_factory=Counter)
    starts: int = 0
    wrong: list[str] = msgspec.field(default_factory=list)


class MediaRun:
    """An upload that is started until it succeeds, determined by its seed."""

    def __init__(self, seed: int, home: Path) -> None:
        self.random, self.result = Random(seed), MediaResult(seed)
        self.adsctl = Adsctl(home)
        self.emulator = Emulator(home / "service.db")
        self.store = self.emulator.store
        self.clip = home / "clip.mp4"
        self.versions: set[str] = set()  # digests of all that the file was
        self._write()
        self.kill_at = self.expire_at = 0  # numbers of requests
        self.totals: dict[str, int] = {}  # bytes, by media id
        self.lost: set[str] = set()  # ids of what the service has lost, so that it may be uploaded again
        self._count, self._lock = 0, threading.Lock()

    def _write(self) -> None:
        size = self.random.choice((1, 2, 4)) * SEGMENT + self.random.randrange(1, SEGMENT)
        self.clip.write_bytes(sample("high.mp4") + box(b"free", self.random.randbytes(size)))
        self.versions.add(sha256(self.clip.read_bytes()).hexdigest())

    def __call__(self, environ, start_response):
        """Judge a request by the journal, and kill the client at its boundary."""
        path, total = environ["PATH_INFO"], 0
        if path.endswith("/initialize"):
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            environ["wsgi.input"] = BytesIO(body)
            total = json.loads(body)["total_bytes"] if body else 0
            if any(self.totals.get(id) == total for id in {*self._acknowledged()} - self.lost):
                self.result.wrong.append(f"start {self.result.starts}: uploaded again after its end")
        answer = b"".join(self.emulator(environ, start_response))
        if total and b'"data"' in answer:
            self.totals[json.loads(answer)["data"]["id"]] = total
        with self._lock:
            self._count += 1
            kills = self._count == self.kill_at
            expires = self._count == self.expire_at
        if expires:
            self._expire()
        if kills and self.process.poll() is None:
            self.result.occurred["killed"] += 1
            self.process.send_signal(self.random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        return [answer]

    def _expire(self) -> None:
        """Lose all uploads that are in no library, as a service does in time."""
        held = {one["media_key"] for one in self._library()}
        for id in self.totals:
            upload = self.store.find(UPLOAD, id)
            if upload and upload["media_key"] not in held and id not in self.lost:
                self._change(id, {"expires_at": 0})
                self.lost.add(id)
                self.result.occurred["expired"] += 1

    def _change(self, id: str, changes: dict) -> None:
        with self.store.transaction():
            self.store.update(UPLOAD, id, changes, owner=owner_of(self.store, id))

    def _lose_from_library(self) -> None:
        """Delete the video from the library, as another person may."""
        for one in self._library():
            with self.store.transaction():
                self.store.delete(LIBRARY, one["media_key"], owner=self.emulator.account)
            self.lost.add(one["media_key"].partition("_")[2])
            self.result.occurred["deleted"] += 1

    def _library(self) -> list[dict]:
        everything = self.store.find_all(LIBRARY, self.emulator.account)
        return [one for one in everything if one["file_name"] == self.clip.name]

    def _acknowledged(self):
        """Yield the ids of the uploads whose end the client knows."""
        for begun in stored(self.adsctl, "SELECT service_key FROM known WHERE target LIKE 'media of %'"):
            yield msgspec.json.decode(begun, type=Begun).media_id

    def execute(self) -> MediaResult:
        """Start the program until it reports success."""
        random, result = self.random, self.result
        with ExitStack() as stack:
            stack.callback(self.emulator.close)
            address = stack.enter_context(running(self))
            rate = random.choice((0, 0, 0.1))
            proxy = stack.enter_context(Proxy(address, Random(random.random()), rate, result.occurred))
            self.adsctl.env |= variables(self.emulator, proxy.address)
            while result.starts < MAX_STARTS and not self._start(proxy):
                pass
            proxy.settle()
            self.emulator.faults, proxy.rate, self.kill_at, self.expire_at = [], 0, 0, 0
            self._judge_library()
        return result

    def _start(self, proxy: Proxy) -> bool:
        """Start the program once; return whether the video is uploaded."""
        random, result = self.random, self.result
        result.starts += 1
        self.emulator.faults, self.kill_at, self.expire_at = [], 0, 0
        if result.starts <= STARTS_WITH_FAULTS:
            if random.random() < 0.1:
                self._lose_from_library()
            if random.random() < 0.15:
                self.expire_at = self._count + random.randrange(1, 14)
            names = random.sample(list(FAULTS), random.randrange(3))
            self.emulator.faults = [
                parse_fault(f"{FAULTS[name]} seed={random.randrange(99)}") for name in names
            ]
            result.occurred.update(names)
            self.kill_at = self._count + random.randrange(1, 14) if random.random() < 0.5 else 0
        else:
            proxy.rate = 0
            for id in self.totals:  # no processing lasts for ever
                self._change(id, {"ready_at": 0})
        if result.starts > 1 and random.random() < 0.15:  # the file changes: it is another upload
            self._write()
            result.occurred["file changed"] += 1
        words = ("media", "upload", "clip.mp4", *OPTIONS, "--max-attempts", random.choice((1, 3)))
        self.process = subprocess.Popen(
            self.adsctl.command(*words, "--concurrency", random.choice((1, 4))),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.adsctl.environment,
            cwd=self.adsctl.home,
            preexec_fn=reset_ignored_signals,
        )
        out, err = self.process.communicate(timeout=180)
        code = self.process.returncode
        if code not in EXIT_CODES or b"Traceback" in err:
            result.wrong.append(f"start {result.starts}, exit {code}: {err.decode()[-400:]}")
        if code == 0 and json.loads(out)[0]["status"] not in ("uploaded", "unchanged"):
            result.wrong.append(f"start {result.starts}: success without an upload")
        return code == 0

    def _judge_library(self) -> None:
        """Claim that each content is in the library once, whole and processed, and the last one is there."""
        store, wrong = self.store, self.result.wrong
        contents = []
        for one in self._library():
            id = one["media_key"].partition("_")[2]
            upload = store.find(UPLOAD, id)
            if upload is None or upload["state"] == "open" or upload["problem"]:
                wrong.append(f"the library has {id} without its media: {upload}")
                continue
            with open_media(store, id) as stream:
                contents.append(sha256(stream.read()).hexdigest())
        if not self.versions >= {*contents} or len({*contents}) < len(contents):
            wrong.append(f"the library has other contents, or one twice: {contents} of {self.versions}")
        if sha256(self.clip.read_bytes()).hexdigest() not in contents:
            wrong.append(f"the video is not in the library after {self.result.starts} starts")


def run(seed: int) -> MediaResult:
    """Execute a run in a folder of its own, against a new emulator."""
    with tempfile.TemporaryDirectory(prefix="adsctl-chaos-") as home:
        return MediaRun(seed, Path(home)).execute()


def main(runs: int | str = 50, seed: int | str = 1) -> int:
    """Run many uploads; print the faults that occurred, and return 1 if a run failed."""
    begun, occurred, starts, failing = time.monotonic(), Counter[str](), 0, 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(run, range(int(seed), int(seed) + int(runs))):
            occurred, starts = occurred + result.occurred, starts + result.starts
            failing += bool(result.wrong)
            for wrong in result.wrong:
                print(f"seed {result.seed}: {wrong}", flush=True)
    print(f"{runs} uploads, {starts} starts, {time.monotonic() - begun:.0f} s; {occurred.total()} faults")
    print(*(f"  {name:<18} {count:>6}" for name, count in sorted(occurred.items())), sep="\n")
    print(f"failed runs {failing}")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
