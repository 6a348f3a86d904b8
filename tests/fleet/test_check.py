"""`fleet check`: everything that is wrong with the file of a fleet, at once, and before anything runs."""

import json
from contextlib import suppress

import pytest

from ads_cli.auth import Secret
from ads_cli.auth.secret_stores import FileStore
from ads_cli.cli.tree import root
from ads_cli.client.prepared_request import UserKeys
from ads_cli.console.options import NESTED_METAVAR, names_file
from ads_cli.errors import AccessError, UsageError
from ads_cli.fleet.check import NOT_IN_LINES
from ads_cli.fleet.cluster_worker import token_of
from ads_cli.fleet.commands import READ_BY_ALL, READ_TOO, SHARED, WRITTEN, FleetCommands
from tests.conftest import feed


def test_every_mistake_is_told_at_once_with_its_line(fleet, feeds, adsctl):
    feeds("a")
    adsctl.file(
        "fleet.yaml",
        """defualts: {}
tasks:
  - {name: one, profile: local, run: products psh a.csv}
  - {name: two, profil: local, run: products push a.csv}
  - {name: three, profile: local, run: products push a.csv --concurency 3}
  - {name: four, profile: loacl, run: products push a.csv}
  - {name: five, profile: local, run: products push b.csv}
  - {profile: local, run: products push a.csv}
  - just text
""",
    )
    message = fleet.check().splitlines()
    expected = [
        (1, "'defualts' is not a key of the file; did you mean 'defaults'?"),
        (3, "'products psh a.csv' is not a command that a fleet runs; did you mean 'products push'?"),
        (4, "'profil' is not a key of a task; did you mean 'profile'?"),
        (5, "three: no such option: --concurency"),
        (6, "four: there is no profile 'loacl'; did you mean 'local'?"),
        (7, "five: b.csv cannot be opened: No such file or directory"),
        (8, "the task has no name; add a line such as name: feed"),
        (1, "task 7 must be a mapping"),
    ]
    for line, text in expected:
        assert any(f"fleet.yaml:{line}: {text}" in part for part in message), (line, text, message)


def test_a_wrong_key_is_told_with_its_own_line(fleet, adsctl):
    lines = (
        "defaults:",
        "  products push: --strict",
        "",
        "  bogus one: --x",
        "tasks:",
        "- name: a",
        "",
        "  rum: x",
    )
    adsctl.file("fleet.yaml", "\n".join(lines) + "\n")
    message = fleet.check()
    assert "fleet.yaml:4: defaults: " in message and "fleet.yaml:8: 'rum' is not a key of a task" in message


@pytest.mark.parametrize(
    "run",
    [
        "auth login",
        "auth token",
        "emulator serve",
        "emulator env",
        "fleet run fleet.yaml",
        "profile set x output json",
        "jobs list",
        "help",
    ],
)
def test_what_makes_no_sense_in_a_fleet_is_refused(fleet, run):
    fleet.write(f"{{name: one, profile: local, run: {run}}}")
    assert "is not a command that a fleet runs" in fleet.check()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-o csv", "--output has no place here: the fleet reads the result as JSON"),
        ("--query x", "--query has no place here"),
        ("--profile other", "--profile has no place here: the task's profile: names it"),
        ("--help", "it shows a text, and does nothing"),
        ("--concurrency 99", "--concurrency: 99 is not a whole number (1 to 32)"),
        ("https://me:sesame@shop.example/feed.csv", "https://***@shop.example/feed.csv holds a password"),
        ("-", "a task has no standard input"),
        ("--failed-out -", "standard output is the result of a task"),
        ("'unclosed", "cannot be parted into words: no closing quotation"),
    ],
)
def test_an_option_that_has_no_place_in_a_task_is_refused(fleet, feeds, options, message):
    feeds("a")
    fleet.write(f"{{name: one, profile: local, run: {json.dumps(f'products push a.csv {options}')}}}")
    stderr = fleet.check()
    assert message in stderr
    assert "sesame" not in stderr


