"""Runs of `campaigns apply` that are killed before each request that changes something, or after each."""

import pytest

from tests.campaigns.kills import at_second_change
from tests.campaigns.test_campaign_posts import (  # noqa: F401 - fixtures
    CARDED,
    FILE,
    KINDS_OF_CARDS,
    ads,
    all_cards,
    cards,
    killed_runs,
    posted,
    posts,
)
from tests.campaigns.test_refused_changes import check_killed_replacement_without_names
from tests.campaigns.test_stopped_applies import check_killed_replacement, check_killed_runs

moments = pytest.mark.parametrize("moment", [at_second_change("before"), at_second_change("after")])
POLL = FILE.replace("media: [mugs.png]", KINDS_OF_CARDS["poll of media"][1])


@moments
def test_a_killed_run_is_resumed_and_creates_nothing_twice(adsctl, service, winter, moment, monkeypatch):
    check_killed_runs(adsctl, winter, monkeypatch, moment)


@moments
def test_a_replacement_is_made_once(adsctl, service, moment, monkeypatch):
    check_killed_replacement(adsctl, monkeypatch, moment)


@moments
def test_what_has_no_name_is_replaced_once(adsctl, service, moment, monkeypatch):
    check_killed_replacement_without_names(adsctl, monkeypatch, moment)


@moments
@pytest.mark.parametrize(("file", "new_cards", "new_polls"), [(FILE, 0, 0), (CARDED, 1, 0), (POLL, 0, 1)])
def test_no_post_or_card_is_made_twice(
    adsctl,
    service,
    posted,  # noqa: F811
    moment,
    file,
    new_cards,
    new_polls,
    monkeypatch,
):
    (adsctl.home / "ads" / "posted.yaml").write_text(file)
    before = len(all_cards(adsctl, "poll"))
    assert 3 < killed_runs(adsctl, monkeypatch, moment) < 40
    assert len(cards(adsctl)) == new_cards and len(all_cards(adsctl, "poll")) == before + new_polls
    assert len(posts(adsctl)) == 2 and len(ads(adsctl)) == 3
    adsctl("campaigns", "plan", "ads/posted.yaml", "--prune", code=0)
