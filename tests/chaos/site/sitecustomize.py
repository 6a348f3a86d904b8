"""Faults in the process that pushes; imported by Python when it starts."""

import os
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
    from ads_cli.validation import process_pool
    from ads_cli.validation.block_runner import BlockRunner

    process_pool.MIN_FILE_BYTES, BlockRunner.block_bytes = 0, int(block)
