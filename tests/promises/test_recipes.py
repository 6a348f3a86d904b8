"""The scripts of `examples/` do what their first lines say."""

import re
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


def run_in_ci(person, *words: str, code: int = 0, **environment: str) -> str:
    """Run the job of a CI system; return what it printed."""
    command = [EXAMPLES / "ci.sh", *words]
    environment = person.installed("-p", "local") | environment
    done = subprocess.run(command, env=environment, cwd=person.home, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_a_change_is_checked_and_pushed_only_where_it_is_told_to(adsctl):
    feed = str(EXAMPLES / "products.csv")
    adsctl.copy_emulator()
    run_in_ci(adsctl, feed)
    assert adsctl.local("products", "list", "-o", "ids").stdout == ""
    assert re.search(r"created +293\n", run_in_ci(adsctl, feed, "push"))
    assert re.search(r"created +0\n", run_in_ci(adsctl, feed, "push"))  # nothing has changed


def test_a_change_that_breaks_a_rule_is_not_pushed(adsctl):
    assert "7 of 12 rows invalid" in run_in_ci(
        adsctl, str(EXAMPLES / "products-with-mistakes.csv"), "push", code=3
    )


PIP = """#!/bin/sh
echo "$@" > installed
printf '#!/bin/sh\\necho "$@" >> called\\n' > .adsctl/bin/adsctl
chmod +x .adsctl/bin/adsctl
"""


def test_the_wheel_that_is_named_is_installed(adsctl):
    adsctl.file("pip", PIP).chmod(0o755)
    (adsctl.home / "bin").mkdir()
    python = adsctl.file("bin/python3", '#!/bin/sh\nmkdir -p "$3/bin" && cp pip "$3/bin"\n')
    python.chmod(0o755)
    environment = {"PATH": f"{python.parent}:/usr/bin:/bin", "WHEEL": "ads_cli-0.1.0-py3-none-any.whl"}
    command = [EXAMPLES / "ci.sh", "feed.csv", "push"]
    subprocess.run(command, env=environment, cwd=adsctl.home, check=True)
    assert (adsctl.home / "installed").read_text() == "install --quiet ads_cli-0.1.0-py3-none-any.whl\n"
    check, push = (adsctl.home / "called").read_text().splitlines()
    assert check == "products check feed.csv -o table" and push.startswith("products push feed.csv --changed")
