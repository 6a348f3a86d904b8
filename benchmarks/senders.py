"""Send encoded bodies from a file, one per line.

Usage: python senders.py httpx|sdk|sockets ADDRESS FILE THREADS [MOST]
"""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

PATH = "/12/product_catalogs/cat/products"
# As long as a real header: the floor only sends.
SIGNED = "OAuth " + ", ".join(f'oauth_part_{n}="{"x" * 24}"' for n in range(7))


def with_httpx(address: str, threads: int) -> Callable[[bytes], None]:
    """Send with httpx: one client for all threads, as its documentation advises."""
    import httpx

    limits = httpx.Limits(max_connections=threads, max_keepalive_connections=threads)
    client = httpx.Client(limits=limits, verify=False)
    headers = {"Content-Type": "application/json", "Authorization": SIGNED}

    def send(body: bytes) -> None:
        assert client.put(address + PATH, content=body, headers=headers).status_code == 200

    return send


def with_sdk(address: str, threads: int) -> Callable[[bytes], None]:
    """Send with the public SDK, which signs each request and opens a session per request."""
    from twitter_ads.client import Client
    from twitter_ads.http import Request

    client = Client("key", "secret", "token", "token-secret")
    headers = {"Content-Type": "application/json"}

    def send(body: bytes) -> None:
        request = Request(client, "put", PATH, headers=headers, body=body, domain=address)
        assert request.perform().code == 200

    return send


def through_sockets(address: str, connections: int, bodies: list[bytes]) -> None:
    """Send over bare sockets, pipelined per round: the capacity of the load server."""
    import socket

    host, port = address.removeprefix("http://").split(":")
    head = f"PUT {PATH} HTTP/1.1\r\nHost: {host}\r\nContent-Length: %d\r\n\r\n"
    ready = [head.encode() % len(body) + body for body in bodies]
    sockets = [socket.create_connection((host, int(port))) for _ in range(connections)]
    for at in range(0, len(ready), connections):
        pairs = list(zip(sockets, ready[at : at + connections], strict=False))
        for each, request in pairs:
            each.sendall(request)
        for each, _ in pairs:
            answer = each.recv(65536)
            start, _, length = answer.partition(b"Content-Length: ")
            missing = int(length.split(b"\r", 1)[0]) + answer.index(b"\r\n\r\n") + 4 - len(answer)
            assert start.startswith(b"HTTP/1.1 200")
            while missing:
                missing -= len(each.recv(missing))


def lines(path: str, most: int | None) -> Iterator[bytes]:
    with Path(path).open("rb") as file:
        yield from islice(file, most)


def main(kind: str, address: str, path: str, threads: int, most: int | None = None) -> None:
    """Send every body, or at most `most`, in `threads` threads."""
    bodies = [line.rstrip() for line in lines(path, most)]
    if kind == "sockets":
        through_sockets(address, threads, bodies)
        return
    send = {"httpx": with_httpx, "sdk": with_sdk}[kind](address, threads)
    if threads == 1:
        for body in bodies:
            send(body)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(send, bodies):
            pass


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
