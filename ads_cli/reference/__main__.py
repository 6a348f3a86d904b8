"""Write the reference: `python -m ads_cli.reference FOLDER`."""

import sys
from pathlib import Path

from .completion import FILES, script
from .man import pages
from .markdown import page


def main(root: Path) -> None:
    """Write completion scripts, docs/commands.md and the man pages under a folder."""
    written = {root / "completions" / name: script(shell) for shell, name in FILES.items()}
    written[root / "docs" / "commands.md"] = page()
    written |= {root / "build" / "man" / "man1" / name: text for name, text in pages()}
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
