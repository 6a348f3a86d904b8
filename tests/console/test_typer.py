"""What we rely on in Typer beyond what it documents; a version that changes it fails here, in plain words.

Documented, and not tried here: typer.Context (`args`, `obj`, `invoked_subcommand`), typer.Exit,
`allow_extra_args`, subclasses of TyperCommand and TyperGroup.
"""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from ads_cli.console.help_texts import FunctionCommand
from ads_cli.console.parameters import (
    Argument,
    Option,
    WholeNumber,
    argument,
    choice,
    flag,
    option,
    parameters_of,
    words_left,
)
from ads_cli.errors import UsageError


class Color(StrEnum):
    red = "red"
    blue = "blue"


def paint(
    ctx: typer.Context,
    things: Annotated[list[str], argument("THING...", "What")],
    color: Annotated[Color, choice("Which", "--color")] = Color.red,
    coats: Annotated[int, option("N", "How many", min=1, max=3)] = 2,
    width: Annotated[int | None, option("N", "How wide")] = None,
    unit: Annotated[Literal["M", "KM"], choice("Of widths", case_sensitive=False)] = "M",
    notes: Annotated[list[str] | None, option("TEXT", "Said", "--note", "-n")] = None,
    log: Annotated[Path | None, option("FILE", "Where")] = None,
    quiet: Annotated[bool, flag("Say nothing", "--quiet")] = False,
) -> None:
    """Paint things.

    For example: adsctl paint wall
    """
    raise typer.Exit(7)


def parsed(*words: str) -> dict[str, Any]:
    return FunctionCommand("paint", paint).make_context("paint", list(words)).params


def test_every_kind_of_value_is_converted_and_a_default_is_taken_as_it_is():
    assert parsed("wall") == {
        "things": ["wall"],
        "color": Color.red,
        "coats": 2,
        "width": None,
        "unit": "M",
        "notes": None,
        "log": None,
        "quiet": False,
    }
    text = "a --color blue --coats=3 --width 5 --unit km --note x -n y --log f --quiet b"
    values = parsed(*text.split())
    assert values == {
        "things": ["a", "b"],
        "color": Color.blue,
        "coats": 3,
        "width": 5,
        "unit": "KM",
        "notes": ["x", "y"],
        "log": Path("f"),
        "quiet": True,
    }
    assert type(values["color"]) is Color


@pytest.mark.parametrize(
    ("convert", "expected"),
    [
        (WholeNumber(), "a whole number"),
        (WholeNumber(1), "a whole number (at least 1)"),
        (WholeNumber(most=9), "a whole number (up to 9)"),
        (WholeNumber(1, 9), "a whole number (1 to 9)"),
    ],
)
def test_the_limits_of_a_number_are_said(convert, expected):
    with pytest.raises(ValueError, match=re.escape(f"'x' is not {expected}")):
        convert("x")


@pytest.mark.parametrize("number", ["1_0", "٣", " 3", "3 ", "3\n", "²", "--3", "+", "9" * 5000])
def test_a_number_is_written_in_plain_digits(number):
    with pytest.raises(UsageError) as refused:
        parsed("a", f"--width={number}")
    assert refused.value.message == f"--width: {number!r} is not a whole number"


def test_a_number_may_have_a_sign_and_zeros_before_it():
    assert [parsed("a", f"--width={width}")["width"] for width in ("+5", "-5", "05")] == [5, -5, 5]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "THING: is required"),
        (("a", "--color", "x"), "--color: 'x' is not one of red, blue"),
        (("a", "--coats", "4"), "--coats: 4 is not a whole number (1 to 3)"),
        (("a", "--coats", "1.5"), "--coats: '1.5' is not a whole number (1 to 3)"),
        (("a", "--width", ""), "--width: '' is not a whole number"),
        (("a", "--cloor", "x"), "no such option: --cloor; did you mean '--color'?"),
        (("a", "-Z"), "no such option: -Z"),
        (("a", "--color"), "--color: needs a value"),
        (("a", "--quiet=1"), "--quiet: takes no value"),
    ],
)
def test_a_wrong_command_line_is_told_in_our_words(words, message):
    """By the names of Typer's errors, NoSuchOption and BadOptionUsage, and what these carry."""
    with pytest.raises(UsageError) as raised:
        parsed(*words)
    assert (raised.value.message, raised.value.hint) == (message, "paint --help")


def test_the_parts_of_typer_that_we_replace_are_there_and_called_so():
    """process_value converts, get_help_record and get_usage_pieces describe; no other part needs the type."""
    for typer_class, methods in (
        (TyperOption, ("process_value", "get_help_record", "value_is_missing", "add_to_parser")),
        (
            TyperArgument,
            (
                "process_value",
                "get_help_record",
                "value_is_missing",
                "get_usage_pieces",
                "handle_parse_result",
            ),
        ),
        (TyperCommand, ("parse_args", "make_context", "invoke", "get_help_option", "format_epilog")),
        (TyperGroup, ("parse_args", "resolve_command", "list_commands", "format_options", "get_params")),
    ):
        missing = [name for name in methods if not callable(getattr(typer_class, name, None))]
        assert not missing, f"this Typer's {typer_class.__name__} has no {', '.join(missing)}"


def test_typer_makes_a_parameter_of_the_arguments_that_we_give_it_and_of_no_other():
    try:
        option = Option("n", "--number", "-n", help="A number", metavar="N", convert=WholeNumber(1))
        argument = Argument("name", help="A name", metavar="NAME", required=True, nargs=-1)
    except TypeError as error:
        pytest.fail(f"this Typer makes options otherwise, see console/parameters.py: {error}")
    assert (option.name, option.opts, option.secondary_opts) == ("n", ["--number", "-n"], [])
    assert (option.default, option.required, option.hidden, option.is_flag) == (None, False, False, False)
    assert (argument.name, argument.nargs, argument.required) == ("name", -1, True)
    both = Option("on", "--on/--no-on", help="A flag", is_flag=True)
    assert (both.opts, both.secondary_opts) == (["--on"], ["--no-on"])


def test_a_parameter_is_as_annotated_declares_it():
    parameters = {param.name: param for param in parameters_of(paint)}
    assert [param.title for param in parameters.values()] == [
        *("THING...", "--color [red|blue]", "--coats N", "--width N", "--unit [M|KM]", "-n, --note TEXT"),
        *("--log FILE", "--quiet"),
    ]
    assert parameters["coats"].get_help_record(None) == ("--coats N", "How many  [default: 2; 1 to 3]")
    assert parameters["things"].get_help_record(None) == ("THING...", "What  [required]")


def test_the_words_after_the_options_of_a_group_are_kept_for_its_command():
    group = TyperGroup(
        name="g", commands={}, rich_markup_mode=None, params=[Option("-a", help="", is_flag=True)]
    )
    group.get_help_option = lambda ctx: None  # Typer's own converts by pydantic
    context = group.make_context("g", ["-a", "one", "--two", "3"])
    assert words_left(context) == ["one", "--two", "3"]
    assert context.command_path == "g" and context.params == {"a": True}


def test_errors_of_typer_are_of_one_class_with_a_message():
    with pytest.raises(TyperException) as message:
        FunctionCommand("paint", paint).make_context("paint", ["a"]).fail("why")
    assert message.value.format_message() == "why"
