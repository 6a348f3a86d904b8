"""A file of several records is read in any format, validated whole, and sent in few requests."""

import csv
import io
import json
import time

import pytest

UPDATE, DELETE = ("line-items", "update"), ("line-items", "delete")
CLICKS, REACH, INSTALLS = "9d4c1", "9d4c2", "9d4d1"  # seeded
ROWS = [(CLICKS, "First"), (REACH, "Second")]
OBJECTS = [{"line_item_id": id, "name": name} for id, name in ROWS]
OPERATIONS = [{"operation_type": "Update", "params": values} for values in OBJECTS]
FILES = {
    "rows.csv": "line_item_id,name\n9d4c1,First\n9d4c2,Second\n",
    "rows.tsv": "line_item_id\tname\n9d4c1\tFirst\n9d4c2\tSecond\n",
    "rows.yaml": "- {line_item_id: 9d4c1, name: First}\n- line_item_id: 9d4c2\n  name: Second\n",
    "rows.json": json.dumps(OBJECTS),
    "rows.jsonl": "\n".join(map(json.dumps, OBJECTS)),
    "operations.json": json.dumps(OPERATIONS),
    "nulls.json": json.dumps(
        [{"operation_type": "Update", "params": values | {"end_time": None}} for values in OBJECTS]
    ),
    "operations.yaml": "# changes\n---\n" + json.dumps(OPERATIONS),
    "headings.csv": "Line item ID;Name\n9d4c1;First\n9d4c2;Second\n",
    "listed.csv": "id,name,created_at,deleted\n9d4c1,First,2026-02-20T10:05:00Z,false\n9d4c2,Second,,false\n",
}


@pytest.mark.parametrize("name", FILES)
def test_several_records_are_one_request(adsctl, name):
    adsctl.file(name, FILES[name])
    done = adsctl.local(*UPDATE, "-f", name, "-o", "json", "--debug")
    assert [(record["id"], record["name"]) for record in json.loads(done.stdout)] == ROWS
    assert done.stderr.count("POST ") == 1 and f"{name}: 2 line items: 2 updated" in done.stderr


def test_a_file_in_another_encoding_is_to_be_saved_by_a_command_that_has_no_option_for_it(adsctl):
    adsctl.file("rows.csv", "line_item_id,name\n9d4c1,Grün für draußen\n9d4c2,Größe\n".encode("cp1252"))
    said = adsctl.local(*UPDATE, "-f", "rows.csv", code=3).stderr
    assert "rows.csv:2: not UTF-8; as cp1252 it reads" in said
    assert "hint: save the file as UTF-8" in said and "--encoding" not in said


def test_standard_input_is_a_list(adsctl):
    done = adsctl.local(*UPDATE, "-f", "-", "-o", "ids", input=json.dumps(OBJECTS))
    assert done.stdout.split() == [CLICKS, REACH]
    table = adsctl.local(*UPDATE, "-f", "-", "--format", "csv", "-o", "ids", input=FILES["rows.csv"])
    assert table.stdout == done.stdout


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("one.yaml", "line_item_id: 9d4c1\nname: First\n"),
        ("one.json", '[{"line_item_id": "9d4c1", "name": "First"}]'),
        ("one.csv", "line_item_id,name\n9d4c1,First\n"),
    ],
)
def test_a_single_record_is_the_plain_request(adsctl, name, content):
    adsctl.file(name, content)
    done = adsctl.local(*UPDATE, "-f", name, "-o", "json", "--debug")
    assert json.loads(done.stdout)["name"] == "First"
    assert "PUT " in done.stderr and "/batch/" not in done.stderr


def test_a_row_of_a_table_has_lists_and_amounts(adsctl):
    adsctl.file("rows.csv", f'id,categories,daily_budget\n{CLICKS},"IAB1,IAB2",20\n{REACH},,12.5\n')
    done = adsctl.local(*UPDATE, "-f", "rows.csv", "--dry-run", "-o", "json", "--currency", "EUR")
    (request,) = json.loads(done.stdout)
    first, second = (operation["params"] for operation in request["body"])
    assert first == {
        "line_item_id": CLICKS,
        "categories": "IAB1,IAB2",
        "daily_budget_amount_local_micro": 20_000_000,
    }
    assert second == {"line_item_id": REACH, "daily_budget_amount_local_micro": 12_500_000}


def test_options_outrank_every_record(adsctl):
    adsctl.file("rows.csv", FILES["rows.csv"])
    done = adsctl.local(*UPDATE, "-f", "rows.csv", "--name", "Same", "-o", "json")
    assert {record["name"] for record in json.loads(done.stdout)} == {"Same"}
    refused = adsctl.local(*UPDATE, "-f", "rows.csv", "--goal", "NONE", code=2)
    assert "--goal: 'NONE' is not one of" in refused.stderr


