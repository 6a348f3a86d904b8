"""How many people some targeting criteria reach: the same number each time, believable and no more."""

import hashlib
import math
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from math import floor, log10, prod
from zlib import crc32

from msgspec.structs import asdict

from ...api.audience_insights import HOURS_PER_VALUE, Criterion, EstimateAudience, SearchKeywords
from ...api.targeting import KEYWORDS
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from ..storage import Record
from .targeting import find_named

# People that one criterion of a type adds: the fewest and the most. An audience adds those that it has.
PEOPLE = {
    "FOLLOWERS_OF_USER": (5_000, 900_000),
    "INTEREST": (60_000, 900_000),
    "SIMILAR_TO_FOLLOWERS_OF_USER": (50_000, 2_000_000),
    "TV_SHOW": (20_000, 400_000),
    **dict.fromkeys(KEYWORDS, (2_000, 250_000)),
}
EXPANSION = 20  # people who resemble one of an audience
# The part of people that one criterion of a type leaves: the smallest and the largest, in a thousand.
SHARES = {
    "COUNTRIES": (20, 120),
    "REGIONS": (3, 20),
    "METROS": (2, 10),
    "CITIES": (1, 6),
    "POSTAL_CODES": (1, 2),
    "AGE": (150, 450),
    "GENDER": (480, 520),
    "LANGUAGE": (20, 350),
    "PLATFORM": (150, 450),
}
OTHER_SHARES = (50, 300)
LEAST_LEFT = 0.05  # by what criteria of one type exclude
UNCERTAINTY = 0.12
MAX_PEOPLE = 400_000_000


@handler(EstimateAudience)
def _estimate_audience(context: RequestContext, request: EstimateAudience) -> Result:
    """Estimate the people that criteria reach; raise ApiError for what does not exist."""
    context.echoed["targeting_criteria"] = None
    people = 0
    selected, excluded = defaultdict[str, float](float), defaultdict[str, float](float)  # parts by type
    for criterion in request.targeting_criteria:
        named = find_named(context, asdict(criterion))
        if criterion.adds_people:
            people += _people(criterion, named)
        else:
            parts = excluded if criterion.operator_type == "NE" else selected
            parts[criterion.targeting_type] += _part(criterion, named)
    # Values of one type add up. What several types leave is multiplied, as if none depended on another.
    reached = min(people, MAX_PEOPLE) * prod(min(1.0, part) for part in selected.values())
    reached *= prod(max(LEAST_LEFT, 1 - part) for part in excluded.values())
    least, most = (_rounded(reached * (1 + sign * UNCERTAINTY)) for sign in (-1, 1))
    return Result({"audience_size": {"min": least, "max": most}})


def _people(criterion: Criterion, named: Record) -> int:
    """Return the people that a criterion adds; `named` is what it names."""
    if criterion.targeting_type.startswith("CUSTOM_AUDIENCE"):
        size: int = named["audience_size"]
        return size * (EXPANSION if criterion.targeting_type == "CUSTOM_AUDIENCE_EXPANDED" else 1)
    return named.get("estimated_users") or _between(PEOPLE[criterion.targeting_type], criterion)


def _part(criterion: Criterion, named: Record) -> float:
    """Return the part of people that a criterion selects or excludes."""
    kind: str = criterion.targeting_type
    if kind == "LOCATION":
        kind = named.get("location_type", "CITIES")
    return _between(SHARES.get(kind, OTHER_SHARES), criterion) / 1000


def _between(limits: tuple[int, int], criterion: Criterion) -> int:
    """Choose a number between limits, by the value of a criterion."""
    least, most = limits
    return least + crc32(criterion.targeting_value.encode()) % (most - least + 1)


def _rounded(number: float) -> int:
    """Round to two significant digits."""
    return int(round(number, 1 - floor(log10(number)))) if number >= 1 else 0


HOUR = timedelta(hours=1)
MAX_POSTS_PER_HOUR = 900
# Combined with the keywords, these make thirty related ones.
RELATED_WORDS = """
deals sale review ideas online store gift price best new cheap vintage handmade local today weekend
tips trends brands guide video photos fans club design season delivery offers kids home
"""


@handler(SearchKeywords)
def _search_keywords(context: RequestContext, request: SearchKeywords) -> Result:
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
