"""A loop over the files of an object store."""

import json

from tests.feeds.locations.conftest import s3

__all__ = ["s3"]

NAMES = ("part 'one'.csv", "part[1].csv", "part*.csv")


def test_each_file_of_an_object_store_is_a_task_whatever_its_name(fleet, service, adsctl, s3):
    for number, name in enumerate(NAMES):
        s3.put(f"shop/people/{name}", f"email\nperson-{number}@shop.example\n".encode())
    fleet.write("{for: {files: s3://shop/people/part*.csv}, run: 'audiences push {file} --audience 1nmth'}")
    records = fleet("--parallel", "3", **s3.environment)
    assert sorted(record["task"] for record in records) == sorted(NAMES)
    assert [record["summary"]["accepted"] for record in records] == [1] * len(NAMES)
    for path in (adsctl.home / "state").rglob("*"):
        assert path.is_dir() or b"hush-hush" not in path.read_bytes()


def test_an_object_that_is_not_there_is_a_mistake_and_nothing_runs(fleet, service, s3):
    fleet.write("{name: one, run: 'audiences push s3://shop/none.csv --audience 1nmth'}")
    message = fleet.adsctl("fleet", "check", "fleet.yaml", code=5, **s3.environment).stderr
    assert "one: s3://shop/none.csv does not exist" in message


def test_a_pattern_without_credentials_is_told_with_its_line(fleet, service, s3):
    fleet.write("{for: {files: s3://shop/people/*.csv}, run: 'audiences push {file} --audience 1nmth'}")
    environment = s3.environment | {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    done = fleet.adsctl("fleet", "check", "fleet.yaml", "-o", "json", code=4, **environment)
    assert "fleet.yaml:2: for: files: " in json.loads(done.stderr.splitlines()[-1])["error"]["message"]
