"""The rules of media by category and use, with the limits that the service states."""

from collections.abc import Callable, Collection, Iterator
from enum import StrEnum
from typing import NamedTuple

from ..api.media_uploads import Category
from ..api.problems import Severity
from ..feeds.registry import one_of
from ..media_files.images import READERS
from ..numbers import size_text
from .inspection import MediaInfo

MB = 1024 * 1024  # the service writes 5242880 bytes as 5 MB


class Use(StrEnum):
    """What a file is meant for."""

    website_card = "website-card"
    app_card = "app-card"
    poll = "poll"
    conversation = "conversation"
    post = "post"
    poster = "poster"
    promoted_video = "promoted-video"


IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
CARD_IMAGE_TYPES = ("image/bmp", "image/jpeg", "image/png")
POSTER_TYPES = ("image/png", "image/jpeg")
PROMOTED_TYPES = ("video/mp4", "video/quicktime")
VIDEO_TYPES = (*PROMOTED_TYPES, "video/webm", "video/mp2t")
IMAGE_BYTES, CARD_IMAGE_BYTES, GIF_BYTES = 5 * MB, 3 * MB, 15 * MB
VIDEO_BYTES, PROMOTED_BYTES = 512 * MB, 500 * MB
CARD_WIDTH = 800
GIF_WIDTH, GIF_HEIGHT, GIF_FRAMES, GIF_PIXELS = 1280, 1080, 350, 300_000_000
SUBTITLES_BYTES = 17_179_869_184  # of any upload
VIDEO_SECONDS, PROMOTED_SECONDS = (0.5, 140), (0.0, 600)
MIN_SIDE, LONG_SIDE, SHORT_SIDE = 32, 1280, 1024
MAX_RATIO = 3
FRAME_RATE = 60
FRAME_RATE_SLACK = 0.01  # frame times are rounded
RATIO_SLACK = 0.01  # pixels are whole, and exports of 1200x630 are taken as 1.91:1
RATIOS = {"1:1": 1.0, "1.91:1": 1.91, "16:9": 16 / 9}
CARD_RATIOS = {  # of images, and of videos
    Use.website_card: (("1:1", "1.91:1"), ("16:9", "1:1")),
    Use.app_card: (("1:1", "1.91:1"), ("16:9", "1:1")),
    Use.poll: (("1.91:1",), ("16:9",)),
    Use.conversation: (("1.91:1",), ("16:9",)),
}
ENCODE = "encode it as MP4, H.264 High, as in: ffmpeg -i FILE -c:v libx264 -profile:v high -pix_fmt yuv420p"
# The rule that asks for each fact of a video.
RULES_OF_FACTS = {
    "width": "video_pixels",
    "height": "video_pixels",
    "seconds": "video_seconds",
    "video_codec": "video_codec",
    "video_profile": "video_profile",
    "pixel_format": "video_pixel_format",
    "pixel_aspect": "video_pixel_aspect",
    "scan": "video_scan",
    "frame_rate": "video_frame_rate",
    "open_gop": "video_gop",
    "audio_codec": "video_audio",
    "audio_profile": "video_audio",
    "audio_channels": "video_audio",
}
FACTS_OF_AAC = ("audio_profile", "audio_channels")  # which no rule asks for of other sound

RULES_THAT_ASK_TO_ENCODE = ("media_empty", "media_damaged", "media_category", "video_type", "video_codec")


class Breach(NamedTuple):
    """A rule that a file breaks. The service may accept what is a warning."""

    rule: str
    words: str
    hint: str
    severity: Severity = "error"


def default_category(info: MediaInfo, uses: Collection[Use] = ()) -> Category | None:
    """Choose the category by the content; None where it is nothing that can be uploaded."""
    if info.kind == "video":
        return (
            Category.tweet_video
            if Use.post in uses and Use.promoted_video not in uses
            else Category.amplify_video
        )
    choices = {"image": Category.tweet_image, "gif": Category.tweet_gif, "subtitles": Category.subtitles}
    return choices.get(info.kind)


