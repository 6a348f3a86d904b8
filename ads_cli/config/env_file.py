"""The file of `--env-file`: environment variables, one NAME=VALUE a line.

A shell that sources the file reads the same values: whatever it would change or split must stand in quotes.
Messages name lines and variables, never a value.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from ..errors import ContentError, UsageError
from ..spelling import as_variable
from ..suggestions import suggestion
from .environment import known_variables
from .writers import check_writers

PREFIX = as_variable("")
ASSIGNMENT = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
VALUE = re.compile(r"""'([^']*)'|"([^"$`\\]*)"|([^\s'"$`\\#;&|<>()~]*)""")


def with_env_file(environ: Mapping[str, str], path: str) -> Mapping[str, str]:
    """Return the environment with the variables of a file, which replace those of the same meaning."""
    found = read_env_file(path)
    replaced = {name.removesuffix("_FILE") for name in found}
    return {
        name: value for name, value in environ.items() if name.removesuffix("_FILE") not in replaced
    } | found


def read_env_file(path: str) -> dict[str, str]:
    """Read the variables of adsctl from a file; raise ContentError for a line that is not understood."""
    check_writers(Path(path), holds_secrets=True)
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ContentError(f"--env-file: {path}: not UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise UsageError(f"--env-file: {path} cannot be read: {reason}") from None
    found: dict[str, str] = {}
    for number, line in enumerate((line.strip(" \t\r") for line in lines), 1):
        if line and not line.startswith("#"):
            name, value = _parse(line, f"--env-file: {path}:{number}")
            if name in found:
                raise ContentError(f"--env-file: {path}:{number}: {name} is repeated")
            found[name] = value
    return {name: value for name, value in found.items() if name.startswith(PREFIX)}


def _parse(line: str, place: str) -> tuple[str, str]:
    """Parse a line; what it holds may be secret, so that no message quotes it."""
    assignment = ASSIGNMENT.fullmatch(line)
    if not assignment:
        raise ContentError(
            f"{place}: not NAME=VALUE", hint="write a line for each variable, without spaces around ="
        )
    name, text = assignment.groups()
    known = known_variables()
    if name.startswith(PREFIX) and name not in known:
        raise ContentError(f"{place}: {name} is not a variable of adsctl{suggestion(name, known)}")
    value = VALUE.fullmatch(text)
    if not value:
        raise ContentError(
            f"{place}: the value of {name} has quotes, blanks or other characters that a shell would change",
            hint="put the whole value in single quotes",
        )
    return name, value[value.lastindex or 0]