@pytest.mark.parametrize(
    "options",
    [
        "--on-failure 'true https://me:sesame@shop.example'",
        "--on-failure='true https://me:sesame@shop.example'",
        "--set link=https://me:sesame@shop.example/",
        "--where 'link!=https://me:sesame@shop.example/'",
        "--no-such-option 'x https://me:sesame@shop.example/'",
        "https://shop.example/feed.csv?to=https://me:sesame@shop.example/",
        "'x https://me:sesame@shop.example",
    ],
)
def test_a_password_anywhere_in_a_line_is_refused_and_not_shown(fleet, feeds, options):
    feeds("a")
    fleet.write(f"{{name: one, profile: local, run: {json.dumps(f'products push a.csv {options}')}}}")
    stderr = fleet.check()
    assert "holds a password" in stderr or "no closing quotation" in stderr
    assert "sesame" not in stderr


def test_a_request_of_a_task_has_its_body_in_a_file(fleet, adsctl):
    run = "profile: local, run: api POST /12/accounts/18ce54d4x5t/cards --input"
    fleet.write(f"{{name: one, {run} -}}", f"{{name: two, {run} none.json}}")
    message = fleet.check()
    assert "one: a task has no standard input; name a file" in message
    assert "two: none.json cannot be opened" in message


def test_a_list_is_hashed_into_a_file_of_its_own(fleet, adsctl):
    adsctl.file("people.csv", "email\na@shop.example\n")
    run = "profile: local, run: audiences hash people.csv"
    for to in ("", " -"):
        fleet.write(f"{{name: one, {run}{to}}}")
        assert "one: standard output is the result of a task; name a file to write" in fleet.check()
    fleet.write(f"{{name: one, {run} out.csv}}", f"{{name: two, {run} ./out.csv}}")
    assert "two: writes ./out.csv, as one (line 2) does" in fleet.check()
    fleet.write(f"{{name: one, {run} out.csv}}")
    (record,) = fleet()
    assert (record["status"], record["exit_code"]) == ("ok", 0)
    assert (adsctl.home / "out.csv").read_text().startswith("email\n")


@pytest.mark.parametrize(
    ("guard", "run"),
    [
        ("read_only=true", "posts drafts preview 1790415000000000001"),
        ("read_only=true", "audiences combine --name x --any-of 1nmth"),
        ("deny=delete", "campaigns delete 8wku2"),
        ("deny=delete", "audiences push a.csv --audience 1nmth --operation delete"),
        ("deny=users", "audiences push a.csv --audience 1nmth"),
    ],
)
def test_the_guard_of_a_profile_refuses_a_task_before_it_runs(
    fleet, service, profiles, adsctl, feeds, guard, run
):
    profiles("nord")
    feeds("a")
    adsctl("profile", "set", "nord", f"guard.{guard}")
    fleet.write(f"{{name: one, profile: nord, run: {run}}}")
    assert "one: the guard refuses adsctl" in fleet.check(code=12)


def test_a_fleet_whose_profile_is_not_signed_in_ends_with_4_whatever_a_guard_refuses(fleet, adsctl, feeds):
    feeds("a")
    adsctl("profile", "set", "nord", "service=x", "account=acc", "guard.read_only=true")
    fleet.write("{name: one, profile: nord, run: products push a.csv}")
    message = fleet.check(code=4)
    assert "not signed in" in message and "the guard refuses" in message


def test_an_estimate_is_no_change_that_a_guard_refuses(fleet, service, profiles, adsctl):
    profiles("nord")
    adsctl("profile", "set", "nord", "guard.read_only=true")
    fleet.write("{name: one, profile: nord, run: audiences estimate}")
    fleet.check(code=0)


