"""A way between client and service that breaks in the middle of things."""

import socket
import struct
import threading
import time
from collections import Counter
from contextlib import suppress
from random import Random

TROUBLES = ("refuse", "cut-request", "cut-answer", "slow-answer", "stall")
WORST = 30_000  # bytes that may pass before a cut: several requests
PIECE, PAUSE = 200, 0.003  # bytes, and seconds between them, of a slow answer


class Proxy:
    """Passes bytes on in both directions; some connections meet with trouble."""

    def __init__(self, address: str, chance: Random, rate: float, met: Counter[str]) -> None:
        self._to = ("127.0.0.1", int(address.rsplit(":", 1)[1]))
        self._chance, self.rate, self._met = chance, rate, met
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
        """Wait until no connection is open: what a killed client had sent has arrived."""
        with self._idle:
            assert self._idle.wait_for(lambda: self._open == 0, 30), "connections stay open"

    def _accept(self) -> None:
        with suppress(OSError):  # closed at the end
            while True:
                client, _ = self._listener.accept()
                with self._idle:
                    self._open += 1
                trouble = self._chance.choice(TROUBLES) if self._chance.random() < self.rate else ""
                limit = self._chance.randrange(1, WORST)
                threading.Thread(target=self._carry, args=(client, trouble, limit), daemon=True).start()

    def _carry(self, client: socket.socket, trouble: str, limit: int) -> None:
        """Carry one connection to its end."""
        if trouble:
            self._met[f"proxy {trouble}"] += 1
        try:
            if trouble == "refuse":
                _reset(client)
                return
            with client, socket.create_connection(self._to) as service:
                up = threading.Thread(target=self._up, args=(client, service, trouble, limit), daemon=True)
                up.start()
                self._down(client, service, trouble, limit)
                up.join()
        except OSError:
            pass
        finally:
            with self._idle:
                self._open -= 1
                self._idle.notify_all()

    def _up(self, client: socket.socket, service: socket.socket, trouble: str, limit: int) -> None:
        """Carry requests."""
        with suppress(OSError):
            while data := client.recv(4096):
                limit -= len(data)
                if trouble == "cut-request" and limit < 0:
                    service.sendall(data[: len(data) // 2])
                    _reset(client)
                    break
                service.sendall(data)
        with suppress(OSError):
            service.shutdown(socket.SHUT_WR)

    def _down(self, client: socket.socket, service: socket.socket, trouble: str, limit: int) -> None:
        """Carry answers."""
        with suppress(OSError):
            while data := service.recv(4096):
                limit -= len(data)
                if trouble == "stall":
                    continue  # the client has to give up by itself
                if trouble == "cut-answer" and limit < 0:
                    client.sendall(data[: len(data) // 2])
                    break
                pieces = range(0, len(data), PIECE) if trouble == "slow-answer" else (0,)
                for at in pieces:
                    client.sendall(data[at : at + PIECE] if len(pieces) > 1 else data[at:])
                    time.sleep(PAUSE if len(pieces) > 1 else 0)
        if trouble != "stall":
            _reset(client)


def _reset(connection: socket.socket) -> None:
    """Close in both directions, so that the other side sees it at once."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
