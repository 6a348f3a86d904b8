"""Ports of this machine for what is started later, or again."""

import socket
from pathlib import Path
from random import SystemRandom

HOST = "127.0.0.1"
FIRST = 10_000


def first_given_port() -> int:
    """The first port that the system gives to sockets which ask for any."""
    ranges = Path("/proc/sys/net/ipv4/ip_local_port_range")
    return int(ranges.read_text().split()[0]) if ranges.exists() else 32_768


def free_port() -> int:
    """A port that nothing listens on, and that the system gives to nobody meanwhile.

    Not even to a client that connects to this very port: it would then be connected to itself.
    """
    random = SystemRandom()
    while True:
        port = random.randrange(FIRST, first_given_port())
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
