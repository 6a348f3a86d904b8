"""The options and arguments of commands, as Typer's parser takes them, and its errors in our words.

Typer 0.29 converts values with pydantic, whose import takes longer than most commands. Earlier versions have
types of their own. So whatever depends on the type of a value is ours. What this package uses of Typer beyond
its documentation is listed, and tried, in tests/console/test_typer.py.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

from typer import Context
from typer.core import TyperArgument, TyperOption

from ..errors import UsageError
from ..spelling import suggestion
from .options import FILE_MARKS

# Typer 0.29 demands a description of the type, and reads it only in what is replaced here.
UNTYPED: dict[str, Any] = {}
if "type_descriptor" in vars(TyperOption)["__init__"].__code__.co_varnames:
    UNTYPED = {"type_descriptor": None}

# In the metavar of what may hold the name of a file, which need not be UTF-8.
ANY_BYTES_MARKS = (*FILE_MARKS, "FOLDER", "CMD", "COMMAND")

# int() takes more: 1_0, digits of other scripts, blanks around. Its own limit is 4,300 digits.
WHOLE_NUMBER = re.compile("[+-]?[0-9]{1,4000}")


class WholeNumber:
    """Convert a text to a whole number between limits; raise ValueError."""

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least = least
        self.most = most

    @property
    def limits(self) -> str:
        """Say between what it is."""
        if self.most is None:
            return "" if self.least is None else f"at least {self.least}"
        return f"up to {self.most}" if self.least is None else f"{self.least} to {self.most}"

    def __call__(self, text: str) -> int:
        """Convert a text."""
        expected = f"a whole number ({self.limits})" if self.limits else "a whole number"
        if not WHOLE_NUMBER.fullmatch(text):
            raise ValueError(f"{text!r} is not {expected}")
        number = int(text)
        if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
            raise ValueError(f"{number} is not {expected}")
        return number


class Choice:
    """Convert a text to the choice of that name; raise ValueError."""

    def __init__(self, choices: Sequence[str], *, case_sensitive: bool = True) -> None:
        self._normalized = str if case_sensitive else str.casefold
        self._choices = {self._normalized(choice): choice for choice in choices}
        self.names = tuple(map(str, choices))

    def __call__(self, text: str) -> Any:
        """Convert a text."""
        try:
            return self._choices[self._normalized(text)]
        except KeyError:
            raise ValueError(f"{text!r} is not one of {', '.join(self.names)}") from None


class TypedParameter:
    """What options and arguments share: how a value is converted, and described in a help text."""

    # Set by Typer's own classes.
    opts: Any
    secondary_opts: Any
    metavar: Any
    help: Any
    required: Any
    default: Any
    show_default: Any
    callback: Any
    hidden: Any

    def __init__(
        self,
        *names: str,
        help: str,
        convert: Callable[[str], Any] = str,
        metavar: str | None = None,
        offers: Sequence[str] = (),
        hint: str = "",
        show_default: bool = False,
        **settings: Any,
    ) -> None:
        choices = convert.names if isinstance(convert, Choice) else ()
        self.convert = convert
        self.offers = offers or choices  # for completion
        self.hint = hint
        super().__init__(  # type: ignore[call-arg]
            param_decls=list(names),
            help=help,
            metavar=metavar or (f"[{'|'.join(choices)}]" if choices else "TEXT"),
            show_default=show_default,
            **settings,
            **UNTYPED,
        )

    @property
    def long_names(self) -> list[str]:
        """The names of an option that begin with two dashes."""
        return [name for name in (*self.opts, *self.secondary_opts) if name.startswith("--")]

    def process_value(self, ctx: Any, value: Any) -> Any:
        """Convert what was typed; raise UsageError where it is not valid, or missing."""
        try:
            if isinstance(value, list | tuple):
                value = [self._converted(item) for item in value] or None
            elif type(value) is str:  # not the default of a choice, nor what a flag means
                value = self._converted(value)
        except ValueError as error:
            raise self._error(ctx, str(error)) from None
        if self.required and self.value_is_missing(value):
            names = self.convert.names if isinstance(self.convert, Choice) else ()
            one_of = f": {', '.join(names[:-1])} or {names[-1]}" if names else ""
            raise self._error(ctx, f"is required{one_of}")
        return self.callback(ctx, self, value) if self.callback else value

    def _converted(self, text: str) -> Any:
        if not (text.isascii() or any(mark in self.metavar for mark in ANY_BYTES_MARKS)):
            try:
                text.encode()
            except UnicodeEncodeError:
                raise ValueError(f"{text!r} is not UTF-8") from None
        return self.convert(text)

    def value_is_missing(self, value: Any) -> bool:
        """Whether nothing was typed, and there is no default."""
        return value is None

    def get_help_record(self, ctx: Any) -> tuple[str, str] | None:
        """Return the two columns of the help: names, and what they are for."""
        if self.hidden:
            return None
        notes = "; ".join(self._notes())
        return self.title, "  ".join(filter(None, (self.help, notes and f"[{notes}]")))

    @property
    def title(self) -> str:
        """The parameter as a help text shows it."""
        raise NotImplementedError

    def _notes(self) -> Iterator[str]:
        if self.show_default and self.default not in (None, False):
            yield f"default: {self.default}"
        if isinstance(self.convert, WholeNumber) and self.convert.limits:
            yield self.convert.limits
        if self.required:
            yield "required"

    def _error(self, ctx: Any, problem: str) -> UsageError:
        named = self.long_names[0] if self.long_names else self.metavar.rstrip(".")
        return UsageError(f"{named}: {problem}", hint=self.hint or f"{ctx.command_path} --help")


class Option(TypedParameter, TyperOption):
    """An option. `names` are that of its value, if it has one, and those that are typed."""

    @property
    def title(self) -> str:
        """The names, short ones first, and the metavar."""
        shown = [", ".join(sorted(names, key=_dashes)) for names in (self.opts, self.secondary_opts) if names]
        return " / ".join(shown if self.is_flag else [f"{names} {self.metavar}" for names in shown])

    def handle_parse_result(self, ctx: Any, opts: Any, args: Any) -> Any:
        """Skip a common option that was not given: every command has more than twenty, without defaults."""
        if not self.expose_value and self.name not in opts:
            return None, args
        return super().handle_parse_result(ctx, opts, args)


class Argument(TypedParameter, TyperArgument):
    """An argument; its help calls it by its metavar."""

    @property
    def title(self) -> str:
        """The metavar."""
        return str(self.metavar)

    def handle_parse_result(self, ctx: Any, opts: Any, args: Any) -> Any:
        """Take the only word, which the parser gives to the last argument, where that may be left out."""
        last = [param.name for param in ctx.command.params if isinstance(param, Argument)][-1]
        if self.nargs == -1 and self.required and not opts[self.name] and isinstance(opts[last], str):
            opts |= {self.name: (opts[last],), last: None}
        return super().handle_parse_result(ctx, opts, args)

    def get_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the metavar, in brackets if it may be left out."""
        bare = self.required or self.title.startswith("[")
        return [self.title if bare else f"[{self.title}]"]


