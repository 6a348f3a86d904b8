"""Completion scripts: the command tree in the syntax of each shell."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from ..console.help_texts import HELP
from . import CommandDoc, Parameter

FILES = {"bash": "adsctl.bash", "zsh": "_adsctl", "fish": "adsctl.fish", "powershell": "adsctl.ps1"}
ESCAPED_COLON = "\\:"  # inside a zsh description
Described = tuple[str, str]  # a word and its description


def completion_script(shell: str, commands: Sequence[CommandDoc]) -> str:
    """Return the completion script of a shell."""
    common = [option for option in commands[0].options if option.is_common]
    subcommands = {command.key: list(command.subcommands) for command in commands if command.subcommands}
    (argument,) = next(command.arguments for command in commands if command.key == "help")
    topics = [(topic, "Topic") for topic in argument.completes_from.split()]
    subcommands["help"] = [*topics, *commands[0].subcommands]
    options = {command.key: _described(o for o in command.options if not o.is_common) for command in commands}
    values = dict(_values(commands))
    values |= {f"*:{name}": o.completes_from for o in common if o.completes_from for name in o.names}
    writers = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish, "powershell": _PowerShell}
    write = writers[shell]()
    text = files(__package__).joinpath("shells", FILES[shell]).read_text(encoding="utf-8")
    parts = {
        "subcommands": "\n".join(write.words(key, words) for key, words in subcommands.items()),
        "options": "\n".join(write.words(key, words) for key, words in options.items() if words),
        "values": "\n".join(write.values(keys, value) for value, keys in _keys_by_value(values).items()),
        "common": write.common([*_described(common), ("--help", HELP.help)]),
    }
    for name, content in parts.items():
        text = text.replace(f"@{name}@", content)
    return text


def _described(options: Iterable[Parameter]) -> list[Described]:
    return [(name, option.help) for option in options for name in option.names if len(name) > 2]


def _values(commands: Sequence[CommandDoc]) -> Iterator[tuple[str, str]]:
    """Yield what each option and argument completes from.

    The key is the command's path, a colon and a name. That is an option, the position of an argument, or `+`
    for all further arguments.
    """
    for command in commands:
        for option in command.options:
            if option.completes_from and not option.is_common:
                yield from ((f"{command.key}:{name}", option.completes_from) for name in option.names)
        for position, argument in enumerate(command.arguments):
            yield f"{command.key}:{'+' if argument.is_repeated else position}", argument.completes_from


def _keys_by_value(values: dict[str, str]) -> dict[str, list[str]]:
    """Group the keys that complete from the same values; common options come last."""
    grouped: dict[str, list[str]] = {}
    for key in sorted(values, key=lambda key: key.startswith("*")):
        grouped.setdefault(values[key], []).append(key)
    return grouped


class _Bash:
    """Functions that leave words in REPLY."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    '{key}') REPLY='{' '.join(word for word, _ in words)}' ;;"

    def values(self, keys: list[str], value: str) -> str:
        patterns = (key if key.startswith("*") else f"'{key}'" for key in keys)
        return f"    {'|'.join(patterns)}) REPLY='{value}' ;;"

    def common(self, words: list[Described]) -> str:
        return " ".join(word for word, _ in words)


class _Zsh(_Bash):
    """Functions that leave `word:description` in the array reply."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    '{key}') reply=(\n{self.common(words)}\n    ) ;;"

    def common(self, words: list[Described]) -> str:
        return "\n".join(
            f"        {_quoted(word)}:{_quoted(text.replace(':', ESCAPED_COLON))}" for word, text in words
        )


class _Fish(_Bash):
    """Functions that print a word, a tab and its description."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    case '{key}'\n        printf '%s\\t%s\\n' {self.pairs(words)}"

    def pairs(self, words: list[Described]) -> str:
        return " ".join(f"{_quoted(word, fish=True)} {_quoted(text, fish=True)}" for word, text in words)

    def values(self, keys: list[str], value: str) -> str:
        return f"    case {' '.join(map(_quoted, keys))}\n        echo '{value}'"

    def common(self, words: list[Described]) -> str:
        return f"    printf '%s\\t%s\\n' {self.pairs(words)}"


class _PowerShell(_Bash):
    """Hash tables of words."""

    def words(self, key: str, words: list[Described]) -> str:
        return f"    '{key}' = '{' '.join(word for word, _ in words)}'"

    def values(self, keys: list[str], value: str) -> str:
        return "\n".join(f"    '{key.removeprefix('*')}' = '{value}'" for key in keys)


def _quoted(text: str, *, fish: bool = False) -> str:
    """Quote for a POSIX shell, or for fish, where a backslash escapes inside quotes too."""
    if fish:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "'" + text.replace("'", "'\\''") + "'"
