"""What is known of images takes no memory that grows with their number, and outlives its threads."""

import subprocess
import sys
import threading

from ads_cli.products.images.stores import ImageOutcomes
from tests.adsctl import MEASURED
from tests.conftest import feed

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
