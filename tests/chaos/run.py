"""One run: push a file under faults until it succeeds, then compare the service with the file."""

import csv
import json
import shutil
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
from tests.adsctl import ROOT, Adsctl, reset_ignored_signals
from tests.products.stopping import acknowledgements

from .fault_plan import SITE, FaultPlan, service_faults
from .kinds import KINDS, as_csv
from .proxy import Proxy
from .watched import Result, Watched

STARTS_WITH_FAULTS, MAX_STARTS = 8, 12
SIGNAL_EXIT_CODES = {2: (130, -2), 1: (129, -1), 15: (143, -15), 9: (-9,)}
OPTIONS = ("--resume", "--failed-out", "failed.csv", "-o", "json", "--timeout", "1s", "--max-wait", "20s")


class Run:
    """A run, determined by its seed."""

    def __init__(self, seed: int, home: Path, seeded: Path | None) -> None:
        self.random = Random(seed)
        if seeded:
            shutil.copyfile(seeded, home / "service.db")
        self.adsctl = Adsctl(home)
        self.locks = home / "state" / "locks"
        self.emulator = Emulator(home / "service.db")
        self.kind = KINDS[seed % len(KINDS)](self.emulator)
        self.kind.state_dir = home / "state"
        self.result = Result(seed, " ".join(self.kind.words))
        self.rows = self.kind.rows(self.random, self.random.choice(self.kind.counts))
        self.file = self.adsctl.file("feed.csv", as_csv(self.rows))
        self.options = ("--max-attempts", self.random.choice((2, 4, 6)))
        self.options += ("--concurrency", self.random.choice((1, 2, 8)))

    def execute(self) -> Result:
        """Start the program until it reports success."""
        result, random = self.result, self.random
        with ExitStack() as stack:
            stack.callback(self.emulator.close)
            self.emulator.faults = service_faults(random, self.kind.methods, result.occurred)
            self.watched = Watched(self.emulator, self.kind, self.adsctl, result)
            address = stack.enter_context(running(self.watched))
            rate = random.choice((0, 0.2, 0.4, 0.8))
            self.proxy = stack.enter_context(Proxy(address, Random(random.random()), rate, result.occurred))
            self.adsctl.env |= variables(self.emulator, self.proxy.address)
            self.adsctl.env |= {"PYTHONPATH": f"{SITE}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
            self._watch()
            self._send_before()
            while result.starts < MAX_STARTS and not self._start():
                pass
            result.lost, excess = self.kind.compare(self.rows)
            if excess:
                result.wrong.append(f"the service has {excess} that are in no file")
        return result

    def _send_before(self) -> None:
        """Push what the service has, and the program knows, before the faults begin."""
        if not self.kind.before:
            return
        faults, self.emulator.faults = self.emulator.faults, []
        rate, self.proxy.rate = self.proxy.rate, 0
        judge, self.kind.judge = self.kind.judge, lambda *args: (0, "")
        before = self.adsctl.file("before.csv", as_csv(self.kind.before))
        words = (self.kind.words[0], "push", before.name, *self.kind.options[:2])
        process = subprocess.run(
            self.adsctl.command(*words),
            env=self.adsctl.environment,
            cwd=self.adsctl.home,
            capture_output=True,
        )
        if process.returncode:
            self.result.wrong.append(f"the first push: {process.stderr.decode()}")
        self.emulator.faults, self.proxy.rate, self.kind.judge = faults, rate, judge

    def _watch(self) -> None:
        with self.file.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.watched.file = self.file
        self.kind.watch(rows)

    def _start(self) -> bool:
        """Start the program once; return whether the file is pushed."""
        self.result.starts += 1
        self.kind.start()
        if self.result.starts > STARTS_WITH_FAULTS:
            self.emulator.faults, self.proxy.rate = [], 0
            plan = FaultPlan()
        else:
            plan = FaultPlan.draw(self.random, self.result.occurred)
        self.watched.clock = plan.clock
        away = self.locks.with_name("away")
        state = self.locks.parent
        state.mkdir(exist_ok=True)
        if plan.blocked:
            if self.locks.exists():
                self.locks.rename(away)
            self.locks.write_text("a file instead of a folder")
        folders = [state, *state.rglob("*/")] if plan.readonly else []
        for folder in folders:
            folder.chmod(0o500)
        code, out, err = self._push(plan)
        for folder in folders:
            folder.chmod(0o700)
        if plan.blocked:
            self.locks.unlink()
            if away.exists():
                away.rename(self.locks)
        self.proxy.settle()
        self.watched.settle()
        return self._judge(plan, code, out, err)

    def _push(self, plan: FaultPlan) -> tuple[int, str, str]:
        """Run the command; send the signal of the plan."""

        def prepare() -> None:
            reset_ignored_signals()
            plan.limit()

        begun = self.watched.requests
        process = subprocess.Popen(
            self.adsctl.command(
                *self.kind.words, self.file.name, *self.kind.options, *OPTIONS, *self.options
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.adsctl.environment | plan.env,
            cwd=self.adsctl.home,
            preexec_fn=prepare,
        )
        if plan.signum:
            if plan.at_request is None:
                time.sleep(plan.delay)
            else:
                with self.watched.arrived:
                    self.watched.arrived.wait_for(
                        lambda: self.watched.requests > begun + (plan.at_request or 0), 2
                    )
            if process.poll() is None:
                self.result.occurred[f"signal {plan.signum}"] += 1
                process.send_signal(plan.signum)
        try:
            out, err = process.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.result.wrong.append(f"start {self.result.starts} does not end")
        return process.returncode, out.decode(), err.decode()

    def _judge(self, plan: FaultPlan, code: int, out: str, err: str) -> bool:
        """Compare the report with what is stored; return whether the file is pushed."""

        def claim(holds: bool, message: str) -> None:
            if not holds:
                end = "\n    ".join(err.splitlines()[-8:])
                self.result.wrong.append(f"start {self.result.starts}, exit {code}: {message}\n    {end}")

        if plan.signum == signal.SIGINT and "KeyboardInterrupt" in err:
            return False  # Ctrl-C before our code ran
        signalled = SIGNAL_EXIT_CODES.get(plan.signum or 0, ())
        claim(code in (0, 7, 8, 9, 11, *signalled, *plan.extra_exit_codes), "unexpected exit code")
        claim("Traceback" not in err and "bug in adsctl" not in err, "a traceback")
        summary = json.loads(out) if out.strip() else None
        failed_before = (4, 7, 8) if self.kind.syncs else ()
        claim(summary is not None or code in (11, *signalled, *failed_before), "no summary")
        if summary is None or summary["job"] is None:
            return False
        counts = {status: summary[status] for status in self.kind.statuses if summary[status]}
        job = summary["job"]
        noted: Counter[str] = Counter()
        for ack in acknowledgements(self.adsctl, job):
            noted.update(ack.counts)
        claim(counts == +noted, f"the summary counts {counts}, the store {dict(+noted)}")
        ended = job not in self.watched.unfinished()
        claim(ended <= self.kind.is_whole(summary), "the job has ended without every row")
        claim(code != 0 or (ended and not summary["failed"]), "success is reported wrongly")
        is_withheld = "run this once more" in err  # who left; a ledger may be outdated
        claim(code != 9 or (ended and (summary["failed"] > 0 or is_withheld)), "9 is reported wrongly")
        if code == 9 and summary["failed"]:
            self._correct(summary["failed"], claim)
        return code == 0

    def _correct(self, failed: int, claim) -> None:
        """Push the rejected rows from their file."""
        refused = self.adsctl.home / "failed.csv"
        with refused.open(newline="") as stream:
            count = sum(1 for _ in csv.DictReader(stream))
        claim(count == failed, f"{failed} rejected rows are reported, and {count} are in the file")
        if not self.kind.syncs:
            self.file = refused.rename(self.adsctl.home / f"again-{self.result.starts}.csv")
            self._watch()


def run(seed: int, seeded: Path | None = None) -> Result:
    """Execute a run in a folder of its own, against a new emulator, or the copy of one."""
    with tempfile.TemporaryDirectory(prefix="adsctl-chaos-") as home:
        return Run(seed, Path(home), seeded).execute()
