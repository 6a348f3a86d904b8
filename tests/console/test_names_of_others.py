"""Tables on a terminal name other records in place of their ids; programs get the ids."""

import pytest

from ads_cli.client.transport import Sender
from tests.output.test_views import on_a_terminal, plain


def on_terminal(adsctl, *words: str, width: int = 200) -> str:
    """Return what a terminal shows."""
    return plain(on_a_terminal(adsctl, *words, width=width))


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    found: list[str] = []
    send = Sender.send

    def recorded(self, prepared, *arguments, **options):
        found.append(prepared.url)
        return send(self, prepared, *arguments, **options)

    monkeypatch.setattr(Sender, "send", recorded)
    return found


@pytest.mark.parametrize(
    ("words", "names", "ids"),
    [
        ("line-items list", ("CAMPAIGN ", "Spring collection"), "8wku2"),
        ("campaigns list", ("FUNDING_INSTRUMENT ", "Visa ending in 4242"), "4a1n0"),
        ("promoted posts list", ("LINE_ITEM ", "All of Hamburg", "Forty steps from clay"), "9d4c2"),
        ("tracking-tags list", ("LINE_ITEM ", "Install the shop app"), "9d4d1"),
        ("line-items get 9d4c1", ("campaign ", "Spring collection"), "8wku2"),
    ],
)
def test_a_table_names_other_records(adsctl, words, names, ids):
    shown = on_terminal(adsctl, *words.split())
    assert all(name in shown for name in names) and ids not in shown


def test_a_column_may_be_asked_for_as_names_or_as_ids(adsctl):
    chosen = ("campaigns", "list", "--columns")
    assert "Visa ending in 4242" in on_terminal(adsctl, *chosen, "name,funding_instrument")
    ids = on_terminal(adsctl, *chosen, "name,funding_instrument_id")
    assert "4a1n0" in ids and "Visa" not in ids


def test_of_targeting_the_name_is_shown_before_the_value_of_the_service(adsctl):
    narrow = on_terminal(adsctl, "targeting", "list", "--line-items", "9d4c1", width=80)
    assert "Germany" in narrow and "c6427515d41b1183" not in narrow


def test_names_that_two_records_have_are_told_apart_by_their_ids(adsctl):
    adsctl.local("campaigns", "update", "8wku3", "--name", "Spring collection")
    shown = on_terminal(adsctl, "line-items", "list")
    assert "Spring collection (8wku2)" in shown and "Spring collection (8wku3)" in shown


def test_what_is_not_listed_keeps_its_id(adsctl):
    adsctl.local("campaigns", "delete", "8wkt0", "--yes")
    shown = on_terminal(adsctl, "line-items", "list", "--with-deleted")
    assert "8wkt0" in shown and "Spring collection" in shown


def test_programs_get_ids_and_ask_for_nothing_more(adsctl, asked):
    for output in ("json", "csv", "tsv", "table"):
        listed = adsctl.local("line-items", "list", "-o", output).stdout
        assert "8wku2" in listed and "Spring collection" not in listed
    assert len(asked) == 4
