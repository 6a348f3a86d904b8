"""As a script: print the tests of owners and modes of files, which do not bind root, as pytest takes them."""

import ast
import re
from pathlib import Path

# A program is made of a file by 755: that is the same for every user.
NAMED = re.compile(r'chmod\((?!0o755)|chown|geteuid|umask|"root"')


def tests_of(file: Path) -> list[str]:
    """Return the tests of a file that name owners or modes; the file where anything else in it does."""
    text = file.read_text()
    found: list[str] = []
    for statement in ast.parse(text).body if NAMED.search(text) else ():
        begin = min(each.lineno for each in (statement, *getattr(statement, "decorator_list", ())))
        if NAMED.search("\n".join(text.splitlines()[begin - 1 : statement.end_lineno])):
            name = getattr(statement, "name", "")
            if not name.startswith("test_"):
                return [str(file)]
            found.append(f"{file}::{name}")
    return found


if __name__ == "__main__":
    files = sorted(path for path in Path("tests").rglob("*.py") if path.name.startswith(("test_", "long_")))
    print(*(test for path in files for test in tests_of(path)), sep="\n")
