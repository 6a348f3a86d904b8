"""The generation of a place, apart from the commands that begin and end it."""

from ads_cli.uploads.generations import NO_GENERATION, Generations
from ads_cli.uploads.job_file import Place

PLACE = Place("https://ads.example", "product_catalog", "c1")


def test_a_generation_that_begins_during_a_direct_write_ends_with_it(tmp_path):
    generations = Generations(tmp_path)
    with generations.changing(PLACE):
        begun = generations.begin(PLACE)
        assert generations.current(PLACE) == begun
    assert generations.current(PLACE) == NO_GENERATION


def test_each_generation_is_another_one(tmp_path):
    generations = Generations(tmp_path)
    assert len({generations.begin(PLACE) for _ in range(5)}) == 5


def test_jobs_of_a_group_share_a_generation_until_anything_else_changes_the_place(tmp_path):
    generations = Generations(tmp_path)
    first = generations.begin(PLACE, "run-1 push")
    assert generations.begin(PLACE, "run-1 push") == first
    assert generations.begin(PLACE, "run-1 delete") != first
    assert generations.begin(PLACE, "run-1 push") != first
    assert generations.begin(PLACE) != generations.begin(PLACE)
