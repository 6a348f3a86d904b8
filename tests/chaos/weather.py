"""What will go wrong in a run, drawn from its seed."""

import ctypes
import resource
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from ads_cli.emulator.core.faults import Fault, parse_fault

# What the emulator does of its own: how it is written, and how often it may come.
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
TIMES = {"503 storm": 40, "latency": 40, "429 retry-after": 3, "partial": 3}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SITE = Path(__file__).parent / "site"


def faults(chance: Random, method: str, met: Counter[str]) -> list[Fault]:
    """Draw faults of the service; each that strikes is counted."""
    drawn = []
    for name in chance.sample(list(FAULTS), chance.randrange(4)):
        times = chance.randrange(1, TIMES.get(name, 12) + 1)
        rate = 1 if name == "503 storm" else chance.choice((0.1, 0.3, 0.6))
        seed = chance.randrange(999)
        fault = parse_fault(f"{method} * {FAULTS[name]} rate={rate} times={times} seed={seed}")
        fault.is_triggered = _counting(fault.is_triggered, name, met)
        drawn.append(fault)
    return drawn


def _counting(strikes: Callable[..., bool], name: str, met: Counter[str]) -> Callable[..., bool]:
    def counted(incoming: object) -> bool:
        if struck := strikes(incoming):
            met[name] += 1
        return struck

    return counted


@dataclass
class Start:
    """What happens to one start of the program."""

    signum: int | None = None
    at_request: int | None = None  # when the signal is sent: as the service is about to answer this one,
    delay: float = 0.0  # or so many seconds after the start
    room: int | None = None  # bytes that a file may have: a disk that fills up
    blocked: bool = False  # a file stands where the folder of journals should be
    readonly: bool = False  # the state folder cannot be written
    spoil: str = ""  # what the disk does to the journal afterwards
    clock: int = 0  # timestamps that the service refuses
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def draw(cls, chance: Random, met: Counter[str]) -> "Start":
        """Draw what happens, and count it."""
        start = cls()
        if chance.random() < 0.6:
            start.signum = chance.choice(SIGNALS)
            start.at_request = chance.randrange(12) if chance.random() < 0.5 else None
            start.delay = chance.uniform(0.05, 0.9)
        elif chance.random() < 0.25:
            start.room = chance.randrange(1, 2500)
        elif chance.random() < 0.3:
            start.blocked = chance.random() < 0.5
            start.readonly = not start.blocked
        if chance.random() < 0.25:
            start.spoil = chance.choice(("cut", "flip"))
        if chance.random() < 0.15:
            start.env["CHAOS_DNS"] = str(chance.randrange(1, 8))
        if chance.random() < 0.3:
            start.env["CHAOS_BLOCK"] = str(chance.choice((1000, 10_000)))
        start.clock = chance.choice((0, 0, 0, 0, 1, 3))
        named = {"disk full": start.room, "folder blocked": start.blocked}
        named |= {"folder read-only": start.readonly}
        named |= {"DNS fails": "CHAOS_DNS" in start.env, "several processes": "CHAOS_BLOCK" in start.env}
        met.update(name for name, happens in named.items() if happens)
        return start

    @property
    def others(self) -> tuple[int, ...]:
        """Give exit codes that are right in this weather only: a wrong clock lets nobody in."""
        return (4,) if self.clock else ()

    def limit(self) -> None:
        """Make a disk that fills up, or one that even root cannot write; called in the process to be."""
        if self.room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.room, self.room))
        if self.readonly:
            heed_permissions()


def heed_permissions() -> None:
    """Heed the permissions of files, as root does not by itself; called in the process to be."""
    drop, override, read_search = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    for capability in (override, read_search):
        ctypes.CDLL(None).prctl(drop, capability)  # nobody but root has it to drop


def spoil(path: Path, how: str, chance: Random) -> None:
    """Cut a journal off, or change a byte of it, beyond its first line."""
    content = path.read_bytes()
    first = content.find(b"\n") + 1
    if not 0 < first < len(content):
        return
    at = chance.randrange(first, len(content))
    if how == "cut":
        path.write_bytes(content[:at])
    else:
        changed = bytes([content[at] ^ chance.randrange(1, 256)])
        path.write_bytes(content[:at] + changed + content[at + 1 :])
