"""The described command tree, which takes half a second to load: once for all tests."""

from ads_cli.cli.tree import root
from ads_cli.reference import describe_commands

COMMANDS = {command.key: command for command in describe_commands(root())}