@pytest.mark.parametrize("pattern", ["feeds/*.csv", "**/new.csv", "./feeds/n[e]w.csv"])
def test_a_pattern_that_matches_what_another_task_writes_is_a_conflict(fleet, adsctl, feeds, pattern):
    (adsctl.home / "feeds").mkdir()
    feeds("feeds/new", "feeds/old", "other")
    fleet.write(
        "{name: one, profile: local, run: products convert other.csv feeds/new.csv}",
        f"{{name: two, profile: local, run: 'products check {pattern}'}}",
        "{name: three, profile: local, run: 'products check feeds/o*.csv'}",
    )
    message = fleet.check().splitlines()
    assert f"two: reads {pattern}, which one (line 2) writes" in message[0] and "1 mistake" in message[1]


def test_a_password_in_a_name_is_refused_since_ps_would_show_it(fleet, feeds):
    feeds("a")
    fleet.write("{name: 'to https://me:sesame@shop.example/x', profile: local, run: products check a.csv}")
    stderr = fleet.check()
    assert "holds a password" in stderr and "sesame" not in stderr


def test_what_a_fleet_shows_of_a_line_has_no_query_anywhere_in_a_word(fleet, feeds, adsctl):
    feeds("a")
    run = "products check a.csv --on-failure 'true https://hook.example/?key=sesame'"
    fleet.write(f'{{name: one, profile: local, run: "{run}"}}')
    assert "sesame" not in adsctl("fleet", "check", "fleet.yaml", "-o", "json").stdout


def test_the_line_that_resumes_a_fleet_shows_no_secret(fleet, feeds, adsctl):
    feeds("bad", price="cheap")
    fleet.write("{name: one, profile: local, run: products check bad.csv}")
    hook = ("--on-failure", "true https://me:sesame@hook.example/?key=sesame")
    done = adsctl("fleet", "run", "fleet.yaml", *hook, code=3)
    assert "https://***@hook.example/?***" in done.stderr and "sesame" not in done.stderr


def test_two_tasks_that_write_one_place_are_refused_and_parts_of_one_list_are_not(fleet, feeds, adsctl):
    feeds("a", "b")
    adsctl.file("people.csv", "email\na@shop.example\n")
    push = "profile: local, run: audiences push people.csv --audience"
    fleet.write(
        "{name: one, profile: local, run: products push a.csv}",
        "{name: two, profile: local, run: products sync b.csv}",
        f"{{name: part 1, {push} 1nmth}}",
        f"{{name: part 2, {push} 1nmth}}",
        f"{{name: other, {push} 1nmu0}}",
        f"{{name: gone, {push} 1nmth --operation delete}}",
    )
    message = fleet.check().splitlines()
    assert "two: changes product catalog of the profile local, as one (line 2) does" in message[0]
    assert "gone: changes custom audience 1nmth, as part 1 (line 4) does" in message[1]
    assert "fleet.yaml: 2 mistakes in the file; nothing was run" in message[2]


def test_a_file_that_two_tasks_write_or_one_reads_and_another_writes_is_refused(fleet, feeds, adsctl):
    feeds("a", "b")
    (adsctl.home / "sub").mkdir()
    (adsctl.home / "link.csv").symlink_to("out.csv")
    fleet.write(
        "{name: one, profile: local, run: products convert a.csv out.csv}",
        "{name: two, profile: local, run: products convert b.csv sub/../out.csv}",
        "{name: three, profile: local, run: products check a.csv --failed-out b.csv}",
        "{name: four, profile: local, run: products convert a.csv link.csv --force}",
    )
    message = fleet.check()
    assert "two: writes sub/../out.csv, as one (line 2) does" in message
    assert "four: writes link.csv, as one (line 2) does" in message
    assert "two: reads b.csv, which three (line 4) writes" in message


