"""Ask a served emulator which database it serves, and whose names it speaks."""

import json
import time
from typing import NamedTuple

from ..errors import UnavailableError

PATH = "/emulator"  # needs no signature, so that whoever finds the port can ask
START_TIMEOUT_SECONDS = 5.0  # for an emulator that is starting
RESPONSE_TIMEOUT_SECONDS = 5.0
POLL_SECONDS = 0.05


class ServedIdentity(NamedTuple):
    """What a served emulator says of itself."""

    emulator: str  # the id of its database
    service: str


def served_identity(host: str, port: int) -> ServedIdentity | None:
    """Return the identity of the emulator at a port, or None if nothing begins to listen there.

    Raise UnavailableError if something else listens.
    """
    ends_at = time.monotonic() + START_TIMEOUT_SECONDS
    while True:
        try:
            return _ask(host, port)
        except ConnectionRefusedError:
            if time.monotonic() > ends_at:
                return None
            time.sleep(POLL_SECONDS)


def _ask(host: str, port: int) -> ServedIdentity:
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(host, port, timeout=RESPONSE_TIMEOUT_SECONDS)
    try:
        connection.request("GET", PATH)
        answer = json.loads(connection.getresponse().read())
        return ServedIdentity(*(str(answer[name]) for name in ServedIdentity._fields))
    except ConnectionRefusedError:
        raise
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        raise UnavailableError(
            f"what listens on {host} port {port} is not the emulator",
            hint="choose another port for `adsctl emulator serve`, and name it with --port",
        ) from error
    finally:
        connection.close()
