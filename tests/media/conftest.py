"""What uploads in tests share."""

import pytest

from ads_cli.emulator.resources import media_uploads
from ads_cli.media import responses


@pytest.fixture(autouse=True)
def quick_processing(monkeypatch) -> None:
    """Let the processing of a video take a tenth of a second, where this process runs the service."""
    monkeypatch.setattr(media_uploads, "PROCESSING_SECONDS", 0.05)
    monkeypatch.setattr(media_uploads, "CHECK_AFTER_SECONDS", 0.1)
    monkeypatch.setattr(responses, "CHECK_AFTER_SECONDS", 0.1)  # where the service does not tell
