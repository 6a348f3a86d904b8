"""Shell completion."""

from enum import StrEnum
from typing import Annotated

import typer


class Shell(StrEnum):
    """The supported shells."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"
    powershell = "powershell"


def completion(
    ctx: typer.Context,
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell")],
) -> None:
    """Print the completion script of a shell.

    For example: adsctl completion bash > ~/.local/share/bash-completion/completions/adsctl
    """
    from ..reference.completion import completion_script
    from ..reference.tree import describe_commands

    print(completion_script(shell.value, describe_commands(ctx.find_root().command)), end="")
