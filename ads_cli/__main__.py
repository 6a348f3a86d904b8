"""The start of the program; what goes wrong is told by the boundary."""

import sys

# Allocations between two searches for garbage. At Python's 700, a start spends a fifth of its time
# searching what was imported, which is never garbage; an end does it once more.
SEARCHED = 200_000


def main(argv: list[str] | None = None) -> int:
    """Run adsctl and give its exit code; without `argv`, as the program that this process is."""
    if argv is not None:
        return run(argv)
    import gc

    gc.set_threshold(SEARCHED)
    try:
        return run(sys.argv[1:])
    finally:
        gc.freeze()


def run(argv: list[str]) -> int:
    """Run a command line."""
    if argv == ["--version"]:  # answered before anything is imported
        from . import __version__

        try:
            print(f"adsctl {__version__}", flush=True)
            return 0
        except OSError:
            pass  # nobody reads, or the disk is full: the boundary comes upon it again, and tells which
    if argv[:1] == ["__ids"]:  # what the completion scripts ask
        from .console.completion_ids import answer

        return answer(argv[1:])
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # until everything is there to tell of it in words
    from .cli.error_boundary import guarded

    return guarded(argv)


if __name__ == "__main__":
    sys.exit(main())
