"""Completion in real shells, which starts a program for ids and commands of the user alone."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from ads_cli.console.results import OTHER_IDS
from ads_cli.reference import IDS
from ads_cli.runs.job import Job, JobKey, JobOptions
from ads_cli.runs.jobs import begin_job
from ads_cli.store import close_stores, store_in
from ads_cli.store.epochs import UploadTarget
from tests.adsctl import ROOT
from tests.command_tree import COMMANDS
from tests.conftest import feed
from tests.reference.shells import FILES, SHELLS, TYPISTS, completions, nothing_ran, run_by_typing


@pytest.mark.parametrize("shell", FILES)
def test_the_completion_files_are_up_to_date(adsctl, shell):
    assert adsctl("completion", shell).stdout == (ROOT / "completions" / FILES[shell]).read_text()


@pytest.fixture
def typist(adsctl):
    """A home where a shell finds adsctl; the file `started` records each start of it."""
    (adsctl.home / "bin").mkdir()
    run = f'#!/bin/sh\necho "$1 $2" >> "{adsctl.home}/started"\nexec {" ".join(adsctl.forked())} "$@"\n'
    adsctl.file("bin/adsctl", run).chmod(0o755)
    adsctl.env["PATH"] = f"{adsctl.home}/bin:{adsctl.environment['PATH']}"
    adsctl.file("feed.csv", "")
    return adsctl


EXPECTED = {
    "adsctl prod": ["products"],
    "adsctl products pu": ["push", "pull"],
    "adsctl -p local products pus": ["push"],
    "adsctl products push --fa": ["--failed-out"],
    "adsctl products push --max-w": ["--max-wait"],
    "adsctl catalog sets create --type ": ["MANUAL", "FILTERED"],
    "adsctl catalog sets create --type=FI": ["FILTERED"],
    "adsctl products list -o js": ["json", "jsonl"],
    "adsctl -o js": ["json", "jsonl"],
    "adsctl accounts list --with": ["--with-deleted", "--with-total-count"],
    "adsctl products push fee": ["feed.csv"],
    "adsctl products convert feed.csv fee": ["feed.csv"],
    "adsctl audiences hash feed.csv fee": ["feed.csv"],
    "adsctl completion fi": ["fish"],
    "adsctl products push --format json": ["json", "jsonl"],
    "adsctl products push --format=y": ["yaml"],
    "adsctl audiences hash --format t": ["tsv"],
    "adsctl products pull --format ts": ["tsv"],
    "adsctl api P": ["POST", "PUT", "PATCH"],
    "adsctl api GET --base pl": ["platform"],
    "adsctl help exit": ["exit-codes"],
    "adsctl help form": ["formats"],
    "adsctl help audi": ["audiences"],
    "adsctl help products pu": ["push", "pull"],
    "adsctl help audiences do-not-reach pus": ["push"],
}


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_starts_a_process_for_commands_of_the_user_alone(typist, shell):
    found = {}
    for line, offered in completions(typist, shell, *EXPECTED).items():
        begun = re.split("[ =]", line)[-1]
        if shell == "fish":  # which filters by itself what it is given
            offered = [word.partition("=")[2] or word for word in offered]
        found[line] = sorted(word for word in offered if word.startswith(begun))
    assert found == {line: sorted(words) for line, words in EXPECTED.items()}
    started = (typist.home / "started").read_text().splitlines()
    assert {*started} == {"__ids added"}  # for the words that may be a command of the user


@pytest.mark.parametrize("shell", SHELLS)
def test_each_word_of_a_list_is_completed(typist, shell):
    typist.local("accounts", "list")
    lines = {
        "adsctl products check feed.csv --fix html,pri": ["price"],
        "adsctl products check feed.csv --fix=html,https,pri": ["price"],
        "adsctl -p local products list --account 18ce54d4x5t,18ce55": ["18ce55gze09"],
    }
    found = completions(typist, shell, *lines)
    ends = {
        line: [
            last
            for word in found[line]
            if (last := re.split("[,=]", word)[-1]).startswith(line.rpartition(",")[2])
        ]
        for line in lines
    }
    assert ends == lines


@pytest.mark.parametrize("shell", SHELLS)
def test_recorded_ids_are_completed(typist, shell):
    typist.local("accounts", "list")
    lines = ("adsctl -p local accounts get 18ce5", "adsctl -p local products list --account 18ce5")
    of_another_profile = "adsctl accounts get "
    found = completions(typist, shell, *lines, of_another_profile)
    assert [found[line] for line in lines] == [["18ce54d4x5t", "18ce55gze09"]] * 2
    assert "18ce54d4x5t" not in found[of_another_profile]


@pytest.mark.parametrize("shell", SHELLS)
def test_listed_products_are_completed_for_a_delete(typist, shell):
    typist.file("feed.csv", feed(3))
    typist.local("products", "push", "feed.csv")
    keys = typist.local("products", "list", "-o", "ids").stdout.split()
    lines = ("adsctl -p local products delete ", f"adsctl -p local products delete {keys[0]} ")
    found = completions(typist, shell, *lines)
    assert [sorted(found[line]) for line in lines] == [sorted(keys)] * 2


@pytest.mark.parametrize("shell", SHELLS)
def test_listed_line_items_are_completed_where_one_is_named(typist, shell):
    typist.local("line-items", "list")
    line = "adsctl -p local targeting add --line-item 9d4c"
    assert {"9d4c1", "9d4c2", "9d4c3"} <= {*completions(typist, shell, line)[line]}


# Ids that no list of the service shows: of other systems, of apps and devices.
OF_OTHERS = {
    "auth login --client-id", "settings tax update --tax-id", "settings tax update --tax-exemption-id",
    "measurement app-event-tags create --provider-app-event-id",
    "measurement app-event-provider-configurations create --provider-advertiser-id",
    "measurement conversion-events create --app-id",
    "measurement conversion-events create --hashed-device-id",
    "measurement conversion-attribution get --app-id",
    "measurement conversion-attribution get --hashed-device-id",
    "measurement conversion-attribution get --extra-device-ids", "campaigns copy --map",
}  # fmt: skip
AN_ID = re.compile(r"-(?:ids?|keys?|uris?)$")


def test_whatever_takes_an_id_is_completed_from_what_was_listed():
    missed = [
        f"{command.key} {name}"
        for command in COMMANDS.values()
        for parameter in command.parameters
        for name in parameter.names[:1]
        if AN_ID.search(name.lower().replace("_", "-").strip(".")) or parameter.metavar.split(",")[0] == "ID"
        if not parameter.completes_from.startswith(IDS) and parameter.completes_from == "@text"
    ]
    assert {*missed} <= OF_OTHERS
    groups = {name for name, command in COMMANDS.items() if command.subcommands}
    kinds = {
        parameter.completes_from.removeprefix(IDS)
        for command in COMMANDS.values()
        for parameter in command.parameters
        if parameter.completes_from.startswith(IDS)
    }
    assert kinds - groups == {*OTHER_IDS, "profiles", "product-ids", "entities", "jobs", "changes"} - groups


# What one shell or another is given for an option, after the list that shows it.
LISTED = {
    "campaigns list": ("campaigns list --campaign-ids ", "line-items create --campaign-id ",
                       "stats get --ids ", "campaigns copy ", "accounts history --entity-id "),
    "audiences list": ("audiences push --audience ", "audiences combine --any-of ",
                       "audiences forget --audience "),
    "audiences do-not-reach list": ("audiences do-not-reach sync --list ",),
    "funding-instruments list": ("campaigns create --funding-instrument-id ",),
    "cards list": ("cards list --card-ids ", "cards get "),
    "catalog list": ("products list --catalog ",),
    "stats jobs list": ("stats jobs get ",),
    "media library list": ("media lookup ", "cards poll create --media-key "),
    "accounts promotable-users list": ("posts create --as-user-id ",),
    "posts list --post-type PUBLISHED": ("posts rename ", "posts preview --post-ids "),
    "products list": ("products get ", "catalog sets create --product-keys "),
    "measurement web-event-tags list": ("conversions send --pixel ",),
    "webhooks list": ("webhooks delete ", "events subscribe dm.read --webhook ", "webhooks links create "),
    "events subscriptions": ("events unsubscribe ", "events update "),
}  # fmt: skip


def plain(word):
    """Return an offered word as a command gets it."""
    return shlex.split(word)[0]


@pytest.mark.parametrize("service", ["generic", "x"])
def test_each_id_that_was_listed_is_offered_to_the_options_that_take_it(typist, service):
    typist.file("feed.csv", feed(2))
    typist.local("products", "push", "feed.csv", "--service", service)
    listed, lines = {}, {}
    for listing, users in LISTED.items():
        rows = json.loads(typist.local(*listing.split(), "-o", "json", "--service", service).stdout)
        listed[listing] = json.dumps(rows)
        lines |= {f"adsctl -p local {user}": listing for user in users if rows}
    found = completions(typist, "bash", *lines)
    assert len(lines) > 12
    for line, listing in lines.items():
        offered = [*map(plain, found[line])]
        assert offered and all(f'"{word}"' in listed[listing] for word in offered), line


# What one shell or another runs, expands, or takes for an option or a file.
HOSTILE = (
    "g$(touch${IFS}ran)", "g`touch${IFS}ran`", "g;touch${IFS}ran;", "zz|touch${IFS}ran|", "g&touch${IFS}ran&",
    "g${x:=$(touch${IFS}ran)}", "g';touch${IFS}ran;'", 'g";touch${IFS}ran;"', "g<(touch${IFS}ran)",
    "(touch ran)", "$(touch${IFS}ran)", ">ran", "g>ran", "=(touch ran)", "g\\;touch${IFS}ran;",
    "g;touch ran;", "g\ntouch ran\n", "g\t;touch ran;", "*", "~", "?", "[a-z]*", "{g,h}", "--yes", "-y",
    "@g", "#g", "!g", "%g", "$g", "g" * 201,
)  # fmt: skip
GOOD = "good:1@shop.example-2_a"
OPTIONS = JobOptions()
KEY = JobKey(UploadTarget("", "", ""), "push", "", OPTIONS)


@pytest.fixture
def listener(typist):
    """A home whose adsctl completes, and writes its words to the file `words` instead of running."""
    (typist.home / "bin/adsctl").rename(typist.home / "bin/completing")
    run = f"""#!/bin/sh
