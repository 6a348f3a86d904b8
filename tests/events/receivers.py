"""A receiver that events are forwarded to."""

from contextlib import contextmanager

from tests.local_server import LocalHandler, LocalServer, running_server


class Receiver(LocalHandler):
    """Keeps what is posted to it, and answers with the next of `answers`."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.append(self.path)
        self.server.received.append((body, dict(self.headers.items())))
        status = self.server.answers.pop(0) if self.server.answers else 200
        self.answer(status, b"try later" if status >= 400 else b"", Location="http://localhost:9/elsewhere")


@contextmanager
def receiver(*answers: int):
    server = LocalServer(Receiver)
    server.received, server.paths, server.answers = [], [], [*answers]
    with running_server(server):
        yield server, f"http://localhost:{server.server_address[1]}/events"
