"""The command tree: groups that are built when they are used, and the options that every command takes."""

from collections.abc import Collection
from functools import cached_property
from importlib import import_module
from typing import Any

from typer import Exit, Typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException
from typer.main import get_command

from ..console.help_texts import ExampleCommand, summary_line
from ..console.options import CATALOG_GROUPS, CHOICES, common_options, completes_from, store_common_option
from ..errors import UsageError

PROGRAM = "adsctl"

# The groups, by path, with the line that help shows of them.
GROUPS = {
    "accounts": "Advertising accounts",
    "accounts features": "What an account may use",
    "accounts curated-categories": "Videos to advertise with, by subject",
    "line-items": "Line items: who sees which ad, when and for how much",
    "line-items curated-categories": "The curated categories of line items",
    "audiences": "Audiences: who ads are for, and who not",
    "audiences permissions": "The accounts that an audience is shared with",
    "audiences do-not-reach": "Lists of people who see no ads",
    "cards": "Cards: what a post shows below its text",
    "cards poll": "Poll cards",
    "cards video-conversation": "Video conversation cards: a video and hashtags",
    "cards image-conversation": "Image conversation cards, an older kind",
    "media": "Images, GIFs and videos",
    "media account": "The media that ads of the account show",
    "media library": "The library of what was uploaded",
    "posts": "Posts made for an advertiser",
    "auth": "Sign in and out, and look after tokens",
    "auth bearer": "The bearer token of the app",
    "profile": "Addresses and defaults, by name",
    "webhooks": "Where the service delivers events",
    "catalog": "The product catalog and its product sets",
    "catalog sets": "Product sets: the products that an ad shows",
    "products": "Product feeds: check, push, pull, list and delete products",
    "jobs": "Pushes that ran, and how to go on with those that did not end",
    "emulator": "The whole service on this machine, to try and to test",
}
# The commands that take more than one request; every other one is made of its declaration.
HAND_WRITTEN = {
    "auth login": "login:login",
    "auth logout": "auth:logout",
    "auth status": "auth:status",
    "auth token": "auth:token",
    "auth bearer issue": "bearer:issue",
    "auth bearer revoke": "bearer:revoke",
    "profile list": "profile:list_profiles",
    "profile show": "profile:show",
    "profile use": "profile:use",
    "profile set": "profile:set_values",
    "profile remove": "profile:remove",
    "webhooks create": "webhooks:create",
    "audiences push": "audiences:push",
    "audiences check": "audiences:check",
    "audiences hash": "audiences:hash_file",
    "audiences do-not-reach push": "audiences:push_do_not_reach",
    "products push": "products:push",
    "products check": "products:check",
    "products pull": "product_pull:pull",
    "products delete": "products:delete",
    "emulator serve": "emulator:serve",
    "emulator exec": "emulator:execute",
    "emulator env": "emulator:env",
    "emulator audiences": "emulator:audiences",
    "emulator reset": "emulator:reset",
    "jobs list": "jobs:list_jobs",
    "jobs show": "jobs:show_job",
    "jobs clean": "jobs:clean",
    "api": "api:api",
    "completion": "completion:completion",
    "help": "help:topic",
}
# What the root's help says of single commands, so that it imports none of them.
LINES = {
    "api": "Send any signed request, for what no command does",
    "completion": "Print the completion script of a shell",
    "help": "Explain options, formats, exit-codes, environment or files",
}


class Group(TyperGroup):
    """A group of commands that is filled when somebody looks inside."""

    def __init__(self, *path: str, help: str) -> None:
        super().__init__(
            name=path[-1] if path else PROGRAM,
            help=help,
            no_args_is_help=True,
            rich_markup_mode=None,
            params=[],
        )
        self.path = path
        self.params += common_parameters(path)

    @cached_property
    def _children(self) -> dict[str, Any]:
        return children(self.path)

    @property  # type: ignore[override]
    def commands(self) -> dict[str, Any]:
        """List what is inside."""
        return self._children

    @commands.setter
    def commands(self, value: Any) -> None:
        pass  # the base class starts with none; ours come later

    def list_commands(self, ctx: Any) -> list[str]:
        """Name what is inside, in the order of the help."""
        return list(self._children)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Show what is inside, on as many lines as it takes; the base class would cut."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary_line(child)) for name, child in self._children.items()])


