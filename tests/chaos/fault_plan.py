"""The faults of a run, drawn from its seed."""

import ctypes
import resource
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from ads_cli.emulator.core.faults import Fault, parse_fault

# Faults of the emulator, as `--fault` takes them, and the most times that some may occur.
FAULTS = {
    "429": "status=429",
    "429 retry-after": "status=429 retry-after=1",
    "500": "status=500",
    "503 storm": "status=503",
    "503 retry-after": "status=503 retry-after=0",
    "reset": "reset",
    "reset-after": "reset-after",
    "truncate": "truncate",
    "garbage": "garbage",
    "latency": "latency=150ms",
    "partial": "partial",
}
MAX_TIMES = {"503 storm": 40, "latency": 40, "429 retry-after": 3, "partial": 3}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SITE = Path(__file__).parent / "site"


def service_faults(random: Random, methods: tuple[str, ...], occurred: Counter[str]) -> list[Fault]:
    """Draw faults of the service; count each time that one is triggered."""
    drawn = []
    for name in random.sample(list(FAULTS), random.randrange(4)):
        times = random.randrange(1, MAX_TIMES.get(name, 12) + 1)
        rate = 1 if name == "503 storm" else random.choice((0.1, 0.3, 0.6))
        seed, method = random.randrange(999), random.choice(methods)
        fault = parse_fault(f"{method} * {FAULTS[name]} rate={rate} times={times} seed={seed}")
        fault.is_triggered = _counting(fault.is_triggered, name, occurred)
        drawn.append(fault)
    return drawn


def _counting(is_triggered: Callable[..., bool], name: str, occurred: Counter[str]) -> Callable[..., bool]:
    def counted(incoming: object) -> bool:
        if triggered := is_triggered(incoming):
            occurred[name] += 1
        return triggered

    return counted


@dataclass
class FaultPlan:
    """The faults of one start of the program."""

    signum: int | None = None
    at_request: int | None = None  # the signal is sent at this request,
    delay: float = 0.0  # or this many seconds after the start
    max_file_bytes: int | None = None  # simulates a disk that fills up
    blocked: bool = False  # a file is in place of the jobs folder
    readonly: bool = False  # the state folder is read-only
    clock: int = 0  # timestamps that the service rejects
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def draw(cls, random: Random, occurred: Counter[str]) -> "FaultPlan":
        """Draw a plan; count its faults."""
        plan = cls()
        if random.random() < 0.6:
            plan.signum = random.choice(SIGNALS)
            plan.at_request = random.randrange(12) if random.random() < 0.5 else None
            plan.delay = random.uniform(0.05, 0.9)
        elif random.random() < 0.25:
            plan.max_file_bytes = random.randrange(1, 250_000)  # at a table, or at a row
        elif random.random() < 0.3:
            plan.blocked = random.random() < 0.5
            plan.readonly = not plan.blocked
        if random.random() < 0.15:
            plan.env["CHAOS_DNS"] = str(random.randrange(1, 8))
        if random.random() < 0.3:
            plan.env["CHAOS_BLOCK"] = str(random.choice((1000, 10_000)))
        plan.clock = random.choice((0, 0, 0, 0, 1, 3))
        named = {"disk full": plan.max_file_bytes, "folder blocked": plan.blocked}
        named |= {"folder read-only": plan.readonly}
        named |= {"DNS fails": "CHAOS_DNS" in plan.env, "several processes": "CHAOS_BLOCK" in plan.env}
        occurred.update(name for name, happens in named.items() if happens)
        return plan

    @property
    def extra_exit_codes(self) -> tuple[int, ...]:
        """Exit codes that this plan allows: with a wrong clock, no request is authorized."""
        return (4,) if self.clock else ()

    def limit(self) -> None:
        """Limit the size of files, or obey read-only folders; called in the child process."""
        if self.max_file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.max_file_bytes, self.max_file_bytes))
        if self.readonly:
            drop_file_capabilities()


def drop_file_capabilities() -> None:
    """Make root obey file permissions; called in the child process."""
    drop, override, read_search = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    for capability in (override, read_search):
        ctypes.CDLL(None).prctl(drop, capability)  # fails unless root, who alone has it
