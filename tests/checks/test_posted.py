"""What --post-to posts is what `adsctl schema` says."""

import json

import pytest
from jsonschema import Draft202012Validator
from werkzeug import Response

RULES = """
rules:
- {name: tells, of: campaigns, when: spend > 1, over: 7d, fresh: yes, do: tell}
- {name: renames, of: line_items, when: spend > 1 and cpc > 0.0001, over: 3d, do: pause}
"""
CHECK = "accounts check"
WATCH = "watch apply"
LINES = {CHECK: (), WATCH: ("rules.yaml", "--yes", "--max-changes", "100")}


@pytest.mark.parametrize("command", LINES)
def test_the_posted_body_is_the_one_that_the_schema_of_the_command_has(adsctl, httpserver, command):
    bodies = []

    def receive(request):
        bodies.append(json.loads(request.get_data()))
        return Response(status=200)

    httpserver.expect_request("/alerts").respond_with_handler(receive)
    adsctl.file("rules.yaml", RULES)
    adsctl.local(*command.split(), *LINES[command], "--post-to", httpserver.url_for("/alerts"), code=None)
    document = json.loads(adsctl("schema", *command.split()).stdout)
    schema = Draft202012Validator({"$defs": document["$defs"], **document["posts"]})
    (body,) = bodies
    assert [*schema.iter_errors(body)] == [] and len(body["data"]["findings"]) > 1
    for wrong in ({}, {"data": {**body["data"], "more": 1}}, {"data": {**body["data"], "findings": [{}]}}):
        assert [*schema.iter_errors(wrong)]


def test_a_command_that_posts_nothing_has_no_schema_of_a_post(adsctl):
    assert "posts" not in json.loads(adsctl("schema", "stats", "pace").stdout)


def test_each_command_with_the_option_declares_what_it_posts(adsctl):
    commands = json.loads(adsctl("schema").stdout)["commands"]
    taking = {name for name, own in commands.items() if "post_to" in own["input"]["properties"]}
    assert taking == {name for name, own in commands.items() if "posts" in own} == {*LINES}