DRAFT = "{name: draft, profile: local, run: products check a.csv --write-recipe made.yaml}"
CHART = "{name: chart, profile: local, run: stats get --since 7d --all --plot made.png}"
PULL = "{name: pull, profile: local, run: products pull made.csv}"
MIRROR = "{name: mirror, profile: local, run: 'mirror run --into sqlite:made.db'}"
TABLE = "{name: table, profile: local, run: 'stats get --since 7d --all --into sqlite:made.db'}"
ASIDE = "{name: bad, profile: local, run: products check a.csv --failed-out made.json}"
REQUEST = "name: Hero\ncomponents:\n- {type: MEDIA, media: made.png}  # as the chart\n"
LOOP = "campaigns:\n- for: {rows: %s}\n  name: '{name}'\n"


@pytest.mark.parametrize(
    ("writer", "reader", "documents"),
    [
        (DRAFT, "products check a.csv --recipe made.yaml", {}),
        (CHART, "stats report --from sqlite:old.db --report p.html --logo made.png", {}),
        (CHART, "posts create --text Hi --media made.png", {}),
        (CHART, "media upload made.png", {}),
        (CHART, "media upload v.mp4 --poster made.png", {"v.mp4": ""}),
        (CHART, "cards create -f card.yaml", {"card.yaml": REQUEST}),
        (CHART, "cards create -f card.json", {"card.json": '{"components":[{"media":"made.png"}]}'}),
        (CHART, "cards create -f sub/c.yaml", {"sub/c.yaml": REQUEST.replace("made", "../made")}),
        (CHART, "media upload -f files.csv", {"files.csv": "file,category\nmade.png,TWEET_IMAGE\n"}),
        (PULL, "campaigns apply c.yaml", {"c.yaml": LOOP % "made.csv"}),
        (PULL, "campaigns plan c.yaml --out p.json", {"c.yaml": LOOP % "'*.csv'"}),
        (PULL, "campaigns apply c.yaml", {"c.yaml": LOOP % '["{profile}.csv"]'}),
        (
            CHART,
            "campaigns apply c.yaml",
            {"c.yaml": LOOP % "sub/t.csv", "sub/t.csv": "name,image\nOne,made.png\n"},
        ),
        (ASIDE, "cards create --name Hero --components @made.json", {}),
        (ASIDE, "api GET /12/accounts -F count=@made.json", {}),
        (ASIDE, "products check a.csv --env-file made.json", {"made.json": ""}),
        (MIRROR, "stats report --from sqlite:made.db --report p.html", {}),
        (MIRROR, "stats get --from sqlite:made.db --since 7d --active", {}),
        (MIRROR, "mirror status --into sqlite:made.db", {}),
        (TABLE, "products check a.csv --failed-out made.db", {}),
    ],
)
def test_what_a_task_reads_by_any_way_no_other_may_write(fleet, feeds, adsctl, writer, reader, documents):
    feeds("a")
    (adsctl.home / "sub").mkdir()
    for name, content in documents.items():
        adsctl.file(name, content)
    task = f"{{name: reader, profile: local, run: {json.dumps(reader)}}}"
    fleet.write(task, writer)
    assert "; a fleet runs its tasks in any order" in fleet.check(code=None)
    fleet.write(task)
    assert "a fleet runs its tasks" not in fleet.check(code=None)


def test_what_a_profile_reads_no_task_may_write(fleet, service, feeds, profiles, adsctl):
    feeds("a")
    profiles("nord")
    config = adsctl.home / "config/config.yaml"
    document = json.loads(config.read_text())
    document["profiles"]["nord"]["recipes"] = {"a.*": "made.yaml"}
    config.write_text(json.dumps(document))
    fleet.write(DRAFT, "{name: reader, profile: nord, run: products check a.csv}")
    assert "reader: reads made.yaml, which draft (line 2) writes" in fleet.check()


def test_a_loop_over_files_that_another_task_writes_is_a_conflict(fleet, feeds):
    feeds("a", "b")
    fleet.write("{for: {files: ['*.csv']}, profile: local, run: 'products check {file}'}", PULL)
    assert "is of a loop over *.csv, which pull (line 3) writes" in fleet.check()


