"""Completion of commands, options and values in the shell."""

from enum import StrEnum
from typing import Annotated

import typer


class Shell(StrEnum):
    """A shell that can complete."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"
    powershell = "powershell"


def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="Which shell")]) -> None:
    """Print the completion script of a shell: bash, zsh, fish or powershell.

    For example: adsctl completion bash > ~/.local/share/bash-completion/completions/adsctl
    """
    from ..reference.completion import script

    print(script(shell.value), end="")
