"""Phone numbers: every spelling of a number is read to the same E.164 text, or refused.

phonenumbers decides what a text means. Patterns made of its metadata recognize texts whose meaning is plain,
10 to 50 times as fast.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from ..feeds.spreadsheet_cells import CHANGED

Metadata = Any  # phonenumbers declares every part of it as optional
E164_DIGITS = range(7, 16)  # in all; fewer are a service's, and E.164 ends at 15
NUMBER_LABEL = re.compile(r"[^\W\d]+[:.]\s*")  # such as tel: or Tel.
EXTENSION = re.compile(r"(?<![\s,;])[\s,;]*+(?:(?:extension|extn|ext|x)[\s.:=]*|#\s*)[0-9]{1,7}\Z")
NUMBER = re.compile(r"[\s(]*+(\+*+)[\d\s()\[\]./~\u2010-\u2015\u2212-]++")
NOT_A_DIGIT = re.compile(r"\D+")
ROUNDED = re.compile(r"\+?[0-9]+(?:[.,][0-9]+)?e\+?[0-9]+|\+?[0-9]{6,}[.,]0+")
TYPES = (  # of numbers, which phonenumbers tells apart
    *("fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip", "pager"),
    *("uan", "voicemail"),
)
FOREIGN_DIGITS = 11  # without + or 0, as many may begin with the code of another country

NO_REGION = "has no country code: write it with +, or add --region, for example --region DE"
NOT_ASSIGNED = "is a possible phone number, but its country has no such numbers: check it"


def read_phone_number(text: str, region: str | None, no_region: str = NO_REGION) -> str:
    """Return a number in E.164; raise ValueError with the reason.

    `text` is clean and lower-case. After + or 00 comes the country code. With a `region`, any other number is
    read as it is dialed there, and as one that begins with the country code. Without one, `no_region` is the
    reason.
    """
    if not text.isascii():
        text = "".join(str(unicodedata.digit(sign)) if sign.isdecimal() else sign for sign in text)
    label = NUMBER_LABEL.match(text)
    text = text[label.end() :] if label else text
    if ROUNDED.fullmatch(text):
        raise ValueError(CHANGED)
    number = NUMBER.fullmatch(EXTENSION.sub("", text))
    if not number:
        raise ValueError("is not a valid phone number: digits only; separate several numbers with semicolons")
    digits = NOT_A_DIGIT.sub("", number[0])
    if number[1]:
        return _only(_read_international(digits))
    if digits.startswith("00"):
        return _only(_read_after_00(digits, region))
    if not region:
        raise ValueError(no_region)
    return _only(_read_national(digits, region))


def _only(readings: set[str]) -> str:
    """Return the only reading of a number; raise ValueError."""
    if not readings:
        raise ValueError("is not a possible phone number: check its country code and its length")
    if len(readings) > 1:
        raise ValueError(
            "may begin with its country code or not: write it with +, or as it is dialed at home"
        )
    return readings.pop()


def _read_international(digits: str) -> set[str]:
    """Read digits that begin with a country code."""
    text = f"+{digits}"
    return {text} if _is_normal(text) else _stable(_parse(text))


def _read_after_00(digits: str, region: str | None) -> set[str]:
    """Read what follows 00, and a longer prefix such as 0011 of Australia where that may be meant."""
    readings = _read_international(digits[2:])
    if region and (prefix := re.match(_prefix_abroad(region), digits)):
        dialed = _read_international(digits[prefix.end() :])
        if dialed <= readings:
            return readings
        readings |= set(filter(_is_assigned, dialed)) if any(map(_is_assigned, readings)) else dialed
    return readings


def _read_national(digits: str, region: str) -> set[str]:
    """Read digits as dialed in a region, or else as a mobile number of another country."""
    readings, abroad = _read_dialed(digits, region), f"+{digits}"
    may_be_abroad = bool(readings) and len(digits) >= FOREIGN_DIGITS and not digits.startswith("0")
    if may_be_abroad and _has_mobile_form(abroad) and not any(map(_has_mobile_form, readings)):
        readings |= {abroad}
    return readings


def _read_dialed(digits: str, region: str) -> set[str]:
    """Read digits as dialed in a region, and as beginning with its country code. Prefer a mobile of two."""
    code, pattern = _plain_national(region)
    e164, trunk = f"+{digits}", _trunk_prefix(region)
    if digits.startswith(code) and trunk is not None and _has_mobile_form(e164) and _is_normal(e164):
        others = {f"+{code}{digits}", f"+{code}{digits.removeprefix(trunk)}"} - {e164}
        if not any(map(_has_mobile_form, others)):
            return {e164}
    plain = pattern.fullmatch(digits)
    if plain and _is_normal(e164 := f"+{code}{plain['rest']}"):
        return {e164}
    readings = _stable(_parse(digits, region))
    if digits.startswith(code):
        readings |= _read_international(digits)
    mobiles = set(filter(_is_mobile, readings)) if len(readings) > 1 else readings
    return mobiles if len(mobiles) == 1 else readings


def _parse(text: str, region: str | None = None) -> str:
    """Return the E.164 of a possible number, else nothing."""
    import phonenumbers

    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return ""
    if phonenumbers.is_possible_number_with_reason(number) != phonenumbers.ValidationResult.IS_POSSIBLE:
        return ""
    e164 = str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
    return e164 if len(e164) - 1 in E164_DIGITS else ""


def _stable(e164: str) -> set[str]:
    """Return E.164 text that reading does not change.

    If it seems to begin with a trunk prefix, it must be known to exist, so that none is left in by mistake.
    """
    if not e164:
        return set()
    is_stable = _is_normal(e164) or (_parse(e164) == e164 and _is_assigned(e164))
    return {e164} if is_stable else set()


def _is_assigned(e164: str) -> bool:
    from phonenumbers import is_valid_number, parse

    return bool(is_valid_number(parse(e164)))


def _is_mobile(e164: str) -> bool:
    from phonenumbers import PhoneNumberType, number_type, parse

    return number_type(parse(e164)) in (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE)


def _has_mobile_form(e164: str) -> bool:
    return bool(re.fullmatch(mobile_form([e164]), e164))


def _is_normal(e164: str) -> bool:
    return bool(re.fullmatch(normal_form([e164]), e164))


def normal_form(numbers: Iterable[str]) -> str:
    """Return a pattern of E.164 texts that reading does not change, for the countries of `numbers`."""
    return _normal_form(_codes(numbers))


def assigned_form(numbers: Iterable[str]) -> str:
    """Return a pattern of E.164 texts that are assigned, for the countries of `numbers`."""
    return _assigned_form(_codes(numbers))


def mobile_form(numbers: Iterable[str]) -> str:
    """Return a pattern of E.164 texts that mobiles have, for the countries of `numbers`."""
    return _assigned_form(_codes(numbers), ("mobile",))


def _codes(numbers: Iterable[str]) -> frozenset[int]:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    codes = set()
    for start in {number[:4] for number in numbers}:  # + and up to three digits
        if start.startswith("+") and start.isascii() and start[1:].isdecimal():
            codes |= {int(start[:end]) for end in range(2, len(start) + 1)}
    return frozenset(codes & COUNTRY_CODE_TO_REGION_CODE.keys())


@lru_cache(64)
def _normal_form(codes: frozenset[int]) -> str:
    countries = "|".join(_normal_country(_metadata(code)) for code in sorted(codes))
    return rf"\+(?:{countries})" if countries else "(?!)"


@lru_cache(64)
def _assigned_form(codes: frozenset[int], types: tuple[str, ...] = TYPES) -> str:
    countries = "|".join(f"{code}(?:{_assigned_ranges(code, types)})(?![0-9])" for code in sorted(codes))
    return rf"\+(?:{countries})" if countries else "(?!)"


@cache
def _assigned_ranges(code: int, types: tuple[str, ...]) -> str:
    """Match the numbers that the regions of a country code have, of some types."""
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata

    patterns: dict[str, None] = {}
    for region in COUNTRY_CODE_TO_REGION_CODE[code]:
        metadata: Metadata = PhoneMetadata.metadata_for_region_or_calling_code(code, region)
        for type in types:
            description = getattr(metadata, type)
            if description and description.national_number_pattern:
                patterns[description.national_number_pattern] = None
    return "|".join(f"(?:{pattern})(?![0-9])" for pattern in patterns) or "(?!)"


def _metadata(code: int) -> Metadata:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata

    region = COUNTRY_CODE_TO_REGION_CODE[code][0]
    return PhoneMetadata.metadata_for_region_or_calling_code(code, region)


def _normal_country(metadata: Metadata) -> str:
    """Match the numbers of a country that have a possible length and no trunk prefix.

    The pattern of trunk prefixes may match nothing, and then it removes nothing.
    """
    code, prefix = str(metadata.country_code), metadata.national_prefix_for_parsing
    lengths = (n for n in metadata.general_desc.possible_length if n + len(code) in E164_DIGITS)
    runs = ([n for _, n in run] for _, run in groupby(enumerate(lengths), lambda pair: pair[1] - pair[0]))
    digits = "|".join(f"[0-9]{{{run[0]},{run[-1]}}}(?![0-9])" for run in runs) or "(?!)"
    no_prefix = rf"(?!(?>{prefix})(?<!\+{code}))" if prefix else ""
    return f"{code}{no_prefix}(?:{digits})"


@cache
def _prefix_abroad(region: str) -> str:
    """Return the pattern of what is dialed in a region before a country code."""
    from phonenumbers import PhoneMetadata

    metadata: Metadata = PhoneMetadata.metadata_for_region(region)
    return metadata.international_prefix or "(?!)"


@cache
def _trunk_prefix(region: str) -> str | None:
    """Return what is dialed in a region before a national number; None where it is no fixed text."""
    from phonenumbers import PhoneMetadata

    metadata: Metadata = PhoneMetadata.metadata_for_region(region)
    prefix = metadata.national_prefix_for_parsing or ""
    return prefix if prefix.isdecimal() or not prefix else None


@cache
def _plain_national(region: str) -> tuple[str, re.Pattern[str]]:
    """Return the country code, and a pattern of what is dialed there. Its `rest` follows the code.

    It matches neither a prefix for calls abroad nor the country code. It does not match a trunk prefix either
    that may be a part of the number.
    """
    from phonenumbers import PhoneMetadata

    metadata: Metadata = PhoneMetadata.metadata_for_region(region)
    code, prefix = str(metadata.country_code), metadata.national_prefix_for_parsing or ""
    if metadata.id != _metadata(metadata.country_code).id:
        return code, re.compile("(?!)")  # other regions of a country code may have other prefixes
    own = metadata.general_desc.national_number_pattern
    trunk = rf"(?!(?:{own})(?![0-9])){prefix}" if prefix.isdecimal() else "(?!)"
    # tests/promises/long_linear.py has this expression by its text.
    return code, re.compile(rf"(?!{code}|{_prefix_abroad(region)})(?>(?:{trunk})?)(?P<rest>[0-9]+)")
