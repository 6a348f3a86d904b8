"""--report: one page about a run, however it ends; nobody's file is replaced by it."""

import re
import signal

import pytest

from tests.conftest import PRODUCT, feed
from tests.products.stopping import acknowledged, stop_at
from tests.report.conftest import write_feed
