"""Completion of commands, options and values in the shell."""

from enum import StrEnum
from typing import Annotated

import typer

from ..cli import COMPLETION_VARIABLE, PROGRAM


class Shell(StrEnum):
    """A shell that can complete."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"
    powershell = "powershell"


def completion(shell: Annotated[Shell, typer.Argument(help="The shell to complete in")]) -> None:
    """Print the completion script of a shell.

    For bash: adsctl completion bash > ~/.local/share/bash-completion/completions/adsctl
    """
    from typer._completion_shared import get_completion_script

    print(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE, shell=shell.value))
