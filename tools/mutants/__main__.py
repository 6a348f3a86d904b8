"""python -m tools.mutants [WORD]: put each mutant into a copy of the code, and run the tests that must fail.

With a word, only mutants whose description or file contains it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from .listed import MUTANTS
from .mutant import Mutant

ROOT = Path(__file__).parent.parent.parent
PASSED, FAILED = 0, 1  # exit codes of pytest
TIMEOUT_SECONDS = 600
# Of a test: then its process ends with FAILED, whatever threads it has.
ENDS_WHAT_HANGS = ("--timeout=120", "--timeout-method=thread")


def main(word: str = "") -> int:
    """Print what survived; return 1 if anything did, or if the tests fail without a mutant."""
    begun, mutants = time.monotonic(), [one for one in MUTANTS if word in one.breaks or word in one.file]
    copies: SimpleQueue[Path] = SimpleQueue()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="adsctl-mutants-") as folder:
        workers = os.cpu_count() or 1
        for number in range(workers):
            copies.put(_copy(Path(folder) / str(number)))
        with ThreadPoolExecutor(workers) as pool:
            tests = sorted({test for one in mutants for test in one.tests})
            sound = pool.map(lambda some: _run(copies, some), [tests[at::workers] for at in range(workers)])
            if any(code != PASSED for code, _ in sound):
                print("the tests fail without a mutant")
                return 1
            for one, (outcome, output) in zip(
                mutants, pool.map(lambda one: _try(copies, one), mutants), strict=True
            ):
                print(f"{outcome:<10} {one.file}: {one.breaks}", flush=True)
                if outcome != "caught":
                    wrong += 1
                    print(output)
    print(f"{len(mutants)} mutants, {len(mutants) - wrong} caught, {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


def _try(copies: "SimpleQueue[Path]", mutant: Mutant) -> tuple[str, str]:
    """Return what became of a mutant, and what the tests said."""
    copy = copies.get()
    try:
        original = mutant.apply(copy)
    except ValueError as error:
        copies.put(copy)
        return "outdated", f"  {error}"
    try:
        code, output = _pytest(copy, mutant.tests)
    finally:
        (copy / mutant.file).write_text(original)
        copies.put(copy)
    return {FAILED: "caught", PASSED: "survived"}.get(code, "broken"), output


def _run(copies: "SimpleQueue[Path]", tests: list[str]) -> tuple[int, str]:
    copy = copies.get()
    try:
        code, output = _pytest(copy, tests) if tests else (PASSED, "")
    finally:
        copies.put(copy)
    if code != PASSED:
        print(output)
    return code, output


def _pytest(root: Path, tests: "list[str] | tuple[str, ...]") -> tuple[int, str]:
    """Run tests in a copy of the code; no bytecode is written, since it may outlive a mutant."""
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *ENDS_WHAT_HANGS, *tests]
    done = subprocess.run(
        words,
        cwd=root,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(root), "CRASHES": "1000"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    return done.returncode, done.stdout + done.stderr


def _copy(target: Path) -> Path:
    """Copy the files that git knows or would add."""
    words = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
