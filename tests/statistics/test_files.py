"""Files hold what a pipe holds, whatever entities are called."""

import csv
import gzip

import pytest

CAMPAIGN = "8wku3"
CHOSEN = ("--since", "2026-06-05", "--until", "2026-06-07", "--ids", CAMPAIGN, "--metrics", "clicks")


@pytest.mark.parametrize("name", ["=1+1,\tx", 'a\r"b"\nc', "\x1b[31m é椅子"])
@pytest.mark.parametrize("options", [(), ("--csv-safe",)])
def test_a_file_is_what_a_pipe_is(stats, name, options):
    stats.adsctl("campaigns", "update", CAMPAIGN, "--name", name, "--yes")
    for format in ("csv", "tsv", "jsonl"):
        words = (*options, "stats", "export", *CHOSEN)
        stats.adsctl(*words, f"o.{format}.gz")
        written = gzip.decompress((stats.adsctl.home / f"o.{format}.gz").read_bytes()).decode()
        assert written == stats.adsctl(*words, "-o", format).stdout
        if format == "csv":
            shown = {row["name"] for row in csv.DictReader(written.splitlines(keepends=True))}
            assert shown == {f"'{name}" if options and name.startswith("=") else name}
