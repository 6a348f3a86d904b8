"""How often keywords are posted: generated numbers, the same for the same keyword and hour."""

import hashlib
import math
from datetime import UTC, datetime, timedelta

from ...api.audience_insights import SearchKeywords
from ..core.handlers import RequestContext, handler
from ..core.responses import Result

HOUR = timedelta(hours=1)
HOURS_PER_VALUE = {"HOUR": 1, "DAY": 24}  # by granularity of post_volume
MAX_POSTS_PER_HOUR = 900
# Combined with the keywords, these make thirty related ones.
RELATED_WORDS = """
deals sale review ideas online store gift price best new cheap vintage handmade local today weekend
tips trends brands guide video photos fans club design season delivery offers kids home
"""


@handler(SearchKeywords)
def search_keywords(context: RequestContext, request: SearchKeywords) -> Result:
    """Return the number of posts with the keywords, and thirty related keywords."""
    keywords = request.keywords
    related = [f"{keywords[n % len(keywords)]} {word}" for n, word in enumerate(RELATED_WORDS.split())]
    start = request.start_time.moment
    end = request.end_time.moment if request.end_time else datetime.now(UTC)
    hourly = [_posts(request, start + n * HOUR) for n in range(math.ceil((end - start) / HOUR))]
    step = HOURS_PER_VALUE[request.granularity]
    volume = [sum(hourly[n : n + step]) for n in range(0, len(hourly), step)]
    return Result({"related_keywords": related, "post_volume": volume})


def _posts(request: SearchKeywords, moment: datetime) -> int:
    """Generate the number of posts in an hour; each negative keyword reduces it by a tenth."""
    hour = moment.replace(minute=0, second=0, microsecond=0).isoformat()
    seeds = ["\0".join((word.casefold(), request.location or "", hour)) for word in request.keywords]
    digests = (hashlib.blake2b(seed.encode(), digest_size=2).digest() for seed in seeds)
    posts = sum(int.from_bytes(digest) % MAX_POSTS_PER_HOUR for digest in digests)
    return posts * (10 - len(request.negative_keywords or [])) // 10
