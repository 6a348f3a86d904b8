"""What tests of statistics share."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
import time_machine

from ads_cli.emulator.resources import statistics as statistics_jobs
from tests.adsctl import Adsctl
from tests.service_in_process import service  # noqa: F401
from tests.statistics.rows import Rows, rows_in

NOON = "2026-06-17T12:30:00Z"  # a Wednesday


@dataclass
class Stats:
    """Runs `stats` against a served emulator; the time stands at NOON, but goes on."""

    adsctl: Adsctl

    def get(self, *words: str) -> Rows:
        return rows_in(self.adsctl("stats", "get", *words, "-o", "csv").stdout)

    def export(self, *words: str) -> Rows:
        return rows_in(self.adsctl("stats", "export", *words, "-o", "csv").stdout)


@pytest.fixture
def noon():
    with time_machine.travel(NOON, tick=True) as traveller:
        yield traveller


@pytest.fixture
def stats(noon, adsctl, service, monkeypatch) -> Stats:  # noqa: F811
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta())  # jobs end at once
    monkeypatch.setattr("ads_cli.statistics.export.FIRST_WAIT_SECONDS", 0.05)
    return Stats(adsctl)
