"""What applies remember is on the disk before its request is sent, or the request is not sent."""

import resource

import pytest

from ads_cli.campaigns.memory import ApplyMemory, Mark
from ads_cli.errors import StateError


def marks(name: str) -> list[Mark]:
    return [Mark("campaign", "", name)]


def test_what_a_full_disk_has_a_part_of_is_not_noted(tmp_path):
    memory = ApplyMemory(tmp_path, "generic", "acc")
    memory.remember({marks("known")[0]: "1"})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (memory.path.stat().st_size + 5, limits[1]))
    try:
        with pytest.raises(StateError, match="cannot be written"):
            memory.begin_attempt(marks("lost"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    memory.begin_attempt(marks("begun"))
    again = ApplyMemory(tmp_path, "generic", "acc")
    assert again.ids.keys() == {*marks("known")} and again.lost.keys() == {*marks("begun")}


def test_a_line_of_any_length_that_is_not_whole_is_cut(tmp_path):
    memory = ApplyMemory(tmp_path, "generic", "acc")
    memory.begin_attempt(marks("begun"))
    with memory.path.open("ab") as file:
        file.write(b"x" * 3 * 2**20)
    ApplyMemory(tmp_path, "generic", "acc").begin_attempt(marks("also"))
    assert ApplyMemory(tmp_path, "generic", "acc").lost.keys() == {*marks("begun"), *marks("also")}
