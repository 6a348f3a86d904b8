"""What goes wrong inside the machine that pushes; Python imports this at its start."""

import os
import signal
import socket

look_up, failing = socket.getaddrinfo, int(os.environ.get("CHAOS_DNS", "0"))


def unknown(*args, **options):
    """Know no name, a few times."""
    global failing
    if failing > 0:
        failing -= 1
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    return look_up(*args, **options)


if failing:
    socket.getaddrinfo = unknown

if os.environ.get("CHAOS_POOL"):
    # As the program itself does before it loads anything: msgspec forgets a signal that comes while it is
    # loaded, and crashes later.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ads_cli.client import transport

    opened = transport.open_http
    transport.open_http = lambda connections, *rest: opened(1, *rest)  # for all threads together
