"""Checks of this machine: the installation, the configuration, and what is stored."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from ... import __version__
from ...console.invocation import Invocation
from ...errors import AdsctlError, StateError
from ...output.text import counted
from .diagnosis import Diagnosis, ok, warning

MIN_FREE_BYTES = 100_000_000
VERSION_TIMEOUT_SECONDS = 10.0
COMPLETIONS = {  # by shell: below the home folder, and below share/ of this installation
    "bash": (("~/.local/share/bash-completion/completions/adsctl",), "bash-completion/completions/adsctl"),
    "zsh": (("~/.local/share/zsh/site-functions/_adsctl", "~/.zfunc/_adsctl"), "zsh/site-functions/_adsctl"),
    "fish": (
        ("~/.config/fish/completions/adsctl.fish", "~/.local/share/fish/vendor_completions.d/adsctl.fish"),
        "fish/vendor_completions.d/adsctl.fish",
    ),
}


def version() -> Diagnosis:
    """Say which version runs, and how it was installed."""
    from ...installation import this_installation

    tool = this_installation().tool
    python = ".".join(map(str, sys.version_info[:3]))
    return ok(f"adsctl {__version__}, Python {python}, installed by {tool} in {sys.prefix}")


def path() -> Diagnosis:
    """Look for another adsctl, which a shell would run in place of this one."""
    program = shutil.which("adsctl")
    if program is None:
        return warning("no adsctl is on PATH", f"add {Path(sys.executable).parent} to PATH")
    try:
        process = subprocess.run(
            [program, "--version"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=VERSION_TIMEOUT_SECONDS,
        )
        output = process.stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        return warning(f"{program} does not run: {error}", "remove it, or install it again")
    if output != f"adsctl {__version__}":
        hint = f"remove it, or put {Path(sys.executable).parent} before it on PATH"
        return warning(f"{program} is {output[:60] or 'no adsctl'}, and this is {__version__}", hint)
    return ok(program)


def configuration(call: Invocation) -> Diagnosis:
    """Read the profile and the guard."""
    settings = call.settings
    warnings = [*settings.check_folders(), *settings.unknown_keys()]
    limits = [*call.writes.guard.guard.strictest()]
    _ = settings.service, settings.max_attempts, settings.flag("sandbox"), settings.changes_days
    if warnings:
        return warning("; ".join(warnings), f"correct {settings.config_dir / 'config.yaml'}")
    guard = f", {counted(len(limits), 'limit')} of the guard" if limits else ""
    return ok(f"profile {settings.profile} ({settings.profile_origin}){guard}")


def keyring(call: Invocation) -> Diagnosis:
    """Look whether tokens can be stored."""
    settings = call.settings
    if settings.is_local:
        return ok("not needed: the emulator on this machine has its own credentials")
    try:
        call.secrets.store.check()
    except AdsctlError as error:
        if call.secrets.has_store:
            raise
        hint = error.hint or "adsctl auth login --token-store file"
        return warning(f"{error.message}; tokens of the environment do not need it", hint)
    return ok(f"the store of tokens is {settings.get('token_store')}")


def state(call: Invocation) -> Diagnosis:
    """Look at the state folder: its owner, its space, and jobs that are unfinished."""
    from ...config.atomic_files import ensure_writable
    from ...config.trusted_files import check_writers
    from ...runs.jobs import list_jobs

    folder = call.settings.state_dir
    note = check_writers(folder)
    ensure_writable(folder, "ADSCTL_STATE_DIR")
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    if free < MIN_FREE_BYTES:
        hint = "free some space, or set ADSCTL_STATE_DIR to another folder"
        raise StateError(f"{folder} has only {free:,} bytes left", hint=hint)
    if open_jobs := len(list_jobs(folder, "ended IS NULL")):
        return warning(f"{counted(open_jobs, 'unfinished job')} in {folder}", "adsctl jobs list")
    return warning(note) if note else ok(f"{folder}, {free // 10**9:,} GB free")


def completion() -> Diagnosis:
    """Look for the completion of the user's shell."""
    shell = Path(os.environ.get("SHELL") or "bash").name
    if shell not in COMPLETIONS:
        return ok(f"not known for {shell}; there is one for {', '.join(COMPLETIONS)} and powershell")
    own, shared = COMPLETIONS[shell]
    paths = [Path(sys.prefix) / "share" / shared]
    with suppress(RuntimeError):  # there is no home folder
        paths = [*(Path(name).expanduser() for name in own), *paths]
    for path in paths:
        if path.exists():
            return ok(str(path))
    return warning(
        f"no completion of {shell} is installed", f"adsctl completion {shell}; adsctl help completion"
    )