def unchecked_rules(info: MediaInfo, breaches: Collection[Breach]) -> tuple[str, ...]:
    """Name the rules that could not be looked at, since the bytes do not tell what they ask for.

    Where the file must be encoded again anyway, none is named.
    """
    if not {finding.rule for finding in breaches}.isdisjoint(RULES_THAT_ASK_TO_ENCODE):
        return ()
    return tuple(dict.fromkeys(map(RULES_OF_FACTS.__getitem__, unknown_facts(info))))


def unknown_facts(info: MediaInfo) -> list[str]:
    """Name the facts that a rule asks for and the bytes do not tell."""
    if info.kind != "video":
        return []
    unasked = () if info.audio_codec == "AAC" else FACTS_OF_AAC
    return [name for name in RULES_OF_FACTS if name not in unasked and getattr(info, name) is None]


def findings(info: MediaInfo, uses: Collection[Use] = (), category: Category | None = None) -> list[Breach]:
    """List the rules that a file breaks: those of its category, and of what it is meant for."""
    if not info.bytes:
        return [Breach("media_empty", "is empty", "export it again")]
    chosen = category or default_category(info, uses)
    if info.kind == "" or chosen is None:
        what = f"is {info.format}, no" if info.format else "is no"
        hint = "name a JPG, PNG, GIF, WebP, MP4 or MOV"
        return [Breach("media_type", f"{what} image, GIF or video", hint)]
    if problem := _category_problem(info, chosen):
        return [problem]
    breaches = [*_damage(info), *_of_category(info, chosen, uses)]
    for use in dict.fromkeys(uses):
        breaches += USE_RULES[use](info, use)
    breaches.sort(key=lambda finding: finding.severity == "warning")  # an error says the same, and more
    once = {(finding.rule, finding.words): finding for finding in reversed(breaches)}
    return [*reversed(once.values())]


def _category_problem(info: MediaInfo, category: Category) -> Breach | None:
    """Return what is wrong where a category is for other files."""
    kind = category.rpartition("_")[2]
    if info.kind == kind or (kind == "gif" and info.type == "image/gif"):
        return None
    hint = f"use {default_category(info)}, or leave the category out: it is chosen by the content"
    return Breach("media_category", f"is {info.format}, and {category} is not for it", hint)


def _damage(info: MediaInfo) -> Iterator[Breach]:
    damage = info.damage
    if not damage and 0 in (info.width, info.height):
        damage = "it states no pixels"
    if damage:
        yield Breach("media_damaged", f"is a damaged {info.format}: {damage}", "export or copy it again")


def _of_category(info: MediaInfo, category: Category, uses: Collection[Use] = ()) -> Iterator[Breach]:
    """Yield what the category of a file asks for: type and size, and if it is whole what it shows."""
    limits: dict[str, tuple[tuple[str, ...], int, str]] = {
        "image": (IMAGE_TYPES, IMAGE_BYTES, "export it as JPG or PNG"),
        "gif": (("image/gif",), GIF_BYTES, "export it as GIF"),
        "video": (VIDEO_TYPES, VIDEO_BYTES, ENCODE),
        "subtitles": (("text/srt", "text/vtt"), SUBTITLES_BYTES, "export them as SubRip (.srt)"),
    }
    kind = category.rpartition("_")[2]
    types, most, hint = limits[kind]
    if category is Category.amplify_video:
        types, most = PROMOTED_TYPES, PROMOTED_BYTES
    if kind == "image" and uses and {*uses} <= {*CARD_RATIOS}:
        types = (*types, "image/bmp")
    if info.type not in types:
        yield Breach(f"{kind}_type", f"is {info.format}; {_one_of(types)} is taken", hint)
    if info.bytes > most:
        yield Breach(f"{kind}_bytes", _too_large(info, most), "export it smaller, or with more compression")
    if kind != "subtitles" and not info.damage:
        yield from {"image": _image, "gif": _gif, "video": _video}[kind](info, category)


def _image(info: MediaInfo, category: Category) -> Iterator[Breach]:
    if info.color == "CMYK":
        yield Breach("image_color", "has the colors of print (CMYK)", "export it in RGB (sRGB)")
    if info.is_animated:
        yield Breach("image_animated", f"is an animated {info.format}", "export it as GIF or MP4")


