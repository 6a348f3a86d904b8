"""Files of media, made in code; videos are samples that ffmpeg made."""

import struct
import zlib
from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import Image

from ads_cli.runs.job import Job, JobKey, JobOptions
from ads_cli.store.epochs import UploadTarget

SAMPLES = Path(__file__).parent / "samples"


@cache  # compressing one takes longer than checking it
def picture(format: str = "PNG", width: int = 800, height: int = 800, mode: str = "RGB") -> bytes:
    """Make an image of one color."""
    file = BytesIO()
    Image.new(mode, (width, height)).save(file, format)
    return file.getvalue()


@cache
def turned_jpg(width: int, height: int, orientation: int, endian: str = ">") -> bytes:
    """Make a JPG that EXIF data turn; its sides are those before."""
    exif = Image.Exif()
    exif.endian = endian
    exif[0x0112] = orientation
    exif[0x010F] = "A maker"
    file = BytesIO()
    Image.new("RGB", (width, height)).save(file, "JPEG", exif=exif)
    return file.getvalue()


def gif(frames: int = 2, width: int = 2, height: int = 2) -> bytes:
    """Make a GIF of equal frames; its sides are what it states."""
    sides = struct.pack("<HH", width, height)
    frame = b",\0\0\0\0" + sides + b"\0\2\2\x44\1\0"
    return b"GIF89a" + sides + b"\x80\0\0" + bytes(6) + frame * frames + b";"


@cache
def padded_png(size: int, width: int = 800, height: int = 800) -> bytes:
    """Make a PNG of so many bytes."""
    whole = picture("PNG", width, height)
    filling = b"tEXt" + bytes(size - len(whole) - 12)
    chunk = struct.pack(">I", len(filling) - 4) + filling + struct.pack(">I", zlib.crc32(filling))
    return whole[:33] + chunk + whole[33:]


@cache
def animated_webp() -> bytes:
    """Make a WebP of two frames."""
    file = BytesIO()
    frames = [Image.new("RGB", (800, 800), color) for color in ("red", "blue")]
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:])
    return file.getvalue()


def sample(name: str) -> bytes:
    """Return a video that ffmpeg made."""
    return (SAMPLES / name).read_bytes()


def box(name: bytes, content: bytes = b"") -> bytes:
    """Make a box of an MP4."""
    return struct.pack(">I", len(content) + 8) + name + content


def upload_job(name: str = "first") -> Job:
    """Describe the job of an upload of two segments."""
    target = UploadTarget("https://ads.example", "amplify_video of 0", "a")
    options = JobOptions(format="amplify_video")
    key, started = JobKey(target, "upload", "0" * 64, options), "2026-11-23T08:45:12Z"
    return Job(job=name, key=key, noun="segments", file="clip.mp4", rows=2, batches=3, started=started)
