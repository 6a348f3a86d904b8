"""What the bytes of images and videos say: any package may use it, and it reads nothing but a stream."""

from typing import Any, BinaryIO, Literal

import msgspec

Kind = Literal["image", "gif", "video", "subtitles", ""]

VIDEO_FACTS = (
    *("width", "height", "seconds", "video_codec", "video_profile", "pixel_format", "pixel_aspect"),
    *("scan", "frame_rate", "open_gop", "audio_codec"),
)
AUDIO_FACTS = ("audio_profile", "audio_channels")


class MediaFacts(msgspec.Struct):
    """What a file says of itself; None is what it does not say, an empty text what it does not have."""

    kind: Kind = ""  # "" where it is neither an image nor a video
    type: str = ""  # the media type, as in image/jpeg; "" where it is not known
    format: str = ""  # its usual name, as in JPG; "" where it is not known
    width: int | None = None  # pixels as shown: a video that is turned when it is played is turned here
    height: int | None = None
    frames: int | None = None
    seconds: float | None = None
    color: str | None = None  # of a JPG: gray, YCbCr or CMYK
    is_animated: bool = False
    video_codec: str | None = None
    video_profile: str | None = None
    pixel_format: str | None = None  # as in 4:2:0
    pixel_aspect: str | None = None  # as in 1:1
    scan: Literal["progressive", "interlaced"] | None = None
    frame_rate: float | None = None  # frames a second, on average
    open_gop: bool | None = None
    audio_codec: str | None = None
    audio_profile: str | None = None
    audio_channels: int | None = None
    damage: str = ""  # why it cannot be whole

    @property
    def unknown(self) -> tuple[str, ...]:
        """Name the facts that a rule asks for and the bytes do not tell."""
        if self.kind != "video":
            return ()
        names = (*VIDEO_FACTS, *(AUDIO_FACTS if self.audio_codec == "AAC" else ()))
        return tuple(name for name in names if getattr(self, name) is None)

    def note(self, **facts: Any) -> None:
        """Set facts that were not known before."""
        for name, value in facts.items():
            if getattr(self, name) is None:
                setattr(self, name, value)


class DamagedError(Exception):
    """The file cannot be whole; the text says why."""


def read_exactly(stream: BinaryIO, size: int) -> bytes:
    """Read so many bytes; raise DamagedError if the file ends before."""
    data = stream.read(size)
    if len(data) < size:
        raise DamagedError("it ends too early")
    return data