def _gif(info: MediaInfo, category: Category) -> Iterator[Breach]:
    width, height, frames = info.width or 0, info.height or 0, info.frames or 0
    if width > GIF_WIDTH or height > GIF_HEIGHT:
        words = f"has {width}x{height} pixels, at most {GIF_WIDTH}x{GIF_HEIGHT} are allowed"
        yield Breach("gif_pixels", words, "export it smaller")
    if frames > GIF_FRAMES:
        words = f"has {frames:,} frames, at most {GIF_FRAMES} are allowed"
        yield Breach("gif_frames", words, "leave frames out, or export it as MP4")
    if (total := width * height * frames) > GIF_PIXELS:
        words = f"has {total:,} pixels in all its frames, at most {GIF_PIXELS:,} are allowed"
        yield Breach("gif_total_pixels", words, "export it smaller or with fewer frames, or as MP4")


def _video(info: MediaInfo, category: Category) -> Iterator[Breach]:
    is_promoted = category is Category.amplify_video
    if info.seconds is not None:
        least, most = PROMOTED_SECONDS if is_promoted else VIDEO_SECONDS
        if not least <= info.seconds <= most:
            allowed = f"at most {most}" if is_promoted else f"{least} to {most}"
            hint = "cut it, or promote it (--for promoted-video: up to 600)" if not is_promoted else "cut it"
            words = f"is {info.seconds:,.1f} seconds long, {allowed} are allowed"
            yield Breach("video_seconds", words, hint)
    yield from _video_pixels(info, "warning" if is_promoted else "error")
    yield from _video_pictures(info)
    yield from _video_sound(info)


def _video_pixels(info: MediaInfo, severity: Severity) -> Iterator[Breach]:
    """Yield what is wrong with the pixels; the largest are stated for posts only."""
    if not (info.width and info.height):
        return
    size = f"has {info.width}x{info.height} pixels"
    short, long = sorted((info.width, info.height))
    if short < MIN_SIDE:
        yield Breach("video_pixels", f"{size}, at least {MIN_SIDE}x{MIN_SIDE} are needed", "export it larger")
    if short > SHORT_SIDE or long > LONG_SIDE:
        words = f"{size}, at most {LONG_SIDE}x{SHORT_SIDE} are allowed in posts"
        yield Breach("video_pixels", words, "export it smaller, as in 1280x720", severity)
    if long > MAX_RATIO * short:
        yield Breach("video_ratio", f"{size}, a ratio of 1:3 to 3:1 is allowed", "crop it")


def _video_pictures(info: MediaInfo) -> Iterator[Breach]:
    if info.video_codec not in (None, "H.264"):
        yield Breach("video_codec", f"is encoded as {info.video_codec or 'nothing'}, H.264 is taken", ENCODE)
    elif info.video_profile not in (None, "High"):
        words = f"is H.264 {info.video_profile}, the service asks for High"
        yield Breach("video_profile", words, ENCODE, "warning")
    if info.pixel_format not in (None, "4:2:0"):
        yield Breach("video_pixel_format", f"has colors in {info.pixel_format}, 4:2:0 is taken", ENCODE)
    if info.pixel_aspect not in (None, "1:1"):
        words = f"has pixels of {info.pixel_aspect}, 1:1 is taken"
        yield Breach("video_pixel_aspect", words, "export it with square pixels")
    if info.frame_rate is not None and info.frame_rate > FRAME_RATE + FRAME_RATE_SLACK:
        words = f"has {info.frame_rate:.4g} frames a second, at most {FRAME_RATE} are allowed"
        yield Breach("video_frame_rate", words, "export it with 30 or 60, as in: ffmpeg -i FILE -r 30")
    if info.scan == "interlaced":
        yield Breach("video_scan", "is interlaced", "deinterlace it, as in: ffmpeg -i FILE -vf yadif")
    if info.open_gop:
        yield Breach("video_gop", "has open groups of pictures", "export it with closed ones")


