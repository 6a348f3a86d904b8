"""Coverage-guided fuzzing of the readers: python -m tests.coverage_fuzzing [CASES]."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CASES = 2000
INSTRUMENTED = ("ads_cli",)
TARGETS = (
    "test_a_document_is_read_or_refused",
    "test_a_response_is_read_or_refused",
    "test_pages_of_any_shape_are_shown_or_refused",
    "test_rate_limit_headers_give_a_bounded_delay_or_none",
)


def main(cases: int) -> int:
    """Run each target; return 1 if one fails. The fuzzer exits its process, so each target has its own."""
    try:
        import atheris  # noqa: F401 - only to know whether it is installed
    except ImportError:
        print("coverage-guided fuzzing is skipped: atheris is not installed (pip install atheris)")
        return 0
    Path("build").mkdir(exist_ok=True)  # failing cases are stored there
    failing = 0
    for name in TARGETS:
        done = subprocess.run([sys.executable, "-m", __spec__.name, str(cases), name], capture_output=True)
        failing |= bool(done.returncode)
        print(f"{name}: {cases} cases, {'failed' if done.returncode else 'passed'}", flush=True)
        print(done.stderr.decode("utf-8", "replace")[-4000:] if done.returncode else "", end="")
    return failing


def fuzz(cases: int, name: str) -> None:
    """Run one target."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.promises import test_fuzz
    target: Callable[[bytes], object] = getattr(test_fuzz, name).hypothesis.fuzz_one_input
    atheris.Setup([sys.argv[0], f"-runs={cases}", "-max_len=4096", "-artifact_prefix=build/"], target)
    atheris.Fuzz()


if __name__ == "__main__":
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    sys.exit(fuzz(cases, sys.argv[2]) if len(sys.argv) > 2 else main(cases))
