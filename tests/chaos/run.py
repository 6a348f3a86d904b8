"""One run: a file is pushed through trouble of all kinds until that is said to be done; then all counts."""

import csv
import json
import signal
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from random import Random

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from ads_cli.uploads.job_file import acknowledgements
from tests.adsctl import ROOT, Adsctl, reset_ignored_signals

from .kinds import KINDS, as_csv
from .proxy import Proxy
from .watched import Result, Watched
from .weather import SITE, Start, faults, spoil

TROUBLED, MOST = 8, 12  # starts that meet with trouble, and starts in all
STOPPED = {2: (130, -2), 1: (129, -1), 15: (143, -15), 9: (-9,)}  # the exit codes after a signal
OPTIONS = ("--resume", "--failed-out", "failed.csv", "-o", "json", "--timeout", "1s", "--max-wait", "20s")


class Run:
    """One run, from its seed alone."""

    def __init__(self, seed: int, home: Path) -> None:
        self.chance = Random(seed)
        self.person = Adsctl(home)
        self.jobs = home / "state" / "jobs"
        self.emulator = Emulator(home / "service.db")
        self.kind = KINDS[seed % len(KINDS)](self.emulator)
        self.result = Result(seed, " ".join(self.kind.words))
        self.rows = self.kind.rows(self.chance, self.chance.choice(self.kind.counts))
        self.file = self.person.file("feed.csv", as_csv(self.rows))
        self.options = ("--max-attempts", self.chance.choice((2, 4, 6)))
        self.options += ("--concurrency", self.chance.choice((1, 2, 8)))

    def go(self) -> Result:
        """Start the program until it says that all is done."""
        result, chance = self.result, self.chance
        with ExitStack() as stack:
            stack.callback(self.emulator.close)
            self.emulator.faults = faults(chance, self.kind.method, result.met)
            self.watched = Watched(self.emulator, self.kind, self.jobs, result)
            address = stack.enter_context(running(self.watched))
            rate = chance.choice((0, 0.2, 0.4, 0.8))
            self.proxy = stack.enter_context(Proxy(address, Random(chance.random()), rate, result.met))
            self.person.env |= variables(self.emulator, self.proxy.address)
            self.person.env |= {"PYTHONPATH": f"{SITE}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
            self._watch()
            while result.starts < MOST and not self._start():
                pass
            result.lost, beside = self.kind.amiss(self.rows)
            if beside:
                result.wrong.append(f"the service holds {beside} that are in no file")
        return result

    def _watch(self) -> None:
        with self.file.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.watched.file, self.watched.batches = self.file, self.kind.batches(rows)

    def _start(self) -> bool:
        """Start the program once; tell whether everything is done."""
        self.result.starts += 1
        if self.result.starts > TROUBLED:
            self.emulator.faults, self.proxy.rate = [], 0
            start = Start()
        else:
            start = Start.draw(self.chance, self.result.met)
        self.watched.clock = start.clock
        away = self.jobs.with_name("away")
        state = self.jobs.parent
        state.mkdir(exist_ok=True)
        if start.blocked:
            if self.jobs.exists():
                self.jobs.rename(away)
            self.jobs.write_text("a file where a folder should be")
        folders = [state, *state.rglob("*/")] if start.readonly else []
        for folder in folders:
            folder.chmod(0o500)
        code, out, err = self._push(start)
        for folder in folders:
            folder.chmod(0o700)
        if start.blocked:
            self.jobs.unlink()
            if away.exists():
                away.rename(self.jobs)
        self.proxy.settle()
        self.watched.settle()
        done = self._judge(start, code, out, err)
        for path, _ in self.watched.unfinished() if start.spoil else ():
            self.result.met[f"journal {start.spoil}"] += 1
            spoil(path, start.spoil, self.chance)
        return done

    def _push(self, start: Start) -> tuple[int, str, str]:
        """Run the command, and send the signal when its time has come."""

        def prepare() -> None:
            reset_ignored_signals()
            start.limit()

        begun = self.watched.requests
        process = subprocess.Popen(
            self.person.command(
                *self.kind.words, self.file.name, *self.kind.options, *OPTIONS, *self.options
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.person.environment | start.env,
            cwd=self.person.home,
            preexec_fn=prepare,
        )
        if start.signum:
            if start.at_request is None:
                time.sleep(start.delay)
            else:
                with self.watched.arrived:
                    self.watched.arrived.wait_for(
                        lambda: self.watched.requests > begun + (start.at_request or 0), 2
                    )
            if process.poll() is None:
                self.result.met[f"signal {start.signum}"] += 1
                process.send_signal(start.signum)
        try:
            out, err = process.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.result.wrong.append(f"start {self.result.starts} hangs")
        return process.returncode, out.decode(), err.decode()

    def _judge(self, start: Start, code: int, out: str, err: str) -> bool:
        """Hold what was told against what is on disk; tell whether everything is done."""

        def claim(holds: bool, told: str) -> None:
            if not holds:
                end = "\n    ".join(err.splitlines()[-8:])
                self.result.wrong.append(f"start {self.result.starts}, exit {code}: {told}\n    {end}")

        if start.signum == signal.SIGINT and "KeyboardInterrupt" in err:
            return False  # Ctrl-C came before Python had come to us
        signalled = STOPPED.get(start.signum or 0, ())
        claim(code in (0, 7, 8, 9, 11, *signalled, *start.others), "no exit code for this")
        claim("Traceback" not in err and "bug in adsctl" not in err, "a traceback")
        summary = json.loads(out) if out.strip() else None
        claim(summary is not None or code in (11, *signalled), "no summary")
        if summary is None or summary["job"] is None:
            return False
        told = {status: summary[status] for status in self.kind.statuses if summary[status]}
        path = self.jobs / f"{summary['job']}.jsonl"
        noted: Counter[str] = sum((Counter(ack.counts) for ack in acknowledgements(path)), Counter())
        claim(told == noted, f"the summary says {told}, and the journal {dict(noted)}")
        ended = path not in (unfinished for unfinished, _ in self.watched.unfinished())
        whole = noted.total() == summary["valid"] == summary["rows"]
        claim(ended <= whole, "the journal has an end, and not every row")
        claim(code != 0 or (ended and not summary["failed"]), "a success that is none")
        claim(code != 9 or (ended and summary["failed"] > 0), "refused rows that are none")
        if code == 9:
            self._correct(summary["failed"], claim)
        return code == 0

    def _correct(self, failed: int, claim) -> None:
        """Push the refused rows from the file that holds them."""
        refused = self.person.home / "failed.csv"
        with refused.open(newline="") as stream:
            count = sum(1 for _ in csv.DictReader(stream))
        claim(count == failed, f"{failed} rows are said to be refused, and {count} are in the file")
        self.file = refused.rename(self.person.home / f"again-{self.result.starts}.csv")
        self._watch()


def run(seed: int) -> Result:
    """Do one run in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="adsctl-chaos-") as home:
        return Run(seed, Path(home)).go()
