"""The environment variables that adsctl reads, with their help."""

from typing import NamedTuple

from ..spelling import as_variable
from .addresses import ADDRESSES

SECRETS = ("consumer_key", "consumer_secret", "access_token", "access_token_secret", "bearer_token")


class Variables(NamedTuple):
    """Environment variables that share one line of help."""

    names: tuple[str, ...]
    help: str


def _variables(names: tuple[str, ...], help: str) -> Variables:
    return Variables(tuple(map(as_variable, names)), help)


ENVIRONMENT = (
    _variables(
        ("profile", "service", "account", "catalog", "output"), "the same as the options of these names"
    ),
    _variables(ADDRESSES, "the addresses of the service: https, or http on this machine"),
    _variables(SECRETS, "the secrets; each also with _FILE, which names a file that holds it"),
    _variables(("token_store",), "keyring or file: where auth login stores tokens"),
    _variables(
        ("emulator",),
        "set by emulator exec and env: names the served emulator, so that --resume finds its jobs",
    ),
    _variables(
        ("allowance",),
        "set for the commands of a fleet: the folder with this machine's share of the rate limits",
    ),
    _variables(
        ("earlier_jobs",), "set for the tasks of a fleet that may not send twice: the jobs before them"
    ),
    _variables(("job_group",), "set for the commands of a fleet that fill one list together: their run"),
    _variables(
        ("config_dir", "state_dir"),
        "the folders of config.yaml, and of job journals and the emulator's database",
    ),
    _variables(("exit_code", "error"), "set for the command of --on-failure"),
    Variables(("NO_COLOR",), "turns color off"),
)


def known_variables() -> tuple[str, ...]:
    """List the variables that adsctl reads."""
    files = (f"{as_variable(name)}_FILE" for name in SECRETS)
    return (*(name for variables in ENVIRONMENT for name in variables.names), *files)
