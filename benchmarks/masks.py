"""Masking of hostile text: its time grows as the text does."""

import time
from functools import partial

from ads_cli.masking import Mask

from .running import interleaved
from .table import Bar, Table

BYTES = 10_000_000
PART = 4  # the same text, a quarter as long
HOSTILE = ("\\", "%41", "%25", "&amp;", "\\u00", "oauth_token ")
SECRETS = ("\\" * 40 + "password", '"' * 40 + "x" * 8, "&amp;" * 10, "%25" * 10)


def masks(table: Table, runs: int) -> None:
    """Mask 10 MB of what encodings begin with, and a quarter of it."""
    table.begin(f"masking of {BYTES // 1_000_000} MB of hostile text, medians of {runs}")
    mask = Mask()
    mask.add(*SECRETS)

    def seconds(text: str) -> float:
        begun = time.perf_counter()
        mask(text)
        return time.perf_counter() - begun

    part = f"a {PART}th of it"
    for unit in HOSTILE:
        whole = unit * (BYTES // len(unit))
        tasks = {repr(unit): partial(seconds, whole), part: partial(seconds, whole[: len(whole) // PART])}
        samples = interleaved(tasks, runs, warm=False)
        table.speed(repr(unit), BYTES, samples, [Bar(part, most=1.5 * PART)])
