"""python -m tests.model [STEPS] [SEED]: many steps of the model, each run of them from a seed of its own."""

import os
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from tempfile import TemporaryDirectory

from .run import run

STEPS = 2000


def main(steps: int = STEPS, first: int = 1) -> int:
    """Print what failed; return 1 if anything did."""
    begun, done, failed, seeds = time.monotonic(), 0, 0, count(first)
    workers = os.cpu_count() or 1
    running: set[Future[tuple[int, str]]] = set()
    with TemporaryDirectory(prefix="adsctl-model-") as folder, ProcessPoolExecutor(workers) as pool:
        tempfile.tempdir = folder  # of the workers too, which start later and remove nothing at their end
        while done < steps or running:
            while done < steps and len(running) < workers:
                running.add(pool.submit(run, next(seeds)))
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                taken, failure = future.result()
                done += taken
                if failure:
                    failed += 1
                    print(failure, flush=True)
    print(
        f"{done} steps from {next(seeds) - first} seeds, {time.monotonic() - begun:.0f} s; failed: {failed}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
