"""Large feeds that several processes work on, where it takes long: kills, and options that see all rows."""

import json
import signal
import time
from pathlib import Path

from ads_cli.parallel import process_pool
from ads_cli.parallel.process_pool import MIN_FILE_BYTES
from tests.conftest import PRODUCT
from tests.products.large import LONG, ROWS, SMALLER, large, row, share_smaller_tables
from tests.products.stopping import acknowledged, stop_at


def test_a_large_push_that_is_killed_and_resumed_is_whole_and_resends_nothing(adsctl, service):
    rows = ROWS * SMALLER
    adsctl.file("feed.csv", large(rows, row900="\n" + row(900, title="Two\nlines", description=LONG)))
    stop_at(adsctl, service, 33, signal.SIGKILL)
    safe, sent = acknowledged(adsctl), len(service.puts)
    summary = json.loads(adsctl("products", "push", "feed.csv", "--resume", "-o", "json").stdout)
    assert set(service.stored) == {f"sku-{number}" for number in range(rows)}
    assert summary["requests"] == len(service.puts) - sent == summary["batches"] - len(safe)
    assert summary["created"] + summary["unchanged"] == rows


def test_worker_processes_fix_the_same_rows(adsctl, service, monkeypatch):
    share_smaller_tables(monkeypatch)
    odd = {
        "row70": row(70, price="12,50 EUR", description=f"<p>{LONG}</p>"),
        "row150": row(4, description=LONG),
        "row210": row(210, link="http://shop.example/a", title="Two  spaces"),
    }
    adsctl.file("feed.csv", large(**odd))
    words = ("products", "push", "feed.csv", "--fix", "all", "-o", "json")
    summary = json.loads(adsctl(*words).stdout)
    assert (summary["rows"], summary["left_out"], summary["created"]) == (ROWS, 1, ROWS - 1)
    fixed = summary["fixed"]
    assert fixed.pop("whitespace") >= ROWS - 3  # each long description ends with a space
    assert fixed == {"html": 1, "price": 1, "https": 1, "duplicates": 1}


def test_worker_processes_keep_the_same_rows(adsctl, service, monkeypatch):
    share_smaller_tables(monkeypatch)
    odd = {f"row{number}": row(4, title=f"No. {number}", description=LONG) for number in (150, 219)}
    adsctl.file("feed.csv", large(**odd))
    words = ("products", "push", "feed.csv", "--keep", "last", "-o", "json")
    summary = json.loads(adsctl(*words).stdout)
    assert (summary["rows"], summary["left_out"], summary["created"]) == (ROWS, 2, ROWS - 2)
    assert service.emulator.data.product("sku-4")["title"] == "No. 219"


def test_a_large_table_is_completed_in_several_processes(adsctl, service, monkeypatch):
    share_smaller_tables(monkeypatch)
    long = "A description as long as it may be. " * 100
    ids = [f"sku-{n}" for n in range(1, 201)]
    service.emulator.data.add_products(PRODUCT | {"id": id} for id in ids)
    rows = [f'{id},"{long if n % 2 else PRODUCT["description"]}",{"x" * 4000}' for n, id in enumerate(ids)]
    content = "\n".join(["id,description,note", *rows]) + "\n"
    assert len(content) > process_pool.MIN_FILE_BYTES
    adsctl.file("part.csv", content)
    summary = json.loads(adsctl("products", "update", "part.csv", "-o", "json").stdout)
    assert (summary["updated"], summary["skipped"]) == (100, 100)
    changed = service.emulator.data.product("sku-200")
    assert (changed["title"], changed["description"]) == (PRODUCT["title"], long)


def read_by(pid: int) -> int:
    """Count the bytes that a process has read."""
    return int(Path(f"/proc/{pid}/io").read_text().split()[1])


def test_ctrl_c_ends_the_worker_processes_too(adsctl):
    adsctl.file("feed.csv", large(5 * ROWS * SMALLER))
    process = adsctl.popen("products", "check", "feed.csv")
    while read_by(process.pid) < 2 * MIN_FILE_BYTES and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    message = process.stderr.read()  # ends only when nobody is left who could write to it
    assert process.wait() == 130 and b"Traceback" not in message
