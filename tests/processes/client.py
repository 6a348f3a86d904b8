"""The `adsctl` of a shell in tests: python -I -S client.py SOCKET WORDS...

It has a server (`server.py`) fork a process for the command, passes signals on to it, and ends as it does. It
imports only what is built into Python, and so starts in 10 ms.
"""

import _signal
import _socket
import _thread
import marshal
import posix
import sys

STREAMS = (0, 1, 2)
FORWARDED = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM)


def is_open(descriptor: int) -> bool:
    try:
        posix.fstat(descriptor)
    except OSError:
        return False
    return True


def run(path: str, words: list[str]) -> int:
    """Run a command in a process of the server; return its exit code, or minus the signal that ended it."""
    streams = {number: number for number in STREAMS if is_open(number)}  # before anything is opened
    ignored = [number for number in FORWARDED if _signal.getsignal(number) == _signal.SIG_IGN]
    passed_on = [number for number in FORWARDED if number not in ignored]
    _signal.pthread_sigmask(_signal.SIG_BLOCK, passed_on)  # until there is a process that takes them
    surroundings = (posix.getcwdb(), posix.environ, posix.umask(0), ignored)
    server, pid = ask(path, streams, ["adsctl", *words], *surroundings)
    if passed_on:
        _thread.start_new_thread(pass_on, (passed_on, pid))
    return received(server)


def ask(path: str, streams: dict[int, int], words: list[str], *surroundings) -> tuple[_socket.socket, int]:
    """Have a server fork a process; return the connection, which will tell how it has ended, and its id."""
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect(path)
    descriptors = b"".join(number.to_bytes(4, sys.byteorder) for number in streams.values())
    server.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
    server.sendall(marshal.dumps(([*streams], words, *surroundings)))
    return server, received(server)


def pass_on(numbers: list[int], pid: int) -> None:
    """Send a process the signals that arrive here, as long as it lives.

    Not in handlers: Python runs these in the main thread, and one that comes right before it waits too late.
    """
    while True:
        number = _signal.sigwait(numbers)
        try:
            posix.kill(pid, number)
        except ProcessLookupError:
            return


def received(server: _socket.socket) -> int:
    return int.from_bytes(server.recv(4), sys.byteorder, signed=True)


if __name__ == "__main__":
    code = run(sys.argv[1], sys.argv[2:])
    if code < 0:
        if -code != _signal.SIGKILL:
            _signal.signal(-code, _signal.SIG_DFL)
            _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [-code])
        _signal.raise_signal(-code)
    posix._exit(code)
