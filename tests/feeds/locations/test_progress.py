"""A download says how far it is."""

import re
import threading

from tests.conftest import feed
from tests.http.test_deadlines import HEAD, read_head
from tests.raw_service import raw_service


def test_a_download_shows_a_bar_on_a_terminal(adsctl):
    content, seen = feed(20).encode(), threading.Event()

    def serve(connection) -> None:
        read_head(connection)
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content[:3000])
        seen.wait(60)
        connection.sendall(content[3000:])

    with raw_service(serve) as service:
        terminal = adsctl.terminal("products", "check", f"{service.address}/feed.csv?key=hush", width=120)
        terminal.expect(r"Downloading http://127.0.0.1:\d+/feed.csv\?\*\*\*")
        terminal.expect(rf"3.0/{len(content) / 1000:.1f} kB")
        seen.set()
        terminal.expect("20 rows, 20 valid")
        terminal.expect_exact("\n")
        terminal.wait()
    assert terminal.exitstatus == 0


def test_the_bar_of_a_download_leaves_room_for_what_the_terminal_shows_of_ctrl_c(adsctl):
    content, stopped = feed(20).encode(), threading.Event()

    def serve(connection) -> None:
        read_head(connection)
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content[:3000])
        stopped.wait(60)

    with raw_service(serve) as service:
        terminal = adsctl.terminal("products", "check", f"{service.address}/feed.csv", width=80, TERM="xterm")
        terminal.expect("kB")
        terminal.sendintr()
        shown = terminal.before + terminal.after + terminal.read()
        stopped.set()
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).replace("^C", "")
    bars = [line for line in re.split(r"[\r\n]", drawn) if "Downloading" in line]
    assert bars and max(map(len, bars)) <= 78 and "stopped by SIGINT" in shown


def test_a_quiet_download_says_nothing(adsctl, plain_server):
    assert adsctl("products", "check", plain_server.address(), "-q").stderr == ""