class Declaration(NamedTuple):
    """What `Annotated` says of a parameter beside its type."""

    help: str
    metavar: str | None = None
    names: Sequence[str] = ()  # of an option, as typed; by default that of its parameter
    offers: Sequence[str] = ()  # words for completion
    least: int | None = None
    most: int | None = None
    case_sensitive: bool = True
    is_argument: bool = False
    hint: str = ""  # of its errors, in place of the help


def option(
    metavar: str,
    help: str,
    *names: str,
    offers: Sequence[str] = (),
    min: int | None = None,
    max: int | None = None,
    case_sensitive: bool = True,
    hint: str = "",
) -> Declaration:
    """Declare an option with a value, for `Annotated`, named as its parameter where no `names` are given."""
    return Declaration(help, metavar, names, offers, min, max, case_sensitive, hint=hint)


def choice(help: str, *names: str, case_sensitive: bool = True) -> Declaration:
    """Declare an option that takes one of the choices of its type."""
    return Declaration(help, names=names, case_sensitive=case_sensitive)


def flag(help: str, *names: str) -> Declaration:
    """Declare an option without a value: it has no `--no-` form, unless `names` have one."""
    return Declaration(help, names=names)


def argument(metavar: str, help: str, *, offers: Sequence[str] = ()) -> Declaration:
    """Declare an argument."""
    return Declaration(help, metavar, offers=offers, is_argument=True)


