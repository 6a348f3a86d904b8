"""The addresses that cells hold: relative ones, lists, and those within JSON, formulas and HTML."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from ...api.addresses import ABSOLUTE, ENTITY, HAS_HOST, holds_several, scheme_of
from ...feeds.spreadsheet_cells import is_spoiled

IMAGES = "additional_image_link"  # URLs, separated by commas
LINKS = ("link", "mobile_link", "image_link")

ENDS_AS_IMAGE = re.compile(r"\.(?:jpe?g|png|gif|webp|bmp|svg|avif)\Z", re.IGNORECASE)
SEPARATORS = ("|", ";", "\n", ", ", ",", " ")


def is_absolute(text: str) -> bool:
    """Tell whether a text begins with a scheme or a host, misspelled or not."""
    return bool(ABSOLUTE.match(text) or text.startswith("//") or scheme_of(text)[0])


def _is_path(text: str) -> bool:
    return text.startswith("/") or bool(ENDS_AS_IMAGE.search(text))


def joined_links(links: Iterable[str]) -> str:
    """Join addresses by commas, which no address may contain then."""
    return ",".join(link.replace(",", "%2C") for link in links)


def parted(text: str, separator: str = ",") -> list[str]:
    """Return the addresses of a list; a separator that is part of an address parts nothing."""
    parts = [""]
    for part in text.split(separator):
        before = parts[-1].strip()
        if not before or _is_next(part.strip(), before):
            parts.append(part)
        else:
            parts[-1] += separator + part
    return [address for part in parts if (address := part.strip())]


def _is_next(part: str, before: str) -> bool:
    """Tell whether a part of a list begins an address, and does not go on with the one before."""
    if not part or is_absolute(part):
        return True
    is_after_image = bool(ENDS_AS_IMAGE.search(before))
    if is_absolute(before):
        return is_after_image and "?" not in before and _is_path(part)
    return is_after_image or part.startswith("/") or not _is_path(part)


def list_separator(value: Any) -> str | None:
    """Return what separates the addresses of a list; None of a text that is a single address."""
    if isinstance(value, list):
        return "," if any(isinstance(item, str) or found_in(item) for item in value) else None
    text = str(value).strip()
    for separator in SEPARATORS:
        if separator not in text or text[0] in SURROUNDING:
            continue
        parts = parted(text, separator)
        if len(parts) < 2:
            continue
        if all(map(is_absolute, parts)) and (holds_several(text) or not scheme_of(text)[0]):
            return separator
        # What a blank parts may as well be one name.
        is_file = ENDS_AS_IMAGE.search if separator == " " else _is_path
        if not is_absolute(parts[0]) and all(is_absolute(part) or is_file(part) for part in parts):
            return separator
    return None


NOT_RELATIVE = re.compile(r"[\"{}<>]")  # signs that surround addresses, or are not part of one
# What stands for no value.
NOTHING = re.compile(
    r"n/?a|none|null|nil|nan|undefined|false|[-?#.]+|no[ _-]?(?:image|selection|picture)", re.I
)

# A name such as shop.example; the ending of a file is that of a path.
BARE_HOST = re.compile(
    r"(?>(?:[a-z0-9-]+\.)+)(?!(?:[sx]?html?|php[0-9]?|aspx?|jspx?|cfm|cgi|do|p[ly]|pdf)\Z)[a-z]{2,63}", re.I
)


def is_relative(text: str) -> bool:
    """Tell whether a text is one relative address, which a base completes."""
    path = text.strip()
    if not path or "://" in path or path[0] in "='(" or NOT_RELATIVE.search(path):
        return False
    if "[" in path.partition("?")[0] or NOTHING.fullmatch(path) or is_spoiled(path, "link"):
        return False
    if is_absolute(path) or (BARE_HOST.fullmatch(path) and not ENDS_AS_IMAGE.search(path)):
        return False
    is_words = len(path.split()) > 1 and not ("/" in path or ENDS_AS_IMAGE.search(path))
    return not is_words and list_separator(path) is None


def completed(link: str, base: str) -> str:
    """Return a relative address with a base, and any other text as it is."""
    path = link.strip()
    if not (is_relative(path) or (path.startswith("//") and list_separator(path) is None)):
        return link
    try:
        return urljoin(base, path.replace("\\", "/"))
    except ValueError:  # not an address at all, which validation reports
        return link


# How texts begin that surround addresses: lists, objects, formulas, HTML, Markdown, quoted texts.
SURROUNDING = "[{=@<!\"'"
KEYS = ("src", "contenturl", "url", "href", "link")  # of an object, casefolded, the best one first
FORMULA = re.compile(
    r"['@]?=\s*+(?:[\w.]*(?:IMAGE|IMMAGINE|BILD|OBRAZ|AFBEELDING|HYPER|HIPER|IPERTEST)[\w.]*+\s*+\(\s*+)?"
    r"\"++([^\"]++)\"++\s*+(?:[;,)]|\Z)",
    re.IGNORECASE,
)
MARKDOWN = re.compile(r"!?\[[^\[\]]*+\]\(\s*+([^\s()]++)")
HTML = re.compile(
    r"""<(img|a)(?=\s)(?:"[^"]*+"|'[^']*+'|[^"'<>])*?\s(?:src|href)\s*+=\s*+["']?+([^"'<>]++)""",
    re.IGNORECASE,
)
MAX_FOUND = 100  # addresses in one cell
MAX_CHARACTERS = 50_000  # of a text that is parsed


def found_in(value: Any) -> list[str]:
    """Return the addresses that JSON, a formula, HTML or Markdown holds; none where they are not certain."""
    if isinstance(value, str):
        text = value.strip()
        if not text or text[0] not in SURROUNDING or len(text) > MAX_CHARACTERS:
            return []
        extracted = _in_text(text)
    else:
        extracted = _in_nested(value)
    links = [link.strip() for link in islice(extracted, MAX_FOUND)]
    return (
        [*dict.fromkeys(links)] if all(is_absolute(address) or _is_path(address) for address in links) else []
    )


def _in_text(text: str) -> Iterator[str]:
    if formula := FORMULA.match(text):
        yield formula[1]
    elif links := MARKDOWN.findall(text):
        yield from links
    elif text[0] == "<":
        elements = HTML.findall(text) or [("a", text.strip("<>"))]
        images = [link for name, link in elements if name.lower() == "img"]
        yield from map(_unescaped, images or [link for _, link in elements])
    elif text[0] in "[{":
        yield from _in_nested(_parsed(text))
    elif text[0] in "\"'":
        yield from _in_nested(_parsed(f"[{text}]"))


def _unescaped(text: str) -> str:
    from html import unescape

    return ENTITY.sub(lambda entity: unescape(entity[0]), text)


def _parsed(text: str) -> Any:
    """Parse a list or an object, written as JSON or as in other languages. Return None for other text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if "*" in text:
        return None  # repeats a part of itself, perhaps without end
    import yaml  # its flow style is what Python, Ruby and databases write

    try:
        return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _in_nested(value: Any) -> Iterator[str]:
    """Yield the addresses of a list or an object; another text where it is not certain which they are."""
    if isinstance(value, str):
        yield from [value] if value.strip() else []
    elif isinstance(value, list):
        for item in value:
            yield from _in_nested(item)
    elif isinstance(value, Mapping):
        by_name = {str(name).casefold(): name for name in value}
        if name := next((by_name[key] for key in KEYS if key in by_name), None):
            yield from _in_nested(value[name])
        elif all(map(str.isdecimal, by_name)):  # a list of PHP
            yield from _in_nested([*value.values()])
        else:  # a set, as databases write it
            yield from value if not any(value.values()) else [""]
    elif value is not None:
        yield ""


INVISIBLE = "\u200b\u2060\ufeff"  # but not the joiners of emoji and of Persian words
BREAKS = re.compile(rf"(?<! ) *+[\t\n\r]\s*+|[{INVISIBLE}]")  # which browsers take out, too
BLANK = re.compile(r"\s")
BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
PARTS = re.compile(r"([^/\\?#]*+)([^?#]*+)(.*+)", re.DOTALL)  # host, path, the rest


def mended(text: str) -> str:
    """Return an address with the right scheme and blanks as %20, or any other text as it is."""
    address = text.strip().strip("\"'`<>").rstrip("|, ")
    scheme, prefix = scheme_of(address)
    while scheme:
        address = address[len(prefix) :]
        following = scheme_of(address)
        if not following[0]:
            break
        scheme, prefix = following
    else:
        if HAS_HOST.match(address):
            scheme, address = "https", address.removeprefix("//")
        elif not _is_path(address):
            return text
    parts = PARTS.match(BREAKS.sub("", address))
    assert parts  # which takes any text apart
    host, tail = parts[1].rstrip(), parts[2].replace("\\", "/") + parts[3]
    if scheme and BLANK.search(host):
        return text
    if not scheme:
        host, tail = "", host + tail
    if blank := BLANK.search(tail):
        if ENDS_AS_IMAGE.search(tail[: blank.start()]) and not ENDS_AS_IMAGE.search(tail):
            return text  # an image and words about it, or its size
        tail = BLANK.sub("%20", BARE_PERCENT.sub("%25", tail))
    return f"{scheme}://{host}{tail}" if scheme else tail
