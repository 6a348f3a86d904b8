"""Columns that are missing, unknown or repeated."""

import json

import pytest

from tests.conftest import feed
from tests.products.refusals import HEADER, refused, row


def test_an_unknown_column_is_a_warning_with_a_suggestion(adsctl):
    adsctl.file("feed.csv", feed(1, colour="blue", zzz="x"))
    done = adsctl.local("products", "push", "feed.csv")
    assert "'colour' is not sent; to send it: --map colour=color\n" in done.stderr
    assert "1 column is not known and not sent: 'zzz'\n" in done.stderr


def test_many_unknown_columns_are_one_line(adsctl):
    adsctl.file("feed.csv", feed(1, **{f"shop_{n}": "x" for n in range(38)}, colour="blue", style="x"))
    meant, message = [
        line
        for line in adsctl.local("products", "push", "feed.csv").stderr.splitlines()
        if line.startswith("note: feed.csv")
    ]
    assert "39 columns" in message and "and 34 more" in message and "colour" in meant
    assert "style" not in message and "title" not in message


def test_a_missing_column_is_reported_once(adsctl):
    text = feed(50).replace("price", "Preis", 1)
    said = refused(adsctl, text)
    assert "feed.csv: price: the file has no such column; is 'Preis' meant? --map 'Preis=price'" in said
    assert said.count("price") == 2 and "50 of 50 rows invalid" in said
    assert """--map 'Pre'"'"'is=price'""" in refused(adsctl, feed(2).replace("price", "Pre'is", 1))


def test_a_missing_column_does_not_hide_the_findings_of_the_rest(adsctl):
    rows = [row(), row(id="sku-2", price="cheap"), row(id="sku-3", condition="old")]
    text = f"{HEADER}\n{''.join(rows)}".replace("title", "name", 1).replace(",link", ",url", 1)
    adsctl.file("feed.csv", text)
    options = ("--failed-out", "failed.csv", "-o", "json")
    report = json.loads(adsctl("products", "check", "feed.csv", *options, code=3).stdout)
    assert [(each["field"], each["rows"], each["lines"]) for each in report["findings"]] == [
        ("title", 3, []),
        ("link", 3, []),
        ("price", 1, [3]),
        ("condition", 1, [4]),
    ]
    assert (report["valid"], report["invalid"]) == (0, 3)
    failed = (adsctl.home / "failed.csv").read_text()
    assert failed.count("title: is required; ") == failed.count("link: is required") == 3
    adsctl.file("feed.csv", text.replace("cheap", "1 EUR").replace("old", "new"))
    options = ("--map", "url=link", "--set", "title={name}")
    assert "3 valid" in adsctl("products", "check", "feed.csv", *options, "-o", "table").stdout


def test_a_file_without_any_required_column_is_refused_at_once(adsctl):
    adsctl.file("feed.csv", "word,colour\nMug,red\n")
    said = adsctl("products", "check", "feed.csv", code=3).stderr
    assert "feed.csv: no column 'id', 'title'" in said
    assert "the file's columns are: word, colour" in said and "try:" not in said
    assert "'adsctl products check FILE --interactive' asks for each column" in said
    adsctl.file("people.csv", "name,email\nAda,ada@shop.example\n")
    assert "try:" not in adsctl("products", "check", "people.csv", code=3).stderr


def test_a_column_can_be_read_as_another_field(adsctl):
    adsctl.file("feed.csv", feed(3).replace("price", "Preis", 1))
    adsctl.local("products", "push", "feed.csv", "--map", "Preis=price")
    assert (
        "no column 'Prijs'"
        in adsctl.local("products", "push", "feed.csv", "--map", "Prijs=price", code=2).stderr
    )
    assert (
        "did you mean 'price'"
        in adsctl.local("products", "push", "feed.csv", "--map", "a=prise", code=2).stderr
    )


def test_a_column_that_is_mapped_to_two_fields_is_refused_and_not_sent_as_one_of_them(adsctl):
    adsctl.file("feed.csv", feed(3).replace("title", "Name", 1))
    twice = ("--map", "Name=title", "--map", "Name=description")
    said = adsctl("products", "check", "feed.csv", *twice, code=2).stderr
    assert "--map: 'Name' is to be read as 'title' and as 'description'" in said
    assert "--set 'description={Name}'" in said
    same = ("--map", "Name=title", "--map", "Name=title")
    assert "3 valid" in adsctl("products", "check", "feed.csv", *same, "-o", "table").stdout


def test_a_repeated_column_whose_values_differ_is_reported(adsctl):
    said = refused(adsctl, HEADER + ",title\n" + row().rstrip("\n") + ",Another\n")
    assert "feed.csv:2: " in said and "'Another'" in said


@pytest.mark.parametrize("column", ["id", "price", "brand"])
def test_a_feed_without_a_required_column_has_no_valid_row_to_send(adsctl, service, column):
    adsctl.file("feed.csv", feed(30).replace(column, "other", 1))
    options = ("--skip-invalid", "--failed-out", "failed.csv", "-o", "json")
    done = adsctl("products", "push", "feed.csv", *options, code=9)
    summary = json.loads(done.stdout)
    assert (summary["rows"], summary["valid"], summary["invalid"]) == (30, 0, 30)
    assert service.puts == [] and "30 invalid rows not sent" in done.stderr
    assert len((adsctl.home / "failed.csv").read_text().splitlines()) == 31


def test_one_option_for_several_columns_says_how_it_is_written(adsctl):
    adsctl.file("feed.csv", "SKU,Name\n1,x\n")
    said = adsctl("products", "check", "feed.csv", "--map", "SKU=id,Name=title", code=2).stderr
    assert "--map: takes one column" in said and "--map 'SKU=id' --map 'Name=title'" in said
