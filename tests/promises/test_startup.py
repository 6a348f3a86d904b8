"""What a command loads: nothing that it does not use."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

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
    *("ads_cli.auth.secret_stores", "ads_cli.console.spending", "ads_cli.console.progress"),
    *("ads_cli.client.spending", "ads_cli.client.shared_window", "ads_cli.config.file_locks"),
    *("ads_cli.client.api_errors", "ads_cli.api.categories"),
    "ads_cli.config.atomic_files",
}
# The packages that a push imports beside the standard library.
TO_PUSH = {
    *("typer", "annotated_doc", "shellingham"),  # the command line
    *("httpx", "httpcore", "h11", "idna", "certifi", "oauthlib"),
    *("msgspec", "filelock"),
}

# Print what each of several command lines, run one after the other, has loaded; import nothing else.
LIST_MODULES = """
import sys
before = {*sys.modules}  # of the environment, not of adsctl
from ads_cli.__main__ import main
for line in sys.argv[1:]:
    code = main(line.split())
    names = [name for name in sys.modules.keys() - before if sys.modules[name]]
    print("loaded:", code, *names, file=sys.stderr)
"""


def loaded_by(adsctl, *lines: str, python: str | Path = sys.executable) -> list[set[str]]:
    """Name the modules that are loaded when each of several runs in one process has ended."""
    done = subprocess.run(
        [python, "-c", LIST_MODULES, *lines],
        env=adsctl.environment,
        cwd=adsctl.home,
        capture_output=True,
        text=True,
    )
    results = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("loaded: ")]
    assert [code for code, *_ in results] == ["0"] * len(lines), done.stderr
    return [{*names} for _, *names in results]


def test_help_loads_nothing_that_sends_and_that_of_the_root_the_command_line_alone(adsctl):
    version, *of_root = loaded_by(adsctl, "--version", "--help", "help formats")
    assert not version & (ALWAYS_HEAVY | TO_SEND | {"typer", "msgspec", "re", "json", "typing"})
    for modules in of_root:
        assert not modules & (ALWAYS_HEAVY | TO_SEND | {"msgspec", "yaml", "sqlite3", "platformdirs"})
    commands = ("accounts", "accounts list", "products push", "targeting search", "fleet run")
    for modules in loaded_by(adsctl, *(f"{command} --help" for command in commands)):
        assert not modules & (ALWAYS_HEAVY | TO_SEND | {"yaml", "sqlite3", "jmespath"})


def test_a_piped_result_loads_what_it_sends_with_and_no_more(adsctl, service):
    adsctl("accounts", "list", "-q")  # stores the ids for completion
    (used,) = loaded_by(adsctl, "accounts list -q")
    assert used >= TO_SEND
    assert not used & (ALWAYS_HEAVY | OTHER_REQUESTS)


def test_with_the_emulator_no_socket_no_table_and_nothing_that_compares_catalogs_is_loaded(adsctl):
    adsctl.file("people.csv", "email\na@x.de\n")
    adsctl.file("feed.csv", feed(3))
    adsctl.copy_emulator()
    adsctl.env["ADSCTL_PROFILE"] = "local"
    listed, pushed, synced = loaded_by(
        adsctl,
        "accounts list -q",
        "products push feed.csv -q",
        "audiences sync people.csv --audience 1nmth -q",
    )
    assert "httpcore" not in listed
    unused = {"pydantic", "pydantic_core", "click", "rich", "keyring", "phonenumbers", "yaml", "jmespath"}
    assert not pushed & (unused | {"jinja2"})
    assert "ads_cli.products.sync" not in pushed | synced


def test_the_requests_of_a_command_are_in_one_module_so_that_no_other_is_loaded():
    declared = [(request.endpoint.command, module) for module in MODULES for request in requests_of(module)]
    assert len({*declared}) == len({command for command, _ in declared})


def test_httpx_brings_no_command_line_where_dask_has_installed_click(adsctl):
    assert find_spec("click")
    (used,) = loaded_by(adsctl, "profile set mine base_url=https://müll.example")
    assert "httpx" in used
    assert not used & {"click", "rich"}


@pytest.fixture(scope="session")
def user_python():
    """The Python of an environment with what a user has: no tests, linters or build tools."""
    python = made_python("run")
    listed = [python, "-c", "import importlib.util as u; print(u.find_spec('pytest'), u.find_spec('trio'))"]
    assert subprocess.run(listed, capture_output=True, text=True).stdout == "None None\n"
    return python


@pytest.mark.parametrize("environment", ["user", "development"])
def test_a_push_imports_these_packages_and_no_other(adsctl, service, user_python, environment):
    adsctl.file("feed.csv", feed(3))
    python = user_python if environment == "user" else sys.executable
    (used,) = loaded_by(adsctl, "products push feed.csv -q --failed-out f.csv", python=python)
    packages = {name.partition(".")[0] for name in used} - sys.stdlib_module_names
    assert packages - {"ads_cli"} == TO_PUSH
    assert len(service.stored) == 3


def test_a_process_that_works_on_blocks_loads_no_more_than_that_takes():
    modules = ["parallel", "validation.row_validator", "feeds.formats.csv"]
    imports = ", ".join(f"ads_cli.{module}" for module in [*modules, "products.normal_form"])
    program = f"import sys, {imports}; print(*sys.modules)"
    used = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()
    assert "ads_cli.feeds.formats.csv" in used
    unneeded = {"ads_cli.client.client", "ads_cli.feeds.source", "hashlib", "subprocess", "concurrent"}
    assert not unneeded.intersection(used)


def test_a_check_of_a_valid_feed_loads_nothing_that_sends_no_advice_and_no_fix(adsctl):
    adsctl.file("feed.csv", feed(3))
    advice = {"html.entities", "ads_cli.commands.products.advice", "ads_cli.products.feeds.hints"}
    advice |= {"ads_cli.products.feeds.fixes.values"}
    advice |= {"ads_cli.products.feeds.transforms", "ads_cli.products.feeds.addresses"}
    advice |= {"ads_cli.products.feeds.kinds.step", "ads_cli.products.feeds.kinds.languages"}
    assert all(map(find_spec, advice))
    (used,) = loaded_by(adsctl, "products check feed.csv")
    assert not used & (TO_SEND | {"rich", "sqlite3", "filelock"} | advice)


def test_the_process_of_a_task_begins_with_nothing_heavy():
    program = "import sys, ads_cli.fleet.task_process; print(*sys.modules)"
    used = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()
    assert "msgspec" in used and not (ALWAYS_HEAVY | TO_SEND).intersection(used)


def test_a_fleet_on_this_machine_loads_nothing_of_a_cluster(adsctl):
    feed_file = adsctl.file("feed.csv", feed(3))
    adsctl.file("fleet.yaml", f"tasks: [{{name: one, run: products check {feed_file}}}]\n")
    for used in loaded_by(adsctl, "fleet check fleet.yaml -q", "fleet run fleet.yaml -q"):
        assert "ads_cli" in used
        assert not used & {"dask", "distributed", "tornado", "click", "psutil", "rich"}