def parameters_of(function: Callable[..., Any]) -> Iterator[Option | Argument]:
    """Make the parameters that a function declares as `name: Annotated[type, option(...)]`."""
    for name, parameter in signature(function).parameters.items():
        if parameter.annotation is Context:
            continue
        annotation, declared = get_args(parameter.annotation)
        value_type = _without_none(annotation)
        is_list = get_origin(value_type) is list
        required = parameter.default is parameter.empty
        settings: dict[str, Any] = {
            "help": declared.help,
            "metavar": declared.metavar,
            "offers": declared.offers,
            "hint": declared.hint,
            "convert": _conversion(get_args(value_type)[0] if is_list else value_type, declared),
            "show_default": True,
            "required": required,
            "default": None if required else parameter.default,
        }
        if declared.is_argument:
            yield Argument(name, nargs=-1 if is_list else 1, **settings)
            continue
        names = declared.names or (f"--{name.replace('_', '-')}",)
        yield Option(name, *names, multiple=is_list, is_flag=value_type is bool, **settings)


def words_left(context: Any) -> list[str]:
    """Return the words that follow the options of a group: a command, and what belongs to it."""
    return [*context._protected_args, *context.args]


def _without_none(annotation: Any) -> Any:
    if type(None) not in get_args(annotation):
        return annotation
    (value_type,) = (arg for arg in get_args(annotation) if arg is not type(None))
    return value_type


def _conversion(value_type: Any, declared: Declaration) -> Callable[[str], Any]:
    if get_origin(value_type) is Literal:
        return Choice(get_args(value_type), case_sensitive=declared.case_sensitive)
    if issubclass(value_type, StrEnum):
        return Choice(tuple(value_type), case_sensitive=declared.case_sensitive)
    if value_type is int:
        return WholeNumber(declared.least, declared.most)
    assert value_type in (bool, str, Path), value_type
    return Path if value_type is Path else str


def _dashes(name: str) -> int:
    return len(name) - len(name.lstrip("-"))


MAX_LISTED_COMMANDS = 12


def usage_error(error: Any, context: Any) -> UsageError:
    """Convert an error of Typer's parser, which does not export their classes. Its hint is the help."""
    match type(error).__name__:
        case "NoSuchOption":
            params = context.command.get_params(context)
            named = (param.long_names for param in params if not getattr(param, "is_alias", False))
            all_names = [name for names in named for name in names]
            near = _suggested_option(error.option_name, all_names)
            near = near or _with_option(error.option_name, context)
            message = f"no such option: {error.option_name}{near}"
        case "BadOptionUsage":
            needs = "needs a value" if "requires" in error.message else "takes no value"
            message = f"{error.option_name}: {needs}"
        case _:
            message = str(error.format_message())
    return UsageError(message, hint=f"{context.command_path} --help")


def _with_option(option: str, context: Any) -> str:
    """Name the only command of the same group that has an option; nothing where none has it, or several."""
    group: Any = context.parent.command if context.parent else None
    names = group.list_commands(context.parent) if hasattr(group, "list_commands") else []
    commands = [group.get_command(context.parent, name) for name in names[:MAX_LISTED_COMMANDS]]
    having = [
        command.name
        for command in commands
        if command and any(option in getattr(param, "long_names", ()) for param in command.params)
    ]
    return f"; '{context.parent.command_path} {having[0]}' has it" if len(having) == 1 else ""


def _suggested_option(typed: str, names: Collection[str]) -> str:
    """Suggest the one option that begins or ends with what was typed, or else a similar one."""
    last = typed.removeprefix("-")  # `--type` is the end of `--targeting-type`
    longer = [name for name in names if name.startswith(typed) or name.endswith(last)]
    return suggestion(longer[0] if len(longer) == 1 else typed, names)


def unknown_command(word: str, names: Collection[str], context: Any) -> UsageError:
    """Return the error of a word that is not a command of a group."""
    close = suggestion(word, names)
    if not close and len(names) <= MAX_LISTED_COMMANDS:
        close = f"; it has {', '.join(names)}"
    path = context.command_path
    return UsageError(f"'{path}' has no command {word!r}{close}", hint=f"{path} --help")


def unexpected_arguments(context: Any) -> UsageError:
    """Return the error of words that no argument takes."""
    from ..output.text import safe

    words = safe(" ".join(context.args))
    params = context.command.params
    suggested = f"; did you mean --q {words}?" if any(param.name == "q" for param in params) else ""
    hints = [param.hint for param in params if getattr(param, "hint", "")]
    hint = hints[0] if hints else f"{context.command_path} --help"
    return UsageError(f"unexpected argument: {words}{suggested}", hint=hint)
