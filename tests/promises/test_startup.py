"""What a command loads: nothing that it does not use."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from ads_cli.api.registry import MODULES, requests_of
from tests.conftest import feed
from tests.environments import made_python

ALWAYS_HEAVY = {
    *("pydantic", "click", "rich", "keyring", "phonenumbers", "pycountry"),
    *("pydantic_core", "annotated_types", "typing_inspection"),  # which typer converts values with
    "typing_extensions",  # which msgspec looks for, and does without
}
TO_SEND = {"httpx", "oauthlib"}
# What a list that is printed in a pipe has no use for, though other requests have.
OTHER_REQUESTS = {
    *("csv", "gzip", "yaml", "jmespath", "sqlite3"),
    *("httpcore._sync.http2", "httpcore._async.http2", "httpcore._sync.socks_proxy"),
    *("httpcore._backends.anyio", "httpcore._backends.trio"),
    *("ads_cli.auth.secret_stores", "ads_cli.commands.spending", "ads_cli.console.progress"),
    *("ads_cli.client.spending", "ads_cli.client.shared_window", "ads_cli.config.file_locks"),
    *("ads_cli.client.api_errors", "ads_cli.api.categories"),
    "ads_cli.config.atomic_files",
}
TO_PUSH = {
    *("typer", "annotated-doc", "shellingham"),  # the command line
    *("httpx", "httpcore", "h11", "idna", "certifi", "oauthlib"),
    *("msgspec", "filelock"),
}

LIST_DISTRIBUTIONS = """
import sys
before = set(sys.modules)  # of the environment, not of adsctl
from ads_cli.__main__ import main
code = main(sys.argv[1:])
loaded = {name.partition(".")[0] for name in sys.modules.keys() - before if sys.modules[name]}
from importlib.metadata import packages_distributions
names = packages_distributions()
print(*{distribution for name in loaded for distribution in names.get(name, ())}, file=sys.stderr)
sys.exit(code)
"""


def loaded(adsctl, *words: str) -> set[str]:
    """Name the modules that a run has loaded when it ends."""
    program = (
        "import sys; from ads_cli.__main__ import main\n"
        f"code = main({list(words)!r})\n"
        "print(*(name for name in sys.modules if sys.modules[name]), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=adsctl.environment,
        cwd=adsctl.home,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def test_the_version_loads_nothing_at_all(adsctl):
    assert not loaded(adsctl, "--version") & (
        ALWAYS_HEAVY | TO_SEND | {"typer", "msgspec", "re", "json", "typing"}
    )


@pytest.mark.parametrize("words", [("--help",), ("help", "formats")])
def test_the_roots_help_loads_the_command_line_alone(adsctl, words):
    assert not loaded(adsctl, *words) & (
        ALWAYS_HEAVY | TO_SEND | {"msgspec", "yaml", "sqlite3", "platformdirs"}
    )


@pytest.mark.parametrize(
    "words",
    [
        ("accounts", "--help"),
        ("accounts", "list", "--help"),
        ("products", "push", "--help"),
        ("targeting", "search", "--help"),
        ("fleet", "run", "--help"),
    ],
)
def test_help_loads_nothing_that_sends(adsctl, words):
    assert not loaded(adsctl, *words) & (ALWAYS_HEAVY | TO_SEND | {"yaml", "sqlite3", "jmespath"})


def test_a_piped_result_loads_what_it_sends_with_and_no_more(adsctl, service):
    adsctl("accounts", "list", "-q")  # stores the ids for completion
    used = loaded(adsctl, "accounts", "list", "-q")
    assert used >= TO_SEND
    assert not used & (ALWAYS_HEAVY | OTHER_REQUESTS)


def test_the_emulator_in_this_process_is_asked_without_sockets(adsctl):
    assert "httpcore" not in loaded(adsctl, "--profile", "local", "accounts", "list", "-q")


def test_the_requests_of_a_command_are_in_one_module_so_that_no_other_is_loaded():
    declared = [(request.endpoint.command, module) for module in MODULES for request in requests_of(module)]
    assert len({*declared}) == len({command for command, _ in declared})


def test_httpx_brings_no_command_line_where_dask_has_installed_click(adsctl):
    assert find_spec("click")
    used = loaded(adsctl, "profile", "set", "mine", "base_url=https://müll.example")
    assert "httpx" in used
    assert not used & {"click", "rich"}


def test_a_push_in_a_pipe_loads_no_table(adsctl):
    adsctl.file("feed.csv", feed(3))
    used = loaded(adsctl, "--profile", "local", "products", "push", "feed.csv", "-q")
    unused = {"pydantic", "pydantic_core", "click", "rich", "keyring", "phonenumbers", "yaml", "jmespath"}
    unused |= {"jinja2"}
    assert not used & unused


def test_a_sync_of_a_list_and_a_push_load_nothing_that_compares_catalogs(adsctl):
    adsctl.file("people.csv", "email\na@x.de\n")
    adsctl.file("feed.csv", feed(3))
    sync = ("audiences", "sync", "people.csv", "--audience", "1nmth")
    for words in (sync, ("products", "push", "feed.csv")):
        assert "ads_cli.products.sync" not in loaded(adsctl, "--profile", "local", "-q", *words)


@pytest.fixture(scope="session")
def user_python():
    """The Python of an environment with what a user has: no tests, linters or build tools."""
    python = made_python("run")
    listed = [python, "-c", "import importlib.util as u; print(u.find_spec('pytest'), u.find_spec('trio'))"]
    assert subprocess.run(listed, capture_output=True, text=True).stdout == "None None\n"
    return python


@pytest.mark.parametrize("environment", ["user", "development"])
def test_a_push_imports_these_distributions_and_no_other(adsctl, service, user_python, environment):
    adsctl.file("feed.csv", feed(3))
    python = user_python if environment == "user" else sys.executable
    done = subprocess.run(
        [python, "-c", LIST_DISTRIBUTIONS, "products", "push", "feed.csv", "-q", "--failed-out", "f.csv"],
        env=adsctl.environment,
        cwd=adsctl.home,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stderr.splitlines()[-1].split()) - {"adsctl"} == TO_PUSH
    assert len(service.stored) == 3


def test_a_process_that_works_on_blocks_loads_no_more_than_that_takes():
    modules = ["parallel", "validation.row_validator", "feeds.formats.csv"]
    imports = ", ".join(f"ads_cli.{module}" for module in [*modules, "products.normal_form"])
    program = f"import sys, {imports}; print(*sys.modules)"
    used = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()
    assert "ads_cli.feeds.formats.csv" in used
    unneeded = {"ads_cli.client.client", "ads_cli.feeds.source", "hashlib", "subprocess", "concurrent"}
    assert not unneeded.intersection(used)


def test_a_check_loads_nothing_that_sends(adsctl):
    adsctl.file("feed.csv", feed(3))
    assert not loaded(adsctl, "products", "check", "feed.csv") & (TO_SEND | {"rich", "sqlite3", "filelock"})


def test_a_valid_feed_loads_no_advice_and_no_fix(adsctl):
    adsctl.file("feed.csv", feed(3))
    advice = {"html.entities", "ads_cli.commands.products.advice", "ads_cli.products.feeds.hints"}
    advice |= {"ads_cli.products.feeds.fixes.values"}
    advice |= {"ads_cli.products.feeds.transforms", "ads_cli.products.feeds.addresses"}
    advice |= {"ads_cli.products.feeds.kinds.step", "ads_cli.products.feeds.kinds.languages"}
    assert all(map(find_spec, advice))
    assert not loaded(adsctl, "products", "check", "feed.csv") & advice


def test_the_process_of_a_task_begins_with_nothing_heavy():
    program = "import sys, ads_cli.fleet.task_process; print(*sys.modules)"
    used = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()
    assert "msgspec" in used and not (ALWAYS_HEAVY | TO_SEND).intersection(used)


@pytest.mark.parametrize("words", [("check",), ("run",)])
def test_a_fleet_on_this_machine_loads_nothing_of_a_cluster(adsctl, words):
    feed_file = adsctl.file("feed.csv", feed(3))
    adsctl.file("fleet.yaml", f"tasks: [{{name: one, run: products check {feed_file}}}]\n")
    used = loaded(adsctl, "fleet", *words, "fleet.yaml", "-q")
    assert "ads_cli" in used
    assert not used & {"dask", "distributed", "tornado", "click", "psutil", "rich"}
