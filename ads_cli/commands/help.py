"""What a person asks about the tool as a whole."""

from typing import Annotated

import typer

from ..console.options import CATALOG, COMMON
from ..feeds.registry import one_of, readable_formats

EXIT_CODES = """\
  0  success
  1  a bug in adsctl
  2  usage: an option or an argument, a limit broken by one, a file that cannot be opened
  3  the contents of a file, standard input or @FILE are wrong; nothing was sent
  4  not signed in, or not allowed
  5  not found
  6  refused by the service for another reason
  7  rate limited, and waited as long as allowed
  8  network, time-out, 5xx or an unreadable answer
  9  a push reached its end, with some items refused
 10  differences found
 11  configuration, credentials or the state folder: no keyring, a locked job, a full disk
 12  not confirmed
129, 130, 141, 143: stopped by SIGHUP, SIGINT, a broken pipe, SIGTERM

With -o json the last line on stderr is {"error": {"code", "exit_code", "http_status",
"api_code", "message", "hint", "retryable"}}."""

FORMATS = """\
  table  aligned columns; the default on a terminal
  tsv    a header, then tab-separated lines; the default in a pipe
  csv    the same, separated by commas
  json   the answer's data, unchanged, as one document (pages merged)
  jsonl  a line of JSON for each record
  yaml   the same as json, in YAML
  ids    what identifies each record, a line each: what the next command takes
  none   nothing

--columns a,b chooses the columns of table, tsv and csv. --query takes a JMESPath expression, and
is applied to what json would show. --csv-safe puts an apostrophe before cells of csv that a
spreadsheet would take for formulas. --envelope shows the whole response in json, yaml and jsonl,
and gives the whole to --query."""

ENVIRONMENT = """\
  ADSCTL_PROFILE, ADSCTL_ACCOUNT, ADSCTL_CATALOG, ADSCTL_OUTPUT
      stand for the options of those names
  ADSCTL_BASE_URL, ADSCTL_ADS_URL, ADSCTL_ADS_SANDBOX_URL
      the service's addresses; https, or http on this machine
  ADSCTL_CONSUMER_KEY, ADSCTL_CONSUMER_SECRET, ADSCTL_ACCESS_TOKEN, ADSCTL_ACCESS_TOKEN_SECRET
      the secrets; each also with _FILE, naming a file that holds it
  ADSCTL_EMULATOR
      set by emulator exec and env: which world is served, so that --resume knows it on any port
  ADSCTL_CONFIG_DIR, ADSCTL_STATE_DIR
      the folders of config.yaml, and of job journals and the emulator's database
  NO_COLOR
      no color

An option outranks the environment, which outranks the profile. A profile named by --profile
outranks the environment's addresses, secrets, account and catalog; the profile local, the emulator
on this machine, never looks at them."""

FILES = f"""\
  products  {one_of(map(str.upper, readable_formats()))}, each also .gz; - is standard input (with --format)
            a YAML or JSON document is a list, or a mapping with the only key products
            an empty cell is a value that is not given
  ADSCTL_CONFIG_DIR/config.yaml  profiles: addresses, account, catalog; never a secret
  ADSCTL_STATE_DIR/jobs          one journal for each push
  ADSCTL_STATE_DIR/acknowledged  digests of the products that push --changed leaves out
  ADSCTL_STATE_DIR/emulator.db   the emulator's world"""

TOPICS = {"exit-codes": EXIT_CODES, "formats": FORMATS, "environment": ENVIRONMENT, "files": FILES}


def topic(name: Annotated[str, typer.Argument(metavar="TOPIC", help="What to explain")] = "") -> None:
    """Explain options, formats, exit-codes, environment or files.

    For example: adsctl help exit-codes
    """
    texts = {"options": options_text(), **TOPICS}
    if name in texts:
        print(texts[name])
        return
    from ..errors import UsageError
    from ..suggestions import suggestion

    known = f"topics: {', '.join(texts)}"
    if name:
        raise UsageError(f"there is no topic {name!r}{suggestion(name, texts)}", hint=known)
    print(f"adsctl help TOPIC explains one of the {known}")


def options_text() -> str:
    """List the options of every command."""
    rows = [(f"{', '.join(o.declarations)} {o.metavar}".strip(), o.help) for o in (*COMMON, CATALOG)]
    width = max(len(row[0]) for row in rows)
    lines = (f"  {names:<{width}}  {text}" for names, text in rows)
    return "Accepted before or after the subcommand; the innermost wins.\n\n" + "\n".join(lines)
