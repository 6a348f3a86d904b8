"""Find the encoding of a text that is not UTF-8, from all lines that have letters beyond ASCII."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import BinaryIO, NamedTuple

BLOCK_BYTES = 64 * 1024
MAX_LINE_BYTES, MAX_PART_BYTES = 16 * 1024, 1024 * 1024
MAX_SAMPLE_BYTES = 32 * 1024  # of 200 rows; more changes no decision on feeds in 31 languages
# Bytes that are never a part of a character of several bytes.
LINE_ENDS, TAGS, WORD_ENDS = re.compile(rb"[\r\n]+"), re.compile(rb'[<>"]+'), re.compile(rb'[\s,;"<>]+')
WESTERN = "cp1252"
# Of those that decode a text alike, the first is named.
ENCODINGS = (
    *(WESTERN, "euc_kr", "shift_jis_2004", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("cp1257", "cp932", "cp949", "gb18030", "big5hkscs", "euc_jis_2004"),
    *("koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *(f"iso8859-{part}" for part in (1, 15, 2, 5, 6, 7, 8, 9, 13)),
)
# Chosen by chardet for texts in others too often: a file in one of these is left to a person.
RARE = ("cp874", "cp1258", "mac-latin2", "mac-turkish", "mac-greek", "cp437", "cp850", "cp852", "cp866")
USUAL_NAMES = {
    "euc_kr": "euc-kr",
    "shift_jis_2004": "shift_jis",
    "big5hkscs": "big5",
    "euc_jis_2004": "euc-jp",
}
# By trial on 7,000 feeds of 1 to 300 rows in 38 languages: four of five results are certain, and these are
# right.
MAX_SHARE = 0.8  # of the confidence in the best candidate, that the second may have
MAX_SHARE_OF_WESTERN = 0.9  # where the best is the one of most files
MIN_CONFIDENCE = 0.01
MAX_UTF_8 = 0.1  # of the words; in a text with more, some lines are UTF-8 and others are not
MAX_CANDIDATES = 3
MAX_EXCERPT_WORDS, MAX_EXCERPT = 3, 40

LETTER = "[^\\W\\d_\u00b2\u00b3\u00b9\u00bc-\u00be]"
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
IN_WORDS = (  # signs that stand in words, or between those of languages without blanks
    "\u2018\u2019\u00b4\u00b7\u2010-\u2015\u2026\u00ad\u00a0\u200c\u200d\u05f3\u05f4\u3000-\u303f\u30fb\uff01-\uff65"
)
LATIN, OTHERS = "A-Za-z\u00c0-\u024f", "\u0370-\u052f\u0590-\u06ff"
IMPLAUSIBLE = (
    re.compile("[\x7f-\x9f\ue000-\uf8ff]"),
    re.compile(
        f"(?<={LETTER})(?:[\u00b2\u00b3\u00b9\u00bc-\u00be]|[^\\x00-\\x7f\\w{MARKS}{IN_WORDS}])(?={LETTER})"
    ),
    re.compile(f"[{LATIN}][{OTHERS}]|[{OTHERS}][{LATIN}]"),
)
MAX_IMPLAUSIBLE = 0.02  # of the words
KANA = re.compile("[\u3041-\u30fe]")


class Candidate(NamedTuple):
    """An encoding that a text may be in."""

    name: str
    words: str  # of the text, those beyond ASCII
    is_plausible: bool  # as what people write

    def excerpt(self, others: Sequence["Candidate"]) -> str:
        """Return words, first those that candidates read in the most different ways."""
        words = self.words.split(" ")
        readings = zip(*(other.words.split(" ") for other in others), strict=False)
        count = [len({*reading}) for reading in readings]
        order = sorted(range(len(count)), key=lambda number: -count[number])
        return " ".join(words[number] for number in order[:MAX_EXCERPT_WORDS])[:MAX_EXCERPT]


Ranked = list[tuple[Candidate, float]]  # with the confidence in each, the best first


class Detection(NamedTuple):
    """What a text may be in, the most probable first."""

    candidates: Sequence[Candidate] = ()
    is_certain: bool = False  # of the first candidate
    is_mixed: bool = False  # some of its lines are UTF-8

    @property
    def encoding(self) -> str:
        """The encoding; empty where it is not certain."""
        return self.candidates[0].name if self.is_certain else ""

    @property
    def hint(self) -> str:
        """Say what to type."""
        if self.is_certain:
            return f"add --encoding {self.encoding}"
        return f"name its encoding{' with --encoding' if self.candidates else ', as in --encoding cp1252'}"

    def described(self, *, with_excerpts: bool) -> str:
        """Continue a sentence with the candidates, and what each reads. Return "" if there are none."""
        shown = self.candidates[:1] if self.is_certain else self.candidates
        if not with_excerpts:
            return f"; it may be {' or '.join(candidate.name for candidate in shown)}" if shown else ""
        read = " and ".join(
            f"as {candidate.name} it reads {candidate.excerpt(self.candidates)!r}" for candidate in shown
        )
        return f"; {read}" if read else ""


def detect(stream: BinaryIO) -> Detection:
    """Find the encoding of a text that is not UTF-8."""
    lines, words = _sample(stream)
    if not words:  # of a line that is too long
        return Detection()
    if sum(map(_is_utf_8, words)) > MAX_UTF_8 * len(words):
        return Detection(is_mixed=True)
    in_words = _ranked(b" ".join(words))
    name = _certain_name(in_words, _ranked(b"\n".join(lines)))
    plausible = [candidate for candidate, _ in in_words if candidate.is_plausible]
    candidates = sorted(plausible, key=lambda candidate: candidate.name != name)
    return Detection(candidates[:MAX_CANDIDATES], is_certain=bool(name))


def _certain_name(in_words: Ranked, in_lines: Ranked) -> str:
    """Return the candidate that is far better than all others; empty where none is.

    Words alone tell most languages apart. The lines that they are in tell whether a few words are those of
    Western Europe, or of English.
    """
    likely = [rated for rated in in_words if rated[0].is_plausible]
    if not (likely and in_lines and in_lines[0][0].is_plausible):
        return ""
    (best, confidence), *others = (rated for rated in in_lines if rated[0].is_plausible)
    shares = {rival.name: other / confidence for rival, other in others}
    if best.name == WESTERN:
        is_certain = max(shares.values(), default=0.0) <= MAX_SHARE_OF_WESTERN
    else:
        (first, confidence), *others = likely
        share = others[0][1] / confidence if others else 0.0
        is_certain = (
            first.name == best.name not in RARE
            and confidence >= MIN_CONFIDENCE
            and max(share, shares.get(WESTERN, 0.0)) <= MAX_SHARE
        )
    return best.name if is_certain else ""


def _sample(stream: BinaryIO) -> tuple[list[bytes], list[bytes]]:
    """Return lines of a text that have new words beyond ASCII, and these words.

    Of a long text the later lines are those with a byte that no earlier one has.
    """
    lines, words, seen, size = list[bytes](), dict[bytes, None](), b"", 0
    for line in _lines(stream):
        is_full = size > MAX_SAMPLE_BYTES
        if line.isascii() or (is_full and line.translate(None, seen).isascii()):
            continue
        new = [word for word in WORD_ENDS.split(line) if not word.isascii() and word not in words]
        if new:
            words.update(dict.fromkeys(new))
            lines.append(line)
            size += len(line)
            seen = bytes({*seen, *b"".join(new)})
    return lines, [*words]


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(BLOCK_BYTES):
        *lines, rest = LINE_ENDS.split(rest + block)
        yield from lines
        if len(rest) > MAX_LINE_BYTES:  # as a document in one line
            *parts, rest = TAGS.split(rest)
            yield from parts
            rest = rest if len(rest) < MAX_PART_BYTES else b""
    yield rest


def _is_utf_8(word: bytes) -> bool:
    return _decoded(word, "utf-8") is not None


def _decoded(text: bytes, encoding: str) -> str | None:
    with suppress(UnicodeDecodeError):
        return text.decode(encoding)
    return None


def _ranked(text: bytes) -> Ranked:
    """Return the candidates that read a text as one, with the confidence in them.

    Those that read it alike are one.
    """
    from chardet import detect_all

    confidence: dict[str, tuple[str | None, float]] = {}  # of what is read, with its language
    for result in detect_all(
        text,
        ignore_threshold=True,
        max_bytes=len(text),
        compat_names=False,
        include_encodings=[*ENCODINGS, *RARE],
    ):
        encoding = result["encoding"]
        read = _decoded(text, encoding) if encoding else None
        if read is not None:
            confidence.setdefault(read, (result["language"], result["confidence"]))
    return [
        (Candidate(_name(text, read), read, _is_plausible(read, language)), trust)
        for read, (language, trust) in confidence.items()
    ]


def _name(text: bytes, read: str) -> str:
    for encoding in (*ENCODINGS, *RARE):
        name = USUAL_NAMES.get(encoding, encoding)
        if read in (_decoded(text, name), _decoded(text, encoding)):
            return name if _decoded(text, name) == read else encoding
    raise AssertionError  # it was read in one of them


def _is_plausible(text: str, language: str | None) -> bool:
    """Tell whether words are such as people write: no signs, capitals or letters of other scripts in them."""
    if language in ("ja", "zh") and bool(KANA.search(text)) != (language == "ja"):
        return False
    mistakes = sum(len(pattern.findall(text)) for pattern in IMPLAUSIBLE)
    mistakes += sum(
        not after.isascii() and after.isupper() and before.islower() for before, after in pairwise(text)
    )
    words = sum(not word.isascii() for word in text.split())
    return mistakes <= MAX_IMPLAUSIBLE * words