def test_an_id_and_several_records_are_refused(adsctl):
    adsctl.file("rows.csv", FILES["rows.csv"])
    refused = adsctl.local(*UPDATE, CLICKS, "-f", "rows.csv", code=2)
    assert "LINE_ITEM_ID: names one record, and rows.csv has several" in refused.stderr


@pytest.mark.parametrize("option", [("--resume",), ("--failed-out", "failed.csv"), ("--uncertain", "skip")])
def test_options_of_a_file_need_one(adsctl, option):
    refused = adsctl.local("campaigns", "create", *option, code=2)
    assert f"{option[0]}: is for a file of several records" in refused.stderr


def test_the_only_record_of_a_document_is_not_written_to_a_file_of_failed_ones(adsctl):
    adsctl.file("one.yaml", "name: Autumn\nfunding_instrument_id: 4a1n0\n")
    refused = adsctl.local("campaigns", "create", "-f", "one.yaml", "--failed-out", "failed.csv", code=2)
    assert "--failed-out: is for a file of several records" in refused.stderr


def test_everything_wrong_is_told_and_nothing_is_sent(adsctl):
    adsctl.file(
        "bad.csv",
        "line_item_id,name,goal,budget\n9d4c1,First,NONE,1\n9d4c1,Second,,\n9d4c2,,,\n9d4c9,,REACH,\n",
    )
    refused = adsctl.local(*UPDATE, "-f", "bad.csv", "--failed-out", "failed.csv", code=3)
    for problem in (
        "bad.csv:2: goal: 'NONE' is not one of",
        "bad.csv:2: budget: is not a known field",
        "bad.csv:3: line_item_id: '9d4c1' is also on line 2",
        "bad.csv:4: has nothing to change",
        "4 of 4 rows invalid",
    ):
        assert problem in refused.stderr
    failed = list(csv.DictReader(io.StringIO((adsctl.home / "failed.csv").read_text())))
    assert [row["_line"] for row in failed] == ["2", "3", "4", "5"]
    assert "/batch/" not in adsctl.local(*UPDATE, "-f", "bad.csv", "--debug", code=3).stderr


def test_an_id_twice_on_one_line_is_refused(adsctl):
    adsctl.file(
        "twice.json", json.dumps([{"id": "9d4c1", "name": "First"}, {"id": "9d4c1", "name": "Second"}])
    )
    refused = adsctl.local(*UPDATE, "-f", "twice.json", code=3)
    assert "record 2: line_item_id: '9d4c1' is also record 1" in refused.stderr


def test_a_text_of_megabytes_takes_no_minutes(adsctl):
    adsctl.file("long.json", json.dumps([{"id": "9d4c1", "name": "x" * 10_000_000}, {"name": "y"}]))
    begun = time.process_time()
    refused = adsctl.local(*UPDATE, "-f", "long.json", code=3)
    assert "record 2: line_item_id: is required" in refused.stderr
    assert time.process_time() - begun < 4  # a second, unless the whole text is scanned with each part of it


def test_an_operation_of_another_kind_names_its_command(adsctl):
    adsctl.file("mixed.json", json.dumps([*OPERATIONS, {"operation_type": "Delete", "params": OBJECTS[0]}]))
    refused = adsctl.local(*UPDATE, "-f", "mixed.json", code=3)
    assert "operation_type: must be Update for 'adsctl line-items update', not 'Delete'" in refused.stderr


def test_a_rejected_record_comes_back_and_the_others_are_sent(adsctl):
    adsctl.file("rows.csv", "line_item_id,name\n9d4c1,First\nnone1,Second\n9d4c2,Third\n")
    done = adsctl.local(*UPDATE, "-f", "rows.csv", "-o", "json", "--failed-out", "failed.csv", code=9)
    assert [record["name"] for record in json.loads(done.stdout)] == ["First", "Third"]
    assert "rows.csv:3: rejected: the line item none1 does not exist" in done.stderr
    (row,) = csv.DictReader(io.StringIO((adsctl.home / "failed.csv").read_text()))
    assert row == {
        "line_item_id": "none1",
        "name": "Second",
        "_line": "3",
        "_error": "the line item none1 does not exist",
    }
    corrected = (adsctl.home / "failed.csv").read_text().replace("none1", INSTALLS)
    adsctl.file("corrected.csv", corrected)
    assert json.loads(adsctl.local(*UPDATE, "-f", "corrected.csv", "-o", "json").stdout)["name"] == "Second"


def test_deleting_asks_with_the_count(adsctl):
    adsctl.file("ids.csv", "id\n9d4c1\n9d4c2\n")
    refused = adsctl.local(*DELETE, "-f", "ids.csv", code=12)
    assert "not confirmed: Delete 2 line items; this cannot be undone" in refused.stderr
    done = adsctl.local(*DELETE, "-f", "ids.csv", "--yes", "-o", "json")
    assert [record["deleted"] for record in json.loads(done.stdout)] == [True, True]
    again = adsctl.local(*DELETE, "-f", "ids.csv", "--yes", code=9)
    assert "2 rows rejected by the service" in again.stderr


