"""Faults in the process that pushes; imported by Python when it starts."""

import os
import signal
import socket

look_up, failing = socket.getaddrinfo, int(os.environ.get("CHAOS_DNS", "0"))


def unknown(*args, **options):
    """Fail to resolve a name, a few times."""
    global failing
    if failing > 0:
        failing -= 1
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    return look_up(*args, **options)


if failing:
    socket.getaddrinfo = unknown

if block := os.environ.get("CHAOS_BLOCK"):  # treat every file as large
    # As adsctl does before its imports: a signal inside an import must end the process, and not the import.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ads_cli.parallel import process_pool
    from ads_cli.validation.validator import BlockRunner

    signal.signal(signal.SIGINT, signal.default_int_handler)

    process_pool.MIN_FILE_BYTES, BlockRunner.block_bytes = 0, int(block)
