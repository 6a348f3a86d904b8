"""The chart of the posts with keywords."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby
from typing import Any

from ..api.audience_insights import HOURS_PER_VALUE, SearchKeywords
from ..output.charts import ChartRow
from ..output.charts import draw as draw_chart
from ..output.printer import Printer

MAX_NUMBERS, MAX_NUMBER = 10_000, 10**15  # what is more is shown as a document


def draw(printer: Printer, request: SearchKeywords, data: Any) -> bool:
    """Draw the posts with the keywords by day, and related keywords. Return False if that is impossible."""
    if not isinstance(data, dict):
        return False
    volume, related = data.get("post_volume") or [], data.get("related_keywords") or []
    if not (isinstance(volume, list) and isinstance(related, list) and len(volume) <= MAX_NUMBERS):
        return False
    if not all(type(number) is int and 0 <= number <= MAX_NUMBER for number in volume):
        return False
    rows = list(_days(request, volume))
    title = f"Posts with {', '.join(request.keywords)}, by {request.granularity.lower()} (UTC)"
    words = [str(word) for word in related]
    draw_chart(printer.stream, title, rows, "Related keywords", words, color=printer.color)
    return True


def _days(request: SearchKeywords, volume: list[int]) -> Iterator[ChartRow]:
    """Split the numbers into days; the hours of all days are aligned."""
    step = timedelta(hours=HOURS_PER_VALUE[request.granularity])
    start = request.start_time.moment
    moments = [(start + n * step, number) for n, number in enumerate(volume)]
    for day, of_day in groupby(moments, key=lambda moment: moment[0].date()):
        numbers = list(of_day)
        missing = numbers[0][0].hour if request.granularity == "HOUR" else 0
        yield ChartRow(f"{day:%m-%d}", [*[None] * missing, *(number for _, number in numbers)])
