"""A connection: lists that page, confirmation, typed errors, and its end."""

import asyncio
import logging
import threading

import pytest

import ads_cli
from ads_cli.client.transport import Sender, ThreadConnections
from tests.emulator.seeded import ADVENT, SPRING, WINTER
from tests.library.conftest import program

OTHER_ACCOUNT = "gq12fh"


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """The methods and paths of all requests."""
    requests: list[str] = []
    send = Sender.send

    def recorded(self, prepared, *arguments, **options):
        requests.append(f"{prepared.method} {prepared.url}")
        return send(self, prepared, *arguments, **options)

    monkeypatch.setattr(Sender, "send", recorded)
    return requests


def test_a_list_reads_a_page_once_its_records_are_taken_and_none_after_it_was_left(ads, sent):
    campaigns = ads.list("campaigns", count=2)
    assert sent == []
    taken = [next(campaigns)["name"] for _ in range(3)]
    assert len(sent) == 2 and len({*taken}) == 3
    del campaigns
    assert len(sent) == 2
    assert len([*ads.list("campaigns", count=2, limit=5)]) == 5


def test_a_list_is_whole_and_takes_the_filters_of_the_command(ads):
    assert len([*ads.list("campaigns")]) == 7
    assert [record["id"] for record in ads.list("campaigns", q="Spring")] == [SPRING]
    assert [record["id"] for record in ads.list("campaigns", where=["name~^Spring"])] == [SPRING]
    assert [*ads.list("campaigns", campaign_ids=[SPRING, ADVENT], limit=1)]
    assert [*ads.list("jobs")] == [] and [record["profile"] for record in ads.list("profile")]


def test_what_a_list_does_not_take_is_refused_at_once(ads):
    with pytest.raises(ads_cli.UsageError, match="takes no 'nmae'; did you mean 'name'"):
        ads.call("campaigns update", id=SPRING, nmae="x")
    with pytest.raises(ads_cli.UsageError, match="takes no 'wher'"):
        ads.list("campaigns", wher="x")
    with pytest.raises(ads_cli.UsageError, match="there is no command 'campaign list'; did you mean"):
        ads.list("campaign")  # type: ignore[arg-type]
    for option in ("profile", "sandbox", "yes", "output", "on_failure", "quiet"):
        with pytest.raises(ads_cli.UsageError):
            ads.call("campaigns list", **{option: "x"})
    with pytest.raises(ads_cli.UsageError, match="standard input"):
        ads.call("products push", "-")
    with pytest.raises(ads_cli.UsageError, match="standard input"):
        ads.call("campaigns create", file="-")


def test_a_record_is_read_by_its_id_or_its_name(ads):
    assert ads.get("campaigns", SPRING)["name"] == "Spring collection"
    assert ads.get("campaigns", "Spring collection")["id"] == SPRING
    assert ads.get("settings tax")["tax_category"] == "BUSINESS_WITH_VAT"


def test_an_error_is_typed_and_has_what_the_command_would_print(ads):
    with pytest.raises(ads_cli.NotFoundError) as failed:
        ads.get("campaigns", "zzzzz")
    error = failed.value
    assert (error.exit_code, error.http_status, error.api_code) == (5, 404, "NOT_FOUND")
    assert error.hint and not error.retryable and str(error) == error.message
    assert error.__notes__ == [f"hint: {error.hint}"]
    with pytest.raises(ads_cli.UsageError, match="daily-budget"):
        ads.call("campaigns update", id=SPRING, daily_budget="many")


def test_a_service_that_is_overloaded_is_worth_another_try(adsctl, service):
    service.fail("GET /12/accounts/*/campaigns* status=503")
    with program(adsctl), ads_cli.connect(max_attempts=1) as ads:
        with pytest.raises(ads_cli.UnavailableError) as failed:
            [*ads.list("campaigns")]
        assert failed.value.retryable and failed.value.exit_code == 8


def test_what_would_be_asked_is_not_done_unless_it_is_confirmed(ads, writes):
    for confirm in (None, False, lambda question: False, lambda question: None):
        with pytest.raises(
            ads_cli.NotConfirmedError, match="Delete the campaign Spring collection"
        ) as failed:
            ads.call("campaigns delete", id=SPRING, confirm=confirm)
        assert failed.value.exit_code == 12 and "confirm=True" in failed.value.hint
    assert writes == []
    questions: list[str] = []
    ads.call("campaigns delete", id=SPRING, confirm=lambda question: not questions.append(question))
    assert len(questions) == 1 and "Spring collection" in questions[0] and "profile local" in questions[0]
    ads.call("campaigns delete", id=WINTER, confirm=True)
    assert len(writes) == 2


def test_a_connection_may_answer_for_all_its_calls(python, writes):
    with ads_cli.connect(profile="local", confirm=True) as ads:
        with pytest.raises(ads_cli.NotConfirmedError):
            ads.call("campaigns delete", id=SPRING, confirm=False)
        ads.call("campaigns delete", id=SPRING)
    assert len(writes) == 1


