"""A server that accepts every request, lists the products of a feed, and responds after a latency.

Usage: python load.py SECONDS [PRODUCTS]   (prints its port; `python -m benchmarks` measures its capacity)
"""

import asyncio
import json
import re
import sys
import time

from feeds import ALIKE, own_values

# A quota that no run uses up: without one, a client of service x keeps to 600 requests in 15 minutes.
QUOTA = b"x-rate-limit-remaining: 1000000\r\nx-rate-limit-reset: %d\r\n" % (time.time() + 12 * 3600)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %%d\r\n\r\n%%s" % QUOTA
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
PRODUCT = re.compile(rb'"id": ?("[^"]*")')
TAKEN = b'{"id":%s,"product_key":%s,"status":"CREATE_SUCCESS","errors":[],"warnings":[]}'
LISTING = re.compile(rb"GET [^ ?]*/products(?:\?[^ ]*cursor=(\d+))?")
PAGE_PRODUCTS = 100
PAGE = b'{"data":[%s],"next_cursor":%s}'
LISTED = b'{"product_key":"key-%d",%s,%s}'
ALIKE_JSON = json.dumps(ALIKE, separators=(",", ":")).encode()[1:-1]
UPLOADED = b'{"data":{"id":"1","media_key":"13_1","expires_after_secs":86400}}'
ACCOUNTS = b'{"data":[{"id":"acc","name":"Nordlicht"}],"next_cursor":null}'


class Connection(asyncio.Protocol):
    """One connection; requests arrive one after the other."""

    latency = 0.0
    products = 0  # that are listed

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start with an empty buffer."""
        self.transport = transport
        self.chunks: list[bytes] = []
        self.missing = 0  # bytes of the request not received yet

    def data_received(self, data: bytes) -> None:
        """Collect a request; respond when it is complete."""
        self.chunks.append(data)
        if self.missing:
            self.missing -= len(data)
        else:
            data = self.chunks[0] if len(self.chunks) == 1 else b"".join(self.chunks)
            self.chunks = [data]
            end = data.find(b"\r\n\r\n")
            if end < 0:
                return
            length = LENGTH.search(data, 0, end)
            self.missing = end + 4 + int(length[1] if length else 0) - len(data)
        if not self.missing:
            head, _, body = b"".join(self.chunks).partition(b"\r\n\r\n")
            self.chunks = []
            self.respond(response_to(head, body, self.products))

    def respond(self, content: bytes) -> None:
        """Respond, after the latency."""
        whole = HEAD % (len(content), content)
        if self.latency:
            asyncio.get_running_loop().call_later(self.latency, self.transport.write, whole)
        else:
            self.transport.write(whole)


def response_to(head: bytes, body: bytes, products: int) -> bytes:
    """Return the success of a batch of products or users, or of media; a page of products; or one account."""
    if head.startswith(b"PUT"):
        taken = b",".join([TAKEN % (id, id) for id in PRODUCT.findall(body)])
        return b'{"data":{"products_response":[%s]}}' % taken
    if head.startswith(b"POST /2/media") or b"/media_library" in head.partition(b"\r\n")[0]:
        return UPLOADED
    if head.startswith(b"POST"):
        users = body.count(b'"email":') or body.count(b'"email" :')
        return b'{"data": {"success_count": %d, "total_count": %d}}' % (users, users)
    if page := LISTING.match(head):
        return page_of_products(int(page[1] or 0), products)
    return ACCOUNTS


def page_of_products(begin: int, products: int) -> bytes:
    """Return a page of the products of a feed of that many."""
    end = min(begin + PAGE_PRODUCTS, products)
    found = (json.dumps(own_values(n), separators=(",", ":")).encode()[1:-1] for n in range(begin, end))
    listed = [LISTED % (n, own, ALIKE_JSON) for n, own in enumerate(found, begin)]
    return PAGE % (b",".join(listed), b'"%d"' % end if end < products else b"null")


async def serve(latency: float, products: int = 0) -> None:
    """Listen on a free loopback port until the process ends."""
    Connection.latency, Connection.products = latency, products
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), *map(int, sys.argv[2:])))