def _video_sound(info: MediaInfo) -> Iterator[Breach]:
    hint = "export its sound as AAC LC, stereo, as in: ffmpeg -i FILE -c:v copy -c:a aac -ac 2"
    if info.audio_codec and info.audio_codec != "AAC":
        yield Breach("video_audio", f"has sound as {info.audio_codec}, AAC is taken", hint)
    elif info.audio_codec and info.audio_profile not in (None, "LC"):
        yield Breach("video_audio", f"has sound as {info.audio_profile}-AAC, AAC LC is taken", hint)
    if info.audio_codec and info.audio_channels and info.audio_channels > 2:
        words = f"has sound in {info.audio_channels} channels, mono or stereo is taken"
        yield Breach("video_audio_channels", words, hint)


def _card(info: MediaInfo, use: Use) -> Iterator[Breach]:
    """Yield what a card refuses."""
    if info.kind not in ("image", "video"):
        hint = "use an image or an MP4"
        yield Breach("card_type", f"is {info.format}; a {_words(use)} takes an image or a video", hint)
        return
    if info.kind == "image":
        if info.type not in CARD_IMAGE_TYPES:
            words = f"is {info.format}; a {_words(use)} takes {_one_of(CARD_IMAGE_TYPES)}"
            yield Breach("card_type", words, "export it as JPG or PNG")
        if info.bytes > CARD_IMAGE_BYTES:
            words = f"{_too_large(info, CARD_IMAGE_BYTES)} in a {_words(use)}"
            yield Breach("card_bytes", words, "export it as JPG, or smaller")
        if info.width and info.width < CARD_WIDTH:
            words = f"is {info.width} pixels wide, a {_words(use)} needs {CARD_WIDTH} or more"
            yield Breach("card_width", words, f"export it {CARD_WIDTH} pixels wide or wider")
    if info.width and info.height:
        ratios = CARD_RATIOS[use][info.kind == "video"]
        ratio = info.width / info.height
        if not any(abs(ratio / RATIOS[name] - 1) <= RATIO_SLACK for name in ratios):
            sizes = {"1:1": "800x800", "1.91:1": "1200x628", "16:9": "1280x720"}
            words = f"has {info.width}x{info.height} pixels ({ratio:.2f}:1), a {_words(use)} needs"
            hint = f"crop it, as in {' or '.join(sizes[name] for name in ratios)}"
            yield Breach("card_ratio", f"{words} {' or '.join(ratios)}", hint)


def _poster(info: MediaInfo, use: Use) -> Iterator[Breach]:
    if info.type not in POSTER_TYPES:
        words = f"is {info.format}; a poster is {_one_of(POSTER_TYPES)}"
        yield Breach("poster_type", words, "export it as JPG or PNG")


def _post(info: MediaInfo, use: Use) -> Iterator[Breach]:
    if info.kind == "video":
        yield from _of_category(info, Category.tweet_video)


def _promoted(info: MediaInfo, use: Use) -> Iterator[Breach]:
    if info.kind == "video":
        yield from _of_category(info, Category.amplify_video)
    else:
        yield Breach("promoted_type", f"is {info.format}, no video", "name an MP4 or MOV")


USE_RULES: dict[str, Callable[[MediaInfo, Use], Iterator[Breach]]] = {
    **dict.fromkeys(CARD_RATIOS, _card),
    Use.post: _post,
    Use.poster: _poster,
    Use.promoted_video: _promoted,
}
NAMES = {type: format for format, (type, _) in READERS.items()} | {
    "video/mp4": "MP4",
    "video/quicktime": "MOV",
    "video/webm": "WebM",
    "video/mp2t": "MPEG-TS",
    "text/srt": "SubRip",
    "text/vtt": "WebVTT",
}


def _words(use: Use) -> str:
    return "conversation card" if use is Use.conversation else use.replace("-", " ")


def _one_of(types: tuple[str, ...]) -> str:
    return one_of(NAMES[type] for type in types)


def _too_large(info: MediaInfo, most: int) -> str:
    limit = f"{size_text(most)} ({most:,} bytes)"
    return f"has {size_text(info.bytes)} ({info.bytes:,} bytes), at most {limit} are allowed"