def test_what_needs_a_person_at_a_terminal_is_never_confirmed(adsctl):
    adsctl("profile", "set", "shop", "account=18ce54d4x5t", "base_url=https://ads.example")
    adsctl("guard", "set", "max_bid=1EUR", "--profile", "shop")
    with program(adsctl), ads_cli.connect(profile="shop", confirm=True) as ads:
        for confirm in (True, lambda question: True):
            with pytest.raises(ads_cli.NotConfirmedError, match="not confirmed"):
                ads.call("guard set", ["max_bid=2EUR"], confirm=confirm)


class MineError(Exception):
    """An error of the program."""


def fail(*values: object) -> None:
    raise MineError


def test_the_error_of_a_function_of_the_program_is_its_own_and_nothing_is_done(ads, writes):
    with pytest.raises(MineError):
        ads.call("campaigns delete", id=SPRING, confirm=fail)
    assert writes == []
    assert ads.get("campaigns", SPRING)["deleted"] is False


def test_an_error_in_the_block_closes_the_connection_and_passes(python):
    with pytest.raises(MineError), ads_cli.connect(profile="local") as ads:
        campaigns = ads.list("campaigns", count=1)
        next(campaigns)
        fail()
    for call in (
        lambda: next(campaigns),
        lambda: ads.get("campaigns", SPRING),
        lambda: ads.list("campaigns"),
    ):
        with pytest.raises(ads_cli.StateError, match="the connection is closed"):
            call()
    with pytest.raises(ads_cli.StateError), ads:
        pass
    ads.close()


def test_a_profile_that_does_not_exist_or_is_several_is_refused(python):
    with pytest.raises(ads_cli.UsageError, match="there is no profile 'shpo'"):
        ads_cli.connect(profile="shpo")
    with pytest.raises(ads_cli.UsageError, match="is several"):
        ads_cli.connect(profile="shop-*")


def test_a_connection_stays_where_it_was_made_for(adsctl, monkeypatch):
    adsctl("profile", "set", "shop", "base_url=https://ads.example", "ads_url=https://ads.example")
    adsctl.copy_emulator()
    with program(adsctl), ads_cli.connect("local") as other:
        other.call("profile use", "local")
        with ads_cli.connect() as ads:
            other.call("profile use", "shop")
            with monkeypatch.context() as changed:
                changed.setenv("ADSCTL_ACCOUNT", "elsewhere")
                assert ads.get("campaigns", SPRING)["id"] == SPRING


def test_two_accounts_are_used_side_by_side(python):
    with ads_cli.connect("local") as ads, ads_cli.connect("local", OTHER_ACCOUNT) as other:
        mine, theirs = ads.list("campaigns", count=1), other.list("campaigns", count=1)
        with pytest.raises(ads_cli.AdsctlError):
            next(theirs)
        assert next(mine)
        assert [*ads.list("campaigns", account="18ce54d4x5t", limit=1)]


def test_it_works_in_a_thread_and_in_the_thread_of_a_running_loop(ads):
    names: list[str] = []

    async def ask() -> None:
        names.append(ads.get("campaigns", SPRING)["name"])

    asyncio.run(ask())
    thread = threading.Thread(target=lambda: names.append(ads.get("campaigns", SPRING)["name"]))
    thread.start()
    thread.join()
    assert names == ["Spring collection"] * 2


def test_messages_are_logged(ads, caplog):
    with caplog.at_level(logging.INFO, "ads_cli"):
        ads.call("campaigns pull", "pulled.yaml")
    assert any("pulled.yaml: 8 campaigns" in record.message for record in caplog.records)
    assert all(record.name == "ads_cli" for record in caplog.records)


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_fields_have_the_names_of_options_under_every_service(adsctl, service):
    with program(adsctl), ads_cli.connect(account="18ce54d4x5t") as ads:
        ad = next(ads.list("promoted posts"))
        (line_item,) = ads.list("line-items", line_item_ids=[ad["line_item_id"]])
        assert ad["post_id"] and line_item["product_type"] == "PROMOTED_POSTS"
        assert ads.call("promoted posts list", limit=1)[0] == ad
        assert ads.call("promoted posts list", limit=1).columns[0] == "id"


def test_a_secret_is_masked_in_an_error_and_its_hint(adsctl, httpserver, remote):
    secret = adsctl.env["ADSCTL_ACCESS_TOKEN"]
    answer = {"errors": [{"code": "BAD", "message": f"the token {secret} is odd"}]}
    httpserver.expect_request("/12/accounts").respond_with_json(answer, status=400)
    with program(adsctl), ads_cli.connect() as ads, pytest.raises(ads_cli.RefusedError) as failed:
        [*ads.list("accounts")]
    assert "***" in str(failed.value) and secret not in f"{failed.value!s}{failed.value.hint}"


def test_calls_of_a_thread_share_a_connection_to_the_service(adsctl, service, monkeypatch):
    made: list[str] = []
    connect = ThreadConnections._connect

    def counted(self, url, **options):
        made.append(url.host)
        return connect(self, url, **options)

    monkeypatch.setattr(ThreadConnections, "_connect", counted)
    with program(adsctl), ads_cli.connect(account="18ce54d4x5t") as ads:
        for _ in range(3):
            ads.get("campaigns", SPRING)
        assert len(made) == 1
        asking = threading.Thread(target=lambda: [*ads.list("campaigns", count=2)])
        asking.start()
        asking.join()
    assert len(made) == 2