def children(path: tuple[str, ...]) -> dict[str, Any]:
    """Build what is directly inside a group: groups, declared requests, commands written by hand."""
    found: dict[str, Any] = {}
    for name, line in GROUPS.items():
        if (words := tuple(name.split()))[:-1] == path:
            found[words[-1]] = Group(*words, help=line)
    if path:
        found |= generated_commands(path)
    for name, target in HAND_WRITTEN.items():
        if (words := tuple(name.split()))[:-1] == path:
            found[words[-1]] = (
                LazyCommand(words, LINES[name]) if name in LINES else hand_written_command(words, target)
            )
    return found


def generated_commands(path: tuple[str, ...]) -> dict[str, Any]:
    """Make commands of the requests declared for a group."""
    from ..api.endpoint import MODULES, requests_of

    module = path[0].replace("-", "_")
    if module not in MODULES:
        return {}
    from .request_commands import RequestCommand

    found = {}
    for request in requests_of(module):
        words = tuple(request.endpoint.command.split())
        if words[:-1] == path and request.endpoint.command not in HAND_WRITTEN:
            command = RequestCommand(request)
            found[words[-1]] = with_common_options(command, words, set(command.common.values()))
    return found


def hand_written_command(path: tuple[str, ...], target: str) -> Any:
    """Import a command that is written by hand."""
    module, function = target.split(":")
    app = Typer(rich_markup_mode=None, add_completion=False)
    run = getattr(import_module(f"..commands.{module}", __package__), function)
    app.command(path[-1], cls=ExampleCommand)(run)
    return with_common_options(get_command(app), path, ("catalog",) if path[0] in CATALOG_GROUPS else ())


class LazyCommand(TyperCommand):
    """Stands in the root for a command written by hand, imported when it is called."""

    def __init__(self, path: tuple[str, ...], line: str) -> None:
        super().__init__(name=path[-1], help=line, callback=None, rich_markup_mode=None)
        self.path = path

    @property
    def loaded(self) -> Any:
        """Import the command."""
        return hand_written_command(self.path, HAND_WRITTEN[" ".join(self.path)])

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Hand over to the command itself."""
        return self.loaded.make_context(*args, **extra)


def with_common_options(command: Any, path: tuple[str, ...], shown: Collection[str]) -> Any:
    """Add the common options; those the command cannot do without are shown in its help."""
    command.params += common_parameters(path, shown)
    return command


def common_parameters(path: tuple[str, ...], shown: Collection[str] = ()) -> list[TyperOption]:
    """Make the common options of the command at `path`; each stores its value for later."""
    return [
        TyperOption(
            param_decls=[*option.declarations, option.name],
            help=option.help,
            metavar=option.metavar or None,
            is_flag=not option.metavar,
            default=None,
            expose_value=False,
            callback=store_common_option,
            hidden=bool(path) and option.name not in shown,
            autocompletion=completes_from(CHOICES[option.name]) if option.name in CHOICES else None,
        )
        for option in common_options(path)
    ]


def root() -> Group:
    """Make the root of the tree."""
    group = Group(help="Manage an advertising service from the terminal.")
    group.params.append(
        TyperOption(
            param_decls=["--version"],
            is_flag=True,
            default=None,
            expose_value=False,
            callback=_version,
            is_eager=True,
            help="Show the version",
        )
    )
    return group


def _version(ctx: Any, param: Any, value: Any) -> None:
    if value:
        from .. import __version__

        print(f"{PROGRAM} {__version__}")
        raise Exit


def run(argv: list[str]) -> int:
    """Run the command line; raise AdsctlError where something is wrong."""
    tree = root()
    try:
        with tree.make_context(PROGRAM, list(argv)) as ctx:
            tree.invoke(ctx)
    except Exit as done:
        return done.exit_code
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            return 0
        where = getattr(error, "ctx", None)
        command = where.command_path if where else PROGRAM
        raise UsageError(error.format_message(), hint=f"{command} --help") from None
    return 0
