"""Sign, send, retry and rate-limit requests; knows nothing of products."""

from ..lean_imports import hide_httpx_command_line

hide_httpx_command_line()
