"""Pictures of answers, for a terminal; an endpoint names the one that its answer is shown as."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import groupby
from typing import Any

from ..api.audiences import SearchKeywords
from ..output.chart import Row, draw
from ..output.printer import Printer

HOURS = {"HOUR": 1, "DAY": 24}  # that a number of post_volume counts


def keywords(printer: Printer, request: SearchKeywords, data: Any) -> bool:
    """Draw how often keywords were posted, a line a day, and list related ones."""
    volume, related = data.get("post_volume") or [], data.get("related_keywords") or []
    if not all(type(number) is int and number >= 0 for number in volume):
        return False
    rows = list(_days(request, volume))
    title = f"Posts with {', '.join(request.keywords)}, by {request.granularity.lower()} (UTC)"
    words = [str(word) for word in related]
    draw(printer.stream, title, rows, "Related keywords", words, color=printer.color)
    return True


def _days(request: SearchKeywords, volume: list[int]) -> Iterator[Row]:
    """Part the numbers into days; those of hours stand one below the other, day for day."""
    step = timedelta(hours=HOURS[request.granularity])
    begin = request.start_time.moment
    moments = [(begin + n * step, number) for n, number in enumerate(volume)]
    for day, of_day in groupby(moments, key=lambda moment: moment[0].date()):
        counted = list(of_day)
        earlier = counted[0][0].hour if request.granularity == "HOUR" else 0
        yield Row(f"{day:%m-%d}", [*[None] * earlier, *(number for _, number in counted)])


VIEWS: dict[str, Callable[[Printer, Any, Any], bool]] = {"keywords": keywords}
