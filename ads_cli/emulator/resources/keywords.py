"""How often keywords are posted: made-up numbers, and the same ones for the same hours every time."""

import hashlib
import math
from datetime import UTC, datetime, timedelta

from ...api.audiences import SearchKeywords
from ..core.responses import Result
from ..core.routing import Call, handles

HOUR = timedelta(hours=1)
HOURS = {"HOUR": 1, "DAY": 24}  # that a number of post_volume counts
# They go with any other word.
THIRTY_WORDS = """
deals sale review ideas online store gift price best new cheap vintage handmade local today weekend
tips trends brands guide video photos fans club design season delivery offers kids home
"""


@handles(SearchKeywords)
def search_keywords(call: Call, request: SearchKeywords) -> Result:
    """Count the posts with the keywords, and name thirty related ones."""
    words = request.keywords
    related = [f"{words[n % len(words)]} {beside}" for n, beside in enumerate(THIRTY_WORDS.split())]
    start = request.start_time.moment
    end = request.end_time.moment if request.end_time else datetime.now(UTC)
    hourly = [_posts(request, start + n * HOUR) for n in range(math.ceil((end - start) / HOUR))]
    step = HOURS[request.granularity]
    volume = [sum(hourly[n : n + step]) for n in range(0, len(hourly), step)]
    return Result({"related_keywords": related, "post_volume": volume})


def _posts(request: SearchKeywords, moment: datetime) -> int:
    """Make up the posts of an hour; each negative keyword takes a tenth of them away."""
    hour = moment.replace(minute=0, second=0, microsecond=0).isoformat()
    names = ["\0".join((word.casefold(), request.location or "", hour)) for word in request.keywords]
    digests = (hashlib.blake2b(name.encode(), digest_size=2).digest() for name in names)
    posts = sum(int.from_bytes(digest) % 900 for digest in digests)
    return posts * (10 - len(request.negative_keywords or [])) // 10