def test_a_file_is_cut_at_the_size_of_a_batch(adsctl):
    rows = "".join(f"none{number},Name\n" for number in range(95))
    adsctl.file("many.csv", f"line_item_id,name\n{rows}")
    done = adsctl.local(*UPDATE, "-f", "many.csv", "--dry-run", "-o", "json")
    assert [len(request["body"]) for request in json.loads(done.stdout)] == [40, 40, 15]


def test_the_names_of_service_x_are_sent(adsctl):
    rows = [{"id": CLICKS, "name": "First"}, {"id": REACH, "name": "Second"}]
    done = adsctl.local("--service", "x", *UPDATE, "-f", "-", "-o", "json", input=json.dumps(rows))
    assert json.loads(done.stdout)[0]["placements"] == ["ALL_ON_TWITTER"]


def test_the_help_says_that_several_records_are_sent(adsctl):
    help = " ".join(adsctl("line-items", "update", "--help").stdout.split())
    assert "several records, in a list or a table, are sent 40 at a time" in help
    assert "[LINE_ITEM_ID...]" in help


def test_lists_are_texts_of_the_names_of_the_service(adsctl):
    row = {"campaign_id": "8wku2", "objective": "WEBSITE_CLICKS", "product_type": "PROMOTED_POSTS"}
    row |= {"start_time": "2099-03-01", "placements": ["PLATFORM_TIMELINE", "PLATFORM_SEARCH"]}
    adsctl.file("rows.json", json.dumps([row, row | {"placements": "TWITTER_PROFILE,TWITTER_TIMELINE"}]))
    words = ("line-items", "create", "-f", "rows.json", "--dry-run", "-o", "json")
    (request,) = json.loads(adsctl.local("--service", "x", *words).stdout)
    sent = [operation["params"] for operation in request["body"]]
    assert [params["placements"] for params in sent] == [
        "TWITTER_TIMELINE,TWITTER_SEARCH",
        "TWITTER_PROFILE,TWITTER_TIMELINE",
    ]
    assert {(params["product_type"], params["entity_status"]) for params in sent} == {
        ("PROMOTED_TWEETS", "PAUSED")
    }
    adsctl.file("one.json", json.dumps([row, row]))
    for service in ("x", "generic"):
        made = adsctl.local("--service", service, "line-items", "create", "-f", "one.json", "-o", "json")
        assert len(json.loads(made.stdout)) == 2


OTHER_ACCOUNT = "18ce55gze09"


@pytest.mark.parametrize(
    ("words", "record"),
    [
        (("campaigns", "create"), {"name": "North", "funding_instrument_id": "4a1n0", "daily_budget": "5"}),
        (("campaigns", "update"), {"campaign_id": "8wku2", "name": "North"}),
        (("campaigns", "delete"), {"campaign_id": "8wku2"}),
    ],
)
def test_records_of_another_account_are_not_sent_to_the_one_that_is_at_hand(
    adsctl, service, writes, words, record
):
    """An agency's file names the account of each record, and one of them is not that of the profile."""
    other = record | {"account_id": OTHER_ACCOUNT}
    if "campaign_id" in other:
        other["campaign_id"] = "8wku3"
    for records in ([other], [record | {"account_id": "18ce54d4x5t"}, other]):
        adsctl.file("all.json", json.dumps(records))
        message = adsctl(*words, "-f", "all.json", "--yes", code=3).stderr
        assert "account_id: is '18ce55gze09', and the command works in '18ce54d4x5t'" in message
    adsctl.file("one.json", json.dumps(other))
    assert "account_id: is '18ce55gze09'" in adsctl(*words, "-f", "one.json", "--yes", code=3).stderr
    assert not writes
    adsctl.file("all.csv", f"account_id,{','.join(record)}\n18ce54d4x5t,{','.join(record.values())}\n")
    adsctl(*words, "-f", "all.csv", "--yes")
    assert len(writes) == 1


def test_a_set_of_the_only_catalog_is_shown_by_a_dry_run_which_does_not_look_for_it(adsctl):
    record = {
        "name": "Mugs",
        "type": "MANUAL",
        "product_keys": ["1z4zdm4jwyln3271"],
        "product_catalog_id": "7310248000000000001",
    }
    words = ("catalog", "sets", "create", "-f", "-")
    assert "CATALOG/" in adsctl.local(*words, "--dry-run", input=json.dumps(record)).stdout
    message = adsctl.local(*words, "--catalog", "another", input=json.dumps(record), code=3).stderr
    assert "product_catalog_id: is '7310248000000000001', and the command works in 'another'" in message
