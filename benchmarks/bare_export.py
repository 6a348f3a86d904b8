"""The floor of an export: a loop that makes each job, downloads and parses its result, and writes its rows.

Usage: python bare_export.py ADDRESS LINE_ITEMS DAYS FILE
"""

import csv
import gzip
import json
import sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import httpx
from statistics_server import METRICS, names

BERLIN = timezone(timedelta(hours=1))
JOBS = "/12/stats/jobs/accounts/acc"


def main(address: str, line_items: str, days: str, file: str) -> None:
    """Export all line items."""
    start = datetime(2026, 3, 1, tzinfo=BERLIN)
    times = [(start + timedelta(days=n)).isoformat() for n in range(int(days) + 1)]
    ids = names(int(line_items))
    with httpx.Client(base_url=address) as client, Path(file).open("w", newline="") as output:
        writer = csv.writer(output)
        writer.writerow(["entity", "entity_id", "name", "campaign", "start", "end", "placement", *METRICS])
        for begin in range(0, len(ids), 20):
            few = ids[begin : begin + 20]
            job = client.post(JOBS, params={"entity_ids": ",".join(few)}).json()["data"]
            (state,) = client.get(JOBS, params={"job_ids": job["id_str"]}).json()["data"]
            for record in json.loads(gzip.decompress(client.get(state["url"]).content))["data"]:
                metrics = record["id_data"][0]["metrics"]
                metrics["billed_charge_local_micro"] = [
                    Decimal(micros).scaleb(-6) for micros in metrics["billed_charge_local_micro"]
                ]
                id, series = record["id"], [metrics[name] for name in METRICS]
                for since, until, *values in zip(times, times[1:], *series, strict=False):
                    row = ["LINE_ITEM", id, f"Line item {id}", "Everything", since, until, "ALL", *values]
                    writer.writerow(row)


if __name__ == "__main__":
    main(*sys.argv[1:])
