"""No file is written twice by one command, and none replaces what is read."""

import os

import pytest

from ads_cli.cli.tree import root
from ads_cli.console.options import ALL_OPTIONS, names_file
from ads_cli.fleet.commands import COMMANDS, WRITTEN
from tests.media.made import picture
from tests.products.shop import feed

CHECK = ("products", "check", "feed.csv")
OUTPUTS = {
    "--failed-out": "o.csv",
    "--write-recipe": "o.csv",
    "--report": "o.csv",
}


@pytest.fixture
def shop(adsctl):
    adsctl.file("feed.csv", feed(2))
    return adsctl


@pytest.mark.parametrize("first", OUTPUTS)
@pytest.mark.parametrize("second", OUTPUTS)
@pytest.mark.parametrize("name", ["o.csv", "./o.csv", "link.csv"])
def test_no_two_outputs_are_one_file(shop, first, second, name):
    if first == second:
        return
    (shop.home / "link.csv").symlink_to(shop.home / "o.csv")
    said = shop(*CHECK, first, "o.csv", second, name, code=2).stderr
    assert "is named twice, by" in said and first in said and second in said
    assert not (shop.home / "o.csv").exists()


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("files", ["feed.csv", "fe*.csv"])
def test_no_output_is_the_input(shop, output, files):
    said = shop("products", "check", files, output, "feed.csv", "--force", code=2).stderr
    assert "feed.csv is the input file" in said
    assert (shop.home / "feed.csv").read_text() == feed(2)


@pytest.mark.parametrize("output", ["--failed-out", "--to"])
def test_no_output_is_the_table_that_names_files_of_media(adsctl, output):
    adsctl.file("hero.png", picture("PNG", 1200, 628))
    table = adsctl.file("t.xlsx" if output == "--to" else "t.csv", "file\nhero.png\n")
    words = ("media", "check", "-f", table.name, "--format", "csv", output, table.name, "--force", "--yes")
    assert f"{output}: {table.name} is the input file" in adsctl(*words, code=2).stderr
    assert table.read_text() == "file\nhero.png\n"


@pytest.mark.parametrize(
    "words",
    [
        ("products", "convert", "feed.csv", "o.csv", "--failed-out", "o.csv"),
        ("audiences", "hash", "feed.csv", "o.csv", "--failed-out", "o.csv"),
        ("products", "push", "feed.csv", "--failed-out", "o.csv", "--report", "o.csv"),
        ("products", "sync", "feed.csv", "--failed-out", "o.csv", "--report", "o.csv"),
        ("products", "diff", "feed.csv", "--failed-out", "o.xlsx", "--to", "o.xlsx"),
        ("audiences", "check", "feed.csv", "--failed-out", "o.csv", "--write-recipe", "o.csv"),
        (
            "conversions",
            "send",
            "feed.csv",
            "--pixel",
            "1",
            "--failed-out",
            "o.csv",
            "--write-recipe",
            "o.csv",
        ),
    ],
)
def test_every_command_refuses_one_file_for_two_outputs(shop, words):
    said = shop(*words, code=2).stderr
    assert "o.csv is named twice" in said or "o.xlsx is named twice" in said


def test_a_recipe_that_is_read_may_be_written_again(shop):
    shop(*CHECK, "--write-recipe", "r.yaml")
    shop(*CHECK, "--recipe", "r.yaml", "--write-recipe", "r.yaml", "--force")


def test_what_is_no_file_takes_several_outputs(shop):
    shop(*CHECK, "--failed-out", os.devnull, "--write-recipe", os.devnull, "--force")


# What is whole in memory before anything is written.
READ_WHOLE = {"recipe", "logo", "poster", "subtitles", "segments"}
COMMON = {option.name for option in ALL_OPTIONS}


def test_what_a_command_reads_and_writes_is_known_as_a_file():
    for name, command in COMMANDS.items():
        node = root()
        for word in name.split():
            node = node.commands[word]
        files = {*command.inputs, *command.mirrors, *command.outputs, *command.shared_outputs, *WRITTEN}
        unknown = [param.name for param in node.params if param.name in files and not names_file(param)]
        assert not unknown, name
        named = {param.name for param in node.params if names_file(param)}
        assert named <= {*files, *READ_WHOLE, *COMMON}, name
        own = {command.target, *command.outputs, *command.shared_outputs}
        own |= {command.exclusive_with, command.rewrites}
        assert own - {""} <= {param.name for param in node.params}, name


def test_a_plan_is_stored_over_an_earlier_one_and_no_other_file(adsctl, service):
    text = adsctl("campaigns", "pull").stdout
    file = adsctl.file("shop.yaml", text)
    plan = ("campaigns", "plan", "shop.yaml", "--out")
    assert "--out: shop.yaml is the input file" in adsctl(*plan, "./shop.yaml", code=2).stderr
    assert "is named twice" in adsctl(*plan, "a.html", "--report", "a.html", code=2).stderr
    assert "--log-file: a.plan" in adsctl(*plan, "a.plan", "--log-file", "a.plan", code=2).stderr
    notes = adsctl.file("notes.txt", "mine")
    assert "--out: notes.txt exists and is no stored plan" in adsctl(*plan, "notes.txt", code=2).stderr
    assert file.read_text() == text and notes.read_text() == "mine"
    for _ in range(2):
        adsctl(*plan, "a.plan")
