"""What the README and its pages name exists: commands, exit codes, lines of cron, the way to sign in."""

import re
import shutil
import subprocess

import httpx
import pexpect
import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from ads_cli.errors import EXIT_CODES, SIGNAL_EXIT_CODES
from ads_cli.output import FORMATS
from tests.conftest import EXAMPLES, ROOT, feed
from tests.feeds.locations.file_server import serving
from tests.ports import free_port
from tests.test_installation import EXTRAS

PATHS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
# The examples of docs/commands.md are run by tests/promises/test_examples.py.
PAGES = "\n".join(path.read_text() for path in PATHS if path.name != "commands.md")


@pytest.mark.parametrize("word", dict.fromkeys(re.findall(r"`(adsctl [a-z][a-z -]*[a-z])`", PAGES)))
def test_every_named_command_exists(adsctl, word):
    command, *options = word.split(" --")
    command = command if not command.startswith("adsctl help ") else "adsctl help"
    shown = adsctl(*word.split()[1:], "--help").stdout
    assert shown.startswith(f"Usage: {command} ")
    assert all(f"--{option.split()[0]}" in shown for option in options)


def test_the_readme_lists_the_exit_codes_formats_and_extras_of_the_program():
    text = (ROOT / "README.md").read_text()
    table = dict(re.findall(r"^\| ([\d, ]+) \| (.+) \|$", text, re.M))
    expected = {str(code): meaning for code, meaning in EXIT_CODES.items()}
    expected[", ".join(map(str, SIGNAL_EXIT_CODES))] = f"stopped by {', '.join(SIGNAL_EXIT_CODES.values())}"
    assert {codes: meaning.replace("`", "") for codes, meaning in table.items()} == expected
    listed = re.search(r"^Formats \(`-o`\): (.+?)\.$", text, re.M | re.S)[1]
    assert re.findall(r"`(\w+)`", listed) == list(FORMATS)
    listed = re.search(r"^Extras are .+?\.\s", text, re.M | re.S)[0]
    assert {*re.findall(r"`(\w+)`", listed)} == EXTRAS


@pytest.mark.parametrize(("name", "system"), [("Linux", Unix), ("macOS", MacOS), ("Windows", Windows)])
def test_the_readme_names_the_folders_of_each_system(monkeypatch, name, system):
    monkeypatch.setattr("platformdirs.windows.get_win_folder", lambda _: "%LOCALAPPDATA%")
    monkeypatch.setenv("HOME", "/home/you")
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    folders = [system("adsctl").user_config_dir, system("adsctl").user_state_dir]
    folders = [folder.replace("/home/you", "~") for folder in folders]
    if name == "Windows":
        folders = [folder.replace("/", "\\") for folder in folders]
    assert f"| {name} | `{folders[0]}` | `{folders[1]}` |" in (ROOT / "README.md").read_text()


def crontab_lines() -> list[str]:
    """Return the commands that the pages give to cron; docs/fleet.md has some for files of your own."""
    lines = re.findall(r"^    [\d*]+ [\d*]+ \S+ \S+ \S+  +(.+)$", PAGES, re.M)
    return [*dict.fromkeys(line for line in lines if "agency.yaml" not in line)]


@pytest.mark.parametrize("line", crontab_lines())
def test_cron_runs_every_line_of_the_pages(adsctl, service, line):
    path = f"{adsctl.home}/mailer:/usr/bin:/bin"
    environment = {"HOME": str(adsctl.home), "PATH": path, "SHELL": "/bin/sh", "LOGNAME": "you"}
    environment["PYTHONPATH"] = str(ROOT)  # this adsctl is not installed
    environment["LANG"] = "C.UTF-8"  # so that it is forked; tests/promises/test_shell.py runs one without
    adsctl.installed()
    (adsctl.home / "mailer").mkdir()
    adsctl.file("mailer/mail", "#!/bin/sh\nexit 1\n").chmod(0o755)
    (adsctl.home / ".local").mkdir()
    (adsctl.home / "bin").rename(adsctl.home / ".local" / "bin")
    adsctl.file(".adsctl.env", "".join(f"{name}={value}\n" for name, value in adsctl.env.items()))
    shutil.copy(EXAMPLES / "nightly.sh", adsctl.home)
    adsctl.file("feed.csv", feed(30))
    adsctl.file("customers.csv", "email,newsletter\nana@shop.example,yes\nben@shop.example,no\n")
    with serving() as shop:
        shop.content = feed(30).encode()
        line = line.replace("https://shop.example/feed.xml", shop.address("/feed.csv"))
        nights = 2 if "audiences" in line else 1  # in its first one, a list warns that everybody is new
        for _ in range(nights):
            done = subprocess.run(
                ["/bin/sh", "-c", line], env=environment, cwd=adsctl.home, capture_output=True
            )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")  # so that no mail is sent
    assert len(service.stored) == (30 if "products" in line or "nightly" in line else 0)


def test_the_page_signs_in_to_a_served_emulator_as_typed(adsctl):
    text = (ROOT / "docs" / "sign-in.md").read_text()
    block = text.partition("sign in to the emulator:\n\n")[2].partition("\n\n")[0]
    port = free_port()
    environment = adsctl.installed()
    # The port of the example may be taken, by another run of this test.
    with_port = f'"$@" $(case "$2" in serve|env) echo --port {port}; esac)'
    adsctl.file("bin/adsctl", (adsctl.home / "bin" / "adsctl").read_text().replace('"$@"', with_port))
    adsctl.file("bin/browser", f'#!/bin/sh\necho "$1" > {adsctl.home}/page\n').chmod(0o755)
    environment["BROWSER"] = f"{adsctl.home}/bin/browser %s"
    script = f"{block}\ncode=$?; kill %1; wait; exit $code"
    shell = pexpect.spawn(
        "bash", ["-c", script], env=environment, cwd=str(adsctl.home), encoding="utf-8", timeout=60
    )
    shell.expect("PIN: ")
    url = (adsctl.home / "page").read_text().strip()
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', httpx.get(url).text))
    page = httpx.post(
        url.partition("?")[0],
        data={"answer": "allow"} | hidden,
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    shell.sendline(re.search(r'id="pin"[^>]*>(\d+)<', page.text)[1])
    shell.expect("signed in as @")
    shell.expect(pexpect.EOF)
    shell.close()
    assert shell.exitstatus == 0
