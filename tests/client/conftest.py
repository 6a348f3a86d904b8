"""What tests of this folder share."""

from tests.service_in_process import service  # noqa: F401