[ "$1" = __ids ] && exec "{typist.home}/bin/completing" "$@"
printf '%s\\0' "$@" > "{typist.home}/words"
"""
    typist.file("bin/adsctl", run).chmod(0o755)
    (typist.home / "here").mkdir()
    return typist


@pytest.mark.parametrize("shell", TYPISTS)
def test_an_id_that_a_shell_would_run_is_not_offered(remote, listener, httpserver, shell):
    accounts = [{"id": id, "name": id} for id in (*HOSTILE, GOOD)]
    httpserver.expect_request("/12/accounts").respond_with_json({"data": accounts})
    listener("accounts", "list")
    assert listener("__ids", "accounts", "adsctl").stdout.split("\t")[0] == GOOD
    lines = ("adsctl accounts get ", "adsctl accounts get g", "adsctl products list --account=good:1@")
    assert run_by_typing(listener, shell, lines) == [
        ["accounts", "get", GOOD], ["accounts", "get", GOOD], ["products", "list", f"--account={GOOD}"]
    ]  # fmt: skip
    assert nothing_ran(listener.home)


@pytest.mark.parametrize("shell", TYPISTS)
def test_an_id_that_an_older_version_recorded_is_not_run(listener, shell):
    folder = listener.home / "state/caches/ids/default"
    folder.mkdir(parents=True)

    recorded = [*filter(str.isprintable, HOSTILE)]

    def lines() -> Iterator[str]:
        for hostile in recorded:
            (folder / "accounts.tsv").write_text(f"{hostile}\t{hostile}\n")
            yield "adsctl accounts get "

    assert run_by_typing(listener, shell, lines()) == [["accounts", "get"]] * len(recorded)
    assert nothing_ran(listener.home)


@pytest.mark.parametrize("shell", TYPISTS)
def test_a_name_beside_an_id_is_not_run(remote, listener, httpserver, shell):
    accounts = [{"id": f"g{number}", "name": name} for number, name in enumerate(HOSTILE)]
    httpserver.expect_request("/12/accounts").respond_with_json({"data": accounts})
    listener("accounts", "list")
    run = run_by_typing(listener, shell, ["adsctl accounts get g", "adsctl accounts get g30"])
    assert run[1] == ["accounts", "get", "g30"] and nothing_ran(listener.home)


@pytest.mark.parametrize("shell", TYPISTS)
def test_profiles_and_jobs_are_completed_unless_a_shell_would_run_them(listener, shell):
    for folder in ("config", "state"):
        (listener.home / folder).mkdir()
    profiles = {name: {} for name in (*HOSTILE, GOOD)}
    listener.file("config/config.yaml", json.dumps({"profiles": profiles}))
    with store_in(listener.home / "state").writing() as db:
        for name in (*HOSTILE, GOOD):
            begin_job(db, Job(job=name, key=KEY, noun="", file="", rows=0, batches=0, started=""))
    close_stores()
    lines = ("adsctl -p g", "adsctl --profile=good:", "adsctl jobs show ")
    assert run_by_typing(listener, shell, lines) == [
        ["-p", GOOD], [f"--profile={GOOD}"], ["jobs", "show", GOOD]
    ]  # fmt: skip
    assert nothing_ran(listener.home)


@pytest.mark.parametrize("shell", TYPISTS)
def test_ids_with_colons_and_at_signs_are_completed_as_far_as_they_agree(listener, shell):
    folder = listener.home / "state/caches/ids" / "of:mine@home"
    folder = folder.with_name("of%3Amine%40home")
    folder.mkdir(parents=True)
    (folder / "accounts.tsv").write_text("".join(f"{id}\t\n" for id in ("a:b:c", "a:b@d", "x@y.z", "q")))
    (listener.home / "config").mkdir()
    listener.file("config/config.yaml", json.dumps({"profiles": {"of:mine@home": {}}}))
    begun = {"a": "a:b", "a:": "a:b", "a:b:": "a:b:c", "a:b@": "a:b@d", "x": "x@y.z", "x@": "x@y.z", "q": "q"}
    words = "-p of:mine@home accounts get"
    run = run_by_typing(listener, shell, (f"adsctl {words} {typed}" for typed in begun))
    assert run == [[*words.split(), id] for id in begun.values()]


NAMES = {"a": "Spring collection", "b": "Größe: M+L", "c": "春のセール 2026", "d": "Hamburg knows us"}
TYPED_NAMES = {
    "Spr": "Spring collection",
    "Spring\\ c": "Spring collection",
    '"Spr': "Spring collection",
    '"Spring c': "Spring collection",
    "'Spring c": "Spring collection",
    "Gr": "Größe: M+L",
    '"Größe: ': "Größe: M+L",
    "春": "春のセール 2026",
    "Hamburg\\ knows\\ ": "Hamburg knows us",
}


@pytest.mark.parametrize("shell", TYPISTS)
def test_names_with_blanks_are_completed_quoted_in_quotes_and_without(listener, shell):
    folder = listener.home / "state/caches/ids/default"
    folder.mkdir(parents=True)
    (folder / "campaigns.tsv").write_text("".join(f"{id}\t{name}\n" for id, name in NAMES.items()))
    run = run_by_typing(listener, shell, (f"adsctl campaigns get {typed}" for typed in TYPED_NAMES))
    assert run == [["campaigns", "get", name] for name in TYPED_NAMES.values()]


@pytest.mark.parametrize("shell", TYPISTS)
def test_a_name_that_a_shell_would_run_is_not_offered(listener, shell):
    folder = listener.home / "state/caches/ids/default"
    folder.mkdir(parents=True)
    hostile = [*filter(str.isprintable, HOSTILE), "G $(touch ran)", 'G" ;touch ran;"', "G, h", "G\\"]
    lines = "".join(f"x{number}\t{name}\n" for number, name in enumerate(hostile))
    (folder / "campaigns.tsv").write_text(lines)
    offered = {line.partition("\t")[0] for line in listener("__ids", "campaigns").stdout.splitlines()}
    assert offered == {f"x{number}" for number in range(len(hostile))}
    run_by_typing(listener, shell, ["adsctl campaigns get G", 'adsctl campaigns get "G'], then='"')
    assert nothing_ran(listener.home)


FILE_NAMES = (
    "$(touch${IFS}ran)", "`touch${IFS}ran`", ";touch ran;", "|touch ran|", "&touch ran&", "';touch ran;'.",
    '";touch ran;".', "'\"$(touch${IFS}ran)", "${x:=$(touch${IFS}ran)}", ">ran", "\\;touch ran;",
    " a  b", "*", "[a-z]", "{g,h}", "a:b=c@d", "~", "#", "\n;touch ran;\n", "\n$(touch ran)",
)  # fmt: skip
BEFORE = {
    "adsctl products push {}": "products push {}",
    "adsctl products push feed.csv --failed-out={}": "products push feed.csv --failed-out={}",
    "adsctl emulator exec -- program {}": "emulator exec -- program {}",
    "adsctl catalog sets create --filters @{}": "catalog sets create --filters @{}",
}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("shell", TYPISTS)
def test_the_name_of_a_file_is_inserted_quoted(listener, shell, before):
    begun = {f"f{number:02}": name for number, name in enumerate(FILE_NAMES)}
    for typed, name in begun.items():
        listener.file(f"here/{typed}{name}", "")
    run = run_by_typing(listener, shell, map(before.format, begun))
    for (typed, name), words in zip(begun.items(), run, strict=True):
        if "\n" not in name:  # which is no line
            expected = BEFORE[before].split()
            assert words == [word.format(f"{typed}{name}") for word in expected]
    assert nothing_ran(listener.home)


@pytest.mark.parametrize("shell", TYPISTS)
def test_the_rest_of_a_name_with_colons_is_inserted_quoted(listener, shell):
    names = (
        "a:$(touch${IFS}ran)",
        "b:`touch${IFS}ran`",
        "c:;touch ran;",
        "d@$(touch${IFS}ran)",
        "e=$(touch${IFS}ran)",
    )
    for name in names:
        listener.file(f"here/{name}", "")
    run = run_by_typing(listener, shell, (f"adsctl products push {name[:2]}" for name in names))
    assert run == [["products", "push", name] for name in names]
    assert nothing_ran(listener.home)


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize("shell", TYPISTS)
def test_the_name_of_a_file_is_quoted_inside_quotes(listener, shell, quote):
    begun = {f"f{number:02}": name for number, name in enumerate(FILE_NAMES) if "\n" not in name}
    for typed, name in begun.items():
        listener.file(f"here/{typed}{name}", "")
    closing = quote if "without" in shell else ""  # there, nothing is offered
    lines = (f"adsctl products push {quote}{typed}" for typed in begun)
    run = run_by_typing(listener, shell, lines, then=closing)
    for (typed, name), words in zip(begun.items(), run, strict=True):
        left_open = "bash" not in shell and {*name} & {*"'\""}
        assert words == ["products", "push", typed if closing else f"{typed}{name}"] or (
            left_open and not words
        )
    assert nothing_ran(listener.home)


@pytest.mark.parametrize("shell", TYPISTS)
def test_a_file_whose_name_is_an_option_is_not_offered(listener, shell):
    listener.file("here/--yes", "")
    run = run_by_typing(listener, shell, ["adsctl products push "])
    assert run == [["products", "push"]]


def test_a_token_is_not_recorded(remote, httpserver):
    token = remote.env["ADSCTL_ACCESS_TOKEN"]
    accounts = [{"id": token, "name": "a"}, {"id": f"a:{token}", "name": "a"}, {"id": "b", "name": token}]
    httpserver.expect_request("/12/accounts").respond_with_json({"data": accounts})
    remote("accounts", "list")
    assert remote("__ids", "accounts").stdout == "b\t***\n"
    recorded = (remote.home / "state/caches/ids/default/accounts.tsv").read_text()
    assert recorded == "b\t***\n"


# What runs where it is not quoted, and what ends a quoted text: PowerShell takes curly quotes for quotes too.
POWERSHELL = ("$(ni ran)", "(ni ran)", ";ni ran;", "`n", "@g", "a b", "';ni ran;'", "\u2019;ni ran;\u2018")


def test_a_record_is_known_by_its_new_name(adsctl):
    ids = ("campaigns", "list", "-o", "ids", "--profile", "local")
    first = adsctl(*ids).stdout.split()[0]
    adsctl("campaigns", "update", first, "--name", "Renamed", "--profile", "local", "--yes")
    adsctl(*ids)
    recorded = (adsctl.home / "state/caches/ids/local/campaigns.tsv").read_text()
    assert f"{first}\tRenamed\n" in recorded


def test_powershell_inserts_only_plain_words_and_quoted_ones(listener):
    if not shutil.which("pwsh"):  # which is no package of Debian: the next test reads the script
        return
    replies = "".join(f"{id}\n" for id in (*POWERSHELL, GOOD))
    listener.file("ids", replies)
    listener.file("bin/adsctl", f"#!/bin/sh\ncat {listener.home}/ids\n").chmod(0o755)
    script = ROOT / "completions" / FILES["powershell"]
    program = f"""
        . {script}
        $line = 'adsctl accounts get '
        (TabExpansion2 $line $line.Length).CompletionMatches | ForEach-Object {{
            "$($_.CompletionText)|$(Invoke-Expression "Write-Output $($_.CompletionText)")"
        }}
    """
    done = subprocess.run(
        ["pwsh", "-NoProfile", "-Command", program],
        env=listener.environment, cwd=listener.home / "here", capture_output=True, text=True,
    )  # fmt: skip
    assert [line.partition("|")[2] for line in done.stdout.splitlines()] == [*POWERSHELL, GOOD]
    assert nothing_ran(listener.home)


def test_powershell_inserts_data_by_one_rule():
    """Read the script, since few machines have PowerShell: a reply is plain, or quoted by PowerShell."""
    script = (ROOT / "completions" / FILES["powershell"]).read_text()
    (plain,) = re.findall(r"\$text = if \(\$_ -match '(.*)'\) \{ \$_ \} else \{", script)
    plain = plain.replace(r"\z", r"\Z")
    assert re.match(plain, GOOD) and re.match(plain, "--failed-out")
    assert not any(
        re.match(plain, word) for word in (*POWERSHELL, *HOSTILE[:-1]) if word not in ("--yes", "-y")
    )
    assert script.count("CompletionResult]::new(") == script.count("CompletionResult]::new($text, ") == 1
    assert "EscapeSingleQuotedStringContent($_)" in script
    for expanding in ("Invoke-Expression", "iex ", "ExpandString", "ScriptBlock]::Create", "& $"):
        assert expanding not in script


def test_a_failing_completion_prints_nothing(adsctl):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", "profiles: [")
    for words in (("accounts",), ("profiles",), ("jobs",), (), ("nothing", "-p", "nobody")):
        done = adsctl("__ids", *words)
        assert done.stdout == "" and done.stderr == ""
    assert adsctl("__ids", "accounts", ADSCTL_STATE_DIR="/proc/nope").stderr == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_of_the_user_are_completed_beside_those_of_the_tree(typist, shell):
    typist.file("bin/adsctl-hello", "#!/bin/sh\n").chmod(0o755)
    typist("profile", "set", "shop", "alias.spend=stats get --since 7d")
    offered = {
        "adsctl hel": "hello",
        "adsctl help": "help",
        "adsctl -p shop spe": "spend",
        "adsctl hello fee": "feed.csv",
        "adsctl spend fee": "feed.csv",
    }
    hidden = {"adsctl -p local spe": "spend", "adsctl stats hel": "hello"}
    shown = completions(typist, shell, *offered, *hidden)
    assert all(word in shown[line] for line, word in offered.items()), shown
    assert not any(word in shown[line] for line, word in hidden.items()), shown
