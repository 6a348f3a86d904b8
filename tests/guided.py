"""python -m tests.guided [CASES]: the fuzzing of readers again, led by what code each case reaches."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CASES = 2000
SEEN = ("ads_cli",)  # packages whose paths are counted
TARGETS = (
    "test_a_document_is_read_or_refused",
    "test_an_answer_is_read_or_told",
    "test_pages_of_any_shape_are_shown_or_told",
    "test_a_header_says_how_long_to_wait_or_nothing",
)


def main(cases: int) -> int:
    """Run each target in a process of its own, since the fuzzer ends the process; give 1 where one fails."""
    try:
        import atheris  # noqa: F401 - only looked for
    except ImportError:
        print("atheris is not installed: no fuzzing led by coverage (pip install atheris)")
        return 0
    Path("build").mkdir(exist_ok=True)  # where a case that fails is kept
    failing = 0
    for name in TARGETS:
        done = subprocess.run([sys.executable, "-m", __spec__.name, str(cases), name], capture_output=True)
        failing |= bool(done.returncode)
        print(f"{name}: {cases} cases, {'failed' if done.returncode else 'sound'}", flush=True)
        print(done.stderr.decode("utf-8", "replace")[-4000:] if done.returncode else "", end="")
    return failing


def fuzz(cases: int, name: str) -> None:
    """Run one target."""
    import atheris

    with atheris.instrument_imports(include=SEEN):
        from tests import test_fuzz
    target: Callable[[bytes], object] = getattr(test_fuzz, name).hypothesis.fuzz_one_input
    atheris.Setup([sys.argv[0], f"-runs={cases}", "-max_len=4096", "-artifact_prefix=build/"], target)
    atheris.Fuzz()


if __name__ == "__main__":
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    sys.exit(fuzz(cases, sys.argv[2]) if len(sys.argv) > 2 else main(cases))
