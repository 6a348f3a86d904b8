"""Work in threads, results in the order of their tasks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.parallel.ordered_map import map_ordered


@given(st.lists(st.integers(), max_size=50), st.integers(1, 8), st.integers(1, 16))
def test_results_come_in_the_order_of_their_tasks(tasks, threads, waiting):
    assert list(map_ordered(lambda n: n * 2, tasks, threads, waiting)) == [n * 2 for n in tasks]


def test_an_error_is_raised_in_its_place_and_ends_the_work():
    finished = []

    def work(n: int) -> int:
        if n == 3:
            raise ValueError(n)
        finished.append(n)
        return n

    results = map_ordered(work, range(100), 4, 8)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError):
        next(results)
    assert len(finished) < 20
