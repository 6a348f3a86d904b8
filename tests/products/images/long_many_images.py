"""Images of many rows: their memory does not grow, outlives its threads, and is shared by processes."""

import json
import subprocess
import sys
import threading

from ads_cli.products.images.stores import ImageOutcomes
from tests.adsctl import MEASURED
from tests.conftest import PRODUCT, feed
from tests.products.images.image_server import image

MORE_MEGABYTES = 3


def test_a_check_of_three_times_as_many_images_needs_no_more_memory(adsctl):
    def peak_megabytes(images: int) -> float:
        address = f"http://127.0.0.1/{'x' * 1000}"
        rows = feed(images, image_link=address).splitlines()
        adsctl.file(
            "feed.csv", "\n".join(row.replace(address, f"{address}/{n}") for n, row in enumerate(rows))
        )
        command = ("products", "check", "feed.csv", "--images", "-q", "-o", "none")
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *command],
            env=adsctl.environment,
            cwd=adsctl.home,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return int(done.stderr) / 1024

    assert peak_megabytes(3_000) - peak_megabytes(1_000) < MORE_MEGABYTES


def test_outcomes_are_closed_between_the_statements_of_their_threads():
    """A connection that is closed while another thread is in SQLite crashes the process."""
    outcomes = ImageOutcomes()
    with outcomes._lock:
        closing = threading.Thread(target=outcomes.close)
        closing.start()
        closing.join(0.05)
        assert closing.is_alive()
    closing.join()


def test_a_table_that_worker_processes_validate_has_images_too(adsctl, images):
    images.files["/small"] = image(width=9)
    rows = [f'sku-{n},{images.address("/small")},"{"x" * 4000}"' for n in range(2_500)]
    adsctl.file("feed.csv", "\n".join(["id,image_link,description", *rows]))
    defaults = PRODUCT.keys() - {"id", "image_link", "description"}
    words = [word for field in defaults for word in ("--default", f"{field}={PRODUCT[field]}")]
    command = ("products", "check", "feed.csv", "--images", "--allow-private", "-o", "json", *words)
    report = json.loads(adsctl(*command, code=3).stdout)
    (finding,) = report["findings"]
    assert report["invalid"] == finding["rows"] == 2_500 and finding["lines"] == [2, 3, 4, 5, 6]
    assert images.paths == ["/small"]