def test_what_a_comment_names_or_a_task_writes_itself_is_no_conflict(fleet, feeds, adsctl):
    feeds("a")
    adsctl.file("r.yaml", "# see made.yaml\ncurrency: EUR\n")
    fleet.write(DRAFT, "{name: two, profile: local, run: products check a.csv --recipe r.yaml}")
    fleet.check(code=0)
    run = "products check a.csv --recipe r.yaml --write-recipe r.yaml --force"
    fleet.write(f"{{name: one, profile: local, run: {run}}}")
    assert "a fleet runs its tasks in any order" not in fleet.check(code=None)


def test_every_parameter_that_names_a_file_is_declared_as_read_or_written():
    tree = root()
    commands, undeclared = FleetCommands(tree), []

    def look(node, path):
        for name, inner in getattr(node, "commands", {}).items():
            look(inner, (*path, name))
        with suppress(UsageError):  # a fleet does not run it, or it is a group
            name = commands.name_in(path)
            known = commands[name]
            declared = {
                *known.inputs,
                *known.mirrors,
                *known.outputs,
                *known.shared_outputs,
                *WRITTEN,
                *READ_TOO,
            }
            declared |= {*WRITTEN, *READ_TOO, *READ_BY_ALL, *SHARED, *NOT_IN_LINES}
            undeclared.extend(
                f"{name}: {param.name} {param.metavar}"
                for param in node.params
                if names_file(param)
                and not param.metavar.endswith("_ID")
                and param.metavar != NESTED_METAVAR
                and param.name not in declared
            )

    for name, node in tree.commands.items():
        look(node, (name,))
    assert undeclared == []


def test_profiles_of_one_user_that_name_no_catalog_have_one_catalog(fleet, service, feeds, profiles, adsctl):
    feeds("a")
    profiles("nord", "sued", "west")
    config = adsctl.home / "config/config.yaml"
    config.write_text(config.read_text().replace('"catalog": "catwest"', '"catalog": ""'))
    config.write_text(config.read_text().replace('"catalog": "catsued"', '"catalog": ""'))
    fleet.write('{for: {profiles: ["nord", "sued", "west"]}, run: products push a.csv}')
    (message,) = [line for line in fleet.check().splitlines() if "west" in line]
    assert "west: changes the only catalog of its user, as sued (line 2) does" in message


def test_a_file_cannot_be_written_into_a_folder_that_is_not_there(fleet, feeds):
    feeds("a")
    fleet.write("{name: one, profile: local, run: products check a.csv --failed-out none/bad.csv}")
    assert "one: the folder of none/bad.csv does not exist" in fleet.check(code=2)


def test_names_are_unique_and_have_no_control_characters(fleet, feeds, adsctl):
    feeds("a")
    fleet.write(
        "{name: one, profile: local, run: products check a.csv}",
        "{name: one, profile: local, run: products check a.csv}",
        r'{name: "bell \x07 \x1b[2J", profile: local, run: products check a.csv}',
    )
    message = fleet.check()
    assert "fleet.yaml:3: the name 'one' is that of the task of line 2" in message
    assert r"the name 'bell \x07 \x1b[2J' has a character that cannot be seen" in message


def test_a_profile_that_is_not_signed_in_is_told_once_with_4(fleet, feeds, adsctl):
    feeds("a")
    adsctl("profile", "set", "shop-1", "service=x", "account=acc")
    fleet.write(
        "{name: one, profile: shop-1, run: products push a.csv}",
        "{name: two, profile: shop-1, run: products pull b.csv}",
    )
    message = fleet.check(code=4)
    assert "one: not signed in (run: adsctl auth login --profile shop-1" in message
    assert message.count("not signed in") == 1


