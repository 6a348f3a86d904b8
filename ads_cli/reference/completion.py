"""Completion scripts: what each shell has to know of the command tree, in that shell's own words."""

from collections.abc import Iterable, Iterator
from importlib.resources import files

from .tree import Command, Parameter, commands

FILES = {"bash": "adsctl.bash", "zsh": "_adsctl", "fish": "adsctl.fish", "powershell": "adsctl.ps1"}
COLON = "\\:"  # as zsh wants it in descriptions
HELP = ("--help", "Show what a command takes")
Described = tuple[str, str]  # a word, and what help says of it


def script(shell: str) -> str:
    """Write the completion script of a shell."""
    tree = list(commands())
    common = [option for option in tree[0].options if option.is_common]
    inside = {command.key: list(command.subcommands) for command in tree if command.subcommands}
    options = {command.key: _described(o for o in command.options if not o.is_common) for command in tree}
    takes = dict(_takes(tree)) | {f"*:{n}": o.takes for o in common if o.takes for n in o.names}
    writers = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish, "powershell": _PowerShell}
    write = writers[shell]()
    text = files(__package__).joinpath("shells", FILES[shell]).read_text(encoding="utf-8")
    parts = {
        "inside": "\n".join(write.words(key, words) for key, words in inside.items()),
        "options": "\n".join(write.words(key, words) for key, words in options.items() if words),
        "takes": "\n".join(write.takes(keys, value) for value, keys in _grouped(takes).items()),
        "common": write.common([*_described(common), HELP]),
    }
    for name, content in parts.items():
        text = text.replace(f"@{name}@", content)
    return text


def _described(options: Iterable[Parameter]) -> list[Described]:
    return [(name, option.help) for option in options for name in option.names if len(name) > 2]


def _takes(tree: list[Command]) -> Iterator[tuple[str, str]]:
    """Name each place, and what it takes: a path, a colon, and an option or an argument's number.

    + stands for all further arguments.
    """
    for command in tree:
        for option in command.options:
            if option.takes and not option.is_common:
                yield from ((f"{command.key}:{name}", option.takes) for name in option.names)
        for number, argument in enumerate(command.arguments):
            yield f"{command.key}:{'+' if argument.is_repeated else number}", argument.takes


def _grouped(takes: dict[str, str]) -> dict[str, list[str]]:
    """Turn it round: the places that take the same; those of the common options come last."""
    grouped: dict[str, list[str]] = {}
    for key in sorted(takes, key=lambda key: key.startswith("*")):
        grouped.setdefault(takes[key], []).append(key)
    return grouped


class _Bash:
    """Functions that leave words in REPLY."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    '{key}') REPLY='{' '.join(word for word, _ in words)}' ;;"

    def takes(self, keys: list[str], value: str) -> str:
        return f"    {'|'.join(map(self.pattern, keys))}) REPLY='{value}' ;;"

    def pattern(self, key: str) -> str:
        return f"*{key[1:]}" if key.startswith("*") else f"'{key}'"

    def common(self, words: list[Described]) -> str:
        return " ".join(word for word, _ in words)


class _Zsh(_Bash):
    """Functions that leave `word:description` in the array reply."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    '{key}') reply=(\n{self.common(words)}\n    ) ;;"

    def common(self, words: list[Described]) -> str:
        return "\n".join(
            f"        {_quoted(word)}:{_quoted(text.replace(':', COLON))}" for word, text in words
        )


class _Fish(_Bash):
    """Functions that print a word, a tab and its description."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    case '{key}'\n        printf '%s\\t%s\\n' {self.pairs(words)}"

    def pairs(self, words: list[Described]) -> str:
        return " ".join(f"{_quoted(word, fish=True)} {_quoted(text, fish=True)}" for word, text in words)

    def takes(self, keys: list[str], value: str) -> str:
        return f"    case {' '.join(map(_quoted, keys))}\n        echo '{value}'"

    def common(self, words: list[Described]) -> str:
        return f"    printf '%s\\t%s\\n' {self.pairs(words)}"


class _PowerShell(_Bash):
    """Tables of words."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    '{key}' = '{' '.join(word for word, _ in words)}'"

    def takes(self, keys: list[str], value: str) -> str:
        return "\n".join(f"    '{key.removeprefix('*')}' = '{value}'" for key in keys)


def _quoted(text: str, *, fish: bool = False) -> str:
    """Quote for a POSIX shell, or for fish, where a backslash escapes inside quotes too."""
    if fish:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "'" + text.replace("'", "'\\''") + "'"
