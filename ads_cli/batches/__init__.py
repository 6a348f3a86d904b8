"""Files of several records: read, validated whole, and sent many to a request."""

from typing import Literal

Uncertain = Literal["skip", "resend"]  # what is done with records whose answer was lost
