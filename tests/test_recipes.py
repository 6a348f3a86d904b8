"""The scripts of `examples/` do what their first lines say."""

import subprocess

from tests.conftest import EXAMPLES


def run_at_night(person, feed: str, code: int) -> str | None:
    """Run the nightly push with a `mail` that writes to a file; return its content."""
    environment = person.installed("-p", "local")
    person.file(".adsctl.env", "ADSCTL_ACCOUNT=18ce54d4x5t\n")
    person.file("bin/mail", '#!/bin/sh\necho "$@" > mail; cat >> mail\n').chmod(0o755)
    command = [EXAMPLES / "nightly.sh", feed, "you@shop.example"]
    done = subprocess.run(command, env=environment, cwd=person.home, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
    mail = person.home / "mail"
    return mail.read_text() if mail.exists() else None


def test_a_successful_night_mails_nothing(adsctl):
    assert run_at_night(adsctl, EXAMPLES / "products.csv", 0) is None


def test_a_failed_night_is_mailed(adsctl):
    feed = EXAMPLES / "products-with-mistakes.csv"
    mail = run_at_night(adsctl, feed, 3)
    assert mail.startswith(f"-s adsctl: {feed} ended with exit code 3 you@shop.example\n")
    assert "'44,90 EUR' is not allowed" in mail and "7 of 12 rows invalid" in mail
