"""python -m tests.chaos [RUNS] [SEED] [KIND]: many runs, each with a seed of its own, and a summary."""

import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from .kinds import KINDS
from .run import run

RUNS = 200


def main(runs: int | str = RUNS, seed: int | str = 1, kind: str = "") -> int:
    """Run uploads of all kinds, or of one, such as Synced; return 1 if a run failed.

    Print the faults that occurred and what was lost.
    """
    names = [each.__name__ for each in KINDS]
    step, first = (len(KINDS), names.index(kind)) if kind else (1, 0)
    begin = int(seed) * step + first  # the kind of a run follows from its seed
    seeds = range(begin, begin + int(runs) * step, step)
    begun = time.monotonic()
    occurred: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    starts = lost = twice = failing = 0
    with ProcessPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        for result in pool.map(run, seeds):
            occurred += result.occurred
            kinds[result.kind] += 1
            starts, lost, twice = starts + result.starts, lost + result.lost, twice + result.twice
            if result.failed:
                failing += 1
                print(
                    f"seed {result.seed}, {result.kind}: {result.lost} rows lost, {result.twice} sent twice",
                    flush=True,
                )
                print(*(f"  {wrong}" for wrong in result.wrong[:3]), sep="\n", flush=True)
    of = ", ".join(f"{count} of {kind}" for kind, count in kinds.items())
    print(f"{len(seeds)} runs ({of}), {starts} starts, {time.monotonic() - begun:.0f} s")
    print(f"{occurred.total()} faults occurred")
    print(*(f"  {name:<18} {count:>6}" for name, count in sorted(occurred.items())), sep="\n")
    print(f"rows lost                    {lost}")
    print(f"acknowledged rows sent again {twice}")
    print(f"failed runs                  {failing}")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
