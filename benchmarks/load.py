"""A service that takes everything at once: it answers late, counts users, and does nothing else."""

import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Answers what a batch of users or products wants to hear."""

    protocol_version = "HTTP/1.1"
    latency = 0.0

    def do_POST(self) -> None:
        """Count the users of a batch."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.latency)
        users = body.count(b'"email":') or body.count(b'"email" :')
        answer = b'{"data": {"success_count": %d, "total_count": %d}}' % (users, users)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    Handler.latency = float(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()
