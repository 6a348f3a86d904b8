"""Apply the JMESPath expression of an assistant, in a process of its own with limits."""

import json
import sys
from typing import Any

import anyio

from ...errors import UsageError
from ...fleet.run_task import PROGRAM
from .child import Commands

MAX_QUERY_LENGTH = 500
CPU_SECONDS = 5
WAIT_SECONDS = 60.0  # on a busy machine, and where there is no limit of the processor's time
MEMORY_BYTES = 256 * 1024**2
MEMORY_PER_BYTE = 16  # of the data, as Python has them
MAX_ADDED_BYTES = 1024**2  # by which a result may be longer than the data
MAX_ERROR_LENGTH = 1000  # characters: an error quotes the data, and says at its end what is wrong with them
WRONG = 2  # the exit code for what the message says
TOO_LARGE = 1  # that of a query whose result or error takes more memory
HINT = "query is a JMESPath expression, applied to data"


async def query(commands: Commands, data: Any, expression: str) -> Any:
    """Apply an expression to data. Raise UsageError if it is wrong, or takes too much."""
    if len(expression) > MAX_QUERY_LENGTH:
        raise UsageError(f"query: longer than {MAX_QUERY_LENGTH} characters")
    words = [sys.executable, "-c", PROGRAM.format(sys.path), "__query", expression]
    async with commands.place():
        with anyio.move_on_after(WAIT_SECONDS):
            process = await anyio.run_process(words, input=json.dumps(data).encode(), check=False)
            if process.returncode == 0:
                return json.loads(process.stdout)
            if process.returncode == WRONG:
                raise UsageError(f"query: {process.stderr.decode(errors='replace').strip()}", hint=HINT)
    raise UsageError(
        f"query: takes more than {CPU_SECONDS} s or {MEMORY_BYTES // 1024**2} MB",
        hint="write a simpler one, or read fewer records with limit and columns",
    )


def run_query(expression: str) -> int:
    """Print the result of an expression on the JSON of standard input, and return the exit code."""
    from ...feeds.memory_limit import memory_limit

    text = sys.stdin.buffer.read()
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    with memory_limit(MEMORY_BYTES + MEMORY_PER_BYTE * len(text)):
        try:
            return _print_result(expression, text)
        except MemoryError:  # its traceback may quote all the data
            return TOO_LARGE


def _print_result(expression: str, text: bytes) -> int:
    import jmespath

    try:
        result = jmespath.search(expression, json.loads(text))
        size, parts = 0, []
        for part in json.JSONEncoder().iterencode(result):
            size += len(part)
            if size > len(text) + MAX_ADDED_BYTES:
                raise ValueError("its result is longer than the data that it is applied to")
            parts.append(part)
        sys.stdout.write("".join(parts))
        sys.stdout.flush()
    except (jmespath.exceptions.JMESPathError, RecursionError, TypeError, ValueError) as error:
        sys.stderr.write(_shortened(str(error)))
        return WRONG
    return 0


def _shortened(message: str) -> str:
    half = MAX_ERROR_LENGTH // 2
    return message if len(message) <= 2 * half else f"{message[:half]} … {message[-half:]}"
