"""Files hold what a pipe holds, whatever entities are called."""

import csv
import gzip

import pytest

NAMES = {"8wku2": "=1+1,\tx", "8wku3": 'a\r"b"\nc', "8wku4": "\x1b[31m é椅子"}
CHOSEN = ("--since", "2026-06-05", "--until", "2026-06-07", "--ids", ",".join(NAMES), "--metrics", "clicks")


@pytest.mark.parametrize("options", [(), ("--csv-safe",)])
def test_a_file_is_what_a_pipe_is(stats, options):
    for id, name in NAMES.items():
        stats.adsctl("campaigns", "update", id, "--name", name, "--yes")
    for format in ("csv", "tsv", "jsonl"):
        words = (*options, "stats", "export", *CHOSEN)
        stats.adsctl(*words, f"o.{format}.gz")
        written = gzip.decompress((stats.adsctl.home / f"o.{format}.gz").read_bytes()).decode()
        piped = stats.adsctl(*words, "-o", format).stdout
        if format != "csv":
            assert written == piped
        for text in (written, piped) if format == "csv" else ():
            rows = csv.DictReader(text.splitlines(keepends=True))
            shown = {row["entity_id"]: row["name"] for row in rows}
            assert shown == NAMES | ({"8wku2": "'" + NAMES["8wku2"]} if options else {})
