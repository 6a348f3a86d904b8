"""Loops of a fleet over profiles and files, and how their values are filled in."""

import json
import re
import shlex

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ads_cli.cli.tree import root
from ads_cli.errors import ContentError
from ads_cli.feeds.text_rows import TextRow
from ads_cli.fleet.commands import FleetCommands
from ads_cli.fleet.expansion import Expansion
from ads_cli.fleet.file import FleetFile, TaskEntry, TaskProblem, parse_fleet
from tests.conftest import ROOT, feed
from tests.effort import tries


def commands(adsctl) -> dict[str, str]:
    shown = json.loads(adsctl("fleet", "check", "fleet.yaml", "-o", "json").stdout)
    return {record["task"]: record["command"] for record in shown}


def test_a_loop_over_profiles_makes_a_task_for_each_that_matches(fleet, service, profiles, feeds, adsctl):
    profiles("shop-a", "shop-b", "other")
    feeds("shop-a", "shop-b")
    fleet.write('{for: {profiles: "shop-*"}, run: "products push {profile}.csv"}')
    assert commands(adsctl) == {
        "shop-a": "--profile=shop-a products push shop-a.csv",
        "shop-b": "--profile=shop-b products push shop-b.csv",
    }


def test_a_loop_over_files_keeps_every_name_one_word(fleet, adsctl):
    names = [
        "two words.csv",
        "it's.csv",
        'say "hi".csv',
        "$(touch pwned).csv",
        "{profile}.csv",
        "-rf.csv",
        "@HOME",
    ]
    for name in names:
        adsctl.file(name, feed(1))
    fleet.write(
        '{name: "n{number}", for: {files: ["*.csv", "@*"]}, profile: local,'
        ' run: "products check --format csv {file}"}'
    )
    records = fleet()
    assert [record["status"] for record in records] == ["ok"] * len(names)
    assert not (adsctl.home / "pwned").exists()


def test_two_loops_make_every_pair_and_names_tell_them_apart(fleet, feeds, profiles, service, adsctl):
    profiles("a", "b")
    feeds("x", "y")
    fleet.write('{for: {profiles: [a, b], files: "[xy].csv"}, run: "products check {file}"}')
    assert list(commands(adsctl)) == ["a x.csv", "a y.csv", "b x.csv", "b y.csv"]


def test_a_pattern_that_matches_nothing_is_a_mistake(fleet, adsctl, feeds):
    feeds("a")
    adsctl("profile", "set", "shop", "service=x")
    fleet.write(
        '{for: {profiles: "shpo"}, run: "products check a.csv"}',
        '{for: {files: "none-*.csv"}, profile: local, run: "products check {file}"}',
        '{name: x, profile: local, run: "products check {file}"}',
    )
    message = fleet.check()
    assert "for: profiles: 'shpo' matches no profile; did you mean 'shop'?" in message
    assert "for: files: none-*.csv matches no file" in message
    assert "{file} stands for nothing: the task has no file" in message


def test_a_mistake_of_a_loop_is_told_once_and_not_for_each_profile(fleet, adsctl, feeds):
    feeds("a")
    for name in ("shop-a", "shop-b", "shop-c"):
        adsctl("profile", "set", name, "service=x")
    fleet.write(
        '{for: {profiles: "shop-*"}, run: "products check {file}"}',
        '{name: feed, for: {profiles: "shop-*"}, run: "products check a.csv"}',
    )
    message = fleet.check()
    assert message.count("{file} stands for nothing: the task has no file") == 1
    assert message.count("the name 'feed' is that of the task of line 3") == 1
    assert "2 mistakes in the file" in message


def test_a_star_does_not_mean_the_emulator(fleet, adsctl, feeds):
    feeds("a")
    fleet.write('{for: {profiles: "*"}, run: "products check a.csv"}')
    assert "matches no profile" in fleet.check()
    fleet.write('{for: {profiles: local}, run: "products check a.csv"}')
    assert list(commands(adsctl)) == ["local"]


def test_many_tasks_are_checked(fleet, adsctl, feeds):
    count = tries(60, 500)
    for number in range(count):
        adsctl.file(f"part-{number:03}.csv", "email\na@shop.example\n")
    fleet.write('{for: {files: "part-*.csv"}, profile: local, run: "audiences push {file} --audience 1nmth"}')
    assert len(commands(adsctl)) == count


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("docs/fleet.md", [["nord", "shop-a", "shop-b", "part-1.parquet", "sued"]]),
        ("docs/many-clients.md", [["Nordlicht", "Kastanie"], ["shop-a", "shop-b"]]),
    ],
)
def test_the_examples_of_the_documentation_are_fleets(page, names):
    texts = re.findall("```yaml\n(.*?)```", (ROOT / page).read_text(), re.S)
    for text, expected in zip(texts, names, strict=True):
        problems: list[TaskProblem] = []
        fleet = parse_fleet(text, page, FleetCommands(root()), problems)
        expansion = Expansion(
            fleet,
            ["shop-a", "shop-b", "other"],
            lambda patterns: ["s3://bucket/people/part-1.parquet"],
            lambda table: [TextRow(2, {"profile": "sued", "client": "Alpenrose", "list": "2k4f0"})],
        )
        assert [line.name for line in expansion.lines()] == expected
        assert (problems, expansion.problems) == ([], [])


