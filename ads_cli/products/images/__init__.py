"""Look at the images that products link to: format, pixels and bytes."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

from ...api.addresses import is_address
from ...api.problems import Problem
from ...api.products import MAX_IMAGES, image_problem
from ...http.file_start import Reading
from ...validation import CheckedRow
from .fetcher import Fetcher
from .stores import ImageOutcomes, digest_of


def links_in(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield field and address of each image, but for addresses that break a rule by themselves."""
    for field, most in (("image_link", 1), ("additional_image_link", MAX_IMAGES)):
        text = values.get(field)
        if not isinstance(text, str):
            continue
        links = [text] if most == 1 else [link.strip() for link in text.split(",")][:most]
        yield from ((field, link) for link in links if is_address(link) and not image_problem(link))


WAKE_UP_SECONDS = 0.2  # after which progress is shown

OnProgress = Callable[[int], None]  # called with the number of rows; for a sample, of images


class ImageCheck:
    """The images of one feed, which is read several times."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self._outcomes = ImageOutcomes()
        self.linked = 0  # addresses in the feed
        self.checked = 0
        self._rows = 0  # whose images were asked for

    def fetch(
        self,
        rows: Iterable[CheckedRow],
        reading: Reading,
        on_progress: OnProgress,
        *,
        max_attempts: int,
        sample_size: int | None,
    ) -> None:
        """Fetch the images while the rows are read; of a sample, after they were read."""
        links: Iterable[tuple[bytes, str]] = self._new_links(rows)
        if sample_size is not None:
            # Those with the lowest digests: the same ones whatever the order of the feed.
            links = heapq.nsmallest(sample_size, links)
        with closing(Fetcher(reading, max_attempts, self._outcomes)) as fetcher:

            def show_progress() -> None:
                on_progress(self._rows if sample_size is None else fetcher.finished)

            for address, link in links:
                while not fetcher.has_room(WAKE_UP_SECONDS):
                    show_progress()
                fetcher.put(address, link)
            while not fetcher.is_done(WAKE_UP_SECONDS):
                show_progress()
            self.checked = fetcher.finished

    def add_problems(self, rows: Iterable[CheckedRow]) -> Iterator[tuple[CheckedRow, list[Problem]]]:
        """Yield each row with the problems of its images."""
        for checked in rows:
            yield checked, [] if checked.row.left_out else self._problems(checked)

    def close(self) -> None:
        """Forget the outcomes."""
        self._outcomes.close()

    def _new_links(self, rows: Iterable[CheckedRow]) -> Iterator[tuple[bytes, str]]:
        """Yield each address once, with its digest."""
        for checked in rows:
            self._rows += 1
            if checked.row.left_out:
                continue
            for _, link in links_in(checked.row.values):
                address = digest_of(link)
                if self._outcomes.claim(address):
                    self.linked += 1
                    yield address, link

    def _problems(self, checked: CheckedRow) -> list[Problem]:
        """Return the problems of a row's images, one of each kind for each field."""
        problems: dict[tuple[str, str], Problem] = {}
        for field, link in links_in(checked.row.values):
            outcome = self._outcomes.find(digest_of(link))
            for problem in outcome.problems(field, link) if outcome else ():
                problems.setdefault((field, problem.rule), problem.as_error() if self._strict else problem)
        return [*problems.values()]
