"""Write the generated reference: `python -m tools.write_reference FOLDER`."""

import sys
from pathlib import Path

from ads_cli.checks.explain import rules_page
from ads_cli.cli.tree import root
from ads_cli.reference import command_reference, describe_commands, man_pages
from ads_cli.reference.completion import FILES, completion_script

MARK = "<!-- written by tools/write_reference.py -->"


def write_reference(folder: Path) -> None:
    """Write the completion scripts, docs/commands.md and the man pages into a folder."""
    commands = describe_commands(root())
    documents = {
        folder / "completions" / name: completion_script(shell, commands) for shell, name in FILES.items()
    }
    documents[folder / "docs" / "commands.md"] = command_reference(commands)
    checks = folder / "docs" / "accounts-check.md"
    if checks.exists():
        documents[checks] = with_rules(checks.read_text(encoding="utf-8"))
    man = folder / "build" / "man" / "man1"
    documents |= {man / name: text for name, text in man_pages(commands).items()}
    for path, text in documents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def with_rules(page: str) -> str:
    """Return a page with the list of rules below its mark."""
    return page.partition(MARK)[0] + f"{MARK}\n\n{rules_page()}"


if __name__ == "__main__":
    write_reference(Path(sys.argv[1]))