def test_a_feed_at_an_address_must_answer(fleet, httpserver):
    httpserver.expect_request("/there.csv").respond_with_data(feed(2))
    httpserver.expect_request("/gone.csv").respond_with_data("gone", status=404)
    fleet.write(
        f"{{name: one, profile: local, run: 'products check {httpserver.url_for('/there.csv')}'}}",
        f"{{name: two, profile: local, run: 'products check {httpserver.url_for('/gone.csv')}'}}",
    )
    message = fleet.check(code=5)
    assert "two: " in message
    assert "1 mistake of feeds;" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a mapping with tasks"),
        ("[1, 2]", "not a mapping with tasks"),
        ("tasks: []", "tasks must be a list of at least one task"),
        ("tasks: nothing", "tasks must be a list of at least one task"),
        ("a: &a [x]\ntasks: [*a, *a]", "anchors and aliases are not read"),
        ("tasks: !!python/object:os.system []", "is not read"),
        ("tasks: [{name: a, name: b}]", "the key 'name' is repeated"),
        ("tasks: [{name: [], run: products check x, for: 3}]", "name must be a text"),
        ("[" * 5000, "nested more than 64 deep"),
        ("#" + "x" * 1_100_000, "larger than 1 MB"),
    ],
)
def test_a_file_that_is_no_fleet_is_refused(fleet, adsctl, text, message):
    adsctl.file("fleet.yaml", text)
    assert message in fleet.check()


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("name: a, for: ", "for must be a mapping with profiles or files"),
        ("name: a, for: {}", "for must be a mapping with profiles or files"),
        ("name: a, for: []", "for must be a mapping with profiles or files"),
        ("for: {profiles: []}", "for: profiles names nothing"),
        ("for: {files: [a, '']}", "for: files must be a pattern, or a list of patterns"),
        ("profile: local, for: {profiles: local}", "profile and for: profiles exclude each other"),
    ],
)
def test_a_loop_that_says_nothing_or_two_things_is_a_mistake(fleet, feeds, task, message):
    feeds("a")
    fleet.write(f"{{{task}, run: products check a.csv}}")
    assert message in fleet.check()


def test_a_file_that_is_not_there_is_a_mistake_of_usage(adsctl):
    assert "none.yaml cannot be opened" in adsctl("fleet", "check", "none.yaml", code=2).stderr


def test_a_check_shows_the_tasks_and_runs_nothing(fleet, feeds, adsctl):
    feeds("a")
    fleet.write(
        "{name: one, profile: local, run: products push a.csv}", defaults="{products push: --changed}"
    )
    (record,) = json.loads(adsctl("fleet", "check", "fleet.yaml", "-o", "json").stdout)
    assert record["command"] == "--profile=local products push --changed a.csv"
    assert not (adsctl.home / "state" / "fleet").exists()


def test_a_sign_in_of_one_machine_is_no_use_to_a_fleet_on_others(fleet, feeds, adsctl):
    feeds("a")
    adsctl("profile", "set", "shop-1", "service=x", "account=acc", "client_id=abc")
    fleet.write("{name: one, profile: shop-1, run: products push a.csv}")
    words = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9")
    message = adsctl("fleet", "run", "fleet.yaml", *words, code=4).stderr
    assert "shop-1 is signed in by OAuth 2.0, which is for one machine" in message
    assert "sign in by OAuth 1.0a: adsctl auth login --profile shop-1" in message
    with pytest.raises(AccessError, match="one machine"):
        token_of("shop-1", adsctl.environment)


