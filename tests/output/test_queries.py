"""Mistakes of --query, in plain words."""

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.errors import UsageError
from ads_cli.output.queries import Query


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("[?status='RUNNING']", "'=' at character 9; to compare, write =="),
        ("[].due-date", "'-' at character 7; a name with a dash is in double quotes"),
        ("[].{id}", "'}' at character 7; a column is NAME: FIELD"),
        ("[?status==", "it ends too early"),
        ("[?a=='x]", "a single quote is not closed"),
        ("[].id)", "')' at character 6 is not expected there"),
    ],
)
def test_what_is_wrong_in_an_expression_is_said_with_its_place(expression, words):
    with pytest.raises(UsageError, match="is not a valid JMESPath expression") as error:
        Query(expression)
    assert words in error.value.message and "\n" not in error.value.message


@pytest.mark.parametrize(
    ("expression", "document", "words"),
    [
        ("lenght(@)", [], "there is no function lenght(); did you mean 'length'?"),
        ("length(@, @)", [], "length() takes another number of arguments: 1, not 2"),
        ("length(@)", 5, "In function length(), 5 is a number; it takes a text or a list or a record"),
        ("sum(@)", ["x"], "In function sum(), 'x' is a text; it takes a list of numbers"),
        ("sort_by(@, &a)", [{"a": 1}, {"a": "x"}], "'x' is a text; it takes a number"),
    ],
)
def test_what_does_not_fit_a_result_is_said(expression, document, words):
    with pytest.raises(UsageError) as error:
        Query(expression).search(document)
    assert words in error.value.message


def test_a_word_that_is_no_text_is_told_where_nothing_is_found(adsctl):
    shown = adsctl.local("campaigns", "list", "--query", "[?entity_status==ACTIVE].id", "-o", "json")
    assert "a text is in single quotes: 'ACTIVE'" in shown.stderr and shown.stdout == "[]\n"
    assert (
        "quotes" not in adsctl.local("campaigns", "list", "--query", "[?entity_status=='ACTIVE'].id").stderr
    )


@given(st.text(alphabet="[]{}?.,:&|'\"@*= ()abc01-<>!", max_size=20))
def test_every_text_is_a_query_or_a_mistake_of_usage(text):
    try:
        query = Query(text)
    except UsageError:
        return
    jmespath.compile(text)
    try:
        query.search([{"a": 1, "b": ["x"]}])
    except UsageError as error:
        assert error.message.startswith("--query: ")
