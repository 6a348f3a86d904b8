"""A TCP proxy between client and service that injects network faults."""

import socket
import struct
import threading
import time
from collections import Counter
from contextlib import suppress
from random import Random

FAULTS = ("refuse", "cut-request", "cut-response", "slow-response", "stall")
MAX_BYTES_BEFORE_CUT = 30_000  # several requests
CHUNK_BYTES, CHUNK_PAUSE_SECONDS = 200, 0.003  # of a slow response


class Proxy:
    """Forwards bytes in both directions; some connections fail."""

    def __init__(self, address: str, random: Random, rate: float, occurred: Counter[str]) -> None:
        self._to = ("127.0.0.1", int(address.rsplit(":", 1)[1]))
        self._random, self.rate, self._occurred = random, rate, occurred
        self._open = 0
        self._idle = threading.Condition()

    def __enter__(self) -> "Proxy":
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()

    def settle(self) -> None:
        """Wait until no connection is open: everything a killed client sent has arrived."""
        with self._idle:
            assert self._idle.wait_for(lambda: self._open == 0, 180), "connections stay open"

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed
            while True:
                client, _ = self._listener.accept()
                with self._idle:
                    self._open += 1
                fault = self._random.choice(FAULTS) if self._random.random() < self.rate else ""
                limit = self._random.randrange(1, MAX_BYTES_BEFORE_CUT)
                threading.Thread(target=self._forward, args=(client, fault, limit), daemon=True).start()

    def _forward(self, client: socket.socket, fault: str, limit: int) -> None:
        """Forward a connection until it closes."""
        if fault:
            self._occurred[f"proxy {fault}"] += 1
        try:
            if fault == "refuse":
                _reset(client)
                return
            with client, socket.create_connection(self._to) as service:
                up = threading.Thread(target=self._up, args=(client, service, fault, limit), daemon=True)
                up.start()
                self._down(client, service, fault, limit)
                up.join()
        except OSError:
            pass
        finally:
            with self._idle:
                self._open -= 1
                self._idle.notify_all()

    def _up(self, client: socket.socket, service: socket.socket, fault: str, limit: int) -> None:
        """Forward requests."""
        with suppress(OSError):
            while data := client.recv(4096):
                limit -= len(data)
                if fault == "cut-request" and limit < 0:
                    service.sendall(data[: len(data) // 2])
                    _reset(client)
                    break
                service.sendall(data)
        with suppress(OSError):
            service.shutdown(socket.SHUT_WR)

    def _down(self, client: socket.socket, service: socket.socket, fault: str, limit: int) -> None:
        """Forward responses."""
        with suppress(OSError):
            while data := service.recv(4096):
                limit -= len(data)
                if fault == "stall":
                    continue  # until the client times out
                if fault == "cut-response" and limit < 0:
                    client.sendall(data[: len(data) // 2])
                    break
                pieces = range(0, len(data), CHUNK_BYTES) if fault == "slow-response" else (0,)
                for at in pieces:
                    client.sendall(data[at : at + CHUNK_BYTES] if len(pieces) > 1 else data[at:])
                    time.sleep(CHUNK_PAUSE_SECONDS if len(pieces) > 1 else 0)
        if fault != "stall":
            _reset(client)


def _reset(connection: socket.socket) -> None:
    """Reset the connection in both directions."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