@pytest.mark.parametrize(
    ("run", "told"),
    [
        ("stats get --since 7d", "no account is set"),
        ("campaigns list", "no account is set"),
        ("campaigns pull out.yaml", "no account is set"),
        ("line-items update 9d4c1 --name x", "no account is set"),
        ("audiences combine --name x --any-of 1nmth", "no account is set"),
    ],
)
def test_a_task_without_the_account_that_it_needs_is_told_before_anything_runs(
    fleet, service, profiles, adsctl, run, told
):
    adsctl.env.pop("ADSCTL_ACCOUNT", None)
    profiles("nord", "sued")
    config = adsctl.home / "config/config.yaml"
    config.write_text(config.read_text().replace('"account": "accsued", ', ""))
    fleet.write(f"{{for: {{profiles: [nord, sued]}}, run: '{run.replace('out.', '{profile}.')}'}}")
    message = fleet.check()
    assert f"fleet.yaml:2: sued: {told}" in message and "1 mistake of profiles;" in message
    done = adsctl("fleet", "run", "fleet.yaml", code=3)
    assert told in done.stderr and done.stdout == ""


def test_one_user_who_signed_in_twice_has_one_catalog(fleet, service, profiles, adsctl, feeds):
    feeds("a")
    profiles("nord", "sued")
    adsctl.env.pop("ADSCTL_CATALOG", None)
    config = json.loads((adsctl.home / "config/config.yaml").read_text())
    for name, values in config["profiles"].items():
        values |= {"token_store": "file"}
        del values["catalog"], values["account"]
        store(adsctl, name, f"1184672519-token-of-{name}", values["ads_url"])
    (adsctl.home / "config/config.yaml").write_text(json.dumps(config))
    fleet.write('{for: {profiles: ["nord", "sued"]}, run: products push a.csv}')
    message = fleet.check()
    assert "sued: changes the only catalog of its user, as nord (line 2) does" in message


def store(adsctl, profile: str, token: str, address: str) -> None:
    """Store a sign-in, as `auth login` does."""
    secrets = {name: Secret(name, (address,)) for name in UserKeys._fields}
    FileStore(adsctl.home / "config/secrets.json").put(
        profile, secrets | {"access_token": Secret(token, (address,))}
    )


def test_the_account_of_a_check_is_an_id_or_nothing(fleet, service, profiles, adsctl, feeds):
    feeds("a")
    profiles("nord", "sued")
    config = adsctl.home / "config/config.yaml"
    config.write_text(config.read_text().replace('"account": "accsued", ', ""))
    adsctl.env.pop("ADSCTL_ACCOUNT", None)
    fleet.write('{for: {profiles: ["nord", "sued"]}, run: products push a.csv}')
    records = json.loads(adsctl("fleet", "check", "fleet.yaml", "-o", "json").stdout)
    assert [record["account"] for record in records] == ["accnord", None]
    assert [record["changes"] for record in records] == ["product_catalog catnord", "product_catalog catsued"]


def test_equal_mistakes_of_many_tasks_are_one_line(fleet, adsctl, feeds):
    feeds("a")
    for number in range(8):
        adsctl("profile", "set", f"shop-{number}", "service=x", "account=acc")
    fleet.write('{for: {profiles: "shop-*"}, run: "products pull {profile}.csv"}')
    lines = fleet.check(code=4).splitlines()
    (line,) = [line for line in lines if "not signed in" in line]
    assert "fleet.yaml:2: shop-0, shop-1, shop-2, shop-3, shop-4 and 3 more: not signed in" in line
    assert "8 mistakes of profiles; nothing was run" in lines[-1]


def test_mistakes_of_the_file_of_profiles_and_of_guards_are_counted_apart(
    fleet, service, profiles, adsctl, feeds
):
    feeds("a")
    adsctl.env.pop("ADSCTL_ACCOUNT", None)
    profiles("nord", "sued")
    config = adsctl.home / "config/config.yaml"
    config.write_text(config.read_text().replace('"account": "accsued", ', ""))
    adsctl("profile", "set", "nord", "guard.read_only=true")
    fleet.write(
        "{name: one, profile: local, run: products pusch a.csv}",
        "{name: two, profile: sued, run: campaigns pull out.yaml}",
        "{name: three, profile: nord, run: products push a.csv}",
    )
    last = fleet.check().splitlines()[-1]
    assert last.endswith("1 mistake in the file, 1 of profiles, 1 that a guard refuses; nothing was run")
