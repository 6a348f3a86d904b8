"""The environment variables that adsctl reads, with their help."""

import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from ..errors import ContentError
from ..spelling import as_variable, suggestion
from .addresses import ADDRESSES
from .atomic_files import read_whole
from .trusted_files import check_writers

SECRETS = (
    "consumer_key",
    "consumer_secret",
    "access_token",
    "access_token_secret",
    "bearer_token",
    "client_secret",
)
MAX_MIB = 1  # of a file of variables


def _names(*settings: str) -> tuple[str, ...]:
    return tuple(map(as_variable, settings))


# Variables that share one line of help, with that line.
ENVIRONMENT = {
    _names("profile", "service", "account", "catalog", "output"): "the same as the options of these names",
    _names(*ADDRESSES): "the addresses of the service: https, or http on this machine",
    _names(*SECRETS): "the secrets; each also with _FILE, which names a file that holds it",
    _names("client_id"): "the app of auth login --oauth2, as --client-id",
    _names("token_store"): "keyring or file: where auth login stores tokens",
    _names("emulator"): (
        "set by emulator exec and env: names the served emulator, so that --resume finds its jobs"
    ),
    _names("emulator_database"): "set by emulator exec and env: the database that emulator trigger works in",
    _names("allowance"): (
        "set for the commands of a fleet: the folder in which they count their requests together"
    ),
    _names("earlier_jobs"): "set for the tasks of a fleet that may not send twice: which one notes its jobs",
    _names("task_had_begun"): "set for the tasks of a fleet that an earlier run may have begun",
    _names("fleet_count"): "set for the tasks of a fleet: which one notes how much it changes",
    _names("job_group"): "set for the commands of a fleet that fill one list together: their run",
    _names("config_dir", "state_dir"): "the folders of config.yaml, and of all that is kept between runs",
    _names("exit_code", "error"): "set for the command of --on-failure",
    _names("guard"): "a file of limits that no option loosens, beside /etc/xdg/adsctl/guard.yaml",
    ("NO_COLOR",): "turns color off",
}


def known_variables() -> tuple[str, ...]:
    """List the variables that adsctl reads."""
    return (*chain.from_iterable(ENVIRONMENT), *(f"{name}_FILE" for name in _names(*SECRETS)))


PREFIX = as_variable("")
ASSIGNMENT = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
VALUE = re.compile(r"""'([^']*)'|"([^"$`\\]*)"|([^\s'"$`\\#;&|<>()~]*)""")


def with_env_file(environ: Mapping[str, str], path: str) -> Mapping[str, str]:
    """Return the environment with the variables of a file, which replace those of the same meaning."""
    variables = read_env_file(path)
    replaced = {name.removesuffix("_FILE") for name in variables}
    return {
        name: value for name, value in environ.items() if name.removesuffix("_FILE") not in replaced
    } | variables


def read_env_file(path: str) -> dict[str, str]:
    """Read the variables of adsctl from a file; raise ContentError for a line that is not understood."""
    check_writers(Path(path), holds_secrets=True)
    try:
        lines = read_whole(path, MAX_MIB, "--env-file").decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ContentError(f"--env-file: {path}: not UTF-8") from None
    variables: dict[str, str] = {}
    for number, line in enumerate((line.strip(" \t\r") for line in lines), 1):
        if line and not line.startswith("#"):
            name, value = _parse(line, f"--env-file: {path}:{number}")
            if name in variables:
                raise ContentError(f"--env-file: {path}:{number}: {name} is repeated")
            variables[name] = value
    return {name: value for name, value in variables.items() if name.startswith(PREFIX)}


def _parse(line: str, place: str) -> tuple[str, str]:
    """Parse a line. It may have a secret, so that no message quotes it."""
    assignment = ASSIGNMENT.fullmatch(line)
    if not assignment:
        raise ContentError(
            f"{place}: not NAME=VALUE", hint="write a line for each variable, without spaces around ="
        )
    name, text = assignment.groups()
    names = known_variables()
    if name.startswith(PREFIX) and name not in names:
        raise ContentError(f"{place}: {name} is not a variable of adsctl{suggestion(name, names)}")
    value = VALUE.fullmatch(text)
    if not value:
        raise ContentError(
            f"{place}: the value of {name} has quotes, blanks or other characters that a shell would change",
            hint="put the whole value in single quotes",
        )
    return name, value[value.lastindex or 0]


CONFIG_FILES = {
    "config.yaml": "profiles: addresses, account, catalog; never a secret",
    "secrets.json": "tokens, only after --token-store file; readable by you alone",
    "grants": "locks of sign-ins by OAuth 2.0: one process at a time renews a token",
}
STATE_FILES = {
    "state.db": "all that is remembered: what was changed, sent and made, and what has not ended; with "
    "state.db-wal and -shm while it is used",
    "locks": "empty files: commands keep each other from an account, a fleet or a file, and a restored "
    "state.db lacks its own",
    "caches": "the ids that completion offers, what is left of rate limits, which keyring there is: may be "
    "deleted",
    "ledger.key": "the key of the digests of people; readable by you alone",
    "exports": "results of unfinished exports of statistics, for stats export --resume",
    "fleet": "logs of the tasks of fleets, and what they printed",
    "mcp": "what the changes of an assistant printed, and results that are too long for it, until it ends",
    "emulator.db": "the data of the emulator",
}
