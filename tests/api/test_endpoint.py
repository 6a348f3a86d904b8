"""What an endpoint says of its command."""

import pytest

from ads_cli.api.endpoint import Request, endpoint


@pytest.mark.parametrize(
    ("command", "noun"),
    [
        ("publish", "publish"),
        ("campaigns create", "campaigns"),
        ("posts scheduled create", "scheduled posts"),
        ("catalog sets create", "sets"),
    ],
)
def test_a_noun_is_made_of_the_words_of_a_command(command, noun):
    @endpoint("POST /12/things", command)
    class Create(Request):
        """Create a thing."""

    assert Create.endpoint.noun == noun
