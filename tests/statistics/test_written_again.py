"""Options of statistics, written again so that help loads no declaration, have the declared values."""

from typing import get_args, get_type_hints

from ads_cli.api.statistics import Granularity, Placement, SegmentationType
from ads_cli.commands.stats import export
from ads_cli.commands.stats.options import StatisticsOptions
from ads_cli.emulator.resources.statistics import SHARES


def test_options_and_the_emulator_have_the_declared_values():
    written = get_type_hints(StatisticsOptions)
    assert get_args(written["granularity"]) == get_args(Granularity)
    assert set(get_args(written["placement"])) - {"ALL_ON_TWITTER"} == set(get_args(Placement))
    segments, none = get_args(get_type_hints(export)["segment_by"])
    assert get_args(segments) == get_args(SegmentationType) and none is type(None)
    assert set(SHARES) == set(get_args(SegmentationType))