KEYWORDS = st.sampled_from(["defaults", "tasks", "name", "profile", "run", "for", "profiles", "files", "x"])
WORDS = st.sampled_from(["products push a.csv", "{file} {profile}", "audiences push", "'", "*"]) | st.text(
    max_size=5
)
VALUES = st.recursive(
    st.none() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4),
    max_leaves=20,
)


@given(
    document=st.fixed_dictionaries({"tasks": st.lists(st.dictionaries(KEYWORDS, VALUES), max_size=3)})
    | VALUES
)
def test_any_document_is_a_fleet_or_has_mistakes(document):
    problems: list[TaskProblem] = []
    try:
        fleet = parse_fleet(json.dumps(document), "fleet.yaml", FleetCommands(root()), problems)
    except ContentError:
        return
    expansion = Expansion(fleet, ["shop"], lambda patterns: ["a b.csv"])
    lines = expansion.lines()
    assert problems or expansion.problems or len(lines) >= len(fleet.entries) >= 1


@given(file=st.text(min_size=1), profile=st.text(min_size=1))
def test_what_is_filled_in_is_never_parted_and_never_filled_in_again(file, profile):
    entry = TaskEntry(
        1, "products push", ("{file}", "x={profile}", "{Handle}"), "{number}", profile, files=("*",)
    )
    (line,) = Expansion(FleetFile({}, [entry]), [], lambda patterns: [file]).lines()
    shown = f"./{file}" if file[0] in "-@" else file
    assert line.words[2:] == (shown, f"x={profile}", "{Handle}")


def test_a_loop_over_rows_gives_each_client_its_own_values_as_one_word_each(fleet, adsctl, profiles, service):
    profiles("nord", "sued")
    hostile = 'Best of "nord"; $(touch pwned) {budget}'
    adsctl.file("a.csv", "email\na@shop.example\n")
    rows = f'profile,list,file,note\nnord,1nmth,a.csv,"{hostile.replace(chr(34), chr(34) * 2)}"\n'
    adsctl.file("clients.csv", rows + "sued,2nmth,a.csv,plain\n")
    fleet.write(
        '{for: {rows: clients.csv}, run: "audiences push {file} --audience {list} --log-file {note}"}'
    )
    shown = commands(adsctl)
    assert list(shown) == ["nord", "sued"]
    words = shlex.split(shown["nord"])
    assert words[-7:] == ["audiences", "push", "a.csv", "--audience", "1nmth", "--log-file", hostile]
    assert shlex.split(shown["sued"])[-5:-2] == ["a.csv", "--audience", "2nmth"]


def test_a_task_can_name_its_profile_and_itself_by_columns(fleet, adsctl, profiles, service, feeds):
    profiles("shop-nord")
    feeds("a")
    adsctl.file("clients.csv", "client,feed\nnord,a.csv\n")
    fleet.write(
        '{name: "feed of {client}", for: {rows: clients.csv}, profile: "shop-{client}",'
        ' run: "products push {feed}"}'
    )
    assert commands(adsctl) == {"feed of nord": "--profile=shop-nord products push a.csv"}


def test_what_a_row_may_not_say_is_told_with_its_line(fleet, adsctl):
    adsctl.file("clients.csv", "client,file,none\n-y,x.csv,\n@HOME,x.csv,1\n")
    adsctl.file("signed.csv", "profile\n\nshop-*\n,\n")
    fleet.write(
        '{name: "a {number}", for: {rows: clients.csv}, profile: local, run: "products check {client}"}',
        '{name: "b {number}", for: {rows: clients.csv}, profile: local, run: "products check {flie} {none}"}',
        '{name: "c {number}", for: {rows: missing.csv}, run: "products check a.csv"}',
        '{name: "d {number}", for: {rows: signed.csv}, run: "products check a.csv"}',
        '{name: "e {number}", for: {rows: clients.csv, files: "*.csv"}, run: "products check {file}"}',
    )
    message = fleet.check(code=3)
    for words in (
        "clients.csv:2: {client} begins with '-' and would be an option; write --OPTION={client}",
        "clients.csv:3: {client} begins with '@' and would name a file or a variable",
        "{flie} is not a column of the table; did you mean 'file'?",
        "clients.csv:2: {none} is empty",
        "missing.csv",
        "'shop-*' is not the name of one profile",
        "for: rows: a column is called file, as what for: files loops over",
    ):
        assert words in message, (words, message)
    assert message.count("{flie} is not a column") == 1


@given(value=st.text(min_size=1), at=st.sampled_from(["{c}", "--x={c}", "a{c}"]))
def test_a_value_of_a_row_stays_in_its_word_and_is_never_an_option(value, at):
    entry = TaskEntry(1, "products push", (at, "--y"), "{number}", "shop", rows=("t.csv",))
    expansion = Expansion(
        FleetFile({}, [entry]), [], lambda patterns: [], lambda name: [TextRow(2, {"c": value})]
    )
    (line,) = expansion.lines()
    assert line.words[2:] == (at.replace("{c}", value), "--y")
    starts = at != "a{c}" and (value[0] == "@" or (value[0] == "-" and at == "{c}"))
    assert bool(expansion.problems) == starts
