"""Runs: changes that are sent request by request, noted on disk, and resumed after an interruption."""

from typing import Literal

Uncertain = Literal["skip", "resend"]  # what is done with records whose answer was lost
